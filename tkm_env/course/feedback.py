"""A grade as people read it: one page with the failing positions drawn, and lost games as replays beside it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tkm_env.course.marks import Finding, Grade
from tkm_env.extras import extra
from tkm_env.files import failing_as, write_file
from tkm_env.game.records import replay_of
from tkm_env.render.html import as_style, without_controls
from tkm_env.render.replay import page as replay_page
from tkm_env.render.theme import THEMES

if TYPE_CHECKING:
    from jinja2 import Environment

    from tkm_env.game.base import BaseGame
    from tkm_env.game.registry import GameSpec

#: The name of the page.
FEEDBACK: Final = "feedback.html"

_PAGES: Final = files("tkm_env.course") / "page"
_DRAWING: Final = 620
#: When a question that is not visible is shown.
_LATER: Final = {
    "after_due_date": "after the due date",
    "after_published": "when the grades are published",
    "hidden": "to the staff only",
}


def write_feedback(folder: Path, grade: Grade, spec: GameSpec, config: Any, *, everything: bool = False) -> Path:
    """Write the page, and the replays that it links to, into a folder; returns the page's path.

    Args:
        folder: made if it is not there.
        grade: what to show.
        spec: the game.
        config: its settings.
        everything: whether to show what students do not see yet.

    Raises:
        FileError: if it cannot be written.
        MissingExtraError: without the extra ``[arena]``.
    """
    with failing_as(folder, "written"):
        folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for mark in grade.marks:
        is_shown = mark.is_shown(everything=everything)
        findings = []
        for number, finding in enumerate(mark.findings if is_shown else ()):
            replay = None
            if finding.record is not None:
                replay = f"{mark.question}-game-{number + 1}.html"
                write_file(folder / replay, replay_page(replay_of(dict(finding.record))).encode("utf-8"))
            findings.append({"words": finding.words, "drawings": _drawings(finding, spec, config), "replay": replay})
        rows.append({"mark": mark, "is_shown": is_shown, "later": _LATER.get(mark.visibility), "findings": findings})
    hidden = any(not row["is_shown"] for row in rows)
    text = environment().get_template("feedback.html").render(grade=grade, rows=rows, hidden=hidden, style=_style())
    path = folder / FEEDBACK
    write_file(path, text.encode("utf-8"))
    return path


def overview(title: str, ids: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    """The table of a class as an HTML document.

    Args:
        title: of the assignment.
        ids: the questions'.
        rows: one for each submission: its ``name``, ``pseudonym``, ``link``, ``score`` and ``points``; ``marks``, a score and a fault for
            each question; ``error``, why it could not be graded, or None.

    Raises:
        MissingExtraError: without the extra ``[arena]``.
    """
    return environment().get_template("class.html").render(title=title, ids=ids, rows=rows, style=_style())


def _drawings(finding: Finding, spec: GameSpec, config: Any) -> list[dict[str, str]]:
    """The positions of a finding, as text and drawn."""
    found = []
    for position in finding.positions:
        game: BaseGame = spec.game_class(config, seed=0, position=position)
        found.append({"position": position, "svg": game.svg(size=_DRAWING, last=False)})
    return found


def _style() -> str:
    return as_style(THEMES) + (_PAGES / "course.css").read_text("utf-8")


@cache
def environment() -> Environment:
    """What fills in pages."""
    with extra("arena"):
        from jinja2 import Environment, PackageLoader, StrictUndefined
    return Environment(
        loader=PackageLoader("tkm_env.course", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )


def _shown(value: Any) -> Any:
    """What a page shows; text is cleaned, as browsers would, and escaped by the template."""
    if type(value) is str:
        return without_controls(value)
    return f"{value:g}" if isinstance(value, float) else value
