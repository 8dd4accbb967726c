"""Tournaments from TOML files and from folders of submissions."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.disks import only_root_may
from tests.isolation.programs import NO_SANDBOX
from tkm_env import ConfigError, FileError, GameConfig
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.tournament.submissions import entrants_at, entrants_in
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.arena.tournament.tournament_file import KEYS, read_tournament, tournament_of
from tkm_env.core.registry import game_spec
from tkm_env.evaluation.starts import Settings, openings_for
from tkm_env.isolation import program
from tkm_env.isolation.limits import Limits

sandboxed = pytest.mark.skipif(bool(NO_SANDBOX), reason=NO_SANDBOX)

WHOLE = """
kind = "gauntlet"
pairs = 3
challengers = ["ann"]
seed = 9
submissions = "bots"

[[players]]
player = "greedy"
game = "tkm"

[[players]]
name = "py"
player = "cmd:python3 programs/bot.py --fast"

[[players]]
name = "class"
player = "programs/bot.py:Other:depth=3"
readable = ["data/class"]

[[settings]]
chapters = "growth+memory"
max_turns = 90

[[settings]]
chapters = ["influence"]
openings = "random"
opening_turns = 4

[[settings]]
openings = "starts.txt"

[[settings]]
game = "terminus"

[conditions]
isolation = "sandbox"
readable = ["data"]
memory_mib = 512
processes = 9
output_kib = 10
start_seconds = 5.5
bank_seconds = 60
increment_seconds = 0.5
bench_after = 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A league in a folder that is not the current one."""
    place = tmp_path / "league"
    for name in ("bots", "programs", "data"):
        (place / name).mkdir(parents=True)
    (place / "bots" / "ann.py").touch()
    (place / "programs" / "bot.py").touch()
    start = openings_for(game_spec("tkm"), GameConfig(), "shipped")[0]
    (place / "starts.txt").write_text(f"# ours\n{start}\n", "utf-8")
    (place / "league.toml").write_text(WHOLE.replace("pairs = 3", "pairs = 1"), "utf-8")
    return place


@pytest.mark.usefixtures("every_isolation")
def test_a_file_describes_everything(folder: Path) -> None:
    found = read_tournament(folder / "league.toml")
    assert (found.kind, found.pairs, found.challengers, found.seed) == ("gauntlet", 1, ("ann",), 9)
    assert found.players == (
        Entrant("greedy", "greedy", "tkm"),
        Entrant("py", f"cmd:python3 {folder}/programs/bot.py --fast"),
        Entrant(
            "class", f"{folder}/programs/bot.py:Other:depth=3", readable=(f"{folder}/data/class",)
        ),
        Entrant("ann", f"{folder}/bots/ann.py:Bot", submitted=f"{folder}/bots/ann.py"),
    )
    growth, influence, standard, terminus = found.settings
    assert growth.config == GameConfig(chapters=("growth", "memory"), max_turns=90)
    assert (
        len(growth.openings),
        influence.openings,
        len(standard.openings),
        terminus.openings,
    ) == (100, (), 1, ())
    assert (influence.config, influence.opening_turns) == (GameConfig(chapters="influence"), 4)
    assert (terminus.game, found.newcomers) == ("terminus", None)
    limits = Limits("sandbox", 5.5, 512, 9, 10, (f"{folder}/data",))
    assert found.conditions == Conditions(
        limits, turn_seconds=None, bank_seconds=60, increment_seconds=0.5, bench_after=2
    )


def test_what_is_not_said_is_the_default() -> None:
    found = tournament_of({"players": [{"player": "random"}, {"player": "greedy"}]})
    assert (found.kind, found.is_seed_drawn, found.conditions) == (
        "round robin",
        True,
        Conditions(),
    )
    assert [settings.config for settings in found.settings] == [GameConfig()]
    assert found.games == 20


@pytest.mark.usefixtures("every_isolation")
def test_a_continuous_tournament_looks_into_its_folder_again(folder: Path) -> None:
    found = tournament_of({"kind": "continuous", "submissions": "bots"}, str(folder))
    assert found.newcomers is not None
    assert [entrant.name for entrant in found.newcomers()] == ["ann"]
    (folder / "bots" / "bob.py").touch()
    assert [entrant.name for entrant in found.newcomers()] == ["ann", "bob"]


TWO = 'players = [{player = "random"}, {player = "greedy"}]\n'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("seed = ", "it is not TOML: Invalid value"),
        ("a = 1\na = 2", "it is not TOML"),
        (
            TWO + "paris = 3",
            r"paris=3 is invalid: there is no such key in the file; valid keys: kind, pairs",
        ),
        (TWO + "pairs = 'many'", "pairs='many'"),
        (TWO + "seed = true", "seed=True"),
        (TWO + "kind = 'cup'", "kind='cup'"),
        (TWO + "kind = 5", "kind=5"),
        (TWO + "challengers = 'ann'", "challengers='ann' is invalid: it must be a list of strings"),
        (TWO + "submissions = 5", "submissions=5 is invalid: it must be a string"),
        (TWO + "submissions = 'nowhere'", "nowhere.*No such file"),
        ("", "players=.* at least two"),
        (
            "players = 'random'",
            r"players='random' is invalid: it must be a list of tables, \[\[players\]\] each",
        ),
        ("players = ['random']", "players='random' is invalid: it must be a table"),
        ("[[players]]\nname = 'x'", "each player needs the key 'player'"),
        ("[[players]]\nplayer = 5", "player=5 is invalid: it must be a string"),
        (
            "[[players]]\nplayer = 'random'\nrank = 5",
            r"rank=5 is invalid: there is no such key in \[players\]",
        ),
        (TWO + "settings = []", "settings=.* at least one"),
        (
            TWO + "[[settings]]\nchapter = 1",
            "chapter=1 is invalid: there is no such keyword; valid keywords: chapters",
        ),
        (TWO + "[[settings]]\nchapters = 'greed'", "chapters='greed'"),
        (TWO + "[[settings]]\ngame = 'chess'", "game='chess'"),
        (TWO + "[[settings]]\nopenings = 'nowhere.txt'", "nowhere.txt"),
        (TWO + "[[settings]]\nopenings = 5", "openings=5"),
        (
            TWO + "[[settings]]\ngame = 'terminus'\nopenings = 'shipped'",
            "openings='shipped' is invalid: none are shipped with terminus",
        ),
        (TWO + "[[settings]]\nopening_turns = -1", "opening_turns=-1"),
        (TWO + "[conditions]\nisolation = 'jail'", "isolation='jail'"),
        (
            TWO + "[conditions]\nturn_second = 1",
            r"turn_second=1 is invalid: there is no such key in \[conditions\]",
        ),
        (TWO + "[conditions]\nturn_seconds = 'x'", "turn_seconds='x'"),
        (TWO + "[conditions]\nreadable = 'x'", "readable='x'"),
        ("conditions = 5\n" + TWO, "conditions=5 is invalid: it must be a table"),
        ("x = " + "[" * 5000, "it is nested too deeply|it is not TOML"),
    ],
    ids=lambda text: text[-30:],
)
def test_a_file_that_describes_no_tournament_is_refused(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "league.toml"
    path.write_text(content, "utf-8")
    with pytest.raises(FileError, match=message):
        read_tournament(path)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "league.toml"
    path.write_bytes(b"seed = 1 # \xff")
    with pytest.raises(FileError, match="it is not TOML"):
        read_tournament(path)
    with pytest.raises(FileError, match="No such file"):
        read_tournament(tmp_path / "other.toml")


def test_the_documented_conditions_are_those_there_are() -> None:
    with pytest.raises(ConfigError, match="no such key"):
        tournament_of({"conditions": {"turns": 5}})
    values: dict[str, Any] = {
        "isolation": "container",
        "container": "run {command}",
        "trust": False,
        "adjudicate": "turns=2",
    }
    values |= {"readable": ["x"], "importable": ["tkm_env.learn"], "refused_imports": ["x"]}
    conditions = {key: values.get(key, 5) for key in KEYS["conditions"]}
    found = tournament_of(
        {"conditions": conditions, "players": [{"player": "random"}, {"player": "greedy"}]}
    )
    assert (found.conditions.bench_after, found.conditions.limits.container) == (
        5,
        ("run", "{command}"),
    )
    rules = found.conditions.limits.import_rules
    assert rules.allow("tkm_env.learn")
    assert rules.allow("tkm_env.core")
    assert not rules.allow("tkm_env.players.tkm")


# A folder of submissions.


def executable(path: Path) -> None:
    path.write_text("#!/bin/sh\n", "utf-8")
    path.chmod(0o755)


def test_files_programs_and_folders_are_players(tmp_path: Path) -> None:
    (tmp_path / "ann.py").touch()
    executable(tmp_path / "bob")
    executable(tmp_path / "cem 2.sh")
    for name in ("dee", "eli"):
        (tmp_path / name).mkdir()
    (tmp_path / "dee" / "bot.py").touch()
    executable(tmp_path / "eli" / "run")
    for name in (".hidden.py", "_shared.py"):
        (tmp_path / name).touch()
    assert entrants_in(tmp_path) == (
        Entrant("ann", f"{tmp_path}/ann.py:Bot", submitted=f"{tmp_path}/ann.py"),
        Entrant("bob", f"cmd:{tmp_path}/bob", submitted=f"{tmp_path}/bob"),
        Entrant("cem 2", f"cmd:'{tmp_path}/cem 2.sh'", submitted=f"{tmp_path}/cem 2.sh"),
        Entrant(
            "dee",
            f"{tmp_path}/dee/bot.py:Bot",
            readable=(f"{tmp_path}/dee",),
            submitted=f"{tmp_path}/dee",
        ),
        Entrant(
            "eli",
            f"cmd:{tmp_path}/eli/run",
            readable=(f"{tmp_path}/eli",),
            submitted=f"{tmp_path}/eli",
        ),
    )
    assert entrants_at(tmp_path / "eli") == entrants_in(tmp_path)[-1:]
    assert entrants_at(tmp_path / "bob") == entrants_in(tmp_path)[1:2]
    assert entrants_at(tmp_path) == entrants_in(tmp_path)


def test_what_is_no_player_is_named_with_the_reason(tmp_path: Path) -> None:
    for name in ("fay", "gus"):
        (tmp_path / name).mkdir()
    (tmp_path / "gus" / "run").touch()
    (tmp_path / "hal bot").touch()
    (tmp_path / "ida").symlink_to("nowhere")
    no_bit = "no player: it is neither Python nor executable; if it is a program: chmod +x"
    with pytest.warns(RuntimeWarning) as said:
        assert entrants_in(tmp_path) == ()
    reasons = [str(warning.message) for warning in said]
    assert reasons == [
        f"{tmp_path}/fay: no player: the folder holds no bot.py, agent.py or run",
        f"{tmp_path}/gus/run: {no_bit} {tmp_path}/gus/run",
        f"{tmp_path}/hal bot: {no_bit} '{tmp_path}/hal bot'",
        f"{tmp_path}/ida: no player: it is not a file, or links to none",
    ]
    for path, reason in zip(sorted(tmp_path.iterdir()), reasons, strict=True):
        with pytest.raises(FileError, match=re.escape(reason)):
            entrants_at(path)


@pytest.mark.usefixtures("every_isolation")
def test_strangers_play_in_the_sandbox_unless_somebody_says_otherwise(tmp_path: Path) -> None:
    for name in ("ann.py", "bob.py"):
        (tmp_path / name).touch()
    strangers: dict[str, Any] = {"submissions": str(tmp_path)}
    named = {"players": [{"player": "random"}, {"player": "greedy"}]}
    for content, conditions, isolation in (
        (strangers, {}, "sandbox"),
        (strangers, {"isolation": "process"}, "process"),
        (strangers, {"container": "podman run {command}"}, "container"),
        (named, {}, "process"),
    ):
        assert (
            tournament_of({**content, "conditions": conditions}).conditions.limits.isolation
            == isolation
        )


@pytest.mark.parametrize(
    ("lacking", "isolation"), [({"sandbox"}, "restricted"), ({"sandbox", "restricted"}, "process")]
)
def test_without_a_sandbox_what_is_open_is_said(
    lacking: set[str], isolation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        program,
        "try_isolation",
        lambda level: program.Trial(("end",), "no bubblewrap" if level in lacking else ""),
    )
    said = (
        f"'{isolation}', without protection of privileges, files, .* since this system has no "
        "sandbox: no bubblewrap"
    )
    with pytest.warns(RuntimeWarning, match=said):
        assert program.strongest_isolation() == isolation


def test_a_program_in_a_folder_named_relatively_is_found_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bots").mkdir()
    executable(tmp_path / "bots" / "ann")
    monkeypatch.chdir(tmp_path)
    assert entrants_in("bots") == (Entrant("ann", "cmd:./bots/ann", submitted="bots/ann"),)
    monkeypatch.chdir(tmp_path / "bots")
    assert entrants_in(".") == (Entrant("ann", "cmd:./ann", submitted="ann"),)


@pytest.mark.usefixtures("every_isolation")
def test_two_players_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "ann.py").touch()
    executable(tmp_path / "ann.sh")
    with pytest.raises(ConfigError, match="'ann' is invalid: two players have this name"):
        tournament_of({"submissions": str(tmp_path)})


def test_a_folder_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file"):
        entrants_in(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="Not a directory"):
        entrants_in(tmp_path / "file")
    with (
        only_root_may(lambda folder: folder.chmod(0)) as folder,
        pytest.raises(FileError, match="Permission denied"),
    ):
        entrants_in(folder)


@pytest.mark.slow
@pytest.mark.parametrize("isolation", ["process", pytest.param("sandbox", marks=sandboxed)])
def test_a_player_in_a_folder_of_its_own_imports_and_reads_what_is_there_and_others_do_not(
    tmp_path: Path, isolation: str
) -> None:
    for name in ("ann", "bob"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "helper.py").write_text(
            "def pick(game):\n    return game.legal_actions()[0]\n", "utf-8"
        )
    (tmp_path / "ann" / "bot.py").write_text(
        (
            "from helper import pick\nclass Bot:\n    def act(self, game):\n"
            "        return pick(game)\n"
        ),
        "utf-8",
    )
    stolen = tmp_path / "ann" / "helper.py"
    (tmp_path / "bob" / "bot.py").write_text(
        (
            f"class Bot:\n    def act(self, game):\n        open({str(stolen)!r})\n"
            "        return game.legal_actions()[0]\n"
        ),
        "utf-8",
    )
    league = tournament_of(
        {
            "submissions": str(tmp_path),
            "pairs": 1,
            "settings": [{"max_turns": 4}],
            "conditions": {"isolation": isolation},
        }
    )
    faults = [record.get("fault") for record in league.play()]
    if isolation == "process":
        assert faults == [None, None]
    else:
        assert all("FileNotFoundError" in fault["seen"] for fault in faults if fault is not None)
        assert all(fault is not None for fault in faults)


BOT = "class Bot:\n    def act(self, game):\n        return game.legal_actions()[0]\n"

#: Names that bots in a folder may have, as bytes, with why nobody can be called so; "" for players.
NAMES = {
    b"ann.py": "",
    b"j\xf6rg.py": "its name must be UTF-8, since records hold it; rename it",
    b"f\xf6lder": "its name must be UTF-8, since records hold it; rename it",
    b"\xed\xb3\xb6.py": "its name must be UTF-8, since records hold it; rename it",
    b"new\nline.py": "",
    b"esc\x1b[2J.py": "",
    "jörg.py".encode(): "",
    b"l" * 250 + b".py": "",
    b"bob@2.py": "an @ and a number after a name are for versions; rename it",
    b" .py": "a player needs a name",
    b"bob.py": "",
}


def test_a_player_that_cannot_be_called_so_is_named_with_the_reason_and_the_others_play(
    tmp_path: Path,
) -> None:
    for name in NAMES:
        path = os.path.join(os.fsencode(tmp_path), name)
        try:
            os.makedirs(path if b"." not in name else os.path.dirname(path), exist_ok=True)
            file = path if b"." in name else os.path.join(path, b"bot.py")
            Path(os.fsdecode(file)).write_text(BOT, "utf-8")
        except OSError:
            pytest.skip("this file system takes no such names")
        os.chmod(file, 0o755)
    with pytest.warns(RuntimeWarning) as said:
        found = entrants_in(tmp_path)
    reasons = [str(warning.message) for warning in said]
    assert len(reasons) == sum(map(bool, NAMES.values()))
    assert all(reason.isprintable() and reason.encode("utf-8") for reason in reasons)
    assert all(
        sum(why in reason for reason in reasons) == [*NAMES.values()].count(why)
        for why in NAMES.values()
        if why
    )
    assert [entrant.name for entrant in found] == sorted(
        Path(os.fsdecode(name)).stem for name, why in NAMES.items() if not why
    )
    settings = (Settings(config=GameConfig(max_turns=4)),)
    records = [
        *Tournament(found, settings, pairs=1, seed=1, conditions=Conditions(trust=True)).play(
            tmp_path / "games.jsonl"
        )
    ]
    assert len(records) == len(found) * (len(found) - 1)
    assert not any("fault" in record for record in records)
