"""Bring the catalogues of the page's languages up to date: ``python docs/catalogues.py``.

With the code of another language, such as ``fr``, it begins a catalogue of that language. Entries
that nothing says any more go; those that are new, or whose English has changed, have no words yet.
It needs the extra ``[play]``.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final, NamedTuple

import polib

from tkm_env.core.registry import GameSpec, registered_games
from tkm_env.foundations.message import Message
from tkm_env.games.terminus.view import ERA_NAMES
from tkm_env.games.tkm.achievements import ACHIEVEMENTS
from tkm_env.games.tkm.campaign import CODA, JOURNEY
from tkm_env.games.tkm.engine.actions import GROUPS
from tkm_env.games.tkm.engine.geometry import ERAS
from tkm_env.games.tkm.engine.powers import POWER_NAMES, POWER_SETS, POWERS
from tkm_env.games.tkm.engine.state import CHAPTERS, PIECES
from tkm_env.play.adapter import ADAPTERS
from tkm_env.play.exercises import Defender
from tkm_env.play.languages import PAGE
from tkm_env.play.page_settings import game_settings, session_settings, setting_as_json
from tkm_env.play.page_state import as_json
from tkm_env.players.roster import ROSTERS

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "tkm_env"
CATALOGUES: Final = PACKAGE / "play" / "catalogues"
#: The programs of the page, and the module that stands for ``server.js`` where there is no server.
SCRIPTS: Final = (
    *sorted((PACKAGE / "play" / "page").glob("*.js")),
    ROOT / "docs/browser/server.js",
)
_TEXT: Final = r'"((?:[^"\\]|\\.)*)"'
_SAID: Final = re.compile(rf"\bsay\((?:{_TEXT}|\[{_TEXT}, {_TEXT}\])")
_PLACEHOLDER: Final = re.compile(r"\{[a-z]\w*[^{}]*\}")


class Entry(NamedTuple):
    """An entry of a catalogue, without the words of a language."""

    context: str | None
    text: str
    plural: str = ""


# What the page itself says.


class _Page(HTMLParser):
    """Finds the words of the page as it is loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._is_said = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.texts += filter(None, [given.get("aria-label")])
        self._is_said = "data-say" in given

    def handle_data(self, data: str) -> None:
        if self._is_said:
            self.texts.append(data)
        self._is_said = False


def page_entries() -> Iterator[tuple[Entry, Path]]:
    """The page's own words."""
    path = PACKAGE / "play" / "page" / "index.html"
    page = _Page()
    page.feed(path.read_text("utf-8"))
    for text in page.texts:
        yield Entry(PAGE, text), path
    for path in SCRIPTS:
        for found in _SAID.findall(path.read_text("utf-8")):
            text, one, many = (json.loads(f'"{each}"') for each in found)
            yield Entry(PAGE, text or one, many), path


# What the server says.


def _strings(tree: ast.AST) -> Iterator[str]:
    """The strings in a piece of a program, without those that stand in an f-string."""
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        yield tree.value
    if not isinstance(tree, ast.JoinedStr):
        for child in ast.iter_child_nodes(tree):
            yield from _strings(child)


def program_entries() -> Iterator[tuple[Entry, Path]]:
    """The messages in programs: the arguments of `Message`, and templates that stand elsewhere."""
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_text("utf-8")
        if "import Message" not in source:
            continue
        tree, plurals = ast.parse(source), set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Message":
                texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
                plurals |= {*texts[1:]}
                if texts:
                    yield Entry(None, *texts), path
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                node.value.value = None  # a docstring
        for text in _strings(tree):
            if _PLACEHOLDER.search(text) and text not in plurals:
                yield Entry(None, text), path


def messages_in(content: Any) -> Iterator[Entry]:
    """The messages in JSON types, with the names that are filled in."""
    if isinstance(content, str):
        message = Message(content)
        yield Entry(None, message.template, message.plural)
        yield from messages_in([each for each in message.filling.values() if isinstance(each, str)])
    elif isinstance(content, dict):
        yield from messages_in([*content.values()])
    elif isinstance(content, (list, tuple)):
        for part in content:
            yield from messages_in(part)


def texts_of(spec: GameSpec) -> Iterator[Any]:
    """What is data in a game: its settings, levels, lessons, actions and rules."""
    adapter, game_class = ADAPTERS.of(spec), spec.game_class
    yield [name for player in spec.players for name in (player, player.capitalize())]
    for setting in (*session_settings(spec), *game_settings(spec)):
        shown = setting_as_json(setting, None)
        yield (
            shown["label"],
            shown["help"],
            shown["names"],
            [each["reason"] for each in shown["excludes"]],
        )
    yield [level.name for level in ROSTERS.of(spec).levels]
    yield [*adapter.matches]
    yield [adapter.action_words(action) for action in game_class.action_names]
    for name, exercises in adapter.exercises().items():
        yield name.rpartition(": ")[::2]
        yield [[each.title, each.grade, each.before, each.after, each.wrong] for each in exercises]
    yield adapter.rules, as_json([(mark.label, mark.tip) for mark in adapter.marks])
    for section in spec.rules_for():
        yield section.group, section.title, section.text
        yield [example.words for example in section.examples]


def names() -> Iterator[Any]:
    """What stands in messages by name: pieces, eras, powers, stages."""
    tkm = registered_games()["tkm"]
    editor, config = ADAPTERS.of(tkm).editor, tkm.game_class.default_config
    assert editor is not None
    state = editor.edit(
        tkm.game_class().position, "chapters", " and ".join(CHAPTERS), config=config
    )
    yield [(tool.label, tool.tip) for tool in state.tools]
    yield [(field.name, field.choices) for field in state.fields]
    short = {piece.partition(",")[0].replace("'s", "") for piece in PIECES} - {"empty"}
    yield [f"the {piece}" for piece in (*sorted(short), "seed")], ERAS, [*ERA_NAMES.values()]
    yield (
        POWER_NAMES,
        [*POWER_SETS],
        [(power.effect, power.second_effect or "") for power in POWERS],
    )
    yield [group.meaning.replace("`", "") for group in GROUPS], "person", Defender.NAME
    stages = (*JOURNEY, CODA)
    yield stages, [stage.capitalize() for stage in stages]
    yield [(each.name, each.description) for each in ACHIEVEMENTS]


def entries() -> dict[Entry, list[str]]:
    """All entries, each with the files that it comes from; none for data."""
    found: dict[Entry, list[str]] = {}

    def add(each: Entry, path: str = "") -> None:
        said = _PLACEHOLDER.sub("", each.text)
        if re.search(r"[^\W\d_]", said):
            places = found.setdefault(each, [])
            if path and path not in places:
                places.append(path)

    for each, path in (*page_entries(), *program_entries()):
        add(each, path.relative_to(ROOT).as_posix())
    data: Iterable[Any] = (
        *(text for spec in registered_games().values() for text in texts_of(spec)),
        *names(),
    )
    for each in messages_in([*data]):
        add(each)
    plural = {(each.context, each.text) for each in found if each.plural}
    return {
        each: places
        for each, places in found.items()
        if each.plural or (each.context, each.text) not in plural
    }


def updated(catalogue: polib.POFile) -> polib.POFile:
    """The same catalogue with the entries of today."""
    before = {(entry.msgctxt, entry.msgid, entry.msgid_plural): entry for entry in catalogue}
    after = polib.POFile(wrapwidth=100)
    after.metadata = catalogue.metadata
    forms = int(after.metadata["Plural-Forms"].partition("nplurals=")[2].partition(";")[0])
    for (context, text, plural), places in entries().items():
        old = before.get((context, text, plural))
        after.append(
            polib.POEntry(
                msgctxt=context,
                msgid=text,
                msgid_plural=plural,
                msgstr=old.msgstr if old else "",
                msgstr_plural=(old.msgstr_plural if old else dict.fromkeys(range(forms), ""))
                if plural
                else {},
                occurrences=[(place, "") for place in places],
            )
        )
    return after


def begun(language: str) -> polib.POFile:
    """An empty catalogue of a language."""
    catalogue = polib.POFile()
    catalogue.metadata = {
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": "nplurals=2; plural=(n != 1);",
    }
    return catalogue


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("language", nargs="*", help="the code of a language to begin")
    known = [path.stem for path in CATALOGUES.glob("*.po")]
    for language in dict.fromkeys((*known, *parser.parse_args().language)):
        path = CATALOGUES / f"{language}.po"
        catalogue = updated(polib.pofile(str(path)) if path.exists() else begun(language))
        catalogue.save(str(path))
        print(f"{path.relative_to(ROOT)}: {catalogue.percent_translated()}% translated")


if __name__ == "__main__":
    main()
