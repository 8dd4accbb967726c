"""Text from strangers, made visible, and written as CSV, as TOML and as a file name."""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Iterator
from unicodedata import category

import pytest

from tkm_env.foundations.untrusted_text import csv_of, file_name, folded_name, toml_of, visible

#: Names that steer a terminal, a reader's eye, a spreadsheet or a parser.
NAMES = [
    "=cmd|'/C calc'!A0",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    "\uff1d1+1",
    " \t=1+1",
    '";=1+1',
    "a;=1+1",
    "a\r\n=1+1",
    "\x1b[2J\x1b]0;title\x07",
    "a\rb\x08\x0b",
    "\x7f",
    "\x9b31m",
    "\u202eevil\u2066\u061c\u200f",
    "\u2028\u2029\u200b\ufeff\U000e0041",
    "[bold]a[/b]",
    ":bomb:",
    "</script><b onclick=a>b</b>",
    "{{ 7 * 7 }} $title %s {0}",
    "|`[a](javascript:b)`|",
]
#: Halves of characters, which come from names that are not UTF-8; records refuse them.
NOT_UNICODE = ["\udcff", "a\ud800b"]


def raw_in(output: str) -> list[str]:
    """What would steer a terminal or a reader's eye."""
    return [
        letter
        for letter in output
        if not letter.isprintable() and letter != "\n" and category(letter) != "Zs"
    ]


def formulas_in(table: str) -> Iterator[str]:
    """What a spreadsheet would compute, whichever character separates its cells."""
    for separator in ",;\t":
        for cell in (
            cell for row in csv.reader(io.StringIO(table), delimiter=separator) for cell in row
        ):
            if cell.strip().startswith(
                ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
            ):
                try:
                    float(cell)
                except ValueError:
                    yield cell


@pytest.mark.parametrize("name", [*NAMES, *NOT_UNICODE])
def test_a_name_is_shown_in_one_line_without_anything_that_steers(name: str) -> None:
    assert not raw_in(visible(name))
    assert "\n" not in visible(name)
    assert visible(visible(name)) == visible(name)


def test_letters_of_all_scripts_stay() -> None:
    for name in ("Zoë", "山田\u3000太郎", "عمر", "👍🏽", "a\u0301", "a\\b"):
        assert visible(name) == name


@pytest.mark.parametrize("name", NAMES)
def test_toml_gives_back_what_was_written(name: str) -> None:
    text = f"name = {toml_of(name)}\nlist = {toml_of([name, 1, True])}\n"
    assert not raw_in(text)
    assert tomllib.loads(text) == {"name": name, "list": [name, 1, True]}


def test_a_spreadsheet_finds_numbers_and_no_formula() -> None:
    table = csv_of([(name, -1.5, 7, None) for name in [*NAMES, *NOT_UNICODE]])
    assert not raw_in(table)
    assert not [*formulas_in(table)]
    for name, row in zip([*NAMES, *NOT_UNICODE], csv.reader(io.StringIO(table)), strict=True):
        assert row[0].replace("'", "") == visible(name).replace("'", "")
        assert row[1:] == ["-1.5", "7", ""]


def test_files_of_different_names_have_different_names_everywhere() -> None:
    reserved = ["con", "NUL.txt", "nul.txt", "com1", "lpt9.a", "aux."]
    alike = [
        "Ann",
        "ANN",
        "ann",
        "ann.",
        "ann ",
        "é",
        "e\u0301",
        "ann~0123456789ab",
        file_name("Ann"),
    ]
    names = [
        *NAMES,
        *NOT_UNICODE,
        *reserved,
        *alike,
        "..",
        ".",
        "",
        "-rf",
        ".hidden",
        "x" * 255,
        "X" * 255,
        "a/b",
        "a\\b",
        "山田",
    ]
    made = {file_name(name).lower() for name in names}
    assert len(made) == len(names)
    for name in made:
        assert name.isascii(), name
        assert not set(name) & set('<>:"/\\|?*\n\0'), name
        assert name[0] not in "-.~", name
        assert name[-1] not in ". ", name
        assert len(name) <= 100, name
        assert name.partition(".")[0] not in ("con", "nul", "com1", "lpt9", "aux"), name
    assert file_name("ann") == "ann"


def test_names_that_some_file_systems_do_not_tell_apart_are_folded_into_one() -> None:
    accents = ("\u00e9", "e\u0301", "\u00c9", "E\u0301")
    for names in (("Bot.json", "bot.json", "BOT.JSON"), accents, ("stra\u00dfe", "STRASSE")):
        assert len({folded_name(name) for name in names}) == 1, names
    different = ("bot.json", "bot.jsn", "e", "\u00e9", "a/b", "a b")
    assert len({*map(folded_name, different)}) == len(different)
