"""Text that strangers wrote, at every place where it leaves: terminal, CSV, TOML, HTML, Markdown, autograders, file names."""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from unicodedata import category

import pytest
from click.testing import CliRunner

from tests.arena.results_files import finished, written
from tests.cases import each
from tests.course.small import program
from tkm_env.arena.toml_file import parse_toml
from tkm_env.cli.commands import tkm
from tkm_env.cli.console import PlainConsole
from tkm_env.cli.progress import progress_bar
from tkm_env.core.records import replay_of
from tkm_env.course.autograder_formats import gradescope
from tkm_env.course.feedback import write_feedback
from tkm_env.course.marks import Finding, Grade, Mark
from tkm_env.foundations.untrusted_text import csv_of, file_name, folded_name, toml_of, visible
from tkm_env.games.registry import TKM
from tkm_env.render.replay import replay_page

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


class Elements(HTMLParser):
    """The names of the elements of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name == "href"]

    def handle_data(self, data: str) -> None:
        self.text += data


def run(*arguments: object) -> str:
    """What a command prints, to standard output and error."""
    return CliRunner().invoke(tkm, [*map(str, arguments)], env={"COLUMNS": "400"}).output


@each("name", [*NAMES, *NOT_UNICODE])
def test_a_name_is_shown_in_one_line_without_anything_that_steers(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not raw_in(visible(name))
    assert "\n" not in visible(name)
    assert visible(visible(name)) == visible(name)
    PlainConsole(width=200).print(name)
    assert capsys.readouterr().out == f"{visible(name)}\n"
    bar = progress_bar()
    bar.add_task(name)
    assert str(bar.columns[0](bar.tasks[0])) == visible(name)


def test_letters_of_all_scripts_stay() -> None:
    for name in ("Zoë", "山田\u3000太郎", "عمر", "👍🏽", "a\u0301", "a\\b"):
        assert visible(name) == name


@each("name", NAMES)
def test_toml_gives_back_what_was_written(name: str) -> None:
    text = f"name = {toml_of(name)}\nlist = {toml_of([name, 1, True])}\n"
    assert not raw_in(text)
    assert parse_toml(text.encode(), "a.toml") == {"name": name, "list": [name, 1, True]}


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


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games of players with these names, each of whom lost one by a fault with its name in what was seen."""
    records = [
        finished(name, "plain", seed=2 * number, fault="white")
        for number, name in enumerate(NAMES, 1)
    ]
    for name, record in zip(NAMES, records, strict=True):
        record["fault"]["seen"] = name
    return written(tmp_path_factory.mktemp("games") / "games.jsonl", records)


def test_results_are_shown_without_anything_that_steers(games: Path, tmp_path: Path) -> None:
    for form in ("--csv", "--json", "--html", "--markdown"):
        output = run("report", games, form, "-")
        assert "plain" in output
        assert not raw_in(output), form
    run("report", games, "--csv", tmp_path / "table.csv")
    assert not [*formulas_in((tmp_path / "table.csv").read_text("utf-8"))]
    output = run("rating", games)
    assert not raw_in(output)
    for name in ("plain", *NAMES):
        assert visible(name) in output, name


def test_a_page_of_results_holds_the_names_as_text(games: Path) -> None:
    page = Elements(run("report", games, "--html", "-"))
    assert "b" not in page.tags
    for name in NAMES:
        assert visible(name)[:9] in page.text, name
    for record in [finished(name, "plain") for name in NAMES]:
        replay = replay_page(replay_of(record))
        assert not raw_in(replay), record["players"]
        assert "b" not in Elements(replay).tags, record["players"]


@each("name", [*NAMES, *NOT_UNICODE])
def test_feedback_shows_what_a_submission_wrote_as_text(name: str, tmp_path: Path) -> None:
    mark = Mark(
        "q1",
        "Count",
        "count",
        2,
        0,
        f"it wrote {name}",
        "visible",
        "crash",
        0,
        1,
        (Finding(f"it wrote {name}"),),
    )
    grade = Grade("Assignment", "tkm", name, "blue fox 1", (mark,), 1, 2)
    write_feedback(tmp_path, grade, TKM, TKM.config_from_text({}))
    text = (tmp_path / "feedback.html").read_text("utf-8")
    page = Elements(text)
    assert not raw_in(text)
    assert page.text.count(f"it wrote {visible(name)}") == 2
    assert "b" not in page.tags
    (shown,) = gradescope(grade)["tests"]
    assert not raw_in(shown["output"])


def test_what_a_bot_writes_to_standard_error_is_shown_escaped(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        f"import sys\nsys.stderr.write({''.join(NAMES)!r} + '\\n[/b]\\n')\nsys.stderr.flush()\nsys.exit(3)\n",
        "utf-8",
    )
    output = run("arena", "check", f"cmd:{sys.executable} {bot}")
    assert "  [/b]\n" in output
    assert not raw_in(output)


def test_a_refusal_does_not_steer_the_terminal(tmp_path: Path) -> None:
    for name in ("\x1b[2J", "\u202eevil", "\x9b31m"):
        for arguments in (
            ("rating", name),
            ("match", name, "random"),
            ("match", "random"),
            ("match", f"--{name}"),
            (name,),
        ):
            output = run(*arguments, *(["a"] if len(arguments) == 1 else []))
            assert "Error" in output, arguments
            assert not raw_in(output), arguments


#: Names that would be those of our own files, or of none.
SUBMISSIONS = [
    "class.html",
    "grades.jsonl",
    "ladder",
    "feedback",
    "Ann",
    "ANN",
    "con",
    "-rf",
    "a:b",
    "x" * 255,
]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
def test_a_class_is_graded_whatever_the_submissions_are_called(tmp_path: Path) -> None:
    names = [*SUBMISSIONS, *(name for name in (*NAMES, "\udcff") if "/" not in name)]
    submissions, out, spec = (
        tmp_path / "submissions",
        tmp_path / "grades",
        tmp_path / "grading.toml",
    )
    submissions.mkdir()
    for name in names:
        program(submissions / name, "sys.exit(1)")
    spec.write_text(
        "seed = 3\n[conditions]\nisolation = 'process'\n[[questions]]\nid = 'q1'\nkind = 'count'\npoints = 2\ndepth = 4\npositions = 1\n",
        "utf-8",
    )
    output = run(
        "course", "grade-all", submissions, "--spec", spec, "--out", out, "--processes", "1"
    )
    assert f"{len(names)} of {len(names)} graded" in output
    assert not raw_in(output)
    table = (out / "grades.csv").read_text("utf-8")
    assert not raw_in(table)
    assert not [*formulas_in(table)]
    shown = {row["submission"].replace("'", "") for row in csv.DictReader(io.StringIO(table))}
    assert shown == {visible(name).replace("'", "") for name in names}
    text = (out / "class.html").read_text("utf-8")
    page = Elements(text)
    assert not raw_in(text)
    assert len({*page.links}) == len(names)
    for link, name in zip(page.links, sorted(names), strict=True):
        assert visible(name) in page.text
        assert visible(name) in Elements((out / link).read_text("utf-8")).text, link
    league = pytest.importorskip("tkm_env.arena.league.league", reason="needs the extra [league]")
    assert not raw_in(run("course", "ladder", submissions, "--spec", spec, "--out", out))
    assert not raw_in((out / "ladder/league.toml").read_text("utf-8"))
    assert len(league.League(out / "ladder").store.bots("waiting")) == len(names), (
        "all under pseudonyms"
    )
