"""Feedback as HTML: a page for each grade, with drawings and replays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tkm_env.core.record_files import replay_of
from tkm_env.course.questions.marks import Grade
from tkm_env.foundations.files import failing_as, packaged_text, write_file
from tkm_env.foundations.untrusted_text import visible
from tkm_env.render.canvas import THEMES
from tkm_env.render.html import as_style, templates
from tkm_env.render.replay import replay_page

if TYPE_CHECKING:
    from tkm_env.core.registry import GameSpec

#: The file name of the page.
FEEDBACK: Final = "feedback.html"

_DRAWING_SIZE: Final = 620
#: When a question will become visible.
_LATER: Final = {
    "after_due_date": "after the due date",
    "after_published": "when the grades are published",
    "hidden": "to the staff only",
}


def write_feedback(
    folder: Path,
    grade: Grade,
    spec: GameSpec,
    config: Any,
    *,
    everything: bool = False,
    comments: Sequence[str] = (),
    total: float | None = None,
) -> None:
    """Write the page of a grade, and the replays that it links to.

    Args:
        folder: where to write them; it is created if necessary.
        grade: the grade.
        spec: the game's row in the registry.
        config: the settings of the game.
        everything: whether to show also what students cannot see yet.
        comments: what changed the points after grading, in one line each.
        total: the points that count after that; None if they are those of the grade, or unknown.

    Raises:
        FileError: if something cannot be written.
        MissingExtraError: without the extra ``[arena]``.
    """
    with failing_as(folder, "written"):
        folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for mark in grade.marks:
        is_shown = everything or mark.is_visible
        findings = []
        for number, finding in enumerate(mark.findings if is_shown else (), 1):
            replay = None
            if finding.record is not None:
                replay = f"{mark.question}-game-{number}.html"
                write_file(
                    folder / replay, replay_page(replay_of(dict(finding.record))).encode("utf-8")
                )
            games = [
                spec.game_class(config, seed=0, position=position) for position in finding.positions
            ]
            captions = finding.captions or [""] * len(games)
            drawings = [
                (game.position, game.svg(size=_DRAWING_SIZE, last=False), caption)
                for game, caption in zip(games, captions, strict=True)
            ]
            findings.append({"words": finding.words, "drawings": drawings, "replay": replay})
        rows.append(
            {
                "mark": mark,
                "is_shown": is_shown,
                "later": _LATER.get(mark.visibility),
                "findings": findings,
            }
        )
    page = render("feedback.html", grade=grade, rows=rows, comments=[*comments], total=total)
    write_file(folder / FEEDBACK, page.encode("utf-8"))


def render(template: str, **values: Any) -> str:
    """Render a template of the folder ``page``.

    Args:
        template: the name of the template.
        **values: its values; those that are text are made `visible` and escaped.

    Returns:
        The page.
    """
    style = as_style(THEMES) + packaged_text("tkm_env.course", "page/course.css")
    return (
        templates("tkm_env.course", "page", finalize=_format)
        .get_template(template)
        .render(style=style, **values)
    )


def _format(value: Any) -> Any:
    """Format a value for a page; text is made `visible`, and the template escapes it."""
    if type(value) is str:
        return visible(value)
    return f"{value:g}" if isinstance(value, float) else value
