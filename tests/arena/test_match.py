"""Matches: pairing, seeds, saving and going on, standings, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tkm_env import ConfigError, FileError, Game, GameConfig, TerminusConfig
from tkm_env.agents.specs import make_agent
from tkm_env.arena.match import Match, standings
from tkm_env.arena.score import score_interval
from tkm_env.core.registry import game_spec

BOTS = """
import numpy as np

class Careful:
    "Plays the first legal action, or the one of that number."

    def __init__(self, *, number: int = 0) -> None:
        self.number = number

    def act(self, game):
        legal = game.legal_actions()
        return legal[min(self.number, len(legal) - 1)]

class Cheat:
    def act(self, game):
        return 0

class Nothing:
    pass

def last(observation, action_mask):
    assert observation.shape == (84, 4, 4)
    return action_mask.nonzero()[0][-1]
"""


#: Of each game: its name, and players of its own.
GAMES: dict[str, tuple[str, str]] = {"tkm": ("random", "random"), "terminus": ("greedy", "random")}


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    path = tmp_path / "bots.py"
    path.write_text(BOTS, "utf-8")
    return path


def without_times(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    kept = [{key: value for key, value in record.items() if key != "seconds"} for record in records]
    return sorted(kept, key=lambda record: record["seed"])


def test_each_start_is_played_from_both_sides() -> None:
    match = Match("random", "greedy", 20, GameConfig(chapters="convergence"), seed=4)
    records = list(Match("random", "random", 20, GameConfig(chapters="convergence"), seed=4).play())
    by_seed = {record["seed"]: record for record in records}
    starts = []
    for one, other in zip(match.pairing()[::2], match.pairing()[1::2], strict=True):
        assert one.lines == other.lines[::-1] == ("random", "greedy")
        assert by_seed[one.seed]["position"] == by_seed[other.seed]["position"]
        starts.append(by_seed[one.seed]["position"])
    assert len(set(starts)) == len(starts), "every pair of games has a start of its own"


@pytest.mark.parametrize("settings", [{}, {"chapters": 4}, {"timeline": "draft_powers"}], ids=str)
def test_openings_are_random_turns_that_end_nothing(settings: dict[str, Any]) -> None:
    for record in Match("random", "random", 6, GameConfig(**settings), seed=2, opening_turns=3).play():
        start = Game.from_record(record).start
        assert start.turn == 4
        assert start.position.split(" ")[3] in "cf"
        assert start.result is None


def test_the_same_seed_plays_the_same_games_on_any_number_of_processes() -> None:
    match = Match("random", "random", 12, GameConfig(chapters="growth"), seed=9)
    alone = without_times(match.play())
    assert alone == without_times(match.play())
    assert alone == without_times(match.play(processes=3))
    assert alone != without_times(Match("random", "random", 12, GameConfig(chapters="growth"), seed=10).play())


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_played_from_both_sides_saved_and_gone_on_with(tmp_path: Path, game: str) -> None:
    match = Match(*GAMES[game], games=8, seed=2, game=game)
    whole = without_times(match.play())
    assert whole == without_times(match.play(processes=2))
    sides = game_spec(game).game_class.players
    for one, other in zip(whole[::2], whole[1::2], strict=True):
        assert one["position"] == other["position"]
        assert [one["players"][side] for side in sides] == [other["players"][side] for side in reversed(sides)] == list(GAMES[game])
    running = match.play(tmp_path / "games.jsonl")
    for _ in range(3):
        next(running)
    running.close()
    assert without_times(match.play(tmp_path / "games.jsonl", resume=True)) == whole
    rows = standings(list(match.play(tmp_path / "games.jsonl", resume=True)), match)
    assert all(tuple(row.by_side) == sides and row.games == 8 for row in rows)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"game": "chess"}, "game='chess'"),
        ({"game": "terminus", "config": GameConfig()}, "must be a TerminusConfig"),
        ({"config": TerminusConfig()}, "must be a GameConfig"),
        ({"game": "terminus", "opening_turns": 17}, "opening_turns=17"),
    ],
    ids=str,
)
def test_what_does_not_belong_to_the_game_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Match("random", "random", **settings)


def test_players_of_another_game_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"players are 'random', 'greedy', 'ismcts', FILE\.py:NAME and cmd:COMMAND"):
        Match("random", "alphabeta", game="terminus")


def test_more_games_begin_with_the_same_ones() -> None:
    assert Match("random", "greedy", 30, seed=3).pairing()[:10] == Match("random", "greedy", 10, seed=3).pairing()


def test_a_match_that_was_killed_goes_on_and_plays_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    match = Match("random", "random", 10, seed=1)
    whole = without_times(match.play())
    running = match.play(path)
    for _ in range(4):
        next(running)
    running.close()
    with path.open("a", encoding="utf-8") as file:
        file.write('{"kind": "tkm_env game rec')  # killed while it wrote
    finished = path.read_text("utf-8").splitlines()[:4]
    assert without_times(match.play(path, resume=True)) == whole
    lines = path.read_text("utf-8").splitlines()
    assert lines[:4] == finished
    assert without_times(map(json.loads, lines)) == whole


def test_a_file_that_is_there_is_not_written_to_unasked(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("precious\n", "utf-8")
    with pytest.raises(FileError, match="exists already"):
        list(Match("random", "random", 2).play(path))
    assert path.read_text("utf-8") == "precious\n"


@pytest.mark.parametrize(
    "other",
    [
        Match("random", "random", 4, seed=2),
        Match("random", "greedy", 4),
        Match("random", "random", 4, GameConfig(chapters=1)),
        Match("random", "random", 4, game="terminus"),
    ],
    ids=["another seed", "other players", "other settings", "another game"],
)
def test_games_of_another_match_are_not_gone_on_with(tmp_path: Path, other: Match) -> None:
    path = tmp_path / "games.jsonl"
    list(Match("random", "random", 4).play(path))
    before = path.read_text("utf-8")
    with pytest.raises(FileError, match="line 1 does not hold a game of this match"):
        list(other.play(path, resume=True))
    assert path.read_text("utf-8") == before


def test_standings_count_wins_for_the_player_who_had_that_side(bots: Path) -> None:
    match = Match("random", f"{bots}:Careful:number=1", 30, GameConfig(max_turns=40), seed=5)
    records = list(match.play())
    first, second = standings(records, match)
    assert (first.player, second.player) == (match.first, match.second)
    assert first.games == second.games == 30
    for side, other in (("white", "black"), ("black", "white")):
        assert first.by_side[side] == second.by_side[other][::-1]
        assert sum(first.by_side[side]) == 15
    wins = sum(
        record["result"] != "*" and record["players"]["white" if record["result"] == "1-0" else "black"] == "random"
        for record in records
    )
    assert wins == sum(counts[0] for counts in first.by_side.values())
    assert first.score.share + second.score.share == pytest.approx(1)
    assert first.turns == np.mean([Game.from_record(record).turn for record in records])
    assert all(len(record["seconds"]) == len(record["actions"]) for record in records)


def test_players_come_from_files(bots: Path) -> None:
    game = Game()
    game.play("choose 1")
    assert make_agent(f"{bots}:Careful").act(game) == game.legal_actions()[0]
    assert make_agent(f"{bots}:Careful:number=1").act(game) == game.legal_actions()[1]
    assert make_agent(f"{bots}:last").act(game) == game.legal_actions()[-1]
    assert make_agent(f"{bots}:Careful:number=1").name == f"{bots}:Careful:number=1"


@pytest.mark.parametrize("name", game_spec("tkm").agents)
def test_agents_keep_the_names_they_give_themselves(name: str) -> None:
    assert make_agent(name).name.split(" ")[0] == name


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "players are 'random', 'greedy'"),
        ("clever", "players are 'random', 'greedy'"),
        ("Random", "players are 'random', 'greedy'"),
        ("random:depth=3", "no option 'depth'"),
        ("alphabeta:deep=3", "no option 'deep'; valid options: 'depth', 'seconds'"),
        ("alphabeta:depth", "written name=value, not 'depth'"),
        ("alphabeta:depth=1,depth=2", "'depth' is given twice"),
        ("alphabeta:depth=0", "depth=0"),
        ("alphabeta:depth=deep", "depth='deep'"),
        ("mcts:seconds=-1", "seconds=-1"),
        ("nowhere.py:Bot", "no file 'nowhere.py'"),
        ("{bots}:Bot", "holds 'Careful', 'Cheat', 'Nothing', 'last', not 'Bot'"),
        ("{bots}", "holds 'Careful', 'Cheat', 'Nothing', 'last', not ''"),
        ("{bots}:Nothing", r"no act\(game\)"),
        ("{bots}:last:number=1", "a function takes no options"),
    ],
)
def test_lines_that_are_no_player_are_refused(bots: Path, line: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_agent(line.format(bots=bots))


@pytest.mark.parametrize(
    ("keyword", "given"), [("games", 0), ("games", 1.5), ("seed", -1), ("opening_turns", 200), ("opening_turns", -1)]
)
def test_numbers_that_cannot_be_are_refused(keyword: str, given: Any) -> None:
    with pytest.raises(ConfigError, match=keyword):
        Match("random", "random", **{keyword: given})


def test_an_odd_number_of_games_becomes_the_next_even_one() -> None:
    assert Match("random", "random", 5).games == 6


@pytest.mark.parametrize(
    ("points", "games", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662), (1, 1, 0.2065, 1.0)],
)
def test_intervals_are_wilsons(points: int, games: int, low: float, high: float) -> None:
    interval = score_interval(points, games)
    assert interval.share == points / games
    assert interval.low == pytest.approx(low, abs=1e-4)
    assert interval.high == pytest.approx(high, abs=1e-4)
