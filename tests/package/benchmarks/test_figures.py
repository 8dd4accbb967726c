"""Every file of figures says what it depends on, and every page how old its figures are."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from benchmarks import figures as module
from benchmarks.behaviour import Behaviour
from benchmarks.digests import ROOT, read_table
from benchmarks.figures import RECORD, Figures, Measured, begun, keep
from benchmarks.speed.rules import SPEED, WORKS

FIGURES = Figures()
#: What else stands among the documents as JSON.
NO_FIGURES = {
    "docs/behaviour.json": "what sources do",
    "docs/figures.json": "when figures were measured",
    "docs/game.json": "the game of a picture",
    "docs/rules_speed.json": "how fast versions of the rules are",
    "docs/vectors.json": "written with the documents",
}


def test_every_file_of_figures_has_a_row_and_every_row_a_file() -> None:
    files = {file.file for file in FIGURES.files.values()}
    assert len(files) == len(FIGURES.files)
    assert all((ROOT / file).exists() for file in files)
    found = {path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.json")}
    shown = {path.as_posix() for path in found if "tutorials" not in path.parts}
    assert {
        path for path in shown if path not in files and str(Path(path).parent) not in files
    } == {*NO_FIGURES}


def test_every_source_exists_and_some_figures_depend_on_it() -> None:
    table = read_table()
    needed = {
        source
        for file in FIGURES.files.values()
        for sources in (file.sources, *(file.rows or {}).values())
        for name in sources
        for source in table["bundles"].get(name, [name])
    }
    assert needed == table["sources"].keys()
    for name in FIGURES.files:
        for row in FIGURES.rows(name):
            assert FIGURES.now(name, row).sources


@pytest.mark.parametrize("name", FIGURES.files)
def test_a_page_says_how_old_its_figures_are(name: str) -> None:
    file, sentence = FIGURES.files[name], FIGURES.sentence(name)
    is_older = bool(FIGURES.age(name).changed)
    for page in file.pages:
        text = (ROOT / page).read_text("utf-8")
        assert sentence in text or (not is_older and f"age of {name}, if older" in text), (
            f"{page} does not say how old {file.file} is: run python docs/generate.py"
            + (f", or measure it again: {file.command}" if is_older else "")
        )


@pytest.mark.parametrize("name", FIGURES.files)
def test_the_command_of_figures_is_there(name: str) -> None:
    command = FIGURES.files[name].command
    match command.split():
        case ["python", "-m", program, *_]:
            assert [*ROOT.glob(f"{program.replace('.', '/')}*")]
        case ["python", program, *_]:
            text = (ROOT / program).read_text("utf-8")
            assert "benchmarks.figures" in text, f"{program} does not say that it measured {name}"
        case _:
            assert command.startswith(("tkm ", "nox "))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with two rules, a network, and three files of figures."""
    files = {
        "benchmarks/figures.toml": f"""
[sources]
"{SPEED}" = ["rules.py"]
"the rules" = ["rules.py"]
"the network" = ["nets"]
"the players: one" = ["one.py"]
"the players: other" = ["other.py"]

[behaviour]
"the players: one" = ["match one other"]

[bundles]
"games with a network" = ["the rules", "the network"]

[figures.scores]
file = "scores.json"
command = "measure scores"
pages = []
shows = "Scores"
sources = ["games with a network"]

[figures.pairs]
file = "pairs.json"
command = "measure pairs"
pages = []
shows = "Pairs"
sources = []
[figures.pairs.rows]
"one" = ["the players: one"]
"other" = ["the players: other"]

[figures.speed]
file = "speed.json"
command = "measure speed"
pages = []
shows = "Speed"
sources = ["{SPEED}"]
""",
        "rules.py": '"""Rules."""\n\nGOAL = 3\n',
        "nets/a.npz": "weights",
        "one.py": "DEPTH = 1\n",
        "other.py": "DEPTH = 2\n",
        "scores.json": "{}",
        "pairs.json": '{"one": 1, "other": 2}',
        "speed.json": "{}",
        "docs/behaviour.json": "{}",
        "docs/rules_speed.json": '{"versions": {}}',
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    measure(tmp_path)
    return tmp_path


def measure(project: Path) -> None:
    figures = Figures(project)
    for name in figures.files:
        measured = {row: figures.now(name, row).sources for row in figures.rows(name)}
        figures.keep(
            name, {row: Measured("2026-11-25", sources) for row, sources in measured.items()}
        )


def older(project: Path) -> dict[str, list[str]]:
    """The figures that are older, each with what has changed."""
    figures = Figures(project)
    return {name: changed for name in figures.files if (changed := figures.age(name).changed)}


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")


def test_what_was_just_measured_is_not_older(project: Path) -> None:
    assert older(project) == {}
    assert Figures(project).sentence("scores") == (
        "These figures were measured on 25 November 2026."
    )


def test_a_change_ages_exactly_the_figures_that_depend_on_it(project: Path) -> None:
    edit(project / "nets/a.npz", "weights", "other weights")
    assert older(project) == {"scores": ["the network"]}
    edit(project / "one.py", "1", "3")
    assert older(project) == {"scores": ["the network"], "pairs": ["the players: one"]}
    (project / "nets/b.npz").write_text("more", "utf-8")
    edit(project / "rules.py", "3", "4")
    assert older(project) == {
        "scores": ["the rules", "the network"],
        "pairs": ["the players: one"],
        "speed": [SPEED],
    }


def test_a_moved_file_and_an_edited_docstring_age_nothing(project: Path) -> None:
    (project / "rooms").mkdir()
    (project / "rules.py").rename(project / "rooms/rules_of_the_game.py")
    edit(project / "benchmarks/figures.toml", "rules.py", "rooms/rules_of_the_game.py")
    edit(project / "rooms/rules_of_the_game.py", "Rules.", "The rules of the game.")
    assert older(project) == {}


def test_a_page_names_what_has_changed_and_the_command(project: Path) -> None:
    edit(project / "rules.py", "3", "4")
    assert " ".join(Figures(project).sentence("scores").split()) == (
        "These figures were measured on 25 November 2026 and are older than what they depend on "
        "(the rules); `measure scores` measures them again."
    )


def test_of_figures_measured_row_by_row_some_may_be_older(project: Path) -> None:
    edit(project / "one.py", "1", "3")
    figures = Figures(project)
    assert figures.sentence("pairs").startswith("Some of these figures were measured on 25 ")
    assert "(the players)" in figures.sentence("pairs")
    figures.keep("pairs", {"one": figures.now("pairs", "one")})
    assert older(project) == {}
    assert figures.sentence("pairs").startswith("These figures were measured between 25 ")
    assert str(datetime.now(UTC).year) in figures.sentence("pairs")


def test_figures_of_a_row_that_is_gone_are_forgotten(project: Path) -> None:
    (project / "pairs.json").write_text('{"other": 2}', "utf-8")
    figures = Figures(project)
    figures.keep("pairs", {"other": figures.now("pairs", "other")})
    assert [*Figures(project).measured("pairs")] == ["other"]


def test_figures_of_which_nothing_is_known_are_refused_with_the_command(project: Path) -> None:
    (project / "pairs.json").write_text('{"one": 1, "other": 2, "other new": 3}', "utf-8")
    with pytest.raises(KeyError, match=r"pairs\.json was measured: measure pairs"):
        Figures(project).age("pairs")


@pytest.mark.parametrize(("speed", "is_older"), [(1.09, False), (1.2, True), (0.8, True)])
def test_figures_of_speed_are_older_once_speed_has_moved_by_more_than_a_tenth(
    project: Path, speed: float, is_older: bool
) -> None:
    versions = {Figures(project).now("speed").sources[SPEED]: dict.fromkeys(WORKS, 1.0)}
    edit(project / "rules.py", "3", "4")
    assert "speed" in older(project)  # until it is measured
    versions[Figures(project).now("speed").sources[SPEED]] = dict.fromkeys(WORKS, 1.0) | {
        "search": speed
    }
    (project / "docs/rules_speed.json").write_text(json.dumps({"versions": versions}), "utf-8")
    assert ("speed" in older(project)) is is_older
    assert ("no change has moved the speed" in Figures(project).sentence("speed")) is not is_older
    assert "scores" in older(project)


def test_figures_are_not_older_than_a_source_that_still_does_the_same(project: Path) -> None:
    def digest() -> str:
        return Figures(project).now("pairs", "one").sources["the players: one"]

    behaviour = Behaviour(project)
    behaviour.add("the players: one", digest(), "these games")
    edit(project / "one.py", "1", "5 - 4")
    assert older(project) == {"pairs": ["the players: one"]}  # until it has been found out
    behaviour.add("the players: one", digest(), "these games")
    assert older(project) == {}
    assert Figures(project).sentence("pairs") == (
        "These figures were measured on 25 November 2026; since then, no change has altered a "
        "sample of the games."
    )
    edit(project / "one.py", "5 - 4", "2")
    behaviour.add("the players: one", digest(), "other games")
    assert older(project) == {"pairs": ["the players: one"]}


def test_a_run_that_resumes_keeps_the_note_of_its_beginning(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "Figures", lambda: Figures(project))
    folder = tmp_path / "run"
    folder.mkdir()
    begun(folder, "pairs", "one")
    edit(project / "one.py", "1", "3")
    begun(folder, "pairs", "one")
    begun(folder, "pairs", "other")
    keep(folder, "pairs")
    assert older(project) == {"pairs": ["the players: one"]}


def test_the_command_lists_what_is_older_and_keeps_what_was_just_measured(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*arguments: str) -> str:
        monkeypatch.setattr("sys.argv", ["figures", *arguments])
        module.main()
        return capsys.readouterr().out

    monkeypatch.setattr(module, "Figures", lambda: Figures(project))
    edit(project / "one.py", "1", "3")
    assert run() == "measure pairs\n    as pairs.json is older than the players: one\n"
    run("--keep", "pairs", "other")
    assert "pairs.json" in run()
    run("--keep", "pairs", "one")
    assert run() == ""
    with pytest.raises(SystemExit):
        run("--keep", "pairs", "third")


def test_the_record_names_only_figures_and_sources_that_there_are() -> None:
    record: dict[str, list[dict[str, Any]]] = json.loads((ROOT / RECORD).read_text("utf-8"))
    assert record.keys() == FIGURES.files.keys()
    for name, runs in record.items():
        rows = [row for run in runs for row in run["rows"]]
        assert sorted(rows) == sorted(FIGURES.rows(name)), name
        for run in runs:
            for row in run["rows"]:
                assert run["sources"].keys() <= FIGURES.now(name, row).sources.keys(), name
            assert re.fullmatch(r"\d{4}-\d\d-\d\d", run["date"])
