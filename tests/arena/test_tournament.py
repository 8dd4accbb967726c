"""Tournaments: pairings, equal games on any number of processes and after stops, refusals."""

from __future__ import annotations

import dataclasses
import itertools
import json
import random
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tkm_env import ConfigError, FileError, GameConfig, TerminusConfig
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.rating import fit
from tkm_env.arena.record_results import RecordedGame
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.evaluation.starts import Settings

SHORT = Settings(config=GameConfig(max_turns=6))
GROWTH = Settings(config=GameConfig(chapters="growth", max_turns=6))
PLAYERS = (
    Entrant("Ann", "random"),
    Entrant("Bob", "greedy"),
    Entrant("Cem", "random"),
    Entrant("Dee", "greedy"),
)
#: What is measured of a game, and so differs each time.
MEASURED = ("seconds", "memory", "cpu")


def tournament(**changes: Any) -> Tournament:
    return Tournament(
        **{"players": PLAYERS, "settings": (SHORT, GROWTH), "pairs": 2, "seed": 7, **changes}
    )


def timeless(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in record.items() if key not in MEASURED} for record in records
    ]


def saved(path: Path) -> list[dict[str, Any]]:
    return timeless(map(json.loads, path.read_text("utf-8").splitlines()))


def opponents(records: Iterable[dict[str, Any]]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(sorted(record["players"].values())) for record in records)


CONTINUOUS = {"kind": "continuous", "pairs": 3}
ROUNDS = [pytest.param({"kind": kind}, marks=pytest.mark.slow) for kind in ("swiss", "knockout")]
OF_EACH_KIND = pytest.mark.parametrize(
    "changes",
    [
        {},
        {"kind": "gauntlet", "challengers": ("Bob",)},
        pytest.param(CONTINUOUS, marks=pytest.mark.slow),
        *ROUNDS,
    ],
    ids=["round robin", "gauntlet", "continuous", "swiss", "knockout"],
)
#: A gauntlet differs from a round robin only in its pairings; continuous tournaments take long.
ONE_QUICK_KIND = pytest.mark.parametrize(
    "changes",
    [{}, pytest.param(CONTINUOUS, marks=pytest.mark.slow), *ROUNDS],
    ids=["round robin", "continuous", "swiss", "knockout"],
)


# Who plays whom.


def test_in_a_round_robin_everyone_plays_everyone_on_both_sides_under_all_settings() -> None:
    records = list(tournament().play())
    assert len(records) == tournament().games == 6 * 2 * 2 * 2
    counts = Counter(
        (tuple(record["players"].values()), json.dumps(record["config"])) for record in records
    )
    assert len(counts) == 4 * 3 * 2
    assert set(counts.values()) == {2}


def test_in_a_gauntlet_only_challengers_play_the_others() -> None:
    gauntlet = tournament(kind="gauntlet", challengers=("Bob", "Cem"))
    records = list(gauntlet.play())
    assert set(opponents(records)) == {
        ("Ann", "Bob"),
        ("Bob", "Dee"),
        ("Ann", "Cem"),
        ("Cem", "Dee"),
    }
    assert len(records) == gauntlet.games == 4 * 2 * 2 * 2


def test_the_games_of_a_pair_have_the_same_start_with_sides_swapped() -> None:
    records = list(tournament().play())
    for one, other in zip(records[::2], records[1::2], strict=True):
        assert one["position"] == other["position"]
        assert [*one["players"].values()] == [*other["players"].values()][::-1]
        assert (one["seed"] % 2, other["seed"]) == (0, one["seed"] + 1)


def test_every_two_players_begin_from_starts_of_their_own() -> None:
    """Otherwise a player would know what is hidden from the next opponent, such as a deck."""
    starts: dict[tuple[str, ...], set[str]] = {}
    for record in tournament(settings=(Settings("terminus"),), pairs=1).play():
        starts.setdefault(tuple(sorted(record["players"].values())), set()).add(record["position"])
    assert len(starts) == 6
    assert len(set.union(*starts.values())) == 6


def test_openings_are_each_played_once_by_every_two_players() -> None:
    openings = tuple(
        record["position"] for record in list(tournament(settings=(SHORT,), pairs=3).play())[::12]
    )
    settings = Settings(config=SHORT.config, openings=openings)
    records = list(tournament(settings=(settings,), players=PLAYERS[:2], pairs=None).play())
    assert Counter(record["position"] for record in records) == dict.fromkeys(openings, 2)


def test_two_games_make_one_tournament() -> None:
    players = (*PLAYERS[:2], Entrant("Eli", "alphabeta:depth=1", "tkm"))
    terminus = Settings("terminus", TerminusConfig())
    records = list(tournament(players=players, settings=(SHORT, terminus), pairs=1).play())
    played = {
        game: opponents(record for record in records if record["game"] == game)
        for game in ("tkm", "terminus")
    }
    assert played["terminus"] == {("Ann", "Bob"): 2}
    assert played["tkm"] == {("Ann", "Bob"): 2, ("Ann", "Eli"): 2, ("Bob", "Eli"): 2}


def test_players_who_are_added_change_no_game_of_the_others() -> None:
    before = timeless(tournament(players=PLAYERS[:3]).play())
    after = timeless(tournament(players=(PLAYERS[3], *PLAYERS[:3])).play())
    assert [record for record in after if "Dee" not in record["players"].values()] == before


# Continuous tournaments.


def test_a_continuous_tournament_plays_what_tells_most() -> None:
    """Those who are about equal meet more often than the best and the worst, once that is known."""
    players = (
        Entrant("best", "alphabeta:depth=2"),
        Entrant("good", "greedy"),
        Entrant("bad", "random"),
        Entrant("worse", "random"),
    )
    running = tournament(
        players=players,
        settings=(Settings(config=GameConfig(max_turns=60)),),
        kind="continuous",
        pairs=None,
        block=1,
    )
    records = []
    for record in running.play():
        records.append(record)
        if len(records) == 240:
            running.stop()
    met = opponents(records)
    assert len(met) == 6
    assert min(met[("best", "good")], met[("bad", "worse")]) > 1.5 * max(
        met[("bad", "best")], met[("best", "worse")]
    ), met


@pytest.mark.slow
@pytest.mark.parametrize("anchor", [None, ("Dan", 1000.0)], ids=["mean", "anchor"])
def test_a_continuous_tournament_ends_when_it_knows_enough(
    anchor: tuple[str, float] | None,
) -> None:
    players, settings = (
        (PLAYERS[0], PLAYERS[2], PLAYERS[2]._replace(name="Dan")),
        (Settings(config=GameConfig(max_turns=60)),),
    )
    running = tournament(
        kind="continuous", pairs=500, within=60, settings=settings, players=players, anchor=anchor
    )
    ratings = fit(
        filter(None, (RecordedGame.of(record).played for record in running.play())), anchor=anchor
    )
    widths = [rating.elo.high - rating.elo.estimate for rating in ratings.players]
    assert 40 < max(widths) <= 60, (
        "the games that were under way when it was known make it a little better known"
    )


def test_newcomers_take_part_from_then_on() -> None:
    coming: list[Entrant] = []
    running = tournament(
        kind="continuous",
        pairs=None,
        newcomers=lambda: coming,
        players=PLAYERS[:2],
        settings=(SHORT,),
    )
    seen = []
    for record in running.play():
        seen.append(record)
        if len(seen) == 10:
            coming.append(PLAYERS[3])
        if len(seen) == 40:
            running.stop()
    late = ["Dee" in record["players"].values() for record in seen]
    assert not any(late[:10])
    assert sum(late[12:]) > 15, "those of whom little is known play most"


def test_who_loses_a_trial_by_its_own_fault_plays_no_more(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import sys\nsys.exit('no licence')\n", "utf-8")
    hopeless = Entrant("Zoe", f"cmd:{sys.executable} {tmp_path / 'bot.py'}")
    settings, players = (
        (Settings(config=GameConfig(max_turns=60)),),
        (PLAYERS[0], PLAYERS[2], hopeless),
    )
    running = tournament(
        kind="continuous", pairs=None, within=100, players=players, settings=settings
    )
    with pytest.warns(
        RuntimeWarning, match="Zoe is out: it lost a trial game by crash, .*no licence"
    ) as warned:
        records = list(itertools.islice(running.play(), 400))
    assert len(warned) == 1
    games = [number for number, record in enumerate(records) if "Zoe" in record["players"].values()]
    assert games == [0, 1], "a pair of trial games, first of all"
    assert len(records) < 400, "it ends all the same"


def test_a_newcomer_who_cannot_play_is_refused_once_and_the_others_go_on() -> None:
    coming = [Entrant("Bad", "nowhere.py:Bot")]
    running = tournament(
        kind="continuous", pairs=1, newcomers=lambda: coming, players=PLAYERS[:2], settings=(SHORT,)
    )
    with pytest.warns(
        RuntimeWarning,
        match=r"a newcomer cannot take part: player 'Bad'=.*there is no file 'nowhere\.py'",
    ) as caught:
        assert len(list(running.play())) == 2
    assert len(caught) == 1


# The same games, whatever happens.


@pytest.mark.slow
@OF_EACH_KIND
def test_the_same_seed_plays_the_same_games_on_any_number_of_processes(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    whole = timeless(tournament(**changes).play())
    path = tmp_path / "games.jsonl"
    assert timeless(tournament(**changes).play(path, processes=3)) == whole
    assert saved(path) == whole
    assert {file.name for file in tmp_path.iterdir()} == {path.name, f"{path.name}.checkpoint"}
    assert timeless(tournament(**changes, seed=8).play()) != whole


@ONE_QUICK_KIND
def test_what_was_stopped_goes_on_to_the_same_games(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    path = tmp_path / "games.jsonl"
    whole = timeless(tournament(**changes).play())
    for _ in range(100):
        running = tournament(**changes)
        for played, _ in enumerate(running.play(path), 1):
            if played == len(saved(path)) and played % 7 == 0:
                running.stop()
        if not running.is_stopped:
            break
    assert saved(path) == whole


@ONE_QUICK_KIND
@pytest.mark.filterwarnings("ignore:.*its last record was incomplete:RuntimeWarning")
def test_games_cut_anywhere_go_on_to_the_same_games(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    path, whole = tmp_path / "games.jsonl", tmp_path / "whole.jsonl"
    list(tournament(**changes).play(whole))
    content = whole.read_bytes()
    for size in random.Random(1).sample(range(len(content)), 6):
        path.write_bytes(content[:size])
        list(tournament(**changes).play(path))
        assert saved(path) == saved(whole), f"cut at byte {size}"


@OF_EACH_KIND
def test_games_that_were_ahead_are_not_played_again(
    tmp_path: Path, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tmp_path / "whole.jsonl"
    list(tournament(**changes).play(whole))
    lines = whole.read_bytes().splitlines(keepends=True)
    path, ahead = tmp_path / "games.jsonl", tmp_path / "games.jsonl.ahead"
    path.write_bytes(b"".join(lines[:4]))
    ahead.write_bytes(lines[3] + lines[5] + lines[6] + lines[7][:40])
    played = []
    from tkm_env.arena.playing import workers

    play = workers.play_scheduled_game
    monkeypatch.setattr(
        workers,
        "play_scheduled_game",
        lambda fixture, players: played.append(fixture.seed) or play(fixture, players),
    )
    with pytest.warns(RuntimeWarning, match=r"ahead: its last record was incomplete"):
        list(tournament(**changes).play(path))
    assert saved(path) == saved(whole)
    assert played == [json.loads(line)["seed"] for line in (lines[4], *lines[7:])]
    assert not ahead.exists()


@pytest.mark.filterwarnings("ignore:.*its last record was incomplete:RuntimeWarning")
@pytest.mark.parametrize("size", [0, 30])
def test_a_file_beside_the_games_in_which_no_game_is_whole_goes(tmp_path: Path, size: int) -> None:
    path, ahead = tmp_path / "games.jsonl", tmp_path / "games.jsonl.ahead"
    list(tournament().play(path))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]))
    ahead.write_bytes(lines[5][:size])
    list(tournament().play(path))
    assert len(saved(path)) == len(lines)
    assert not ahead.exists()


def test_a_file_of_others_beside_the_games_is_refused_and_stays(tmp_path: Path) -> None:
    path, ahead = tmp_path / "games.jsonl", tmp_path / "games.jsonl.ahead"
    ahead.write_text("precious\n")
    with pytest.raises(FileError, match=r"games\.jsonl\.ahead: line 1 is not a game record"):
        list(tournament().play(path))
    assert ahead.read_text() == "precious\n"
    assert not path.exists()


@OF_EACH_KIND
def test_games_of_another_tournament_are_refused_and_stay(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    path = tmp_path / "games.jsonl"
    list(tournament(**changes).play(path))
    before = path.read_bytes()
    with pytest.raises(FileError, match="line 1 does not hold a game of this tournament"):
        list(tournament(**changes | {"seed": 8}).play(path))
    assert path.read_bytes() == before


@OF_EACH_KIND
def test_games_of_players_who_have_left_stay(tmp_path: Path, changes: dict[str, Any]) -> None:
    """In rounds others meet then, whose games follow."""
    path = tmp_path / "games.jsonl"
    list(tournament(**changes).play(path))
    before = path.read_bytes()
    left = tournament(**changes, players=PLAYERS[:3])
    records = list(left.play(path))
    if left.kind in ("swiss", "knockout"):
        assert path.read_bytes().startswith(before)
        assert timeless(left.play(path)) == timeless(records) == timeless(left.play())
        return
    assert path.read_bytes() == before
    expected = saved(path)
    if left.kind != "continuous":
        expected = [record for record in expected if "Dee" not in record["players"].values()]
    assert timeless(records) == expected


def test_a_continuous_tournament_whose_last_pair_is_not_complete_completes_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "games.jsonl"
    list(tournament(**CONTINUOUS).play(path))
    whole = saved(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:20], *lines[21:30]]))  # a game is missing before others
    assert sorted(
        json.dumps(record) for record in timeless(tournament(**CONTINUOUS).play(path))
    ) == sorted(map(json.dumps, whole))


KILLED = """
import sys
from tests.arena.test_tournament import LEAGUE, PROGRAMS

if __name__ == "__main__":
    for record in LEAGUE.play(sys.argv[1], processes=2):
        pass
"""

BOT = (
    "import sys\nfor line in sys.stdin:\n"
    "    if line.startswith('tkm'): print('tkm 1 name=Bot', flush=True)\n"
    "    elif line.startswith('go'): "
    "print('play', line.split('legal=')[1].split(' ')[0].split(',')[0], flush=True)\n"
)
PROGRAMS = tuple(
    Entrant(f"bot {number}", f"cmd:{shlex.join([sys.executable, '-c', BOT])}")
    for number in range(2)
)
LEAGUE = tournament(
    players=(*PLAYERS[:2], *PROGRAMS), settings=(SHORT, GROWTH, Settings("terminus")), pairs=3
)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:.*its last record was incomplete:RuntimeWarning")
def test_a_tournament_killed_again_and_again_ends_with_the_same_games(tmp_path: Path) -> None:
    script, path = tmp_path / "script.py", tmp_path / "games.jsonl"
    script.write_text(KILLED)
    generator = random.Random(5)
    for _ in range(4):
        running = subprocess.Popen([sys.executable, script, path], stderr=subprocess.DEVNULL)
        time.sleep(2 + 4 * generator.random())
        running.kill()
        running.wait()
    list(LEAGUE.play(path, processes=2))
    assert saved(path) == timeless(LEAGUE.play())
    assert {file.name for file in tmp_path.iterdir()} <= {
        "script.py",
        *(f"games.jsonl{end}" for end in ("", ".checkpoint", ".cut", ".ahead.cut")),
    }


# What is refused.


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"kind": "cup"},
            (
                r"kind='cup' is invalid: it must be 'round robin', 'gauntlet', 'continuous', "
                r"'swiss' or 'knockout'"
            ),
        ),
        ({"players": PLAYERS[:1]}, "players=.* there must be at least two"),
        ({"players": [*PLAYERS]}, "players="),
        (
            {"players": (*PLAYERS, Entrant("Ann", "greedy"))},
            "players='Ann' is invalid: two players have this name",
        ),
        (
            {"players": (*PLAYERS, Entrant(" ", "greedy"))},
            "players=' ' is invalid: a player needs a name",
        ),
        (
            {"players": (*PLAYERS, Entrant("Eli", "clever"))},
            "player 'Eli'='clever' is invalid: players are 'random'",
        ),
        (
            {"players": (*PLAYERS, Entrant("Eli", "greedy", "chess"))},
            r"players='chess' is invalid: the games .* are \['tkm'\]",
        ),
        ({"players": (*PLAYERS, ("Eli", "greedy"))}, "players="),
        ({"settings": ()}, "settings=.* there must be at least one"),
        ({"settings": (SHORT, SHORT)}, "settings=.* they are listed twice"),
        ({"settings": (None,)}, "settings="),
        (
            {
                "settings": (SHORT, Settings("terminus")),
                "players": (*PLAYERS, Entrant("Eli", "mcts")),
            },
            "player 'Eli'='mcts'",
        ),
        ({"pairs": 0}, "pairs=0"),
        ({"seed": -1}, "seed=-1"),
        ({"kind": "gauntlet"}, "challengers=.* a gauntlet needs them"),
        (
            {"kind": "gauntlet", "challengers": ("Eve",)},
            "challengers='Eve' is invalid: the players are",
        ),
        (
            {"kind": "gauntlet", "challengers": ("Ann", "Bob", "Cem", "Dee")},
            "there must be other players to meet",
        ),
        ({"challengers": ("Ann",)}, "they are only for gauntlets"),
        (
            {"anchor": ("Eve", 0)},
            r"anchor='Eve' is invalid: the players are \['Ann', 'Bob', 'Cem', 'Dee'\]",
        ),
        ({"anchor": ("Ann",)}, "anchor=.* it must be a player's name and a number"),
        ({"within": 20}, "within=20 is invalid: it is only for continuous tournaments"),
        ({"within": -1, "kind": "continuous"}, "within=-1"),
    ],
    ids=str,
)
def test_invalid_tournaments_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        tournament(**changes)


@pytest.mark.parametrize(
    "keyword",
    [
        field.name
        for field in dataclasses.fields(Tournament)
        if field.init and field.name != "conditions"
    ],
)
def test_arguments_of_other_types_are_refused(keyword: str) -> None:
    for given in ("0.5" if keyword == "within" else 0.5, "", [], True):
        with pytest.raises(ConfigError, match=rf"^{keyword}="):
            tournament(
                **{"kind": "continuous" if keyword == "within" else "round robin", keyword: given}
            )


# Who plays how often, and in a row.


def test_two_players_play_a_block_of_pairs_in_a_row() -> None:
    games = [
        tuple(sorted(game.players.values()))
        for game in tournament(settings=(SHORT,), pairs=5, block=2).schedule().fixtures()
    ]
    assert [len([*block]) for _, block in itertools.groupby(games)] == [4] * 12 + [2] * 6


def test_a_continuous_tournament_ends_once_all_have_their_games() -> None:
    running = tournament(kind="continuous", pairs=None, games_per_player=30, settings=(SHORT,))
    played = Counter(name for record in running.play() for name in record["players"].values())
    assert set(played) == {"Ann", "Bob", "Cem", "Dee"}
    assert all(30 <= games <= 40 for games in played.values())


def test_no_block_gives_a_player_more_games_than_it_may_have() -> None:
    for most in (6, 14):
        running = tournament(
            kind="continuous", pairs=None, games_per_player=most, block=5, settings=(SHORT,)
        )
        played = Counter(name for record in running.play() for name in record["players"].values())
        assert played == dict.fromkeys(("Ann", "Bob", "Cem", "Dee"), most)
