"""The fields that a match adds to a record: the players' isolation, digests and resources."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from tkm_env.core.record_schema import MAX_SECONDS, RecordableGame, RecordField, by_side, is_number
from tkm_env.foundations.checks import is_text

#: An upper bound of three thousand years, so that a calendar has the year.
_LAST_SECOND: Final = 1e11
#: An upper bound of a billion GiB, so that sums of sizes stay finite.
_MAX_MIB: Final = 1e12


def _rounded(decimals: int) -> Callable[[dict[str, float]], dict[str, float]]:
    return lambda sizes: {side: round(size, decimals) for side, size in sizes.items()}


def _is_expectation(value: Any) -> bool:
    return type(value) in (int, float) and -1 <= value <= 1


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(map(is_text, value))


def _are_reports(value: Any, game: type[RecordableGame], record: Mapping[str, Any]) -> bool:
    actions = record["actions"]
    return (
        isinstance(value, list)
        and isinstance(actions, list)
        and len(value) == len(actions)
        and all(each is None or _is_report(each) for each in value)
    )


def _is_report(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and {"score", "depth"} >= value.keys() != set()
        and _is_expectation(value.get("score", 0))
        and type(depth := value.get("depth", 0)) is int
        and depth >= 0
    )


#: The keys, in the order in which they are written.
FIELDS: Final = (
    RecordField(
        "isolation",
        meaning="where each player ran, by side",
        form="an object with where {players} ran",
        fits=by_side(is_text, every_player=True),
    ),
    RecordField(
        "digest",
        meaning="what each player was, by side: a digest of its files, its options or its command",
        form="an object with digests for {players}",
        fits=by_side(is_text, every_player=True),
    ),
    RecordField(
        "unprotected",
        meaning=(
            "the [protections](sandbox.md#protections) that were not active for a player at the "
            "level `sandbox` or `restricted`, by side, if any"
        ),
        form="an object with names of protections for {players}, or for one of them",
        fits=by_side(_are_names),
    ),
    RecordField(
        "memory",
        meaning=(
            "the peak resident memory of each player's processes, in MiB, by side, if the player "
            "has processes of its own"
        ),
        form="an object with numbers of MiB, from 0, for {players}, or for one of them",
        fits=by_side(lambda size: is_number(size, _MAX_MIB)),
        kept=_rounded(1),
    ),
    RecordField(
        "cpu",
        meaning=(
            "the CPU time of these processes in the game, in seconds, by side; if a program is "
            "started for the game, this includes its start-up"
        ),
        form="an object with numbers of seconds, from 0, for {players}, or for one of them",
        fits=by_side(lambda seconds: is_number(seconds, MAX_SECONDS)),
        kept=_rounded(3),
    ),
    RecordField(
        "ended",
        meaning="when the game ended, in seconds since 1970, if it was played in a league",
        form="a number of seconds since 1970, from 0",
        fits=lambda value, *_: is_number(value, _LAST_SECOND),
        kept=lambda seconds: round(seconds, 3),
    ),
    RecordField(
        "expected",
        meaning=(
            "the result that each player expected for itself when it last planned, from -1 (a "
            "loss) to 1 (a win), by side, in games that stop after a number of turns, if the "
            "player can tell"
        ),
        form="an object with numbers from -1 to 1 for {players}, or for one of them",
        fits=by_side(_is_expectation),
        kept=_rounded(6),
    ),
    RecordField(
        "reports",
        meaning=(
            "what a program reported with each answer ([`info`](protocol.md#answers)), one value "
            "for each action: null, or an object with its `score`, from -1 (a loss of that "
            "program) to 1 (a win), its `depth`, or both"
        ),
        form="null or an object with a score from -1 to 1, a depth, or both, for each action",
        fits=_are_reports,
    ),
)
