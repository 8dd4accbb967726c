"""Series: who goes first, the score, and the files that keep series.

What campaigns refuse as well is tested here, too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tkm_env import Campaign, ConfigError, FileError, Game, GameConfig, Series
from tkm_env.games.tkm.series import Finished, first_player_after


def referee(game: Game, seed: int) -> Game:
    generator = np.random.default_rng(seed)
    while game.result is None:
        game.play(int(generator.choice(game.legal_actions())))
    return game


@pytest.mark.parametrize(
    ("first_player", "result", "following"),
    [
        ("white", "1-0", "black"),
        ("white", "0-1", "white"),
        ("black", "1-0", "black"),
        ("black", "0-1", "white"),
        ("white", "1/2", "black"),
        ("black", "1/2", "white"),
        ("white", "*", "black"),
        ("black", "*", "white"),
    ],
)
def test_the_loser_goes_first_and_after_a_draw_whoever_went_second(
    first_player: str, result: str, following: str
) -> None:
    assert first_player_after(Finished(first_player, result, 9)) == following


def test_a_series_keeps_score_and_hands_on_the_first_turn() -> None:
    series = Series(("Ada", "Bob"), seed=3, chapters="convergence", max_turns=60)
    for number in range(12):
        game = series.next_game()
        assert game.first_player == series.next_first_player
        assert game == series.next_game(), "the next game stays the same until it is finished"
        series.finish(referee(game, number))
    assert sum(series.score.values()) == 12
    wins = [game.winner for game in series.games]
    assert series.score["Ada"] == sum(
        1.0 if winner == "white" else 0.5 if winner is None else 0 for winner in wins
    )


def test_a_series_with_a_timeline_counts_who_took_the_first_turn() -> None:
    series = Series(seed=1, timeline="draft_powers", power_set="tempo", max_turns=4)
    game = series.next_game()
    assert game.first_player is None
    for action in ("draft 1", "draft 2", "go first"):
        game.play(action)
    assert game.first_player == "black"
    series.finish(referee(game, 1))
    assert series.games[0].first_player == "black"


def test_an_unfinished_game_is_not_counted() -> None:
    series = Series()
    with pytest.raises(ValueError, match="not over"):
        series.finish(series.next_game())
    assert series.games == []


def test_a_series_survives_its_file(tmp_path: Path) -> None:
    series = Series(
        ("Ada", "Bob"),
        seed=8,
        chapters=["growth", "memory"],
        powers=("brushwood", None),
        handicap=(1, 0),
        max_turns=20,
    )
    series.finish(referee(series.next_game(), 1))
    series.save(tmp_path / "series.json")
    loaded = Series.load(tmp_path / "series.json")
    assert loaded.to_dict() == series.to_dict()
    assert loaded.config == series.config
    assert loaded.next_game() == series.next_game()
    assert [path.name for path in tmp_path.iterdir()] == ["series.json"], (
        "nothing else may be left behind"
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda content: content | {"kind": "something else"}, "kind"),
        (lambda content: content | {"version": 2}, "version"),
        (lambda content: content | {"extra": 1}, "keys"),
        (lambda content: {key: value for key, value in content.items() if key != "games"}, "keys"),
        (lambda content: content | {"players": ["Ada", "Ada"]}, "players"),
        (lambda content: content | {"config": {"edition": "1999"}}, "edition"),
        (
            lambda content: (
                content | {"games": [{"first_player": "white", "result": "2-0", "turns": 3}]}
            ),
            "2-0",
        ),
        (lambda content: content | {"games": [{"first_player": "white"}]}, "result is missing"),
        (lambda content: content | {"games": 7}, "games=7 is invalid: it must be a list"),
        (lambda content: [content], "kind"),
    ],
)
def test_a_broken_series_file_is_refused_with_the_reason(
    tmp_path: Path, change: object, reason: str
) -> None:
    path = tmp_path / "series.json"
    Series(seed=1).save(path)
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(FileError, match=reason) as caught:
        Series.load(path)
    assert caught.value.path == path


GAME = {"first_player": "white", "result": "1-0", "turns": 9}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": 1.0}, "version 1.0 is not 1"),
        ({"version": True}, "version True is not 1"),
        ({"version": 10**400}, "no later version than 1"),
        ({"version": 0}, "version 0 is not 1, the only version"),
        ({"kind": ["tkm_env series"]}, "not a file of the kind"),
        ({"players": None}, "players=None is invalid"),
        ({"players": "ab"}, "players='ab' is invalid"),
        ({"players": ["Ada", 5]}, "players="),
        ({"players": ["Ada", ""]}, "players="),
        ({"players": ["Ada", "Bob", "Cyd"]}, "players="),
        ({"players": {"Ada": 1, "Bob": 2}}, "players="),
        ({"seed": None}, "seed=None is invalid"),
        ({"seed": True}, "seed=True is invalid"),
        ({"seed": 1.0}, "seed=1.0 is invalid"),
        ({"seed": -1}, "seed=-1 is invalid"),
        ({"seed": 2**128}, "seed="),
        ({"seed": "1"}, "seed='1' is invalid"),
        ({"config": []}, r"config=\[\] is invalid: it must be an object"),
        ({"config": {}}, "chapters is missing"),
        ({"games": {}}, "games={} is invalid: it must be a list"),
        ({"games": [[]]}, "games, number 1=.* it must be an object"),
        ({"games": [None]}, "games, number 1="),
        ({"games": [GAME, GAME | {"winner": "white"}]}, "games, number 2=.* there is no 'winner'"),
        ({"games": [GAME | {"turns": True}]}, "turns=True"),
        ({"games": [GAME | {"turns": 9.0}]}, "turns=9.0"),
        ({"games": [GAME | {"turns": 0}]}, "turns=0"),
        ({"games": [GAME | {"turns": 10_000}]}, "turns=10000"),
        ({"games": [GAME | {"result": None}]}, "result=None"),
        ({"games": [GAME | {"result": []}]}, r"result=\[\]"),
        ({"games": [GAME | {"first_player": ["white"]}]}, "first_player="),
        ({"games": [GAME | {"first_player": "Ada"}]}, "first_player='Ada'"),
    ],
)
def test_a_series_file_is_refused_with_the_file_the_key_and_the_reason(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    path = tmp_path / "series.json"
    Series(seed=1).save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(FileError, match=f"series.json: .*{reason}") as refused:
        Series.load(path)
    assert len(str(refused.value)) < 2_000


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"edition": "1999"}, "edition='1999'"),
        ({"chapter": "growth"}, "there is no 'chapter'"),
        (
            {"chapters": "growth"},
            r"chapters='growth' is invalid: in its stored form it is \['growth'\]",
        ),
        ({"chapters": ["memory", "growth"]}, "chapters="),
        ({"chapters": {"growth": 1}}, "chapters="),
        ({"chapters": 1}, "chapters=1"),
        ({"handicap": [True, False]}, "handicap="),
        ({"handicap": [0.0, 0]}, "handicap="),
        ({"max_turns": 200.0}, "max_turns=200.0"),
        ({"max_turns": True}, "max_turns=True"),
        ({"concede": 0}, "concede=0"),
        ({"powers": [None, None]}, "powers="),
        ({"config": None}, "there is no 'config'"),
        ({"players": None}, "there is no 'players'"),
    ],
)
def test_the_settings_in_a_series_file_are_those_that_are_kept(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    path = tmp_path / "series.json"
    Series(seed=1).save(path)
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"config": content["config"] | change}))
    with pytest.raises(FileError, match=reason):
        Series.load(path)


@pytest.mark.parametrize("kind", [Series, Campaign])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"\xef\xbb\xbf{}",
        b"[" * 10_000,
        b"9" * 5_000,
        b'{"kind": 1, "kind": 2}',
        b"[NaN]",
        b'"\\ud800"',
    ],
)
def test_anything_but_json_is_refused(tmp_path: Path, kind: Any, content: bytes) -> None:
    (tmp_path / "file.json").write_bytes(content)
    with pytest.raises(FileError, match=r"file\.json: it is not JSON: "):
        kind.load(tmp_path / "file.json")


@pytest.mark.parametrize("kind", [Series, Campaign])
@pytest.mark.parametrize(
    ("keyword", "given"),
    [
        ("players", 5),
        ("players", None),
        ("players", "ab"),
        ("players", b"ab"),
        ("players", {"Ada", "Bob"}),
        ("players", {"Ada": 1, "Bob": 2}),
        ("players", np.array(["Ada", "Bob"])),
        ("players", ("Ada",)),
        ("players", ("Ada", "Bob", "Cyd")),
        ("players", ("Ada", None)),
        ("players", ("Ada", "")),
        ("players", ("Ada", "\ud800")),
        ("players", ("Ada", ["Bob"])),
        ("seed", -1),
        ("seed", 2**128),
        ("seed", 10**5000),
        ("seed", "x"),
        ("seed", True),
        ("seed", 1.0),
        ("seed", [1, 2]),
        ("seed", np.array([1, 2])),
        ("seed", np.random.default_rng(1)),
        ("config", 5),
        ("config", {}),
        ("config", GameConfig),
        ("edition", ["2021"]),
        ("chapter", "growth"),
    ],
)
def test_invalid_arguments_are_refused_by_name(kind: Any, keyword: str, given: Any) -> None:
    with pytest.raises(ConfigError) as refused:
        kind(**{keyword: given})
    assert refused.value.keyword == keyword


def test_a_seed_of_numpy_is_kept(tmp_path: Path) -> None:
    Series(seed=np.int64(7)).save(tmp_path / "series.json")
    assert Series.load(tmp_path / "series.json").seed == 7


@pytest.mark.parametrize("content", [None, 5, [], "series", {}, {"players": ["Ada", "Bob"]}])
def test_anything_but_a_series_is_refused(content: Any) -> None:
    with pytest.raises(ConfigError, match="series="):
        Series.from_dict(content)


@pytest.mark.parametrize("game", [None, 5, "1-0", Game()])
def test_anything_but_a_finished_game_is_not_counted(game: Any) -> None:
    series, campaign = Series(), Campaign()
    for one in (series, campaign):
        with pytest.raises(ConfigError, match="game="):
            one.finish(game)
    assert series.games == campaign.series.games == []


@pytest.mark.parametrize("config", [0, "", {}, [], False])
def test_invalid_settings_of_the_next_game_are_refused(config: Any) -> None:
    with pytest.raises(ConfigError, match="config="):
        Series(seed=1).next_game(config)


def test_a_file_without_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "series.json").write_text('{"kind": ')
    with pytest.raises(FileError, match="JSON"):
        Series.load(tmp_path / "series.json")


def test_players_of_a_series_have_different_names() -> None:
    with pytest.raises(ConfigError, match="players"):
        Series(("Ada", "Ada"))
