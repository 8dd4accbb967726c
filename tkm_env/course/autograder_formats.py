"""Grades in the formats of autograders: Gradescope's ``results.json`` and Classroom 50's ``result.json``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any, Final

from tkm_env.course.marks import VISIBILITIES, Grade
from tkm_env.errors import ConfigError
from tkm_env.untrusted_text import visible

#: The required environment variables of Classroom 50's runner, with the fields of the result that repeat them.
CLASSROOM50_VARIABLES: Final[Mapping[str, str]] = {
    "CLASSROOM": "classroom",
    "ASSIGNMENT": "assignment",
    "SUBMISSION_TAG": "submission",
    "COMMIT_URL": "commit",
    "RELEASE_URL": "release",
}
_ASSIGNMENT_TYPES: Final = ("individual", "group")
_TIME_FORMAT: Final = "%Y-%m-%dT%H:%M:%SZ"
_TIME: Final = re.compile(r"\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ")


def gradescope(grade: Grade) -> dict[str, Any]:
    """The content of ``results.json`` by Gradescope's specification (gradescope-autograders.readthedocs.io, "Autograder Specifications").

    The leaderboard holds the points and the shares in matches; Gradescope shows it under pseudonyms that students choose. Questions that
    are not visible carry their visibility; while there are any, Gradescope shows no total.
    """
    shown = [mark for mark in grade.marks if mark.is_visible]
    leaderboard = [("Points", sum(mark.score for mark in shown))]
    leaderboard += [(mark.title, mark.share) for mark in shown if mark.kind == "match"]
    tests = []
    for number, mark in enumerate(grade.marks, 1):
        lines = [mark.words]
        for finding in mark.findings:
            captions = [f"{caption}: " for caption in finding.captions] or [""] * len(finding.positions)
            lines += [finding.words, *(f"  {caption}{text}" for caption, text in zip(captions, finding.positions, strict=True))]
        lines += mark.advice
        lines += ["printed:", mark.printed] if mark.printed else []
        tests.append(
            {
                "score": mark.score,
                "max_score": mark.points,
                "status": "passed" if mark.score >= mark.points else "failed",
                "name": mark.title,
                "name_format": "text",
                "number": str(number),
                "output": visible("\n".join(lines), keep="\n"),
                "output_format": "text",
                "tags": [mark.kind],
                "visibility": mark.visibility,
                "extra_data": {"question": mark.question, "share": mark.share, "fault": mark.fault},
            }
        )
    return {
        "score": grade.score,
        "execution_time": math.ceil(sum(mark.seconds for mark in grade.marks)),
        "output": "" if grade.is_complete else "This is a partial result: grading was not completed.",
        "output_format": "text",
        "visibility": VISIBILITIES[0],
        "stdout_visibility": "hidden",
        "extra_data": {"pseudonym": grade.pseudonym, "complete": grade.is_complete},
        "tests": tests,
        "leaderboard": [{"name": name, "value": value, "order": "desc"} for name, value in leaderboard],
    }


def classroom50(grade: Grade, environment: Mapping[str, str], now: datetime | None = None) -> dict[str, Any]:
    """The content of ``result.json`` by Classroom 50's schema ``classroom50/result/v1`` (github.com/foundation50/classroom50). Raises a
    `ConfigError` naming one of the runner's environment variables, `CLASSROOM50_VARIABLES`, that is missing or invalid.

    Points are whole numbers there, so those of each question are rounded down. The runner overwrites owner, type and time. Everything in a
    result is shown, so questions that are not visible are listed without output.
    """
    for name in CLASSROOM50_VARIABLES:
        if not environment.get(name):
            raise ConfigError(name, environment.get(name), "Classroom 50's runner sets this environment variable")
    if not environment["SUBMISSION_TAG"].startswith("submit/"):
        raise ConfigError("SUBMISSION_TAG", environment["SUBMISSION_TAG"], "it must begin with submit/")
    kind = environment.get("ASSIGNMENT_TYPE")
    graded_at = (now or datetime.now(timezone.utc)).strftime(_TIME_FORMAT)
    submitted_at = environment.get("SUBMITTED_AT", "")
    tests = [
        {
            "test-name": mark.title,
            "passed": mark.score >= mark.points,
            "score": math.floor(mark.score),
            "max-score": math.floor(mark.points),
            **({"output": visible(mark.words, keep="\n")} if mark.is_visible else {}),
        }
        for mark in grade.marks
    ]
    return {
        "schema": "classroom50/result/v1",
        **{field: environment[name] for name, field in CLASSROOM50_VARIABLES.items()},
        "assignment_type": kind if kind in _ASSIGNMENT_TYPES else _ASSIGNMENT_TYPES[0],
        "owner": environment.get("OWNER") or environment.get("USERNAME") or visible(grade.submission),
        "review": environment.get("REVIEW_URL") or environment["COMMIT_URL"],
        "datetime": submitted_at if _TIME.fullmatch(submitted_at) else graded_at,
        "graded_at": graded_at,
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }
