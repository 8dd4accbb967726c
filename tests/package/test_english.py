"""Everything that a person reads is spelled well, and free of forms that sound translated."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
ROWS: list[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("forbidden_forms.toml").read_text("utf-8")
)["row"]

#: What is read by people.
FOLDERS = ("tkm_env", "docs", "examples", "benchmarks", "packaging", "tests", ".github")
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
#: Files that are nobody's prose: data, what others wrote, and these rows.
SKIPPED = re.compile(r"/(data|inventories|tutorials/\w+\.ipynb|__pycache__|test_english\.py)")

#: Since Python 3.12 what stands between the braces of an f-string is a token of its own.
_STRINGS = (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))

_QUOTED = re.compile(r"""^[rbfu]*('{3}|"{3}|'|")(.*)\1$""", re.IGNORECASE | re.DOTALL)

#: A piece of running text: the line on which it begins, and its words on one line.
Prose = tuple[int, str]


def prose_of_python(source: str) -> Iterator[Prose]:
    """Comments, those of neighbouring lines together, and strings of several words."""
    comment: list[str] = []
    first = last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        line = token.start[0]
        if token.type == tokenize.COMMENT:
            if comment and (line != last + 1 or not token.line.lstrip().startswith("#")):
                yield first, _on_one_line(" ".join(comment))
                comment = []
            if not comment:
                first = line
            comment.append(token.string.lstrip("#: "))
            last = line
        elif token.type in _STRINGS and " " in token.string:
            for offset, paragraph in _paragraphs(_QUOTED.sub(r"\2", token.string)):
                yield line + offset, paragraph
    if comment:
        yield first, _on_one_line(" ".join(comment))


def prose_of_markdown(source: str) -> Iterator[Prose]:
    """Paragraphs, without code."""
    without_code = re.sub(
        r"^( *)(```+|~~~+)[^{\n]*\n.*?^\1\2",
        lambda match: "\n" * match.group().count("\n"),
        source,
        flags=re.M | re.S,
    )
    for line, paragraph in _paragraphs(without_code):
        yield line + 1, paragraph


def prose_of_page(source: str) -> Iterator[Prose]:
    """What a page shows and what its programs say, by lines, since both are within quotes."""
    for number, line in enumerate(source.splitlines(), start=1):
        yield number, _on_one_line(line)


READERS = {
    ".py": prose_of_python,
    ".md": prose_of_markdown,
    ".html": prose_of_page,
    ".js": prose_of_page,
    ".md.jinja": prose_of_markdown,
    ".jinja": prose_of_page,
    ".tex": prose_of_markdown,
}


def reader_of(path: Path) -> Callable[[str], Iterator[Prose]] | None:
    """What reads a file of this name; None if it is not prose."""
    return next((read for end, read in READERS.items() if path.name.endswith(end)), None)


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs, each with the number of lines before it."""
    place = 0
    for paragraph in re.split(r"(\n\s*\n|\n(?= *[-*|] ))", text):
        if paragraph.strip():
            yield text.count("\n", 0, place), _on_one_line(paragraph)
        place += len(paragraph)


def _on_one_line(text: str) -> str:
    return " ".join(re.sub(r"`[^`]*`", "`…`", text).split())


def files() -> Iterator[Path]:
    """All files with prose."""
    yield from (ROOT / page for page in PAGES)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            relative = path.relative_to(ROOT).as_posix()
            if reader_of(path) and not SKIPPED.search(f"/{relative}"):
                yield path


def flaws(path: Path) -> Iterator[str]:
    """The forbidden forms in a file, each with its place and what to write instead."""
    reader = reader_of(path)
    assert reader is not None
    for line, text in reader(path.read_text("utf-8")):
        for row in ROWS:
            for found in re.finditer(row["form"], text, re.IGNORECASE):
                place = f"{path.relative_to(ROOT)}:{line}"
                yield f"{place}: {found.group()[:60]!r}: write {row['instead']}"


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["", *FOLDERS])
def test_no_form_sounds_translated(folder: str) -> None:
    found = [
        flaw
        for path in files()
        if path.relative_to(ROOT).as_posix().rpartition("/")[0].partition("/")[0] == folder
        for flaw in flaws(path)
    ]
    assert not found, f"{len(found)}:\n" + "\n".join(found)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["instead"])
def test_a_form_is_caught_in_its_example_alone(row: dict[str, Any]) -> None:
    assert re.search(row["form"], row["caught"], re.IGNORECASE)
    assert not re.search(row["form"], row.get("fine", ""), re.IGNORECASE)


def test_prose_is_comments_strings_and_paragraphs() -> None:
    source = 'x = "a b"  # one\n# two\n\n# three\n"""Four\nfive.\n\nSix `x`."""\n'
    assert [*prose_of_python(source)] == [
        (1, "a b"),
        (1, "one two"),
        (5, "Four five."),
        (8, "Six `…`."),
        (4, "three"),
    ]
    assert [*prose_of_markdown("# One\n\n```python\nx = 1\n```\n\nTwo\nthree\n")] == [
        (1, "# One"),
        (7, "Two three"),
    ]


@pytest.mark.slow
def test_words_are_spelled_well() -> None:
    pytest.importorskip("codespell_lib", reason="needs codespell")
    result = subprocess.run(
        [sys.executable, "-m", "codespell_lib", *PAGES, *FOLDERS],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
