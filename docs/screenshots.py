"""Take the pictures of pages in README: ``python docs/screenshots.py``.

It takes about five minutes, and needs the extra ``[dev]`` and a Chromium, which it finds as
the tests do. It makes the games, the report and the grades anew, with fixed seeds, so that only a
change of the pages changes the pictures.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from pictures import CHAPTERS
from PIL import Image
from playwright.sync_api import sync_playwright

DOCS: Final = Path(__file__).parent
#: Colours of a picture: more would only make the file larger.
_COLOURS: Final = 64
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
_TKM: Final = [sys.executable, "-m", "tkm_env"]
LEAGUE: Final = """
pairs = 10
seed = 1
[[players]]
player = "random"
[[players]]
player = "greedy"
[[players]]
player = "net"
[[players]]
player = "mcts:iterations=200"
[[players]]
player = "alphabeta:depth=2"
"""


class Shot(NamedTuple):
    """A picture of a page.

    Attributes:
        name: its name.
        width: the width of the window, in pixels.
        height: the height of the window, in pixels.
        button: a button to press if it is there; None for none.
    """

    name: str
    width: int
    height: int
    button: str | None = None


PLAY: Final = Shot("page-play", 1100, 640, "Not now")
REPORT: Final = Shot("page-report", 1000, 500)
FEEDBACK: Final = Shot("page-feedback", 620, 450)


def tkm(folder: Path, *arguments: str) -> None:
    """Run a command in a folder."""
    subprocess.run([*_TKM, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def play_page(folder: Path) -> Iterator[str]:
    """The address of a page with a game in progress."""
    options = [
        "--browser",
        "--no-open",
        "--seed",
        "1",
        "--chapters",
        "growth",
        "--position",
        CHAPTERS["growth"],
    ]
    with subprocess.Popen(
        [*_TKM, "play", *options, "--side", "black"], cwd=folder, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield next(
                found[0] for line in server.stdout if (found := re.search(r"http://\S+", line))
            )
        finally:
            server.terminate()


def report_page(folder: Path) -> str:
    """The address of a report on a small tournament."""
    (folder / "league.toml").write_text(LEAGUE, "utf-8")
    tkm(folder, "tournament", "league.toml")
    tkm(folder, "report", "league.jsonl", "--title", "Five agents")
    return (folder / "report.html").as_uri()


def feedback_page(folder: Path) -> str:
    """The address of the feedback on an assignment's own solution."""
    tkm(folder, "course", "new", "course", "--chapters", "growth", "--seed", "1", "--no-check")
    shutil.copytree(folder / "course/staff/solution", folder / "submissions/solution")
    tkm(folder, "course", "grade-all", "submissions", "--spec", "course/public_tests/grading.toml")
    return (folder / "grades/feedback/solution/feedback.html").as_uri()


def take(browser: Any, shot: Shot, address: str) -> None:
    """Write a picture in both themes."""
    for theme, suffix in (("light", ""), ("dark", "-dark")):
        context = browser.new_context(
            viewport={"width": shot.width, "height": shot.height}, color_scheme=theme
        )
        page = context.new_page()
        page.goto(address, wait_until="networkidle")
        page.wait_for_timeout(1000)
        if (
            shot.button is not None
            and (button := page.get_by_role("button", name=shot.button)).is_visible()
        ):
            button.click()
        image = Image.open(io.BytesIO(page.screenshot()))
        image.convert("RGB").quantize(_COLOURS).save(
            DOCS / "pictures" / f"{shot.name}{suffix}.png", optimize=True
        )
        context.close()


def main() -> None:
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        sys.exit(
            f"needs Chromium: none of {', '.join(_NAMES)} is on the path, and CHROMIUM names none"
        )
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        with play_page(folder) as address:
            take(browser, PLAY, address)
        take(browser, REPORT, report_page(folder))
        take(browser, FEEDBACK, feedback_page(folder))
        browser.close()


if __name__ == "__main__":
    main()
