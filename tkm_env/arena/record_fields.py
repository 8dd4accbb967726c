"""The fields that a match adds to a record: the players' isolation, digests and resources."""

from collections.abc import Callable
from typing import Any, Final

from tkm_env.core.record_schema import MAX_SECONDS, RecordField, by_side, is_number
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
)
