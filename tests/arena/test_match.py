"""Matches: pairing, seeds, saving and going on, standings, and what is refused."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from tkm_env import ConfigError, FileError, Game, GameConfig, RecordError, TerminusConfig
from tkm_env.arena.match import Match, standings
from tkm_env.arena.sprt import SPRT
from tkm_env.core.registry import game_spec
from tkm_env.evaluation.score import PairResults
from tkm_env.players.factory import make_agent
from tkm_env.players.roster import ROSTERS

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

class Failing:
    def __init__(self):
        raise RuntimeError("no\\nlicence " + "x" * 5000)

class Needing:
    def __init__(self, depth):
        pass

class Acting:
    act = 5

def last(observation, info):
    assert observation.shape == (84, 4, 4)
    return info["action_mask"].nonzero()[0][-1]
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
    for one, other in zip([*match.fixtures()][::2], [*match.fixtures()][1::2], strict=True):
        assert (*one.players.values(),) == (*other.players.values(),)[::-1] == ("random", "greedy")
        assert by_seed[one.seed]["position"] == by_seed[other.seed]["position"]
        starts.append(by_seed[one.seed]["position"])
    assert len(set(starts)) == len(starts), "every pair of games has a start of its own"


@pytest.mark.parametrize("settings", [{}, {"chapters": 4}, {"timeline": "draft_powers"}], ids=str)
def test_openings_are_random_turns_that_end_nothing(settings: dict[str, Any]) -> None:
    for record in Match(
        "random", "random", 6, GameConfig(**settings), seed=2, opening_turns=3
    ).play():
        start = Game.from_record(record).start
        assert start.turn == 4
        assert start.position.split(" ")[3] in "cf"
        assert start.result is None


@pytest.mark.slow
def test_the_same_seed_plays_the_same_games_on_any_number_of_processes() -> None:
    match = Match("random", "random", 12, GameConfig(chapters="growth"), seed=9)
    alone = without_times(match.play())
    assert alone == without_times(match.play())
    assert alone == without_times(match.play(processes=3))
    assert alone != without_times(
        Match("random", "random", 12, GameConfig(chapters="growth"), seed=10).play()
    )


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_played_from_both_sides_saved_and_gone_on_with(
    tmp_path: Path, game: str
) -> None:
    match = Match(*GAMES[game], games=8, seed=2, game=game)
    whole = without_times(match.play())
    sides = game_spec(game).game_class.players
    for one, other in zip(whole[::2], whole[1::2], strict=True):
        assert one["position"] == other["position"]
        assert (
            [one["players"][side] for side in sides]
            == [other["players"][side] for side in reversed(sides)]
            == list(GAMES[game])
        )
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
def test_what_does_not_belong_to_the_game_is_refused(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        Match("random", "random", **settings)


def test_players_of_another_game_are_refused() -> None:
    with pytest.raises(
        ConfigError,
        match=(
            r"players are 'random', 'greedy', 'ismcts', FILE\.py:NAME, cmd:COMMAND, "
            r"exploit:AGENT, llm:MODEL, policy:FILE and turn:first\|last"
        ),
    ):
        Match("random", "alphabeta", game="terminus")


def test_more_games_begin_with_the_same_ones() -> None:
    assert [*Match("random", "greedy", 30, seed=3).fixtures()][:10] == [
        *Match("random", "greedy", 10, seed=3).fixtures()
    ]


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
    with pytest.warns(RuntimeWarning, match="its last record was incomplete"):
        assert without_times(match.play(path, resume=True)) == whole
    lines = path.read_text("utf-8").splitlines()
    assert lines[:4] == finished
    assert without_times(map(json.loads, lines)) == whole


TEST = SPRT(0, 150)


def pairs_of(records: list[dict[str, Any]], match: Match) -> PairResults:
    return standings(records, match)[0].pairs


def test_a_test_stops_a_match_at_the_pair_that_decides_it() -> None:
    match = Match("greedy", "random", 400, seed=1)
    records = list(match.play(sprt=TEST))
    assert [record["seed"] for record in records] == [
        game.seed for game in [*match.fixtures()][: len(records)]
    ]
    assert len(records) % 2 == 0
    assert TEST.accepted(pairs_of(records, match)) == "H1"
    for played in range(2, len(records), 2):
        assert TEST.accepted(pairs_of(records[:played], match)) is None, (
            f"{played} of {len(records)} games were enough"
        )


def test_a_test_that_nothing_decides_ends_with_the_last_game() -> None:
    match = Match("random", "random", 6, seed=1)
    assert len(list(match.play(sprt=SPRT(0, 1)))) == 6


@pytest.mark.slow
def test_a_test_stops_at_the_same_pair_on_any_number_of_processes_and_saves_nothing_beyond(
    tmp_path: Path,
) -> None:
    match = Match("greedy", "random", 400, seed=1)
    saved = []
    for processes in (1, 3):
        path = tmp_path / f"{processes}.jsonl"
        yielded = list(match.play(path, sprt=TEST, processes=processes))
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        assert lines == yielded
        saved.append(
            [{key: value for key, value in line.items() if key != "seconds"} for line in lines]
        )
    assert saved[0] == saved[1]


@pytest.mark.parametrize("played", [1, 2, 7])
def test_a_test_that_was_interrupted_goes_on_to_the_same_pair(tmp_path: Path, played: int) -> None:
    path = tmp_path / "games.jsonl"
    match = Match("greedy", "random", 400, seed=1)
    whole = [record["actions"] for record in match.play(sprt=TEST)]
    running = match.play(path, sprt=TEST)
    for _ in range(played):
        next(running)
    running.close()
    assert len(path.read_text("utf-8").splitlines()) == played
    assert [record["actions"] for record in match.play(path, resume=True, sprt=TEST)] == whole
    assert [json.loads(line)["actions"] for line in path.read_text("utf-8").splitlines()] == whole


def test_games_that_were_saved_beyond_the_deciding_pair_do_not_count_and_stay(
    tmp_path: Path,
) -> None:
    path = tmp_path / "games.jsonl"
    match = Match("greedy", "random", 60, seed=1)
    decided = [record["actions"] for record in match.play(sprt=TEST)]
    records = list(match.play())
    assert len(decided) < len(records), "the test must stop before the last game"
    path.write_text("".join(json.dumps(record) + "\n" for record in reversed(records)), "utf-8")
    before = path.read_bytes()
    assert [record["actions"] for record in match.play(path, resume=True, sprt=TEST)] == decided
    assert path.read_bytes() == before


class Novice:
    """Notes, for each instance, what it was asked."""

    asked: ClassVar[list[tuple[int, int]]] = []

    def __init__(self, *, effort: int = 100) -> None:
        self.effort = effort

    def reset(self, seed: object = None) -> None: ...

    def act(self, game: Game) -> int:
        Novice.asked.append((self.effort, game.turn))
        return game.legal_actions()[0]


def _novice() -> type[Novice]:
    return Novice


def test_players_of_the_game_itself_are_warmed_up_before_their_times_are_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A quick player of the same kind warms up each process once.

    It plays two turns, of which one may have only one legal choice.
    """
    ours = ROSTERS.of("tkm")
    monkeypatch.setattr("tkm_env.arena.playing.scheduled_game._WARM", set())
    agents = {**ours.agents, "novice": _novice}
    ladder = (*ours.ladder, "novice:effort=1")
    ROSTERS.add("tkm", dataclasses.replace(ours, agents=agents, ladder=ladder))
    try:
        Novice.asked.clear()
        list(Match("novice:effort=7", "novice:effort=8", 2, seed=1, opening_turns=2).play())
    finally:
        ROSTERS.remove("tkm")
    efforts = [effort for effort, _ in Novice.asked]
    warming = efforts.count(1)
    assert efforts[:warming] == [1] * warming, "it comes before anything that is timed"
    assert {turn for effort, turn in Novice.asked if effort == 1} == {3, 4}
    assert {7, 8} == set(efforts[warming:])


def test_a_file_that_is_there_is_not_written_to_unasked(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("precious\n", "utf-8")
    with pytest.raises(FileError, match="already exists"):
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
        record["result"] != "*"
        and record["players"]["white" if record["result"] == "1-0" else "black"] == "random"
        for record in records
    )
    assert wins == sum(counts[0] for counts in first.by_side.values())
    assert first.score.share + second.score.share == pytest.approx(1)
    points: dict[int, float] = {}
    for record in records:
        whites = {"1-0": 1.0, "0-1": 0.0}.get(record["result"], 0.5)
        points[record["seed"] // 2] = points.get(record["seed"] // 2, 0) + (
            whites if record["seed"] % 2 == 0 else 1 - whites
        )
    assert first.pairs == PairResults(
        tuple([*points.values()].count(half / 2) for half in range(5))
    )
    assert first.pairs.counts == second.pairs.counts[::-1]
    assert first.score == first.pairs.score


def test_standings_of_an_unfinished_match_know_the_pairs_that_are_not_complete() -> None:
    match = Match("random", "random", 6, seed=5)
    first, second = standings(
        [record for record in match.play() if record["seed"] not in {[*match.fixtures()][3].seed}],
        match,
    )
    assert sum(first.pairs.counts) == 2
    assert sum(first.pairs.single) == 1
    assert first.pairs.single == second.pairs.single[::-1]
    assert first.games == first.pairs.games == 5


def test_standings_keep_turns_and_times() -> None:
    match = Match("random", "random", 6, seed=5)
    records = list(match.play())
    first, _ = standings(records, match)
    assert first.turns == np.mean([Game.from_record(record).turn for record in records])
    assert all(len(record["seconds"]) == len(record["actions"]) for record in records)


def test_players_come_from_files(bots: Path) -> None:
    game = Game()
    game.play("choose 1")
    assert make_agent(f"{bots}:Careful").act(game) == game.legal_actions()[0]
    assert make_agent(f"{bots}:Careful:number=1").act(game) == game.legal_actions()[1]
    assert make_agent(f"{bots}:last").act(game) == game.legal_actions()[-1]
    assert make_agent(f"{bots}:Careful:number=1").name == f"{bots}:Careful:number=1"


@pytest.mark.parametrize("name", ROSTERS.of("tkm").agents)
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
        ("{bots}:Bot", "holds 'Careful', 'Cheat', .*, 'last', not 'Bot'"),
        ("{bots}", "holds 'Careful', 'Cheat', .*, 'last', not ''"),
        ("{bots}:Nothing", r"no act\(game\)"),
        ("{bots}:last:number=1", "a function takes no options"),
        ("alphabeta:depth=" + "9" * 5000, "'depth' is longer than 1000 characters"),
        ("alphabeta:depth=" + "-" * 900 + "1", "depth='---"),
        ("alphabeta:depth=" + "[" * 900, r"depth='\[\["),
        ("alphabeta:depth=[1]", "the option 'depth' must be a number"),
        ("alphabeta:depth=1j", "the option 'depth' must be a number"),
        ("alphabeta:seconds=nan", "seconds='nan'"),
        ("alphabeta:seconds=1e400", "seconds=inf"),
        ("alphabeta:seconds=True", "seconds=True"),
        ("alphabeta:depth=3.0", "depth=3.0"),
        ("x" * 5000 + ".py:Bot", "there is no file"),
        ("\0.py:Bot", "there is no file"),
        ("{raising}:Bot", r"raising\.py, line 4: ZeroDivisionError: division by zero$"),
        ("{leaving}:Bot", r"leaving\.py, line 2: SystemExit: 3$"),
        ("{unreadable}:Bot", r"unreadable\.py, line 2: SyntaxError: "),
        ("{bots}:Failing", r"bots\.py, line 23: RuntimeError: no licence x{20,}\.\.\."),
        ("{bots}:Failing:number=1", "there is no option 'number'"),
        ("{bots}:Needing", "bots.py: TypeError: .*missing 1 required"),
        ("{bots}:Acting", r"no act\(game\)"),
    ],
)
def test_lines_that_are_no_player_are_refused(bots: Path, line: str, message: str) -> None:
    files = {
        "raising": "\n\ndef helper():\n    1 / 0\nhelper()\n",
        "leaving": "import sys\nsys.exit(3)\n",
        "unreadable": "\nclass Bot\n",
    }
    for name, content in files.items():
        (bots.parent / f"{name}.py").write_text(content, "utf-8")
    with pytest.raises(ConfigError, match=message) as refused:
        make_agent(line.format(bots=bots, **{name: bots.parent / f"{name}.py" for name in files}))
    assert len(str(refused.value)) < 1500
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("line", [None, 5, [], b"random", True], ids=repr)
def test_a_player_must_be_a_line_of_text(line: Any) -> None:
    with pytest.raises(ConfigError, match=r"^agent=.*line of text"):
        make_agent(line)


@pytest.mark.parametrize(
    ("keyword", "given"),
    [("games", 0), ("games", 1.5), ("seed", -1), ("opening_turns", 200), ("opening_turns", -1)],
)
def test_invalid_numbers_are_refused(keyword: str, given: Any) -> None:
    with pytest.raises(ConfigError, match=keyword):
        Match("random", "random", **{keyword: given})


@pytest.mark.slow
def test_an_opening_that_no_game_survives_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tkm_env.core.initial_positions.OPENINGS_TRIED", 5)
    with pytest.raises(
        ConfigError,
        match=r"^opening_turns=199 is invalid: each of \d+ random games was over by then",
    ):
        list(Match("random", "random", 2, opening_turns=199).play())


@pytest.mark.parametrize("records", [[], None, 5, "", {}], ids=repr)
def test_standings_need_games(records: Any) -> None:
    with pytest.raises(ConfigError, match=r"^records=.* at least one game record"):
        standings(records, Match("random", "random", 2))


@pytest.mark.parametrize("key", ["seed", "seconds"])
def test_standings_need_records_of_a_match(key: str) -> None:
    match = Match("random", "random", 2, GameConfig(max_turns=4))
    records = [
        {name: value for name, value in record.items() if name != key} for record in match.play()
    ]
    with pytest.raises(RecordError, match=f"^{key}: it is required"):
        standings(records, match)


@pytest.mark.parametrize(
    "keyword", ["game", "first", "second", "seed", "games", "opening_turns", "config"]
)
def test_arguments_of_other_types_are_refused(keyword: str) -> None:
    for given in (0.5, "", [], np.zeros(2), True):
        with pytest.raises(ConfigError, match=rf"^{keyword}="):
            Match(**{"first": "random", "second": "random", keyword: given})


def test_an_odd_number_of_games_becomes_the_next_even_one() -> None:
    assert Match("random", "random", 5).games == 6
