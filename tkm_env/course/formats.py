"""A grade in the formats of autograders: Gradescope's ``results.json`` and Classroom 50's ``result.json``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any, Final

from tkm_env.course.marks import VISIBILITIES, Grade
from tkm_env.errors import ConfigError

#: The environment variables that Classroom 50 gives an autograder and a result repeats, with the fields of the result.
CLASSROOM50_NEEDS: Final[Mapping[str, str]] = {
    "CLASSROOM": "classroom",
    "ASSIGNMENT": "assignment",
    "SUBMISSION_TAG": "submission",
    "COMMIT_URL": "commit",
    "RELEASE_URL": "release",
}
_TYPES: Final = ("individual", "group")
_STAMP: Final = "%Y-%m-%dT%H:%M:%SZ"
_STAMPED: Final = re.compile(r"\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ")


def gradescope(grade: Grade) -> dict[str, Any]:
    """The content of ``results.json`` as Gradescope's specification has it (gradescope-autograders.readthedocs.io, "Autograder
    Specifications").

    The leaderboard holds the points and the shares in matches; Gradescope shows it under pseudonyms that students choose. Questions that
    are not visible carry their visibility, and while there are any Gradescope shows no total.
    """
    matches = [mark for mark in grade.marks if mark.kind == "match"]
    return {
        "score": grade.score,
        "execution_time": math.ceil(sum(mark.seconds for mark in grade.marks)),
        "output": "" if grade.is_complete else "This is a partial result: grading has not come to its end.",
        "output_format": "text",
        "visibility": VISIBILITIES[0],
        "stdout_visibility": "hidden",
        "extra_data": {"pseudonym": grade.pseudonym, "complete": grade.is_complete},
        "tests": [
            {
                "score": mark.score,
                "max_score": mark.points,
                "status": "passed" if mark.score >= mark.points else "failed",
                "name": mark.title,
                "name_format": "text",
                "number": str(number),
                "output": "\n".join([mark.words, *(_in_words(finding.words, finding.positions) for finding in mark.findings)]),
                "output_format": "text",
                "tags": [mark.kind],
                "visibility": mark.visibility,
                "extra_data": {"question": mark.question, "share": mark.share, "fault": mark.fault},
            }
            for number, mark in enumerate(grade.marks, 1)
        ],
        "leaderboard": [
            {
                "name": "Points",
                "value": sum(mark.score for mark in grade.marks if mark.visibility == VISIBILITIES[0]),
                "order": "desc",
            },
            *({"name": mark.title, "value": mark.share, "order": "desc"} for mark in matches if mark.visibility == VISIBILITIES[0]),
        ],
    }


def classroom50(grade: Grade, environment: Mapping[str, str], now: datetime | None = None) -> dict[str, Any]:
    """The content of ``result.json`` as Classroom 50's schema ``classroom50/result/v1`` has it (github.com/foundation50/classroom50).

    It counts whole points, so every question's are rounded down. The runner stamps owner, type and time again, by what it knows itself.
    Questions that are not visible are listed by name only, without words, since everything in a result is shown.

    Args:
        grade: the grade.
        environment: the variables that Classroom 50's runner sets, among them those of `CLASSROOM50_NEEDS`.
        now: the time of grading; None for the clock's.

    Raises:
        ConfigError: naming a variable that is missing or invalid.
    """
    for name in CLASSROOM50_NEEDS:
        if not environment.get(name):
            raise ConfigError(name, environment.get(name), "Classroom 50's runner sets this environment variable")
    if not environment["SUBMISSION_TAG"].startswith("submit/"):
        raise ConfigError("SUBMISSION_TAG", environment["SUBMISSION_TAG"], "it must begin with submit/")
    owner = environment.get("OWNER") or environment.get("USERNAME") or grade.submission
    kind = environment.get("ASSIGNMENT_TYPE", _TYPES[0])
    stamp = (now or datetime.now(timezone.utc)).strftime(_STAMP)
    submitted = environment.get("SUBMITTED_AT", "")
    tests = [
        {
            "test-name": mark.title,
            "passed": mark.score >= mark.points,
            "score": math.floor(mark.score),
            "max-score": math.floor(mark.points),
            **({"output": mark.words} if mark.visibility == VISIBILITIES[0] else {}),
        }
        for mark in grade.marks
    ]
    return {
        "schema": "classroom50/result/v1",
        **{field: environment[name] for name, field in CLASSROOM50_NEEDS.items()},
        "assignment_type": kind if kind in _TYPES else _TYPES[0],
        "owner": owner,
        "review": environment.get("REVIEW_URL") or environment["COMMIT_URL"],
        "datetime": submitted if _STAMPED.fullmatch(submitted) else stamp,
        "graded_at": stamp,
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }


def _in_words(words: str, positions: tuple[str, ...]) -> str:
    return "\n".join([words, *(f"  {position}" for position in positions)])
