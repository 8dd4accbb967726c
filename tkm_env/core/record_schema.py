"""The format of game records: the keys of a record, and what each of them holds.

The keys of `GAME_FIELDS` describe a game, wherever it was played. Other parts of this package, and
other packages, add keys of their own through an entry point of the group ``tkm_env.record_fields``,
whose object is a tuple of `RecordField`. These are looked up only when a record holds a key that is
not in `GAME_FIELDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Final, Protocol, TypeAlias, cast

from tkm_env.foundations.checks import is_text
from tkm_env.foundations.errors import RecordError, repr_of
from tkm_env.foundations.plugins import installed, load

KIND: Final = "tkm_env game record"
VERSION: Final = 2
#: The group of entry points in which packages list the keys that they add.
ENTRY_POINTS: Final = "tkm_env.record_fields"

#: An upper bound of thirty years, so that sums of times stay finite.
MAX_SECONDS: Final = 1e9
#: Python refuses to parse integers that are much longer.
_MAX_SEED: Final = 10**1000
#: Decimals of a second that records keep.
_SECOND_DECIMALS: Final = 6

#: The kinds of faults, as records name them, with their meaning.
FAULTS: Final = {
    "illegal": "an action that is not legal, does not exist, or comes after the end of its turn",
    "timeout": "no answer in time",
    "crash": "it raised an exception, ended, or was killed",
    "protocol": "a line that is not part of the protocol, or one that was not asked for",
    "memory": "more memory, or more processes, than it may have",
    "output": "more output than it may write",
}

#: The ply of a fault that came before the player was first asked for an action.
START: Final = 0


class RecordableGame(Protocol):
    """What the format of records asks of a game's class."""

    name: ClassVar[str]
    players: ClassVar[tuple[str, ...]]
    results: ClassVar[Mapping[int, str]]


#: Whether a value fits, given the class of the game and the whole record as well.
Check: TypeAlias = Callable[[Any, type[RecordableGame], Mapping[str, Any]], bool]


def _unchanged(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class RecordField:
    """One key of a record.

    Attributes:
        name: the key.
        meaning: what it says, for the documentation.
        form: what its value must be, for messages; ``{players}`` stands for the names of the
            game's players.
        fits: whether a value has that form, given the class of the game and the whole record as
            well.
        is_required: whether every record has it.
        kept: what a new record keeps of a value that fits, such as three decimals; by default all
            of it.
    """

    name: str
    meaning: str
    form: str
    fits: Check
    is_required: bool = False
    kept: Callable[[Any], Any] = _unchanged


def is_number(value: object, most: float) -> bool:
    """Whether a value is an int or a float within bounds; truth values are neither.

    Args:
        value: the value.
        most: the largest that is allowed; the smallest is 0.

    Returns:
        Whether it is.
    """
    return type(value) in (int, float) and 0 <= value <= most  # type: ignore[operator]


def by_side(fits: Callable[[Any], bool], *, every_player: bool = False) -> Check:
    """A check of an object whose keys are names of players.

    Args:
        fits: whether the value of one player has its form.
        every_player: whether the object must have a value for each player; if not, one is enough.

    Returns:
        The check, for a `RecordField`.
    """

    def fit(values: Any, game: type[RecordableGame], record: Mapping[str, Any]) -> bool:
        return (
            isinstance(values, Mapping)
            and len(values) >= (len(game.players) if every_player else 1)
            and {*values} <= {*game.players}
            and all(map(fits, values.values()))
        )

    return fit


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _are_times(value: Any, game: type[RecordableGame], record: Mapping[str, Any]) -> bool:
    actions = record["actions"]
    return (
        isinstance(value, list)
        and all(is_number(seconds, MAX_SECONDS) for seconds in value)
        and isinstance(actions, list)
        and len(value) == len(actions)
    )


def _is_result(value: Any, game: type[RecordableGame], record: Mapping[str, Any]) -> bool:
    return value is None or (isinstance(value, str) and value in game.results.values())


def _is_fault(value: Any, game: type[RecordableGame], record: Mapping[str, Any]) -> bool:
    if not isinstance(value, Mapping) or {*value} != {"player", "kind", "ply", "seen"}:
        return False
    player, kind, ply, seen = (value[key] for key in ("player", "kind", "ply", "seen"))
    return (
        all(isinstance(text, str) for text in (player, kind, seen))
        and player in game.players
        and kind in FAULTS
        and type(ply) is int
        and ply >= START
    )


def _is_adjudication(value: Any, game: type[RecordableGame], record: Mapping[str, Any]) -> bool:
    return (
        isinstance(value, Mapping)
        and {*value} == {"winner", "seen"}
        and value["winner"] in (None, *game.players)
        and is_text(value["seen"])
    )


#: The keys of a game, in the order in which they are written.
GAME_FIELDS: Final = (
    RecordField(
        "kind",
        meaning=f'"{KIND}"',
        form=repr(KIND),
        fits=lambda value, *_: isinstance(value, str) and value == KIND,
        is_required=True,
    ),
    RecordField(
        "version",
        meaning=f"the version of this format: {VERSION}",
        form=f"{VERSION}, the only version",
        fits=lambda value, *_: type(value) is int and value == VERSION,
        is_required=True,
    ),
    RecordField(
        "game",
        meaning="the game's name in the registry",
        form="the game's name",
        fits=lambda value, game, _: isinstance(value, str) and value == game.name,
        is_required=True,
    ),
    RecordField(
        "config",
        meaning="the settings that differ from the defaults, by the keywords of the game's config",
        form="an object of settings",
        fits=lambda value, *_: isinstance(value, Mapping),
        is_required=True,
    ),
    RecordField(
        "seed",
        meaning="the seed of everything left to chance, if known",
        form="an integer from 0, of at most a thousand digits",
        fits=lambda value, *_: type(value) is int and 0 <= value < _MAX_SEED,
    ),
    RecordField(
        "position",
        meaning=(
            "the position in which the game began, hidden parts included, where the settings do "
            "not determine it"
        ),
        form="the text of a position",
        fits=lambda value, *_: isinstance(value, str),
    ),
    RecordField(
        "players",
        meaning="the names of both players, by side",
        form="an object with the names of {players}",
        fits=by_side(is_text, every_player=True),
    ),
    RecordField(
        "actions",
        meaning="the names of all actions, in order",
        form="a list of names of actions",
        fits=lambda value, *_: _is_list_of_texts(value),
        is_required=True,
    ),
    RecordField(
        "result",
        meaning='"1-0", "0-1", "1/2", "*", or null while the game is in progress',
        form="null or a result",
        fits=_is_result,
        is_required=True,
    ),
    RecordField(
        "seconds",
        meaning=(
            "how long each decision took on the player's clock, one number for each action; of a "
            "whole turn that was decided at once, the first has the time, and the others 0; 0 for "
            "the first one if the player may have compiled code for it"
        ),
        form="a list of numbers from 0, one for each action",
        fits=_are_times,
        kept=lambda times: [seconds and round(seconds, _SECOND_DECIMALS) for seconds in times],
    ),
    RecordField(
        "fault",
        meaning=(
            "the fault that ended the game early, as a loss for the player who committed it: "
            "`player`, the side; `kind`; `ply`, the number of the action at which it happened, 0 "
            "if the player failed to start; `seen`, the details"
        ),
        form=f"an object with player, one of {{players}}, kind, one of {', '.join(FAULTS)}, ply "
        "and seen",
        fits=_is_fault,
    ),
    RecordField(
        "adjudicated",
        meaning=(
            "how the referee ended the game early, since both players agreed about its end: "
            "`winner`, the side, or null for a draw; `seen`, what they agreed about"
        ),
        form="an object with winner, one of {players} or null, and seen",
        fits=_is_adjudication,
    ),
)
_NAMES: Final = frozenset(field.name for field in GAME_FIELDS)


@cache
def record_fields() -> dict[str, RecordField]:
    """All keys that a record may hold, by name, in the order in which they are written.

    Returns:
        The keys of `GAME_FIELDS`, then those that installed products add, product by product.
    """
    fields = {field.name: field for field in GAME_FIELDS}
    for _, product in sorted(installed(ENTRY_POINTS).items()):
        for field in cast("tuple[RecordField, ...]", load(product, tuple) or ()):
            fields.setdefault(field.name, field)
    return fields


def fields_in(record: Collection[str]) -> list[RecordField]:
    """The fields whose keys a record holds, in the order in which they are written."""
    fields = GAME_FIELDS if _NAMES.issuperset(record) else record_fields().values()
    return [field for field in fields if field.name in record]


def check_keys(record: object) -> None:
    """Check which keys a record has, but not their values.

    Raises:
        RecordError: naming the first required key that is missing, or an unknown key.
    """
    if not isinstance(record, Mapping):
        raise RecordError("record", f"it must be a JSON object, not {type(record).__name__}")
    for field in GAME_FIELDS:
        if field.is_required and field.name not in record:
            raise RecordError(field.name, "it is required")
    for name in record:
        if name not in _NAMES and name not in record_fields():
            allowed = ", ".join(record_fields())
            raise RecordError(str(name), f"there is no such key; valid keys: {allowed}")


def check_form(record: Mapping[str, Any], game_class: type[RecordableGame]) -> None:
    """Check everything about a record that does not require playing it.

    Args:
        record: the record of a game, still unchecked.
        game_class: the class of that game.

    Raises:
        RecordError: naming the first key that is missing, unknown or wrong, what was given, and
            what is allowed.
    """
    check_keys(record)
    if not isinstance(record["game"], str) or record["game"] != game_class.name:
        raise wrong_game([game_class.name], record["game"])
    for field in fields_in(record):
        if not field.fits(record[field.name], game_class, record):
            form = field.form.format(players=" and ".join(game_class.players))
            raise RecordError(field.name, f"it must be {form}, not {repr_of(record[field.name])}")


def wrong_game(allowed: Collection[str], given: object) -> RecordError:
    """The error for a record of a game that is not allowed here.

    Args:
        allowed: the names of the games that are allowed.
        given: the value of the record's key ``game``.

    Returns:
        The error, to be raised.
    """
    return RecordError(
        "game", f"it must be {' or '.join(map(repr, allowed))}, not {repr_of(given)}"
    )
