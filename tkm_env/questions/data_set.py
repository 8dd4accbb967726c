"""Data sets of questions: a file of JSON lines, with a card that says how it was made.

The file grows line by line and can be resumed; its content depends on the plan alone, however many
processes make it.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from hashlib import sha256
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from tkm_env.core.per_game import Registrations
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import FileError, RecordError, TKMError
from tkm_env.foundations.files import failing_as, parsed_json, read_json, refuse_newer, write_json
from tkm_env.foundations.line_file import LineFile
from tkm_env.questions.plan import QuestionPlan, Unit
from tkm_env.questions.question import LINE_KEYS, VERSION, Question, versions

#: The kind of a card.
CARD: Final = "tkm_env questions"
#: The keys of a card besides its kind and its version.
CARD_KEYS: Final = (
    *("made", "number", "count", "style", "rename", "rows", "counts", "keys", "systems", "digest"),
)
#: How many lines are checked together.
_CHUNK: Final = 64
#: How many units each process has waiting for it.
_AHEAD: Final = 4
_MOST_PROCESSES: Final = 1024

Given = TypeVar("Given")
Done = TypeVar("Done")


class Flaw(NamedTuple):
    """A line that fails a check.

    Attributes:
        line: its number, from 1.
        reason: what is wrong with it.
    """

    line: int
    reason: str


def card_of(path: str | os.PathLike[str]) -> Path:
    """The path of the card of a data set."""
    return Path(f"{os.fspath(path)}.card.json")


def write_questions(
    plan: QuestionPlan,
    path: str | os.PathLike[str],
    *,
    processes: int = 1,
    on_progress: Callable[[int], object] = lambda number: None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> dict[str, Any] | None:
    """Write a data set, or go on with one that was interrupted.

    Args:
        plan: which questions it holds.
        path: the file; `card_of` is the path of its card, which is written last.
        processes: how many processes make questions, from 1; the file is the same for any number.
        on_progress: called with the number of questions so far.
        is_stopped: whether to stop after the questions that are being made.

    Returns:
        The content of the card; None if it was stopped.

    Raises:
        FileError: if the file cannot be written, or begins as another data set.
        ConfigError: if too few fitting positions are found for a row.
    """
    checked_integer("processes", processes, 1, _MOST_PROCESSES)
    units = plan.units()
    with LineFile(path) as file:
        done = _resumed(file, plan, units)
        on_progress(done)
        for lines in _in_processes(
            partial(_lines, plan), _left(units, done), processes, is_stopped
        ):
            for line in lines:
                file.append_line(line)
            done += len(lines)
            on_progress(done)
    if done < sum(unit.number for unit in units):
        return None
    card = _card(plan, path)
    write_json(card_of(path), CARD, card)
    return card


class _Job(NamedTuple):
    """The questions of a unit but for the first ones, which the file has."""

    unit: Unit
    skipped: int


def _left(units: Iterable[Unit], done: int) -> Iterator[_Job]:
    """What is left of the units after this number of questions."""
    for unit in units:
        skipped = min(done, unit.number)
        done -= skipped
        if skipped < unit.number:
            yield _Job(unit, skipped)


def _lines(plan: QuestionPlan, job: _Job) -> list[bytes]:
    """The lines of a unit's questions."""
    made = plan.made(job.unit)[job.skipped :]
    return [json.dumps(question.line()).encode() for question in made]


def _resumed(file: LineFile, plan: QuestionPlan, units: Iterable[Unit]) -> int:
    """The number of questions that a file has; a line that was cut off is moved elsewhere."""
    content = file.read()
    end = content.rfind(b"\n") + 1
    ids = chain.from_iterable(map(plan.ids, units))
    done = 0
    for done, line in enumerate(content[:end].splitlines(), 1):
        if next(ids, None) != _parsed(line).get("id"):
            raise FileError(file.path, f"line {done} is of another data set, or of no such one")
    if end < len(content):
        file.cut(end)
    return done


def _parsed(line: bytes) -> dict[str, Any]:
    """A line's object; an empty one if the line is not an object in JSON."""
    try:
        value = parsed_json(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _in_processes(
    work: Callable[[Given], Done],
    jobs: Iterable[Given],
    processes: int,
    is_stopped: Callable[[], bool],
) -> Iterator[Done]:
    """Yield what some work makes of each job, in order, until it is stopped."""
    if processes == 1:
        for job in jobs:
            if is_stopped():
                return
            yield work(job)
        return
    waiting: deque[Future[Done]] = deque()
    begin = Registrations.here().add
    # No process inherits the locks of this one's threads.
    with ProcessPoolExecutor(processes, get_context("spawn"), initializer=begin) as pool:
        rest = iter(jobs)
        try:
            while not is_stopped():
                waiting += (
                    pool.submit(work, job)
                    for job in islice(rest, processes * _AHEAD - len(waiting))
                )
                if not waiting:
                    return
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _card(plan: QuestionPlan, path: str | os.PathLike[str]) -> dict[str, Any]:
    """The content of the card of a complete data set."""
    counts: dict[tuple[str, str, int], int] = Counter()
    frequent: dict[tuple[str, str, int], Counter[str]] = defaultdict(Counter)
    places: dict[tuple[str, str, int], set[str]] = defaultdict(set)
    systems: dict[str, str] = {}
    for line in _read(path):
        row = line["game"], line["kind"], line["difficulty"]
        counts[row] += 1
        frequent[row][line["answer"]] += 1
        places[row].add(f"{line['position']} {line['actions']}")
        if line["system"] not in systems:
            systems[line["system"]] = Question.from_line(line).prompt.system
    told = [
        {
            **dict(zip(("game", "kind", "difficulty"), row, strict=True)),
            "questions": counts[row],
            "different": len(places[row]),
            "answers": len(frequent[row]),
            "most_frequent": round(max(frequent[row].values()) / counts[row], 4),
        }
        for row in sorted(counts)
    ]
    return {
        "made": f"tkm questions, version {versions()}",
        "number": plan.number,
        "count": sum(counts.values()),
        "style": plan.options.style,
        "rename": plan.options.rename,
        "rows": plan.told(),
        "counts": told,
        "keys": dict(LINE_KEYS),
        "systems": systems,
        "digest": digest_of(path),
    }


def digest_of(path: str | os.PathLike[str]) -> str:
    """The SHA-256 digest of a file, in hexadecimal digits."""
    with failing_as(path, "read"), Path(path).open("rb") as file:
        found = sha256()
        for part in iter(partial(file.read, 1 << 20), b""):
            found.update(part)
        return found.hexdigest()


def _read(path: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    """The lines of a file; one that is no object in JSON is empty."""
    with failing_as(path, "read"), Path(path).open("rb") as file:
        yield from map(_parsed, file)


def read_questions(path: str | os.PathLike[str]) -> Iterator[Question]:
    """The questions of a data set.

    Args:
        path: the file.

    Yields:
        The questions, whose answers are worked out again.

    Raises:
        NewerVersionError: if a newer version of the package wrote a line.
        FileError: if it cannot be read, or a line is not a question.
    """
    for number, line in enumerate(_read(path), 1):
        refuse_newer(path, CARD, _version_of(line), VERSION)
        try:
            yield Question.from_line(line)
        except RecordError as error:
            raise FileError(path, f"line {number}: {error}") from None


def _version_of(line: dict[str, Any]) -> int:
    """The version of the questions that wrote a line; 0 if the line does not say."""
    number = str(line.get("version")).partition(",")[0]
    return int(number) if re.fullmatch("[0-9]{1,9}", number) else 0


def check_questions(
    path: str | os.PathLike[str],
    *,
    processes: int = 1,
    on_progress: Callable[[int], object] = lambda number: None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Iterator[Flaw]:
    """Check every question of a data set by a second path.

    Of each line, the answer is worked out again by the first path and confirmed by the second, and
    the prompt is written again. Where a card is beside the file, its digest must be the file's.

    Args:
        path: the file.
        processes: how many processes check questions, from 1.
        on_progress: called with the number of questions so far.
        is_stopped: whether to stop.

    Yields:
        The flaws.

    Raises:
        FileError: if the file or its card cannot be read.
    """
    checked_integer("processes", processes, 1, _MOST_PROCESSES)
    if card_of(path).exists() and read_json(card_of(path), CARD, CARD_KEYS)["digest"] != digest_of(
        path
    ):
        yield Flaw(0, "the file has another digest than its card says")
    done = 0
    for flaws in _in_processes(_flaws_of, _chunks(path), processes, is_stopped):
        done += len(flaws)
        on_progress(done)
        yield from (Flaw(line, reason) for line, reason in flaws if reason)


def _chunks(path: str | os.PathLike[str]) -> Iterator[list[tuple[int, dict[str, Any]]]]:
    """The lines with their numbers, some at a time."""
    lines = enumerate(_read(path), 1)
    while chunk := [*islice(lines, _CHUNK)]:
        yield chunk


def _flaws_of(lines: Sequence[tuple[int, dict[str, Any]]]) -> list[tuple[int, str]]:
    """What is wrong with each of some lines; empty if nothing is."""
    return [(number, flaw_in(line)) for number, line in lines]


def flaw_in(line: dict[str, Any]) -> str:
    """What is wrong with a line of a data set, by both paths to its answer.

    Args:
        line: the line.

    Returns:
        The reason; empty if nothing is wrong.
    """
    try:
        question = Question.from_line(line)
        again = question.line()
        for key in LINE_KEYS:
            if again[key] != line[key]:
                return f"{key}: {line[key]!r}, where {again[key]!r} is found"
        found = question.objection()
    except TKMError as error:
        return str(error)
    return found and f"answer: {line['answer']!r}, where the second path finds {found}"
