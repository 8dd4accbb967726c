"""Game records: how a game becomes one, and how it is replayed, checked action by action. `FIELDS` is the one table of keys."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from tkm_env.core.settings import changed_settings, make_config, settings_of
from tkm_env.foundations.checks import is_text
from tkm_env.foundations.errors import IllegalActionError, RecordError, TKMError, repr_of
from tkm_env.foundations.files import packaged_json, parsed_json

KIND: Final = "tkm_env game record"
VERSION: Final = 2

#: An upper bound of thirty years, so that sums of times stay finite.
_MAX_SECONDS: Final = 1e9
#: An upper bound of a billion GiB, so that sums of sizes stay finite.
_MAX_MIB: Final = 1e12
#: Python refuses to parse numbers that are much longer.
_MAX_SEED: Final = 10**1000
#: Decimals that records keep.
_ROUNDED: Final = {"seconds": 6, "memory": 1, "cpu": 3}

#: The kinds of faults, as records name them, with their meaning.
FAULTS: Final = {
    "illegal": "an action that is not legal, does not exist, or comes after the end of its turn",
    "timeout": "no answer in time",
    "crash": "it raised an exception, ended, or was killed",
    "protocol": "a line that the protocol does not know, or one that nobody asked for",
    "memory": "more memory, or more processes, than it may have",
    "output": "more output than it may write",
}

#: The ply of a fault that came before the player was first asked for an action.
START: Final = 0

#: A class that derives from `tkm_env.core.game.BaseGame`, which uses this module.
GameT = TypeVar("GameT", bound=Any)


class RecordField(NamedTuple):
    """One key of a record."""

    name: str  # the key
    required: bool  # whether every record has it
    meaning: str  # what it says
    form: str  # what it must be, where ``{players}`` stands for the names of the game's players
    #: Whether a value has that form; it is given the game's class and the whole record as well.
    fits: Callable[[Any, Any, Mapping[str, Any]], bool]


def _is_number(value: Any, most: float) -> bool:
    return type(value) in (int, float) and 0 <= value <= most


def _by_side(
    fits: Callable[[Any], bool], fewest: int = 1
) -> Callable[[Any, Any, Mapping[str, Any]], bool]:
    """Whether values fit that are given for so many of the players, by side."""

    def fit(values: Any, game: Any, record: Mapping[str, Any]) -> bool:
        by_side = (
            isinstance(values, Mapping) and len(values) >= fewest and {*values} <= {*game.players}
        )
        return by_side and all(map(fits, values.values()))

    return fit


def _are_times(values: Any, game: Any, record: Mapping[str, Any]) -> bool:
    actions = record["actions"]
    times = isinstance(values, list) and all(_is_number(value, _MAX_SECONDS) for value in values)
    return times and isinstance(actions, list) and len(values) == len(actions)


#: The forms of objects: the types of their values, by key; in a list all elements are alike.
_FAULT: Final = {"player": str, "kind": str, "ply": int, "seen": str}
_ANSWER: Final = {
    "ply": int,
    "text": str,
    "end": str,
    "tokens": [int],
    "model": str,
    "refused": (str, type(None)),
}
_CONVERSATION: Final = {"asked": Mapping, "prompt": str, "answers": [_ANSWER]}


def _has_form(value: Any, form: Any) -> bool:
    if isinstance(form, dict):
        return (
            isinstance(value, Mapping)
            and {*value} == {*form}
            and all(_has_form(value[key], form[key]) for key in form)
        )
    if isinstance(form, list):
        return isinstance(value, list) and all(_has_form(element, form[0]) for element in value)
    return isinstance(value, form)


def _is_fault(fault: Any, game: Any, record: Mapping[str, Any]) -> bool:
    return (
        _has_form(fault, _FAULT)
        and fault["player"] in game.players
        and fault["kind"] in FAULTS
        and type(fault["ply"]) is int
        and fault["ply"] >= START
    )


def _is_conversation(value: Any) -> bool:
    """Whether that is what a language model was asked and answered."""
    return _has_form(value, _CONVERSATION) and all(
        len(answer["tokens"]) == 2 for answer in value["answers"]
    )


#: Whether the value of each key has its form.
_FITS: Final[Mapping[str, Callable[[Any, Any, Mapping[str, Any]], bool]]] = {
    "kind": lambda given, *_: isinstance(given, str) and given == KIND,
    "version": lambda given, *_: type(given) is int and given == VERSION,
    "game": lambda given, game, _: given == game.name,
    "config": lambda given, *_: isinstance(given, Mapping),
    "seed": lambda given, *_: type(given) is int and 0 <= given < _MAX_SEED,
    "position": lambda given, *_: isinstance(given, str),
    "players": _by_side(is_text, fewest=2),
    "actions": lambda given, *_: (
        isinstance(given, list) and all(isinstance(action, str) for action in given)
    ),
    "result": lambda given, game, _: (
        given is None or (isinstance(given, str) and given in game.results.values())
    ),
    "seconds": _are_times,
    "fault": _is_fault,
    "isolation": _by_side(is_text, fewest=2),
    "digest": _by_side(is_text, fewest=2),
    "unprotected": _by_side(
        lambda names: isinstance(names, list) and len(names) > 0 and all(map(is_text, names))
    ),
    "memory": _by_side(lambda size: _is_number(size, _MAX_MIB)),
    "cpu": _by_side(lambda seconds: _is_number(seconds, _MAX_SECONDS)),
    "models": _by_side(_is_conversation),
}
_CONSTANTS: Final = {"KIND": KIND, "VERSION": str(VERSION), "FAULTS": ", ".join(FAULTS)}


def _filled(text: str) -> str:
    return re.sub("|".join(_CONSTANTS), lambda found: _CONSTANTS[found[0]], text)


#: The keys of a record, in the order in which they are written: the rows of ``record_fields.json``.
FIELDS: Final = tuple(
    RecordField(name, row["required"], _filled(row["meaning"]), _filled(row["form"]), _FITS[name])
    for name, row in packaged_json(__package__, "record_fields.json").items()
)
_NAMES: Final = tuple(field.name for field in FIELDS)


def check_keys(record: object) -> None:
    """Raise a `RecordError` naming the first required key that is missing, or one that is not of `FIELDS`."""
    if not isinstance(record, Mapping):
        raise RecordError("record", f"it must be a JSON object, not {type(record).__name__}")
    for field in FIELDS:
        if field.required and field.name not in record:
            raise RecordError(field.name, "it is required")
    for name in record:
        if name not in _NAMES:
            raise RecordError(str(name), f"there is no such key; valid keys: {', '.join(_NAMES)}")


def check_form(record: Mapping[str, Any], game_class: Any) -> None:
    """Raise a `RecordError` naming the first key of a record of that game that is missing, unknown or wrong without playing it."""
    check_keys(record)
    if not isinstance(record["game"], str) or record["game"] != game_class.name:
        raise wrong_game([game_class.name], record["game"])
    for field in FIELDS:
        if field.name in record and not field.fits(record[field.name], game_class, record):
            form = field.form.format(players=" and ".join(game_class.players))
            raise RecordError(field.name, f"it must be {form}, not {repr_of(record[field.name])}")


def wrong_game(allowed: Collection[str], given: object) -> RecordError:
    return RecordError(
        "game", f"it must be {' or '.join(map(repr, allowed))}, not {repr_of(given)}"
    )


def as_json(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record with all values of JSON's types, as they will be read back. Raises a `RecordError` naming a key that cannot be written."""
    try:
        return _read_back(record)
    except (TypeError, ValueError, RecursionError):
        return {key: _as_json(key, value) for key, value in record.items()}  # which of them it was


def _as_json(key: str, value: object) -> Any:
    try:
        return _read_back(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(key, f"{repr_of(value)} cannot be written: {error}") from None


def _read_back(value: object) -> Any:
    return parsed_json(json.dumps(value, allow_nan=False, default=_of_json_type).encode("utf-8"))


def _of_json_type(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"JSON has nothing like {type(value).__name__}")


def record_of(game: Any, **details: Any) -> dict[str, Any]:
    """As `tkm_env.core.game.BaseGame.to_record`."""
    config, start = game.config, game.start
    given: dict[str, Any] = {
        "kind": KIND,
        "version": VERSION,
        "game": game.name,
        "config": changed_settings(config),
    }
    if config.begins_by_chance or start != type(game)(config, seed=0):
        given["position"] = start.position
    given |= {
        "actions": [game.action_names[action] for action in game.history],
        "result": game.result,
    }
    given |= {key: value for key, value in details.items() if value is not None}
    if isinstance(given.get("seconds"), (Sequence, np.ndarray)) and not isinstance(
        given["seconds"], (str, bytes, bytearray)
    ):
        given["seconds"] = [*given["seconds"]]
    record = as_json({name: given[name] for name in _NAMES if name in given})
    check_form(record, type(game))
    for name, digits in _ROUNDED.items():
        if name == "seconds" and name in record:
            record[name] = [round(second, digits) for second in record[name]]
        elif name in record:
            record[name] = {side: round(size, digits) for side, size in record[name].items()}
    record["result"] = _result(record, game)
    return record


def play_record(game_class: Callable[..., GameT], record: Mapping[str, Any]) -> GameT:
    """As `tkm_env.core.game.BaseGame.from_record`, for any class."""
    check_form(record, game_class)
    game = _start(game_class, record)
    try:
        for action in record["actions"]:
            game.play(action)
    except IllegalActionError as error:
        ply = len(game.history) + 1
        raise RecordError("actions", f"ply {ply}: {error}", ply=ply) from None
    result = _result(record, game)
    if result != record["result"]:
        raise RecordError(
            "result", f"it is {repr_of(record['result'])}, but these actions lead to {result!r}"
        )
    return game


def _start(game_class: Any, record: Mapping[str, Any]) -> Any:
    config_class, settings = type(game_class.default_config), record["config"]
    for setting in settings_of(config_class):
        keyword = setting.keyword
        if setting.kind == "file" and isinstance(settings.get(keyword), str):
            reason = f"a record holds the {keyword} itself, not the name of a file: {repr_of(settings[keyword])}"
            raise RecordError("config", reason)
    try:
        config = make_config(config_class, None, settings)
    except TKMError as error:
        raise RecordError("config", str(error)) from error
    if "position" not in record and config.begins_by_chance:
        raise RecordError(
            "position", "it is required: under these settings the game begins by chance"
        )
    try:
        # With two seeds: a game that is equal under both does not depend on them.
        game, other = (
            game_class(config, seed=seed, position=record.get("position")) for seed in range(2)
        )
    except TKMError as error:
        raise RecordError("position", str(error)) from error
    if game != other:
        raise RecordError("position", "it must be complete, including what the players do not see")
    return game


def _result(record: Mapping[str, Any], game: Any) -> str | None:
    """The result of a game after all of a record's actions: a player's fault decides an unfinished one."""
    result: str | None = game.result
    if "fault" not in record:
        return result
    fault = record["fault"]
    due = len(game.history) + 1
    if result is not None:
        raise RecordError("fault", f"the game is over without it, {result}")
    if fault["ply"] not in (START, due):
        raise RecordError(
            "fault",
            f"its ply must be {due}, that of the action that is due, or {START}, not {fault['ply']!r}",
        )
    if fault["ply"] == START and game.history:
        raise RecordError("fault", f"its ply cannot be {START}, since actions were played")
    if fault["ply"] != START and fault["kind"] != "illegal" and fault["player"] != game.to_act:
        raise RecordError("fault", f"{game.to_act} is to act, not {fault['player']}")
    return "0-1" if fault["player"] == game.players[0] else "1-0"
