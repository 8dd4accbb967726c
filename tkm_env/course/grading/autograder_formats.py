"""Grades in the format of an autograder: Gradescope's ``results.json``."""

import math
from typing import Any

from tkm_env.course.questions.marks import VISIBILITIES, Grade
from tkm_env.foundations.untrusted_text import visible


def gradescope(grade: Grade) -> dict[str, Any]:
    """Return the content of ``results.json``, in Gradescope's format.

    The format is specified at gradescope-autograders.readthedocs.io, under "Autograder
    Specifications".

    The leaderboard holds the points and the shares in matches; Gradescope shows it under pseudonyms
    that students choose. Questions that are not visible carry their visibility; as long as there
    are any, Gradescope shows no total.
    """
    shown = [mark for mark in grade.marks if mark.is_visible]
    leaderboard = [("Points", sum(mark.score for mark in shown))]
    leaderboard += [(mark.title, round(mark.share, 4)) for mark in shown if mark.kind == "match"]
    tests = []
    for number, mark in enumerate(grade.marks, 1):
        lines = [mark.words]
        for finding in mark.findings:
            captions = [f"{caption}: " for caption in finding.captions] or [""] * len(
                finding.positions
            )
            lines += [
                finding.words,
                *(
                    f"  {caption}{text}"
                    for caption, text in zip(captions, finding.positions, strict=True)
                ),
            ]
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
                "extra_data": {
                    "question": mark.question,
                    "share": round(mark.share, 4),
                    "fault": mark.fault,
                },
            }
        )
    return {
        "score": grade.score,
        "execution_time": math.ceil(sum(mark.seconds for mark in grade.marks)),
        "output": ""
        if grade.is_complete
        else "This is a partial result: grading was not finished.",
        "output_format": "text",
        "visibility": VISIBILITIES[0],
        "stdout_visibility": "hidden",
        "extra_data": {"pseudonym": grade.pseudonym, "complete": grade.is_complete},
        "tests": tests,
        "leaderboard": [
            {"name": name, "value": value, "order": "desc"} for name, value in leaderboard
        ],
    }
