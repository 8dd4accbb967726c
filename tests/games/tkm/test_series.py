"""Series and campaigns: who goes first, the score, what is unlocked, and the files they are kept in."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tkm_env import Campaign, ConfigError, FileError, Game, Series
from tkm_env.games.tkm.achievements import ACHIEVEMENTS
from tkm_env.games.tkm.campaign import JOURNEY
from tkm_env.games.tkm.engine.powers import POWER_SETS
from tkm_env.games.tkm.series import Finished, first_player_after


def play_out(game: Game, seed: int) -> Game:
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
def test_the_loser_goes_first_and_after_a_draw_whoever_went_second(first_player: str, result: str, following: str) -> None:
    assert first_player_after(Finished(first_player, result, 9)) == following


def test_a_series_keeps_score_and_hands_on_the_first_turn() -> None:
    series = Series(("Ada", "Bob"), seed=3, chapters="convergence", max_turns=60)
    for number in range(12):
        game = series.next_game()
        assert game.first_player == series.next_first_player
        assert game == series.next_game(), "the next game stays the same until it is finished"
        series.finish(play_out(game, number))
    assert sum(series.score.values()) == 12
    wins = [game.winner for game in series.games]
    assert series.score["Ada"] == sum(1.0 if winner == "white" else 0.5 if winner is None else 0 for winner in wins)


def test_a_series_with_a_timeline_counts_who_took_the_first_turn() -> None:
    series = Series(seed=1, timeline="draft_powers", power_set="tempo", max_turns=4)
    game = series.next_game()
    assert game.first_player is None
    for action in ("draft 1", "draft 2", "go first"):
        game.play(action)
    assert game.first_player == "black"
    series.finish(play_out(game, 1))
    assert series.games[0].first_player == "black"


def test_an_unfinished_game_is_not_counted() -> None:
    series = Series()
    with pytest.raises(ValueError, match="not over"):
        series.finish(series.next_game())
    assert series.games == []


def test_a_series_survives_its_file(tmp_path: Path) -> None:
    series = Series(
        ("Ada", "Bob"), seed=8, chapters=["growth", "memory"], powers=("brushwood", None), handicap=(1, 0), max_turns=20
    )
    series.finish(play_out(series.next_game(), 1))
    series.save(tmp_path / "series.json")
    loaded = Series.load(tmp_path / "series.json")
    assert loaded.to_dict() == series.to_dict()
    assert loaded.config == series.config
    assert loaded.next_game() == series.next_game()
    assert [path.name for path in tmp_path.iterdir()] == ["series.json"], "nothing else may be left behind"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda content: content | {"kind": "something else"}, "kind"),
        (lambda content: content | {"version": 2}, "version"),
        (lambda content: content | {"extra": 1}, "keys"),
        (lambda content: {key: value for key, value in content.items() if key != "games"}, "keys"),
        (lambda content: content | {"players": ["Ada", "Ada"]}, "players"),
        (lambda content: content | {"config": {"edition": "1999"}}, "edition"),
        (lambda content: content | {"games": [{"first_player": "white", "result": "2-0", "turns": 3}]}, "2-0"),
        (lambda content: content | {"games": [{"first_player": "white"}]}, "result is missing"),
        (lambda content: content | {"games": 7}, "games=7 is invalid: it must be a list"),
        (lambda content: [content], "kind"),
    ],
)
def test_a_broken_series_file_is_refused_with_the_reason(tmp_path: Path, change: object, reason: str) -> None:
    path = tmp_path / "series.json"
    Series(seed=1).save(path)
    path.write_text(json.dumps(change(json.loads(path.read_text()))))  # type: ignore[operator]
    with pytest.raises(FileError, match=reason) as caught:
        Series.load(path)
    assert caught.value.path == path


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "series.json").write_text('{"kind": ')
    with pytest.raises(FileError, match="JSON"):
        Series.load(tmp_path / "series.json")


def test_players_of_a_series_have_different_names() -> None:
    with pytest.raises(ConfigError, match="players"):
        Series(("Ada", "Ada"))


def test_a_campaign_follows_the_rulebook_and_survives_its_file(tmp_path: Path) -> None:
    campaign = Campaign(("Ada", "Bob"), seed=2, max_turns=3)
    stages = []
    for number in range(len(JOURNEY) + 2):
        stages.append(campaign.stage)
        campaign.finish(play_out(campaign.next_game(), number))
        campaign.save(tmp_path / "campaign.json")
        loaded = Campaign.load(tmp_path / "campaign.json")
        assert loaded.next_config == campaign.next_config
        assert loaded.signed == campaign.signed
    names = ["standard", *["growth"] * 3, *["influence"] * 3, *["memory"] * 3, *["convergence"] * 3, "coda", "coda"]
    assert stages == names


def test_envelopes_are_signed_in_the_coda_only_and_open_their_sets() -> None:
    campaign = Campaign(("Ada", "Bob"), seed=5, max_turns=80)
    for number in range(len(JOURNEY)):
        campaign.finish(play_out(campaign.next_game(), number))
    assert campaign.signed == {}
    opened: set[str] = set()
    for number in range(25):
        config = campaign.next_config
        if campaign.just_signed:
            assert config.first_player == next(iter(campaign.just_signed.values())), "who signed goes first"
        if campaign.open_sets:
            assert config.power_set in campaign.open_sets
            assert config.timeline is not None
        else:
            assert config.chapters == "convergence"
        before = dict(campaign.signed)
        campaign.finish(play_out(campaign.next_game(), 100 + number))
        assert campaign.signed.items() >= before.items(), "a signature stays"
        opened.update(campaign.open_sets)
    assert opened
    assert set(campaign.signed.values()) <= {"Ada", "Bob"}


def test_a_campaign_file_with_an_unknown_envelope_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "campaign.json"
    Campaign(seed=1).save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"signed": {"fly": "white"}}))
    with pytest.raises(FileError, match="fly"):
        Campaign.load(path)


def test_four_of_nine_feats_open_the_four_sets() -> None:
    assert len(ACHIEVEMENTS) == len({achievement.name for achievement in ACHIEVEMENTS}) == 9
    assert sorted(achievement.unlocks for achievement in ACHIEVEMENTS if achievement.unlocks) == sorted(POWER_SETS)
