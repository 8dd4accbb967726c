"""The first fault loses the game for the one who made it; no player stops a match."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from tests.isolation.programs import HONEST, saved
from tkm_env import ConfigError, Game, GameConfig, from_record
from tkm_env.arena.match import Match, standings
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.playing.scheduled_game import Players, play_scheduled_game
from tkm_env.isolation.limits import Limits

BOTS = """
import pathlib, sys, time

class First:
    def act(self, game):
        return game.legal_actions()[0]

class Illegal(First):
    def act(self, game):
        return 0 if 0 not in game.legal_actions() else game.legal_actions()[-1] + 1

class Raises(First):
    def act(self, game):
        raise ValueError("no idea")

class Exits(First):
    def act(self, game):
        sys.exit()

class Unknown(First):
    def act(self, game):
        return "fly"

class Nothing(First):
    def act(self, game):
        return None

class Nasty:
    def __index__(self):
        raise RuntimeError("gotcha")

class Gives(First):
    def act(self, game):
        return Nasty()

class StartsOnce(First):
    "As if its weights were lost after the trial start."
    def __init__(self):
        pathlib.Path(__file__).with_name("started").touch(exist_ok=False)

class Forgets(First):
    def reset(self, seed=None):
        raise KeyError("seed")

class Slow(First):
    calls = 0
    def act(self, game):
        self.calls += 1
        time.sleep(0.2 if self.calls > 1 else 0.0)
        return super().act(game)

class Changes(First):
    "Plays on in the game that it was given."
    def act(self, game):
        action = super().act(game)
        while game.result is None:
            game.play(game.legal_actions()[-1])
        return action
"""

FAST = GameConfig(max_turns=12)


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    path = tmp_path / "bots.py"
    path.write_text(BOTS, "utf-8")
    return path


def faults_of(first: str, games: int = 2, **conditions: Any) -> list[dict[str, Any]]:
    """The records of a match against `random`; the first player lost every game by a fault."""
    records = list(
        Match(first, "random", games, FAST, seed=1, conditions=Conditions(**conditions)).play()
    )
    assert len(records) == games
    for record in records:
        from_record(record)
        side = record["fault"]["player"]
        assert record["players"][side] == first
        assert record["result"] == ("0-1" if side == "white" else "1-0")
        assert record["isolation"][side] == ("none" if conditions.get("trust") else "process")
        assert list(record["isolation"].values()).count("none") == 1 + bool(conditions.get("trust"))
    return records


@pytest.mark.parametrize(
    ("bot", "kind", "seen"),
    [
        ("Illegal", "illegal", "is not legal"),
        ("Raises", "crash", "ValueError: 'no idea'"),
        ("Exits", "crash", "SystemExit"),
        ("Unknown", "illegal", "no action is named 'fly'"),
        ("Nothing", "illegal", "not None"),
        ("Gives", "illegal", "RuntimeError: 'gotcha'"),
    ],
)
def test_a_trusted_player_loses_by_its_first_fault(
    bots: Path, bot: str, kind: str, seen: str
) -> None:
    for record in faults_of(f"{bots}:{bot}", trust=True):
        assert record["fault"]["kind"] == kind
        assert seen in record["fault"]["seen"]
        assert record["fault"]["ply"] == len(record["actions"]) + 1


def test_a_trusted_player_that_takes_too_long_loses(bots: Path) -> None:
    first, *_ = faults_of(f"{bots}:Slow", trust=True, turn_seconds=0.15)
    assert first["fault"]["kind"] == "timeout"
    assert "s of 0.1" in first["fault"]["seen"]


def test_a_trusted_player_that_fails_to_get_ready_loses(bots: Path) -> None:
    for record in faults_of(f"{bots}:Forgets", trust=True):
        assert (record["fault"]["kind"], record["fault"]["ply"], record["actions"]) == (
            "crash",
            0,
            [],
        )


def test_players_have_no_hold_of_the_game(bots: Path) -> None:
    changed = list(
        Match(
            f"{bots}:Changes", "random", 4, FAST, seed=2, conditions=Conditions(trust=True)
        ).play()
    )
    honest = list(
        Match(f"{bots}:First", "random", 4, FAST, seed=2, conditions=Conditions(trust=True)).play()
    )
    assert [record["actions"] for record in changed] == [record["actions"] for record in honest]


@pytest.mark.parametrize(
    ("bot", "kind", "seen"),
    [
        pytest.param("Illegal", "illegal", "is not legal", marks=pytest.mark.slow),
        ("Raises", "crash", "ValueError: no idea"),
        pytest.param("Unknown", "illegal", "no action is named 'fly'", marks=pytest.mark.slow),
    ],
)
def test_players_from_files_run_in_a_process_of_their_own(
    bots: Path, bot: str, kind: str, seen: str
) -> None:
    for record in faults_of(f"{bots}:{bot}"):
        assert record["fault"]["kind"] == kind
        assert seen in record["fault"]["seen"]


def test_the_same_games_are_played_in_a_process(bots: Path) -> None:
    trusted, isolated = (
        [
            record["actions"]
            for record in Match(
                f"{bots}:First", "random", 4, FAST, seed=3, conditions=Conditions(trust=trust)
            ).play()
        ]
        for trust in (True, False)
    )
    assert trusted == isolated


def test_a_player_that_does_not_start_is_benched(tmp_path: Path) -> None:
    script, starts = tmp_path / "script.py", tmp_path / "starts"
    # The first start is the one before the first game.
    log = f"file = open({str(starts)!r}, 'a+')\nfile.write('started\\n')\nfile.seek(0)\n"
    script.write_text(
        f"{log}if len(file.readlines()) > 1: raise OSError('no weights')\n{HONEST}", "utf-8"
    )
    line = f"cmd:{sys.executable} {script}"
    records = faults_of(line, 6)
    assert all(
        record["fault"]["ply"] == 0 and record["fault"]["kind"] == "crash" for record in records
    )
    assert all("OSError: no weights" in record["fault"]["seen"] for record in records)
    assert starts.read_text().count("started") == 1 + 3, "after that it loses without being started"
    row, other = standings(records, Match(line, "random", 6, FAST, seed=1))
    assert (row.failed_starts, row.faults) == (6, {})
    assert (other.failed_starts, other.faults) == (0, {})


def test_faults_are_counted_by_kind(bots: Path) -> None:
    match = Match(
        f"{bots}:Raises", f"{bots}:First", 4, FAST, seed=1, conditions=Conditions(trust=True)
    )
    row, other = standings(list(match.play()), match)
    assert row.faults == {"crash": 4}
    assert row.score.share == 0
    assert other.faults == {}


def test_games_that_a_fault_ended_are_not_played_again(bots: Path, tmp_path: Path) -> None:
    match = Match(f"{bots}:Raises", "random", 4, FAST, seed=1, conditions=Conditions(trust=True))
    records = list(match.play(tmp_path / "games.jsonl"))
    assert list(match.play(tmp_path / "games.jsonl", resume=True)) == records


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_commands_play(tmp_path: Path, processes: int) -> None:
    match = Match(saved(tmp_path, HONEST), "random", 4, FAST, seed=3)
    records = list(match.play(processes=processes))
    assert all("fault" not in record for record in records)
    assert all(sorted(record["isolation"].values()) == ["none", "process"] for record in records)


SEVERAL = HONEST.replace('partition(",")[0]', 'partition(",")[0] + {more!r}')


@pytest.mark.parametrize(
    ("more", "kind", "seen"),
    [
        ("; fly", "illegal", "no action is named 'fly'"),
        ("; 999999", "illegal", "no action 999999"),
        ("; 0; 0; 0; 0; 0; 0; 0; 0", "illegal", "is not legal"),
    ],
)
def test_of_several_actions_the_first_that_cannot_be_played_loses(
    tmp_path: Path, more: str, kind: str, seen: str
) -> None:
    for record in faults_of(saved(tmp_path, SEVERAL.format(more=more))):
        assert record["fault"]["kind"] == kind
        assert seen in record["fault"]["seen"]


WHOLE_TURNS = """
import sys
for line in sys.stdin:
    if line.startswith("tkm"):
        print("tkm 1 name=turns", flush=True)
    elif line.startswith("go"):
        print("play", {turn!r}, flush=True)
"""


def test_a_whole_turn_is_answered_at_once(tmp_path: Path) -> None:
    start = (
        "W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w c PF - 4/4 - ---/--- -/- 1"
    )
    game = Game(position=start)
    turn = []
    while game.to_act == "white":
        turn.append(game.legal_names()[0])
        game.play(turn[-1])
    line = saved(tmp_path, WHOLE_TURNS.format(turn="; ".join(turn)))
    record = next(Match(line, "random", 2, GameConfig(max_turns=1), seed=2, opening_turns=0).play())
    assert record["actions"] == turn
    assert record["seconds"][0] > 0
    assert set(record["seconds"][1:]) == {0.0}
    over = saved(tmp_path, WHOLE_TURNS.format(turn="; ".join([*turn, turn[0]])))
    record = next(Match(over, "random", 2, GameConfig(max_turns=2), seed=2, opening_turns=0).play())
    assert record["actions"] == turn
    assert record["fault"]["kind"] == "illegal"
    assert "comes after the end of its turn" in record["fault"]["seen"]
    from_record(record)


@pytest.mark.parametrize("number", [1000, 1001, 200_000])
@pytest.mark.parametrize("when", ["asked", "waiting"])
def test_remarks_are_bounded(tmp_path: Path, number: int, when: str) -> None:
    """Also those that are written in the opponent's turn, which the next answer is preceded by."""
    remarks = f"print('info\\n' * {number}, end='', flush=True); "
    source = HONEST.replace('print("play"', f'{remarks}print("play"', 1)
    if when == "waiting":
        source = HONEST.replace(", flush=True)\n", f", flush=True); {remarks}\n")
    line = saved(tmp_path, source)
    record = next(Match(line, "random", 2, GameConfig(max_turns=4), seed=2, opening_turns=0).play())
    if number <= 1000:
        assert "fault" not in record
    else:
        assert (record["fault"]["kind"], record["fault"]["seen"]) == (
            "output",
            "more than 1,000 lines before its answer",
        )


CLOCK = HONEST.replace(
    'print("play"', 'sys.stderr.write(line.partition(" legal")[0] + "\\n"); print("play"'
)


def test_the_clock_is_told(tmp_path: Path) -> None:
    line = saved(tmp_path, CLOCK)
    conditions = Conditions(turn_seconds=None, bank_seconds=30, increment_seconds=0.5)
    match = Match(line, "random", 2, GameConfig(max_turns=30), seed=2, conditions=conditions)
    players, fixture = Players(conditions), next(match.fixtures())
    play_scheduled_game(fixture, players)
    program = players.seat(fixture)["white"].program.program
    players.close()
    told = program.error_output().splitlines()
    fields = [dict(word.split("=") for word in request.split(" ")[1:]) for request in told]
    assert all(one["left_ms"] == one["bank_ms"] and one["inc_ms"] == "500" for one in fields)
    assert int(fields[0]["bank_ms"]) <= 30_000
    assert int(fields[-1]["bank_ms"]) > 30_000, "every turn adds half a second"
    assert len({one["seed"] for one in fields}) == len(fields)


TERMINUS_SPY = """
class Spy:
    def act(self, game):
        with open({path!r}, "a") as file:
            file.write(game.position + "\\n")
        return game.legal_actions()[0]
"""


def test_memory_is_measured_game_by_game_of_isolated_players(tmp_path: Path) -> None:
    source = HONEST.replace("for line", "games = 0\nkept = b''\nfor line", 1).replace(
        "    if line",
        (
            "    games += line.startswith('tkm')\n"
            "    kept = bytearray((60 << 20) * (games == 1))\n    if line"
        ),
        1,
    )
    source = source.replace(
        "    if line",
        "    while games == 3 and __import__('time').process_time() < 3: pass\n    if line",
        1,
    )
    first, second, *others = Match(saved(tmp_path, source), "random", 6, FAST, seed=1).play()
    for record in (first, second, *others):
        assert [record["isolation"][side] for side in record["memory"]] == ["process"]
    (most,) = first["memory"].values()
    assert most > 60
    spent = [seconds for record in (first, second, *others) for seconds in record["cpu"].values()]
    assert spent[2] > 1 > max(spent[1], *spent[3:]), spent
    # The second game begins with what the first one left.
    assert all(0 < size < most - 30 for record in others for size in record["memory"].values())


@pytest.mark.slow
def test_memory_is_measured_after_a_fault_but_not_after_a_failed_start(bots: Path) -> None:
    for record in faults_of(f"{bots}:Raises"):
        assert [*record["memory"]] == [record["fault"]["player"]]
    for record in faults_of(f"{bots}:StartsOnce", 6):
        assert "File exists" in record["fault"]["seen"]
        assert "memory" not in record
    assert all("memory" not in record for record in faults_of(f"{bots}:Raises", trust=True))


@pytest.mark.parametrize("trust", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_terminus_shows_no_player_the_deck(tmp_path: Path, trust: bool) -> None:
    """A player's game differs from the referee's in the deck's order and in future chance."""
    source = TERMINUS_SPY.format(path=str(tmp_path / "seen"))
    (tmp_path / "spy.py").write_text(source, "utf-8")
    match = Match(
        f"{tmp_path}/spy.py:Spy",
        "random",
        2,
        seed=1,
        game="terminus",
        conditions=Conditions(trust=trust),
    )
    records = list(match.play())
    true = set()
    for record in records:
        game = from_record(record)
        true |= {game.at(ply).position for ply in range(len(game.history))}
    seen = (tmp_path / "seen").read_text().splitlines()
    assert seen
    assert not true & {*seen}
    public = {position.split(" ")[0] for position in true}
    assert all(position.split(" ")[0] in public for position in seen)


@pytest.mark.parametrize(
    "keyword", ["turn_seconds", "bank_seconds", "increment_seconds", "bench_after"]
)
def test_invalid_conditions_are_refused(keyword: str) -> None:
    with pytest.raises(ConfigError, match=f"{keyword}=-1"):
        Conditions(**{keyword: -1})


def test_files_that_are_not_there_are_refused_before_the_first_game() -> None:
    with pytest.raises(ConfigError, match=r"first='nowhere.py:Bot' is invalid: there is no file"):
        Match("nowhere.py:Bot", "random")
    with pytest.raises(
        ConfigError, match=r"^first='cmd:' is invalid: a program and its arguments are needed"
    ):
        Match("cmd:", "random")


#: What a player's file holds, its line, and why it does not start.
NOT_STARTING = {
    "no such program": (
        "",
        "cmd:/no/such/program",
        "No such file or directory: '/no/such/program'",
    ),
    "no such class": ("class Bot: ...", "{}:Bto", "holds 'Bot', not 'Bto'"),
    "no act": ("class Bot: ...", "{}:Bot", "it has no act"),
    "a syntax error": ("def (", "{}:Bot", "line 1: SyntaxError"),
    "an error": ("import sys\nsys.exit('no weights')", f"cmd:{sys.executable} {{}}", "no weights"),
    "silence": ("import time\ntime.sleep(600)", f"cmd:{sys.executable} {{}}", "no answer in time"),
    "another language": ("print('hello')\ninput()", f"cmd:{sys.executable} {{}}", "hello"),
    "too much memory": (
        "x = bytearray(400 << 20)\ninput(); input()",
        f"cmd:{sys.executable} {{}}",
        "of at most 256|at 256 MiB of memory, the most",
    ),
}


@pytest.mark.parametrize("what", NOT_STARTING)
@pytest.mark.parametrize("keyword", ["first", "second"])
def test_a_player_that_does_not_start_is_refused_before_the_first_game(
    what: str, keyword: str, tmp_path: Path
) -> None:
    source, line, said = NOT_STARTING[what]
    (tmp_path / "bot.py").write_text(source, "utf-8")
    players = {"first": "random", "second": "random", keyword: line.format(tmp_path / "bot.py")}
    conditions = Conditions(Limits(start_seconds=1 if what == "silence" else 60, memory_mib=256))
    save = tmp_path / "games.jsonl"
    with pytest.raises(ConfigError, match=said) as refused:
        next(Match(**players, games=2, config=FAST, seed=1, conditions=conditions).play(save))
    assert str(refused.value).startswith(
        f"{keyword}={players[keyword]!r} is invalid: the player does not start: "
    )
    assert not save.exists(), "nothing is left of it"


def test_a_match_that_is_over_needs_no_player_to_start(tmp_path: Path) -> None:
    weights, save = tmp_path / "weights", tmp_path / "games.jsonl"
    weights.touch()
    line = saved(tmp_path, f"open({str(weights)!r})\n{HONEST}")
    match = Match(line, "random", 2, FAST, seed=1)
    played = [*match.play(save)]
    weights.unlink()
    assert [*match.play(save, resume=True)] == played


@pytest.mark.slow
def test_a_match_that_is_stopped_finishes_its_games_and_plays_no_others() -> None:
    """Records come in order: while one process prepares the first game, another may play many."""
    for processes in (1, 2):
        match = Match("random", "random", 4000, FAST, seed=1)
        played = []
        for record in match.play(processes=processes):
            played.append(record)
            match.stop()
        assert 1 <= len(played) < match.games
        assert all(record["result"] is not None for record in played)


def test_players_keep_their_programs_from_game_to_game_until_they_are_closed(
    tmp_path: Path,
) -> None:
    players, fixtures = (
        Players(Conditions()),
        [*Match(saved(tmp_path, HONEST), "random", 2, FAST, seed=3).fixtures()],
    )
    programs = []
    for fixture in fixtures:
        play_scheduled_game(fixture, players)
        programs += [
            player.program.program
            for player in players.seat(fixture).values()
            if player.isolation == "process"
        ]
    assert programs[0] is programs[1] is not None
    players.close()
    assert all(
        player.program.program is None
        for player in players.seat(fixtures[0]).values()
        if player.isolation == "process"
    )


def test_no_more_than_a_few_programs_wait_for_their_next_game(tmp_path: Path) -> None:
    line = saved(tmp_path, HONEST)
    players = Players(Conditions())
    fixture = next(Match(line, "random", 2, FAST, seed=3).fixtures())
    for number in range(6):
        players_of_it = (Entrant(f"player {number}", line, number=number), fixture.contestants[1])
        play_scheduled_game(dataclasses.replace(fixture, contestants=players_of_it), players)
    running = [
        name.name
        for (_, name), player in players._known.items()
        if player.program and player.program.program
    ]
    assert running == [f"player {number}" for number in range(2, 6)]
    players.close()


def test_no_program_stays_after_a_match(tmp_path: Path) -> None:
    code = (
        "from tests.arena.test_faults import *\n"
        f"list(Match({saved(tmp_path, HONEST)!r}, 'random', 2, FAST).play())"
    )
    assert (
        subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            env=os.environ,
            capture_output=True,
            text=True,
        ).stderr
        == ""
    )


def test_what_limits_allow_is_the_organisers(tmp_path: Path) -> None:
    limits = Limits(memory_mib=64)
    begin = "import sys; input(); print('tkm 1 name=x', flush=True); input()"
    line = saved(tmp_path, f"{begin}\nx = bytearray(200 << 20)\ninput(); input()")
    for record in faults_of(line, limits=limits):
        assert record["fault"]["kind"] == "memory"
        assert re.search("of at most 64|at 64 MiB of memory, the most", record["fault"]["seen"])


def test_commands_are_opponents(tmp_path: Path) -> None:
    line = saved(tmp_path, HONEST)
    env = gymnasium.make("tkm_env/TKM-v0", opponent=line)
    env.reset(seed=1)
    for _ in range(12):
        *_, info = env.step(int(env.unwrapped.action_masks().nonzero()[0][0]))
    env.close()


COMPILES = """
import time

class Bot:
    calls = 0
    def act(self, game):
        self.calls += 1
        time.sleep(0.5 if self.calls == 1 else 0.0)
        if self.calls == 7:
            raise RuntimeError("once more")
        return game.legal_actions()[0]
"""


@pytest.mark.slow
def test_what_a_program_needs_to_compile_is_never_its_time_but_after_a_fault(
    tmp_path: Path,
) -> None:
    (tmp_path / "bot.py").write_text(COMPILES, "utf-8")
    line, conditions = f"{tmp_path}/bot.py:Bot", Conditions(turn_seconds=0.3)
    records = list(Match(line, "random", 6, FAST, seed=1, conditions=conditions).play())
    seen = [record["fault"]["seen"] if "fault" in record else "" for record in records]
    first = next(number for number, reason in enumerate(seen) if reason)
    assert "once more" in seen[first]
    assert "no answer in time" in seen[first + 1], "each game has a grace of its own"
    assert max(max(record["seconds"]) for record in records[: first + 1]) < 0.3


@pytest.mark.slow
def test_a_program_that_the_referee_ends_has_its_time_to_compile_again(tmp_path: Path) -> None:
    source = COMPILES.replace("self.calls == 7", "False")
    players, conditions = Players(Conditions(turn_seconds=0.3)), Conditions(turn_seconds=0.3)
    (tmp_path / "bot.py").write_text(source, "utf-8")
    for fixture in Match(
        f"{tmp_path}/bot.py:Bot", "random", 2, FAST, seed=1, conditions=conditions
    ).fixtures():
        assert "fault" not in play_scheduled_game(fixture, players)
        players.close()


CLOSES_ITS_INPUT = """
import os, time

class Bot:
    calls = 0
    def act(self, game):
        self.calls += 1
        if self.calls == 1:
            time.sleep(1.5)
        if game.turn >= 10:
            os.close(0)
        return game.legal_actions()[0]
"""


@pytest.mark.slow
def test_a_program_that_ends_each_game_by_a_fault_thinks_as_long_as_the_others(
    tmp_path: Path,
) -> None:
    """A bot once started again in each game, and its first turn had the time limit of a start."""
    (tmp_path / "bot.py").write_text(CLOSES_ITS_INPUT, "utf-8")
    match = Match(
        f"{tmp_path}/bot.py:Bot", "random", 4, FAST, seed=1, conditions=Conditions(turn_seconds=1)
    )
    _, *others = match.play()
    assert [record["fault"]["kind"] for record in others] == ["timeout"] * 3
