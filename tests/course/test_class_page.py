"""The page of a class: it sorts, shows one section, prints, and says where the class fails."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser import no_findings
from tkm_env.course.grading.adjustments import Adjustment
from tkm_env.course.grading.class_page import Change, class_page, common_mistakes
from tkm_env.course.grading.class_results import NOTHING, Lateness, Result
from tkm_env.course.questions.marks import Finding, Mark

if TYPE_CHECKING:
    from playwright.sync_api import Page


def mark(question: str, score: float, *findings: str, fault: str | None = None) -> Mark:
    return Mark(
        question,
        f"Question {question}",
        "count",
        12,
        score,
        f"it crashed after {score} s" if fault else "",
        "visible",
        fault,
        score / 12,
        1.0,
        tuple(map(Finding, findings)),
    )


#: Three students in two sections: one late, one who lost points by a fault, one with nothing.
CLASS = [
    Result(
        "ada",
        0,
        "Ada Lovelace",
        "B",
        "blue fox 1",
        "feedback/ada/feedback.html",
        24,
        (mark("q1", 9, "the answer 1 is wrong; there are 7 lines"), mark("q2", 12)),
        lateness=Lateness(timedelta(hours=27)),
    ),
    Result(
        "bob",
        1,
        "Bob <b>",
        "A",
        "red crane 2",
        "feedback/bob/feedback.html",
        24,
        (mark("q1", 10, "the answer 25 is wrong; there are 3 lines"), mark("q2", 0, fault="crash")),
        adjustments=(Adjustment(2, "bob", points=3, comment="asked & answered"),),
        lateness=Lateness(timedelta(hours=2)),
    ),
    Result("", 2, "Cem", "A", "", None, 24, error=NOTHING),
]


def document() -> str:
    history = [Change("2026-10-02 10:00 UTC", "bob", "Bob <b>", "q1", "8.0", "10.0")]
    fates = [("ada.py", "ada", "graded"), ("notes.txt", "notes.txt", "left out: no submission")]
    return class_page("Counting", {"q1": 12, "q2": 12}, CLASS, history, fates)


def test_mistakes_of_the_same_kind_are_counted_together() -> None:
    marks = [[each for each in result.marks if each] for result in CLASS if result.marks]
    assert common_mistakes(marks) == [
        ("Question q1", "the answer … is wrong; there are … lines", 2),
        ("Question q2", "it crashed after … s", 1),
    ]
    assert common_mistakes([]) == []


def test_the_page_has_everything_once_and_nothing_raw() -> None:
    text = document()
    assert "Bob &lt;b&gt;" in text
    assert "<b>" not in text
    assert "asked &amp; answered" in text
    assert 'href="feedback/ada/feedback.html"' in text
    assert "1 d 3 h" in text
    assert "2 submissions, 1 missing, 2 graded" in text
    assert "The other 1 of 2 files and folders are graded" in text
    assert text.count(NOTHING) == 1


@pytest.mark.slow
def test_the_page_sorts_and_shows_one_section(page: Page, tmp_path: Path) -> None:
    (tmp_path / "class.html").write_text(document(), "utf-8")
    page.goto((tmp_path / "class.html").as_uri())
    table = page.get_by_role("region", name="all submissions")

    def students() -> list[str]:
        cells = table.locator("tbody tr:not([hidden]) td:nth-child(2)")
        return [text.split()[0] for text in cells.all_inner_texts()]

    for column, orders in {
        "points": ["Bob Ada Cem", "Ada Bob Cem"],
        "q1": ["Ada Bob Cem", "Bob Ada Cem"],
        "late": ["Bob Ada Cem", "Ada Bob Cem"],
        "section": ["Bob Cem Ada", "Ada Bob Cem"],
        "student": ["Ada Bob Cem", "Cem Bob Ada"],
    }.items():
        for order in orders:
            table.get_by_role("button", name=column, exact=True).click()
            assert students() == order.split(), column
    assert table.locator("[aria-sort=descending]").inner_text().startswith("student")
    page.get_by_label("section").select_option("A")
    assert students() == ["Cem", "Bob"]
    page.get_by_label("section").select_option("")
    no_findings(page)
    page.emulate_media(media="print")
    assert not page.get_by_label("section").is_visible()
