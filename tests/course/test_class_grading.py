"""A class is graded in parallel and resumed after a kill, with a table of results and a ladder.

No mark depends on the ladder.
"""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tkm_env
from tests.course.small import HONEST, assignment, program, python
from tkm_env import Game
from tkm_env.course.assignment import Assignment
from tkm_env.course.grading.class_grading import ClassGrading
from tkm_env.course.grading.class_page import class_page
from tkm_env.course.grading.pseudonyms import pseudonym
from tkm_env.foundations.errors import ConfigError, FileError

#: A network that comes with the package.
NETWORK = Path(tkm_env.__file__).parent / "players/tkm/networks/chapters.npz"
SPEC = """
seed = 3
[conditions]
isolation = "process"
[[questions]]
id = "q1"
kind = "count"
points = 2
depth = 4
positions = 1
seconds = 20
"""


def three_programs(place: Path) -> Path:
    """A folder of three: one answers correctly, one crashes, one gives a wrong answer."""
    place.mkdir()
    program(place / "ann")
    program(place / "bob", "sys.exit(1)")
    program(place / "cem", "print('answer 1', flush=True); continue")
    (place / "notes.txt").write_text("no submission", "utf-8")
    return place


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    return three_programs(tmp_path / "submissions")


@pytest.mark.parametrize("inner", ["", "handed-in", "handed-in/class"])
def test_results_do_not_replace_what_was_handed_in(tmp_path: Path, inner: str) -> None:
    """Results have their own folder, emptied first: submissions in it would be lost."""
    folder = tmp_path / "all" / inner
    folder.mkdir(parents=True)
    submitted = python(folder, HONEST) / "agent.py"
    before = {*tmp_path.rglob("*")}
    with pytest.raises(ConfigError, match="a folder for results alone"):
        ClassGrading(folder, assignment(), tmp_path / "all")
    assert submitted.read_text("utf-8") == HONEST
    assert {*tmp_path.rglob("*")} == before


def test_results_among_what_was_handed_in_are_no_submission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "all"
    folder.mkdir()
    (folder / "ann.py").write_text(HONEST, "utf-8")
    (folder / "bob").symlink_to("..")
    monkeypatch.chdir(folder)
    for _ in range(2):
        work = ClassGrading(".", assignment(), "grades")
        assert work.names == ("ann",)
        assert [row.submission for row in work.results() if not row.is_unfinished] == ["bob"], (
            "a link is named, wherever it leads"
        )


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        "5",
        "null",
        "{}",
        '{"key": []}',
        '{"key": "", "mark": 5}',
        '{"a":' * 5_000,
        "9" * 5_000,
        "\ufeff{}",
    ],
)
def test_results_that_hold_no_mark_are_refused_and_stay(tmp_path: Path, line: str) -> None:
    folder = python(tmp_path / "all", HONEST)
    ClassGrading(folder, assignment(), tmp_path / "out")
    results = tmp_path / "out" / "marks" / "agent.jsonl"
    results.write_text(f"{line}\n", "utf-8")
    with pytest.raises(FileError, match="line 1 is not a mark"):
        ClassGrading(folder, assignment(), tmp_path / "out")
    assert results.read_text("utf-8") == f"{line}\n"


def test_marks_of_another_version_are_given_again(tmp_path: Path) -> None:
    folder = python(tmp_path / "all", HONEST)
    ClassGrading(folder, assignment(), tmp_path / "out")
    results = tmp_path / "out" / "marks" / "agent.jsonl"
    results.write_text('{"key": "", "mark": {"question": "q1"}}\n', "utf-8")
    assert ClassGrading(folder, assignment(), tmp_path / "out").waiting == ("agent",)


def test_a_class_is_graded_resumed_and_listed(submissions: Path, tmp_path: Path) -> None:
    out = tmp_path / "grades"
    first = ClassGrading(submissions, assignment(), out)
    first.stop()
    assert [*first.run()] == []
    work = ClassGrading(submissions, assignment(), out)
    assert [*work.run()] == ["ann", "bob", "cem"]
    work.write_tables()
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    assert [(row["submission"], float(row["points"]), row["faults"]) for row in rows] == [
        ("ann", 2, ""),
        ("bob", 0, "q1: crash"),
        ("cem", 0, ""),
    ]
    assert "feedback/bob/feedback.html" in (out / "class.html").read_text("utf-8")
    assert json.loads((out / "marks/ann.json").read_text("utf-8"))["score"] == 2
    # A kill has left half a line; a submission has changed; another assignment has no results yet.
    line = (out / "marks/cem.jsonl").read_bytes()
    (out / "marks/cem.jsonl").write_bytes(line[:40])
    program(submissions / "bob")
    again = ClassGrading(submissions, assignment(), out)
    assert again.waiting == ("bob", "cem")
    assert [*again.run()] == ["bob", "cem"]
    assert [row.total for row in again.results()] == [2, 2, 0]
    assert (out / "marks/cem.jsonl.cut").read_bytes() == line[:40] + b"\n"
    assert not (out / ".grading").exists()
    assert len(ClassGrading(submissions, assignment(seed=4), out).waiting) == 3


def ladder_of(submissions: Path, out: Path, given: Assignment) -> Any:
    """The league that the ladder is."""
    league = pytest.importorskip("tkm_env.arena.league.league", reason="needs the extra [league]")
    return league.League(ClassGrading(submissions, given, out).enter_ladder())


def waiting_in(league: Any) -> dict[str, str]:
    """The folders of the bots that wait for their check, by name."""
    return {bot.name: bot.folder for bot in league.store.bots("waiting")}


def test_the_ladder_is_a_league_under_pseudonyms(submissions: Path, tmp_path: Path) -> None:
    python(submissions / "dan", HONEST)
    given, out = assignment(anchors=[]), tmp_path / "grades"
    league = ladder_of(submissions, out, given)
    first = waiting_in(league)
    assert {*first} == {at_seed_3(name) for name in ("ann", "bob", "cem", "dan")}
    assert league.tournament(league.store.season(), print).players == ()
    assert league.rules.title == given.title
    # Students who hand in again have another bot, those who do not keep theirs, and those who have
    # left play no more.
    program(submissions / "bob")
    shutil.rmtree(submissions / "cem")
    second = waiting_in(ladder_of(submissions, out, given))
    assert {*second} == {at_seed_3(name) for name in ("ann", "bob", "dan")}
    assert [
        second[at_seed_3(name)] == first[at_seed_3(name)] for name in ("ann", "bob", "dan")
    ] == [True, False, True]
    assert len(league.store.bots("waiting", "replaced", "withdrawn")) == 5


def test_trained_files_play_on_the_ladder_and_a_damaged_one_does_not(tmp_path: Path) -> None:
    submissions, out = tmp_path / "submissions", tmp_path / "grades"
    for name in ("ann", "bob/student", "cem"):
        (submissions / name).mkdir(parents=True)
    for name in ("ann", "bob/student"):
        shutil.copyfile(NETWORK, submissions / name / "value.npz")
    (submissions / "cem/value.npz").write_text("junk", "utf-8")
    question = {"kind": "match", "opponent": "random", "games": 2, "player": "net:file=value.npz"}
    league = ladder_of(submissions, out, assignment(question, anchors=["random"]))
    tournament = league.tournament(league.store.season(), print)
    assert (tournament.seed or 0) > 2**64, (
        "those who guess it, or see games of the ladder, must not learn the assignment's"
    )
    assert [player.name for player in tournament.players] == [
        "random",
        at_seed_3("ann"),
        at_seed_3("bob"),
    ]
    assert waiting_in(league) == {}


def test_the_ladder_plays_copies_without_links_and_refuses_what_grading_refuses(
    tmp_path: Path,
) -> None:
    submissions, out = tmp_path / "submissions", tmp_path / "grades"
    python(submissions, HONEST)
    python(submissions / "ann", HONEST)
    (submissions / "bob").mkdir()
    (submissions / "bob/agent.py").symlink_to(submissions / "ann/agent.py")
    league = ladder_of(submissions, out, assignment(isolation="process"))
    waiting = waiting_in(league)
    assert at_seed_3("ann") in waiting
    assert at_seed_3("bob") not in waiting
    rules = league.conditions.limits.import_rules
    assert rules.allow("tkm_env.course")
    assert not rules.allow("tkm_env.players.tkm")
    assert all(
        Path(path).is_relative_to(out)
        for bot in league.store.bots("waiting")
        for path in league.entrant(bot).readable
    )


def test_who_is_ahead_of_an_anchor_on_the_ladder_gets_extra_credit(
    submissions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "grades"
    given = assignment(isolation="process", anchors=["random"], credit={"random": 0.5})
    work = ClassGrading(submissions, given, out)
    assert len([*work.run()]) == 3
    assert [row.extra for row in work.results()] == [0, 0, 0]
    ladder_of(submissions, out, given)
    generator = np.random.default_rng(1)
    with (out / "ladder/games/season-1.jsonl").open("w", encoding="utf-8") as file:
        ann, bob, cem = map(at_seed_3, ("ann", "bob", "cem"))
        for called, share in {
            ann: 0.9,
            bob: 0.9,
            f"{bob}@2": 0.1,
            cem: 0.1,
            f"{cem}@2": 0.9,
        }.items():
            for number in range(20):
                seats = ["random", called][:: 1 - 2 * (number % 2)]
                sides = dict(zip(("white", "black"), seats, strict=True))
                loser = ("white", "black")[seats.index("random" if number < 20 * share else called)]
                game = Game()
                while len(game.history) < 6 or game.to_act != loser:
                    game.play(int(generator.choice(game.legal_actions())))
                fault = {
                    "player": loser,
                    "kind": "crash",
                    "seen": "it ended",
                    "ply": len(game.history) + 1,
                }
                digest = {
                    side: name.encode().hex()[-32:].rjust(32, "0") for side, name in sides.items()
                }
                file.write(
                    json.dumps(game.to_record(players=sides, fault=fault, digest=digest)) + "\n"
                )
    assert [(row.submission, row.extra) for row in work.results()] == [
        ("ann", 0.5),
        ("bob", 0.0),
        ("cem", 0.5),
    ]
    with pytest.raises(ConfigError, match="credit"):
        assignment(anchors=["random"], credit={"greedy": 1})


def at_seed_3(name: str) -> str:
    """The pseudonym under the small assignment's seed."""
    return pseudonym(name, 3)


def test_a_folder_without_submissions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="submissions"):
        ClassGrading(tmp_path / "empty", assignment(), tmp_path / "out")


def graded(out: Path) -> dict[str, float]:
    """The points of each submission's last mark that is saved."""
    found = {}
    for path in (out / "marks").glob("*.jsonl"):
        whole, end, _ = path.read_bytes().rpartition(b"\n")
        if end:
            found[path.stem] = json.loads(whole.splitlines()[-1])["mark"]["score"]
    return found


def test_the_class_page_links_what_was_found_alike_only_once_it_was_looked_for() -> None:
    link = 'href="alike/index.html"'
    assert link in class_page("A class", {"q1": 2}, [], alike="alike/index.html")
    assert link not in class_page("A class", {"q1": 2}, [])
