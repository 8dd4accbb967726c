"""A player whose files change is a new version, in schedules, in records and in reports."""

from __future__ import annotations

import importlib.util
import json
import py_compile
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.arena.results_files import finished, written
from tkm_env import FileError, GameConfig, from_record
from tkm_env.arena.match import Match
from tkm_env.arena.playing.referee import DEFAULT_CONDITIONS, Conditions
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.playing.versions import Versions, digest_of, digest_of_agent, successors
from tkm_env.arena.report.report_builder import ReportBuilder
from tkm_env.arena.report.report_page import page
from tkm_env.arena.report.report_tables import report_as_markdown
from tkm_env.arena.tournament import submissions
from tkm_env.arena.tournament.submissions import entrants_in
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.evaluation.starts import Settings
from tkm_env.isolation.limits import Limits

#: A bot that plays the first legal action, or the last one.
BOT = "class Bot:\n    def act(self, game):\n        return game.legal_actions()[{place}]\n"
TRUSTED = Conditions(trust=True)
SHORT = (Settings(config=GameConfig(max_turns=4)),)


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    folder = tmp_path / "bots"
    folder.mkdir()
    for name, place in (("ann", 0), ("bob", -1)):
        (folder / f"{name}.py").write_text(BOT.format(place=place), "utf-8")
    return folder


def league(bots: Path, **changes: Any) -> Tournament:
    given = {
        "players": entrants_in(bots),
        "settings": SHORT,
        "pairs": 2,
        "seed": 3,
        "conditions": TRUSTED,
    }
    return Tournament(**given | changes)


def organisers(bots: Path) -> tuple[Entrant, ...]:
    """The same players as the organiser's own, of which no copies are made."""
    return tuple(entrant._replace(submitted="") for entrant in entrants_in(bots))


def names(records: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    return [tuple(sorted(record["players"].values())) for record in records]


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        (lambda folder: None, False),
        (lambda folder: (folder / "cem" / "bot.py").touch(), False),
        (lambda folder: (folder / "cem").rename(folder / "dee"), False),
        (lambda folder: (folder / "cem" / "empty").mkdir(), False),
        (
            lambda folder: (
                (folder / "cem" / "__pycache__").mkdir()
                or (folder / "cem" / "__pycache__" / "x.pyc").touch()
            ),
            True,
        ),
        (lambda folder: (folder / "cem" / "link").symlink_to("weights"), True),
        (lambda folder: (folder / "cem" / "bot.py").write_text("2"), True),
        (lambda folder: (folder / "cem" / "weights").write_text("2"), True),
        (lambda folder: (folder / "cem" / "more").write_text(""), True),
        (lambda folder: (folder / "cem" / "weights").rename(folder / "cem" / "other"), True),
    ],
)
def test_a_digest_is_of_all_that_a_player_may_read_of_its_own(
    tmp_path: Path, change: Callable[[Path], object], differs: bool
) -> None:
    (tmp_path / "cem").mkdir()
    (tmp_path / "cem" / "bot.py").write_text("1")
    (tmp_path / "cem" / "weights").write_text("1")
    (before,) = entrants_in(tmp_path)
    first = digest_of(before, TRUSTED)
    change(tmp_path)
    (after,) = entrants_in(tmp_path)
    assert (digest_of(after, TRUSTED) != first) == differs


def test_a_digest_is_of_the_folder_that_a_command_runs(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "__main__.py").write_text("1")
    entrant = Entrant("x", f"cmd:{sys.executable} {folder}")
    digests = [digest_of(entrant, TRUSTED)]
    for name, content in (("__main__.py", "2"), ("helper.py", "3")):
        (folder / name).write_text(content)
        digests.append(digest_of(entrant, TRUSTED))
    folder.rename(tmp_path / "moved")
    digests.append(digest_of(Entrant("x", f"cmd:{sys.executable} {tmp_path}/moved"), TRUSTED))
    assert len({*digests}) == 3
    assert digests[-1] == digests[-2], "where it lies is no part of it"


OTHER = "class Bot:\n    def act(self, game):\n        raise SystemExit('the bytecode')\n"


@pytest.mark.parametrize("trust", [True, False])
def test_bytecode_beside_a_file_is_not_run_in_its_place(tmp_path: Path, trust: bool) -> None:
    """The digest of a player that is one file is that file's."""
    file, other = tmp_path / "ann.py", tmp_path / "other.py"
    file.write_text(BOT.format(place=0), "utf-8")
    other.write_text(OTHER, "utf-8")
    cached = importlib.util.cache_from_source(str(file))
    py_compile.compile(
        str(other), cached, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    conditions = Conditions(trust=trust)
    for record in Match(
        f"{file}:Bot", "random", 2, SHORT[0].config, seed=1, conditions=conditions
    ).play():
        assert "fault" not in record


@pytest.mark.parametrize("trust", [True, False])
def test_a_bot_leaves_no_bytecode_beside_its_files(
    tmp_path: Path, trust: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.syspath_prepend(tmp_path / "ann")
    for folder in (tmp_path / "ann", tmp_path / "bob"):
        folder.mkdir()
        (folder / "helper.py").write_text("PLACE = 0\n", "utf-8")
        (folder / "bot.py").write_text(
            "import helper\n" + BOT.format(place="helper.PLACE"), "utf-8"
        )
    players = entrants_in(tmp_path)
    before = [digest_of(entrant, Conditions()) for entrant in players]
    assert (
        len(
            [
                *Tournament(
                    players, SHORT, pairs=1, seed=1, conditions=Conditions(trust=trust)
                ).play()
            ]
        )
        == 2
    )
    assert [digest_of(entrant, Conditions()) for entrant in players] == before
    assert not [*tmp_path.rglob("*.pyc")]


def test_digests_tell_commands_options_and_containers_apart(bots: Path) -> None:
    lines = [
        f"cmd:{sys.executable} {bots}/ann.py",
        f"cmd:{sys.executable} {bots}/bob.py",
        f"cmd:{sys.executable} {bots}/ann.py -v",
    ]
    lines += [
        "greedy",
        "alphabeta:depth=1",
        "alphabeta:depth=2",
        f"{bots}/ann.py:Bot",
        f"{bots}/ann.py:Bot:depth=2",
    ]
    lines += [
        f"exploit:{bots}/ann.py:Bot",
        f"exploit:{bots}/bob.py:Bot",
        f"policy:{bots}/ann.py",
        f"policy:{bots}/none.npz",
    ]
    contained = Conditions(limits=Limits(container=("podman", "{command}"), isolation="container"))
    digests = [
        digest_of(Entrant("x", line), conditions)
        for line in lines
        for conditions in (TRUSTED, contained)
    ]
    assert len({*digests}) == len(digests)


def test_what_is_no_file_does_not_block(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    assert digest_of(Entrant("x", "greedy", readable=(str(tmp_path),)), TRUSTED)


def test_versions_are_counted_and_files_that_come_back_are_the_version_that_they_were() -> None:
    versions = Versions()
    given = [
        ("ann", "a"),
        ("bob", "a"),
        ("ann", "b"),
        ("ann", "c"),
        ("ann", "a"),
        ("ann@2", "b"),
        ("ann", None),
    ]
    assert [versions.name_of(*each) for each in given] == [
        "ann",
        "bob",
        "ann@2",
        "ann@3",
        "ann",
        "ann@2",
        "ann@4",
    ]
    assert [*successors(["ann@3", "ann", "bob", "ann@10", "ann@4"])] == [
        ("ann@3", "ann"),
        ("ann@4", "ann@3"),
        ("ann@10", "ann@4"),
    ]


def test_every_record_says_what_its_players_were(bots: Path) -> None:
    digests = {entrant.name: digest_of(entrant, TRUSTED) for entrant in entrants_in(bots)}
    for record in league(bots).play():
        assert record["digest"] == {side: digests[name] for side, name in record["players"].items()}


def test_a_changed_bot_is_a_new_version_and_plays_all_its_games(bots: Path, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    first = list(league(bots).play(path))
    (bots / "ann.py").write_text("# better\n" + BOT.format(place=1), "utf-8")
    second = list(league(bots).play(path))
    assert names(first) == [("ann", "bob")] * 4
    assert names(second) == [("ann@2", "bob")] * 4
    assert {record["seed"] for record in first}.isdisjoint(record["seed"] for record in second), (
        "games of its own"
    )
    (bots / "ann.py").write_text(BOT.format(place=0), "utf-8")
    again = list(league(bots).play(path))
    assert again == first, "the files of the first version are the first version"
    assert len(path.read_text().splitlines()) == 8


def test_a_bot_that_changes_during_a_round_robin_loses_the_rest_and_comes_back_as_a_new_version(
    bots: Path, tmp_path: Path
) -> None:
    path = tmp_path / "games.jsonl"
    games = league(bots, players=organisers(bots)).play(path)
    next(games)
    (bots / "ann.py").write_text("# better\n" + BOT.format(place=0), "utf-8")
    with pytest.warns(
        RuntimeWarning,
        match=(
            "ann: its files have changed since it entered, and on resuming it would be a new "
            "version"
        ),
    ):
        rest = list(games)
    for record in rest:
        assert record["players"][record["fault"]["player"]] == "ann"
        assert "its files have changed since it entered" in record["fault"]["seen"]
        assert record["fault"]["ply"] == 0
    assert len(path.read_text().splitlines()) == 4
    assert names(list(league(bots, players=organisers(bots)).play(path))) == [("ann@2", "bob")] * 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "gone", "isolation", "processes"),
    [
        ("round robin", False, "none", 1),
        ("round robin", True, "process", 2),
        ("gauntlet", True, "none", 1),
        ("swiss", False, "process", 1),
        ("knockout", True, "none", 1),
    ],
)
def test_a_player_that_changes_or_vanishes_loses_and_the_others_play_the_same_games(
    bots: Path, tmp_path: Path, kind: str, gone: bool, isolation: str, processes: int
) -> None:
    """Pairings depend on results; how two honest players play does not."""
    for name in ("cem", "dee"):
        (bots / f"{name}.py").write_text(BOT.format(place=-1), "utf-8")
    conditions = TRUSTED if isolation == "none" else Conditions()
    challengers = ("ann",) if kind == "gauntlet" else ()
    pairs = 2 if processes == 1 else 8  # more than are begun by the time that the first is over
    given = {
        "kind": kind,
        "pairs": pairs,
        "conditions": conditions,
        "challengers": challengers,
        "players": organisers(bots),
    }
    undisturbed = {record["seed"]: record for record in league(bots, **given).play()}
    games = league(bots, **given).play(tmp_path / "games.jsonl", processes=processes)
    records = [next(games)]
    (bots / "cem.py").unlink() if gone else (bots / "cem.py").write_text("# better\n", "utf-8")
    with pytest.warns(RuntimeWarning, match="cem: its files have changed since it entered"):
        records += games
    honest = [record for record in records if "cem" not in record["players"].values()]
    for record in honest:
        if (before := undisturbed.get(record["seed"])) is not None and before["players"] == record[
            "players"
        ]:
            assert record["actions"] == before["actions"]
    if kind == "round robin":
        assert len(honest) == 3 * 2 * pairs
        assert {record["seed"] for record in records} == {*undisturbed}
    lost = [record for record in records if "fault" in record]
    assert lost
    assert {record["players"][record["fault"]["player"]] for record in lost} == {"cem"}
    for record in records:
        from_record(record)


def test_a_continuous_tournament_goes_on_with_new_versions_and_without_those_who_left(
    bots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submissions, "_SETTLED", 0)
    running = league(bots, kind="continuous", pairs=None, newcomers=lambda: entrants_in(bots))
    played: list[dict[str, Any]] = []
    for record in running.play(tmp_path / "games.jsonl"):
        played.append(record)
        if len(played) == 9:
            (bots / "ann.py").write_text("# better\n" + BOT.format(place=0), "utf-8")
        if len(played) == 40:
            (bots / "cem.py").write_text(BOT.format(place=1), "utf-8")
            (bots / "bob.py").unlink()
        if len(played) == 80:
            running.stop()
    met = names(played)
    assert {*met[:9]} == {("ann", "bob")}
    assert {*met[10:40]} == {("ann@2", "bob")}
    assert {*met[42:]} == {("ann@2", "cem")}


def test_a_match_is_not_resumed_by_another_bot_of_the_same_name(bots: Path, tmp_path: Path) -> None:
    def match() -> Match:
        return Match(
            f"{bots}/ann.py:Bot", "random", 4, GameConfig(max_turns=4), seed=1, conditions=TRUSTED
        )

    path = tmp_path / "games.jsonl"
    list(match().play(path))
    list(match().play(path, resume=True))
    (bots / "ann.py").write_text("# better\n" + BOT.format(place=0), "utf-8")
    with pytest.raises(
        FileError, match="line 1 does not hold a game of this match: players, their files"
    ):
        list(match().play(path, resume=True))


def test_reports_tell_versions_apart_and_show_their_gain(tmp_path: Path) -> None:
    def game(seed: int, digest: str, fault: str) -> dict[str, Any]:
        return finished(
            "ann", "bob", seed=seed, fault=fault, digest={"white": digest, "black": "b"}
        )

    path = tmp_path / "games.jsonl"
    written(path, [game(seed, "1", ("black", "white")[seed % 3 > 0]) for seed in range(2, 14)])
    written(path, [game(seed, "2", ("black", "white")[seed % 3 == 0]) for seed in range(14, 26)])
    builder = ReportBuilder()
    assert list(builder.read(path))
    report = builder.report()
    assert report.players == ("ann", "ann@2", "bob")
    (gain,) = report.sections[0].gains
    assert (gain.player, gain.before) == ("ann@2", "ann")
    assert gain.elo.estimate > 100
    assert f"`ann@2` against `ann`: {gain.elo} Elo." in report_as_markdown(report, "Results")
    assert "against <bdi" in page(report, "Results")


def test_a_name_that_looks_like_a_version_is_refused(bots: Path) -> None:
    with pytest.raises(
        ValueError,
        match="players='ann@2' is invalid: an @ and a number after a name are for versions",
    ):
        league(bots, players=(Entrant("ann", "greedy"), Entrant("ann@2", "greedy")))


def test_games_without_digests_are_those_of_another_version(bots: Path, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    lines = [
        {key: value for key, value in record.items() if key != "digest"}
        for record in league(bots).play()
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert {*names(list(league(bots).play(path)))} == {("ann@2", "bob@2")}


@pytest.mark.parametrize(
    "line", ["greedy", "alphabeta:depth=1", "turn:last", "llm:m:base_url=http://localhost:1/v1"]
)
def test_a_player_that_its_line_describes_is_the_same_at_a_board_and_in_a_match(line: str) -> None:
    assert digest_of_agent(line) == digest_of(Entrant(line, line), DEFAULT_CONDITIONS)


@pytest.mark.parametrize("line", ["ann", "policy:ann.npz", "ann.py:Bot", "cmd:./ann"])
def test_at_a_board_nothing_is_known_of_other_players(line: str) -> None:
    assert digest_of_agent(line) is None
