"""What the marks of each assignment measure, by `benchmarks/course_calibration.py`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables.markdown import table

_FIGURES: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "course_calibration.json").read_text("utf-8")
)


def levels() -> str:
    """The points of each level, whether the next one is told apart, and what a rare fault costs."""
    rows = []
    for name, report in _FIGURES.items():
        told = {each["below"]: each for each in report["apart"] if each["below"] != each["above"]}
        for row in report["levels"]:
            above = told.get(row["level"])
            fault = row["fault"]
            rows.append(
                (
                    f"*{name}*",
                    row["level"],
                    f"{_span(row['total'])} of {report['points']:g}",
                    f"{above['share']:.0%}" if above else "",
                    "–" if row["rank"] == 0 else f"{fault['mean']:g}, at most {fault['most']:g}",
                )
            )
    head = ("assignment", "level", "points", "fewer than the next level", "a rare fault costs")
    return table(head, rows)


def luck() -> str:
    """How likely luck brings points in each question, and in one of twenty tries."""
    rows = [
        (
            f"*{name}*",
            f"{row['question']} {titles[row['question']]}",
            f"{row['share']:.0%}",
            f"{_spans_of(report, row['question'])}",
            _chance(row["chance"]),
            _chance(row["tries"]),
        )
        for name, report in _FIGURES.items()
        for titles in [{each["id"]: each["title"] for each in report["questions"]}]
        for row in report["luck"]
    ]
    head = (
        *("assignment", "question", "right without knowledge", "points of the other levels"),
        *("points by luck, one try", "20 tries"),
    )
    return table(head, rows)


def _spans_of(report: dict[str, Any], question: str) -> str:
    """The points of the levels that know something, in order."""
    known = [row for row in report["levels"] if row["rank"] > 0]
    return ", ".join(_span(row["scores"][question]) for row in known)


def _span(ends: list[float]) -> str:
    low, high = ends
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _chance(value: float) -> str:
    return "< 0.1%" if value < 0.001 else f"{100 * value:.2g}%"


def _seeds() -> str:
    """How many seeds each assignment was tried with."""
    return ", ".join(f"{report['seeds']} (*{name}*)" for name, report in _FIGURES.items())


def _broken() -> str:
    """The promises that do not hold, in a list."""
    found = [f"- *{name}*: {words}." for name, each in _FIGURES.items() for words in each["broken"]]
    return "\n".join(["These promises do not hold:\n", *found]) if found else "All promises hold."


BLOCKS: dict[str, Callable[[], str]] = {
    "points of levels": levels,
    "points by luck": luck,
    "seeds of the calibration": _seeds,
    "promises that do not hold": _broken,
}
