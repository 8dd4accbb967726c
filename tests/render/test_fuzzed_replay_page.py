"""Any text on a replay's page arrives there, what cannot be seen as escapes, and stays text."""

from __future__ import annotations

import json
import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from tkm_env.foundations.untrusted_text import visible
from tkm_env.render.canvas import Canvas
from tkm_env.render.replay import Frame, Replay, Side, replay_page

COLOURS = dict.fromkeys(("ground", "ink", "faint", "rule", "mark", "active"), "#000000")
CANVAS = Canvas(10, 5, "", "", {"a": ""}, {"light": COLOURS, "dark": COLOURS})
#: Delimiters of HTML, JSON and templates, and any character, lone surrogates included.
PARTS = [
    "<",
    "/",
    "!--",
    "-->",
    "script",
    "]]>",
    "$",
    "{",
    "}",
    "title",
    "\\",
    "u003c",
    '"',
    "'",
    "&",
    "&lt;",
    "\n",
    "\0",
    "\u2028",
    "\ud83d",
]
TEXTS = st.lists(st.sampled_from(PARTS) | st.characters(exclude_categories=[]), max_size=12).map(
    "".join
)


def shown(text: str) -> str:
    """The text as pages show it."""
    return visible(text, keep="\n")


@given(title=TEXTS, names=st.tuples(TEXTS, TEXTS), said=st.lists(TEXTS, max_size=3))
def test_any_text_arrives_and_stays_text(
    title: str, names: tuple[str, str], said: list[str]
) -> None:
    sides = [Side(side, name, "") for side, name in zip(("red", "blue"), names, strict=True)]
    frames = [Frame({}, 1), *(Frame({"a": text}, 1, 0, text, [text]) for text in said)]
    text = replay_page(Replay(title, said, sides, CANVAS, frames, title))
    assert text.encode("utf-8").decode("utf-8") == text
    scripts = re.findall(r"<script[^>]*>(.*?)</script", text, re.DOTALL | re.IGNORECASE)
    assert len(scripts) == 2, "a text began or ended a script"
    assert "<" not in scripts[0]
    content = json.loads(scripts[0])
    assert (content["title"], content["about"], content["result"]) == (
        shown(title),
        [*map(shown, said)],
        shown(title),
    )
    assert [side[1] for side in content["sides"]] == [*map(shown, names)]
    assert [frame[2:4] for frame in content["frames"]] == [
        [None, []],
        *([shown(text), [shown(text)]] for text in said),
    ]
    head = text.partition("<title>")[2].partition("</title>")[0]
    assert "<" not in head
    assert unescape(head) == visible(title)
