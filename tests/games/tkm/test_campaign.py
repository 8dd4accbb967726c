"""Campaigns: when players go on, what they choose in the Coda, and who signs which envelope.

The files that keep campaigns are tested, too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.games.tkm.test_series import referee
from tkm_env import Campaign, ConfigError, FileError, Game, Series
from tkm_env.games.tkm.achievements import ACHIEVEMENTS
from tkm_env.games.tkm.campaign import CODA, FIRST_SET, JOURNEY
from tkm_env.games.tkm.config_values import TIMELINES
from tkm_env.games.tkm.engine.powers import POWER_SETS
from tkm_env.games.tkm.series import Finished

#: Black kills two of white's copies by one paradox, and with them opens the set `self`.
PARADOX = (
    "..B./..W./..W./....|W.../..../..../...B|W.../..../..../...B - b 2 FP P3 3/4 - ---/--- -/- 8"
)
TWO_OF_A_KIND = ("move south", "move west")


def at_stage(stage: str, games: int = 0) -> Campaign:
    """A campaign with a number of games played at a stage.

    Before it, its players have played no more than they must.
    """
    campaign = Campaign(("Ada", "Bob"), seed=1, max_turns=80)
    earlier = [*JOURNEY][: [*JOURNEY, CODA].index(stage)]
    campaign.stages = [name for name in earlier for _ in range(JOURNEY[name])] + [stage] * games
    campaign.series.games = [Finished("white", "1-0", 9) for _ in campaign.stages]
    campaign.stage = stage
    return campaign


def played(position: str, *actions: str) -> Game:
    game = Game(position=position, concede=True)
    for action in actions:
        game.play(action)
    return game


def reloaded(campaign: Campaign, folder: Path) -> Campaign:
    campaign.save(folder / "campaign.json")
    return Campaign.load(folder / "campaign.json")


@pytest.mark.parametrize(
    "settings",
    [
        {"chapters": "growth"},
        {"chapters": "standard"},
        {"timeline": "draft_powers"},
        {"chapters": "growth", "powers": ("brushwood", None)},
    ],
)
def test_a_campaign_leaves_to_the_journey_what_that_decides_on(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="in a campaign, the journey determines it"):
        Campaign(**settings)


@pytest.mark.parametrize("stage", JOURNEY)
def test_players_go_on_when_they_say_so_and_a_chapter_was_played_three_times(
    stage: str, tmp_path: Path
) -> None:
    for games in range(5):
        campaign = reloaded(at_stage(stage, games), tmp_path)
        assert campaign.stage == stage, "nobody goes on by playing"
        assert campaign.games_due == max(0, JOURNEY[stage] - games)
        if campaign.games_due:
            with pytest.raises(ConfigError, match=f"play it at least 3 times: {3 - games} more"):
                campaign.go_on()
            assert campaign.stage == stage
        else:
            campaign.go_on()
            assert (
                reloaded(campaign, tmp_path).stage == [*JOURNEY, CODA][[*JOURNEY].index(stage) + 1]
            )


def test_chapter_1_may_begin_without_a_standard_game_and_nothing_comes_after_the_coda() -> None:
    campaign = Campaign()
    assert (campaign.stage, campaign.games_due) == ("standard", 0)
    with pytest.raises(ConfigError, match="it is the last stage"):
        at_stage(CODA).go_on()


@pytest.mark.parametrize("stage", JOURNEY)
def test_a_game_before_the_coda_has_the_chapters_of_its_stage_and_signs_nothing(stage: str) -> None:
    campaign = at_stage(stage)
    assert campaign.next_config.timeline is None
    assert campaign.next_config == campaign.series.config.__class__(
        chapters=stage, first_player=campaign.series.next_first_player, max_turns=80
    )
    campaign.finish(played(PARADOX, *TWO_OF_A_KIND, "concede"))
    assert (campaign.signed, campaign.open_sets, campaign.next_sets) == ({}, [], [])


def test_the_coda_opens_an_unsigned_set_and_plays_timelines_with_basics_in_the_draw() -> None:
    campaign = at_stage(CODA)
    assert campaign.open_sets == campaign.next_sets == [FIRST_SET]
    assert campaign.signed == {}
    config = campaign.next_config
    assert (config.chapters, config.timeline, config.power_set) == (None, TIMELINES[0], FIRST_SET)
    drawn = {int(start.chapters).bit_count() for start in config.starts()[0]}
    assert drawn == {1, 2}, "two cards are drawn, of which one may be Basics"
    assert campaign.next_game() == campaign.next_game()


@pytest.mark.parametrize("timeline", TIMELINES)
def test_players_choose_the_card_and_one_of_the_opened_sets(timeline: str, tmp_path: Path) -> None:
    campaign = at_stage(CODA, games=1)
    campaign.signed = {"two-of-a-kind": "Ada", "unharmed": "Bob", "stampede": "Bob"}
    assert campaign.next_sets == ["tempo", "self", "beasts"]
    campaign.choose(power_set="beasts")
    campaign.choose(timeline=timeline)
    config = reloaded(campaign, tmp_path).next_config
    assert (config.timeline, config.power_set) == (timeline, "beasts")
    campaign.finish(referee(campaign.next_game(), 1))
    assert campaign.choice == {"timeline": None, "power_set": None}, "the next game is chosen anew"


def test_card_and_set_are_drawn_only_where_the_players_ask_for_it() -> None:
    campaign = at_stage(CODA, games=1)
    campaign.signed = {"two-of-a-kind": "Ada", "dominoes": "Ada", "stampede": "Bob"}
    drawn: dict[bool, set[Any]] = {False: set(), True: set()}
    for seed in range(20):
        campaign.series.seed = seed
        for asked in (False, True):
            campaign.choice = {"timeline": None, "power_set": None}
            if asked:
                campaign.choose(timeline="random", power_set="random")
            assert campaign.next_config == campaign.next_config
            drawn[asked].add((campaign.next_config.timeline, campaign.next_config.power_set))
    assert drawn[False] == {("draft_powers", "tempo")}
    assert {power_set for _, power_set in drawn[True]} == {*POWER_SETS}
    assert {timeline for timeline, _ in drawn[True]} == {*TIMELINES}


@pytest.mark.parametrize(
    ("stage", "choice", "reason"),
    [
        (
            "growth",
            {"timeline": "power_share"},
            "only games of the Coda are alternate timelines, not 'growth'",
        ),
        ("convergence", {"power_set": "tempo"}, "only games of the Coda"),
        (CODA, {"power_set": "self"}, "it must be 'tempo' or 'random'"),
        (CODA, {"timeline": "sharing"}, "it must be 'draft_powers', 'power_share' or 'random'"),
        (CODA, {"timeline": ["draft_powers"]}, "it must be"),
        (
            CODA,
            {"timeline": "power_share", "power_set": ("tempo",)},
            "it must be 'tempo' or 'random'",
        ),
    ],
)
def test_what_cannot_be_chosen_is_refused_and_changes_nothing(
    stage: str, choice: dict[str, Any], reason: str
) -> None:
    campaign = at_stage(stage)
    before = campaign.next_config
    with pytest.raises(ConfigError, match=reason):
        campaign.choose(**choice)
    assert campaign.next_config == before


def test_a_feat_is_told_when_it_is_completed_and_its_set_is_used_next_with_its_signer_first(
    tmp_path: Path,
) -> None:
    campaign = at_stage(CODA)
    game = played(PARADOX)
    told = []
    for action in (*TWO_OF_A_KIND, "focus present"):
        game.play(action)
        told.append(campaign.feats_in(game))
    assert told == [{"two-of-a-kind": "black"}] * 3, "the first action completes it"
    game.play("concede")
    campaign.finish(game)
    assert campaign.signed == {"two-of-a-kind": "Bob"}
    assert campaign.just_signed == {"two-of-a-kind": "black"}
    assert campaign.next_sets == ["self"], "what was just opened is used"
    config = reloaded(campaign, tmp_path).next_config
    assert (config.power_set, config.first_player) == ("self", "black")
    assert campaign.series.next_first_player == "white", "who lost, and would go first otherwise"
    assert campaign.feats_in(game) == {}, "an envelope is signed once"
    campaign.finish(
        played(
            (
                "W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w c PF - 4/4 - "
                "---/--- -/- 1"
            ),
            "concede",
        )
    )
    assert campaign.next_sets == campaign.open_sets == ["tempo", "self"]
    assert campaign.next_config.first_player == campaign.series.next_first_player


@pytest.mark.parametrize(
    ("power_set", "first_player"), [(None, "white"), ("self", "white"), ("beasts", "black")]
)
def test_of_several_sets_opened_in_one_game_the_players_choose_one_and_its_signer_goes_first(
    power_set: str | None, first_player: str
) -> None:
    campaign = at_stage(CODA, games=1)
    campaign.just_signed = {"unharmed": "black", "two-of-a-kind": "white", "stampede": "black"}
    campaign.signed = {"unharmed": "Bob", "two-of-a-kind": "Ada", "stampede": "Bob"}
    campaign.choose(power_set=power_set)
    assert campaign.next_sets == ["self", "beasts"]
    assert campaign.next_config.power_set == (power_set or "self")
    assert campaign.next_config.first_player == first_player


def test_an_envelope_without_a_set_changes_neither_the_next_set_nor_who_goes_first() -> None:
    campaign = at_stage(CODA, games=1)
    campaign.series.games[-1] = Finished("white", "0-1", 9)
    campaign.just_signed = {"unharmed": "black"}
    campaign.signed = {"unharmed": "Bob"}
    assert (campaign.next_config.power_set, campaign.next_config.first_player) == (
        FIRST_SET,
        "white",
    )


@pytest.mark.parametrize(
    ("stage", "games", "change", "reason"),
    [
        (CODA, 1, {"signed": []}, r"signed=\[\] is invalid: it must be an object"),
        (CODA, 1, {"signed": {"fly": "Ada"}}, "'Ada' cannot have signed 'fly'"),
        (CODA, 1, {"just_signed": None}, "just_signed=None"),
        (CODA, 1, {"signed": {"unharmed": "Cyd"}}, "'Cyd' cannot have signed 'unharmed'"),
        (CODA, 1, {"signed": {"unharmed": ["Ada"]}}, "cannot have signed 'unharmed'"),
        (
            CODA,
            1,
            {"signed": {"unharmed": "Ada"}, "just_signed": {"unharmed": "Ada"}},
            "'Ada' cannot have signed",
        ),
        (
            CODA,
            1,
            {"just_signed": {"unharmed": "white"}},
            "'unharmed' must be signed by white's player",
        ),
        (
            CODA,
            1,
            {"signed": {"unharmed": "Bob"}, "just_signed": {"unharmed": "white"}},
            "must be signed by white's player",
        ),
        (CODA, 0, {"signed": {"unharmed": "Ada"}}, "'Ada' cannot have signed 'unharmed'"),
        (CODA, 0, {"choice": {"timeline": None}}, "power_set is missing"),
        (CODA, 0, {"choice": {"timeline": "power_share", "power_set": "self"}}, "power_set='self'"),
        (
            "growth",
            0,
            {"choice": {"timeline": "power_share", "power_set": None}},
            "only games of the Coda",
        ),
        ("growth", 1, {"stages": []}, "stages=.* the stage of each of the 1 games"),
        ("growth", 1, {"stages": 1}, "stages=1"),
        ("growth", 1, {"stages": ["grwoth"]}, "it must be 'standard', "),
        ("growth", 1, {"stages": [["growth"]]}, "it must be 'standard', "),
        ("growth", 1, {"stages": ["influence"]}, "they must follow one another, up to 'growth'"),
        (
            "growth",
            1,
            {"stage": "influence"},
            "before 'influence', 'growth' must be played at least 3 times",
        ),
        ("growth", 1, {"stage": None}, "stage=None"),
        ("standard", 0, {"series": None}, "series=None is invalid"),
        ("standard", 0, {"series": {"config": {}}}, "series="),
        ("standard", 0, {"coda": True}, "there is no 'coda'"),
    ],
)
def test_a_campaign_file_that_does_not_fit_the_journey_is_refused(
    tmp_path: Path, stage: str, games: int, change: dict[str, Any], reason: str
) -> None:
    path = tmp_path / "campaign.json"
    assert reloaded(at_stage(stage, games), tmp_path).stage == stage
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(FileError, match=f"campaign.json: .*{reason}"):
        Campaign.load(path)


def test_a_campaign_file_with_settings_that_the_journey_decides_on_is_refused(
    tmp_path: Path,
) -> None:
    path = tmp_path / "campaign.json"
    campaign = Campaign(seed=1)
    campaign.series = Series(seed=1, chapters="growth")
    campaign.save(path)
    with pytest.raises(FileError, match="in a campaign, the journey determines it"):
        Campaign.load(path)


def test_three_of_nine_feats_open_the_sets_that_the_coda_does_not_begin_with() -> None:
    assert len(ACHIEVEMENTS) == len({achievement.name for achievement in ACHIEVEMENTS}) == 9
    opened = [achievement.unlocks for achievement in ACHIEVEMENTS if achievement.unlocks]
    assert sorted([FIRST_SET, *opened]) == sorted(POWER_SETS)
