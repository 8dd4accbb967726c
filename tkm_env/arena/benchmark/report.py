"""Reports of the benchmark: the results of an agent's tasks, as JSON and as tables."""

import math
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Any, Final, NamedTuple

from tkm_env import __version__
from tkm_env.arena.benchmark.endgame_report import (
    EndgameResult,
    caption_of,
    is_endgame_result,
    summary_of,
    table_of,
)
from tkm_env.arena.benchmark.question_report import (
    QuestionResult,
    caption_of_questions,
    is_question_result,
    table_of_questions,
)
from tkm_env.arena.benchmark.suite_report import (
    SuiteResult,
    caption_of_suite,
    have_suite,
    is_suite_result,
    objection_to,
    table_of_suite,
)
from tkm_env.arena.benchmark.tasks import TASKS, VERSION
from tkm_env.arena.benchmark.turn_report import (
    TurnResult,
    caption_of_turns,
    is_turn_result,
    table_of_turns,
)
from tkm_env.arena.report.json_report import elo_as_json
from tkm_env.evaluation.score import Elo, Interval, PairResults
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import read_json

#: The kind of a report's file.
REPORT: Final = "tkm_env benchmark"
_Z: Final = NormalDist().inv_cdf(0.975)
#: How far beyond the opponents' ratings a rating is searched, in Elo.
_FAR: Final = 4000.0


class TaskResult(NamedTuple):
    """The result of an agent in a task."""

    task: str
    #: Its points against each opponent, in complete pairs of games, the same number against each.
    opponents: Mapping[str, PairResults]
    #: The factor by which starts shared between opponents multiply the variance.
    shared: float = 1.0

    @property
    def score(self) -> Interval:
        """The mean share of points against the opponents, with its 95% interval.

        All opponents have equal weight. The interval is that of `PairResults.score` with the
        opponents as strata, since differences between them are not chance. If games against several
        opponents share a start, the start counts as one observation.
        """
        pairs = sum(sum(results.counts) for results in self.opponents.values())
        share = sum(results.points for results in self.opponents.values()) / (2 * pairs)
        weight = pairs + _Z**2
        middle = (pairs * share + _Z**2 / 2) / weight
        squares = _Z**2 / 2 * (middle**2 + (1 - middle) ** 2)
        for results in self.opponents.values():
            mean = results.points / results.games
            squares += self.shared * sum(
                count * (half / 4 - mean) ** 2 for half, count in enumerate(results.counts)
            )
        half_width = _Z * math.sqrt(squares) / weight
        return Interval(share, max(0.0, middle - half_width), min(1.0, middle + half_width))

    @property
    def elo(self) -> Elo:
        """The rating at which the score is expected, given the opponents' fixed ratings."""
        ratings = TASKS[self.task].ratings
        return Elo(
            *(
                rating_at(share, [ratings[opponent] for opponent in self.opponents])
                for share in self.score
            )
        )

    def as_json(self) -> dict[str, Any]:
        """Return the result as an object; shares are from 0 to 1, an infinite rating is null."""
        return {
            "task": self.task,
            "games": sum(results.games for results in self.opponents.values()),
            "score": self.score._asdict(),
            "elo": elo_as_json(self.elo),
            "opponents": [
                {
                    "player": opponent,
                    "pairs": list(results.counts),
                    "score": results.score._asdict(),
                }
                for opponent, results in self.opponents.items()
            ],
        }


def rating_at(share: float, opponents: Collection[float]) -> float:
    """Compute the rating at which a player expects a share of points.

    Args:
        share: the mean share of points, from 0 to 1.
        opponents: the ratings of the opponents, which it meets equally often.

    Returns:
        The rating; infinite for a share of 0 or 1.
    """
    if not 0 < share < 1:
        return math.inf if share else -math.inf
    low, high = min(opponents) - _FAR, max(opponents) + _FAR
    while high - low > 0.01:
        middle = (low + high) / 2
        expected = sum(1 / (1 + 10 ** ((rating - middle) / 400)) for rating in opponents) / len(
            opponents
        )
        low, high = (middle, high) if expected < share else (low, middle)
    return (low + high) / 2


def as_json(
    name: str,
    agent: str,
    results: Iterable[TaskResult | EndgameResult | QuestionResult | TurnResult | SuiteResult],
) -> dict[str, Any]:
    """Return a report of the benchmark as an object.

    Args:
        name: the name of the agent in tables.
        agent: the line of the agent.
        results: its results, task by task.

    Returns:
        The object, without the kind and version of a file.
    """
    return {
        "benchmark": VERSION,
        "package": __version__,
        "name": name,
        "agent": agent,
        "tasks": [result.as_json() for result in results],
    }


def read_report(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a report from a file.

    Raises:
        FileError: if it is not a complete report of this version of the benchmark.
    """
    report = read_json(path, REPORT, ("benchmark", "package", "name", "agent", "tasks"))
    if report["benchmark"] != VERSION:
        raise FileError(
            path, f"it reports on the benchmark {report['benchmark']}; this one is {VERSION}"
        )
    try:
        for task in filter(is_suite_result, report["tasks"]):
            if objection := objection_to(task):
                raise FileError(path, objection)
        tables_of([report])
    except FileError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(path, f"it is damaged: {error!r}") from None
    return report


class ReportTable(NamedTuple):
    """A table of reports.

    Attributes:
        caption: what it shows.
        head: the heads of its columns.
        rows: its rows.
        is_wide: whether it has a row for each report and a column for each task, and is better
            turned round in a terminal.
    """

    caption: str
    head: list[str]
    rows: list[list[str]]
    is_wide: bool = False


def tables_of(reports: Sequence[Mapping[str, Any]]) -> list[ReportTable]:
    """Return the tables of reports.

    There is one of all matches, one for each endgame task, one of the task of turns, one of the
    suite, and one for each report on questions.
    """
    names = {task["task"] for report in reports for task in report["tasks"] if _is_match(task)}
    tables = []
    if names:
        head, rows = _rows_of(reports, names)
        tables.append(ReportTable(_caption(), head, rows, is_wide=True))
    endgames: dict[str, list[Any]] = {}
    for report in reports:
        for task in filter(is_endgame_result, report["tasks"]):
            endgames.setdefault(task["task"], []).append(task)
    for name, results in endgames.items():
        found = table_of(results[0]) if len(results) == 1 else summary_of(reports, name)
        tables.append(ReportTable(caption_of(results[0]), *found))
    turns = [task for report in reports for task in filter(is_turn_result, report["tasks"])]
    if turns:
        tables.append(ReportTable(caption_of_turns(turns[0]), *table_of_turns(reports)))
    if have_suite(reports):
        tables.append(ReportTable(caption_of_suite(), *table_of_suite(reports)))
    for report in reports:
        for task in filter(is_question_result, report["tasks"]):
            caption = f"{report['name']}. {caption_of_questions(task)}"
            tables.append(ReportTable(caption, *table_of_questions(task)))
    return tables


def _is_match(task: Mapping[str, Any]) -> bool:
    others = (is_endgame_result, is_question_result, is_turn_result, is_suite_result)
    return not any(is_other(task) for is_other in others)


def _rows_of(
    reports: Sequence[Mapping[str, Any]], names: Collection[str]
) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of a table of matches.

    There is a row for each report, and a column for each task with one of these names.
    """
    tasks = [name for name in TASKS if name in names]
    rows = []
    for report in reports:
        found = {task["task"]: _cell(task) for task in report["tasks"] if _is_match(task)}
        rows.append([report["name"], *(found.get(task, "") for task in tasks), report["package"]])
    return ["agent", *tasks, "tkm_env"], rows


def _cell(task: Mapping[str, Any]) -> str:
    """Format a score in percent with the wider side of its interval, and its rating."""
    share, low, high = (100 * task["score"][key] for key in Interval._fields)
    elo = task["elo"]["estimate"]
    rating = "∞" if elo is None else f"{elo:.0f}"
    return f"{share:.1f} ± {max(high - share, share - low):.1f} ({rating})"


def _caption() -> str:
    """Return the caption of a table of matches."""
    return (
        f"Benchmark {VERSION}: mean score in percent against the panel ± 95% interval "
        "(Elo, greedy = 1000)."
    )


def as_markdown(reports: Sequence[Mapping[str, Any]]) -> str:
    """Return the tables of reports in Markdown, each below its caption."""
    return "\n".join(
        "\n".join((table.caption, "", *_markdown_lines(table), "")) for table in tables_of(reports)
    )


def _markdown_lines(table: ReportTable) -> Iterator[str]:
    for row in (table.head, ["---"] * len(table.head), *table.rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
