"""Text of strangers at every place where it leaves: terminal, CSV, TOML, HTML, Markdown, files."""

from __future__ import annotations

import csv
import io
import os
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.arena.results_files import finished, written
from tests.course.small import program
from tests.foundations.test_untrusted_text import NAMES, NOT_UNICODE, formulas_in, raw_in
from tkm_env.cli.console import PlainConsole
from tkm_env.cli.progress import progress_bar
from tkm_env.cli.root_command import tkm
from tkm_env.core.record_files import replay_of
from tkm_env.course.grading.autograder_formats import gradescope
from tkm_env.course.grading.feedback import write_feedback
from tkm_env.course.questions.marks import Finding, Grade, Mark
from tkm_env.foundations.untrusted_text import visible
from tkm_env.games.registry import TKM
from tkm_env.render.replay import replay_page


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


@pytest.mark.parametrize("name", [*NAMES, *NOT_UNICODE])
def test_the_console_shows_a_name_in_one_line(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    PlainConsole(width=200).print(name)
    assert capsys.readouterr().out == f"{visible(name)}\n"
    bar = progress_bar()
    bar.add_task(name)
    assert str(bar.columns[0](bar.tasks[0])) == visible(name)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games of players with these names, who each lost one by a fault that quotes the name."""
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


@pytest.mark.parametrize("name", [*NAMES, *NOT_UNICODE])
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
        (
            f"import sys\nsys.stderr.write({''.join(NAMES)!r} + '\\n[/b]\\n')\n"
            "sys.stderr.flush()\nsys.exit(3)\n"
        ),
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
        (
            "seed = 3\n[conditions]\nisolation = 'process'\n[[questions]]\nid = 'q1'\n"
            "kind = 'count'\npoints = 2\ndepth = 4\npositions = 1\n"
        ),
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
