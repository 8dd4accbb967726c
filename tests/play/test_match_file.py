"""Matches that are kept in a file: what is written when, how they go on, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.disks import bytes_of_all, full_beyond
from tests.games.tkm.positions import WHITE_WINS
from tkm_env import ConfigError, FileError, Game
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.games.tkm.campaign import CODA
from tkm_env.play.match_file import MatchFile
from tkm_env.play.session import Session
from tkm_env.play.tkm.session_matches import MATCHES, CampaignMatch


def begun(file: Path, settings: dict[str, Any] | None = None, **keywords: Any) -> Session[Game]:
    return MatchFile(file).session(TKM, settings or {}, **{"match": "series", **keywords})


def concede(session: Session[Game], *actions: str) -> Session[Game]:
    for action in (*actions, "concede"):
        session.play(action)
    return session


def standing(session: Session[Game]) -> tuple[str, ...]:
    assert session.match is not None
    return (session.match.status(session.game).title, *session.match.status(session.game).lines)


def test_a_series_goes_on_with_its_score_its_players_and_who_goes_first(tmp_path: Path) -> None:
    file = tmp_path / "series.json"
    first = concede(
        begun(
            file, {"chapters": "growth", "edition": "2022"}, opponent="person", side="black", seed=3
        ),
        "choose 1",
    )
    second = begun(file)
    assert standing(second) == ("Series, game 2", "white 0 : black 1")
    assert (second.players, second.seed, second.game.config) == (
        first.players,
        3,
        first.game.config,
    )
    assert second.game == first.next_in_match().game
    assert second.game.config.draws, "what suits two people is kept, too"
    concede(second)
    third = begun(file)
    assert standing(third) == ("Series, game 3", "white 0 : black 2")
    assert third.game.to_act == "white"


def test_an_agent_plays_on_its_side(tmp_path: Path) -> None:
    file = tmp_path / "series.json"
    concede(begun(file, opponent="greedy", side="white"))
    session = begun(file)
    assert session.players == {"white": "person", "black": "greedy"}
    assert begun(file, side="random").players == session.players


def test_a_campaign_goes_on_with_its_stage_its_envelopes_and_what_was_said(tmp_path: Path) -> None:
    file = tmp_path / "campaign.json"
    session = begun(file, match="campaign", opponent="person", seed=5)
    session.say("go on")
    assert standing(begun(file, match="campaign")) == standing(session)
    content = json.loads(file.read_text())
    won = {"first_player": "white", "result": "1-0", "turns": 9}
    stages = ["growth"] * 3 + ["influence"] * 3 + ["memory"] * 3 + ["convergence"] * 3 + [CODA]
    content["played"] |= {
        "games": [won] * 13,
        "stages": stages,
        "stage": CODA,
        "signed": {"two-of-a-kind": "black"},
    }
    file.write_text(json.dumps(content))
    session = begun(file, match="campaign")
    assert "Black signed the envelope two-of-a-kind." in standing(session)
    assert "Open sets of powers: tempo, self." in standing(session)
    session.say("power_set self")
    session.say("timeline power_share")
    again = begun(file, match="campaign")
    assert again.game == session.game
    assert again.game.config.timeline == "power_share"
    assert "In this game, both players use one power from the set self." in standing(again)


def test_a_match_is_made_again_from_what_it_tells_of_itself() -> None:
    for name in ("series", "campaign"):
        match = MATCHES[name](seed=1, concede=True)
        game = match.next_game()
        game.play("concede")
        match.finish(game)
        told = json.loads(json.dumps(match.to_dict()))
        again = MATCHES[name](seed=1, concede=True, played=told)
        assert (again.to_dict(), again.next_game()) == (match.to_dict(), match.next_game()), name
        with pytest.raises(ConfigError, match="games is missing"):
            MATCHES[name](
                seed=1, played={key: value for key, value in told.items() if key != "games"}
            )


def test_the_file_is_made_when_the_first_game_is_over_and_a_game_that_is_broken_off_does_not_count(
    tmp_path: Path,
) -> None:
    file = tmp_path / "series.json"
    session = begun(file, opponent="person")
    session.play("choose 1")
    assert bytes_of_all(tmp_path) == {}
    session.play("concede")
    kept = bytes_of_all(tmp_path)
    assert [*kept] == [file.name]
    following = session.next_in_match()
    following.play("choose 1")
    assert bytes_of_all(tmp_path) == kept
    assert standing(begun(file)) == ("Series, game 2", "white 0 : black 1")


def test_a_game_whose_end_is_taken_back_does_not_count(tmp_path: Path) -> None:
    file = tmp_path / "series.json"
    session = concede(begun(file, opponent="person"), "choose 1")
    session.take_back()
    assert standing(begun(file)) == ("Series, game 1", "white 0 : black 0")
    concede(session)
    assert standing(begun(file)) == ("Series, game 2", "white 0 : black 1")


def test_a_game_on_the_way_to_the_next_stage_counts_at_its_end() -> None:
    match = CampaignMatch(seed=1, concede=True)
    match.say("go on")
    game = match.next_game()
    assert match.status(game).lines[1] == "At least 3 more games before you can move on."
    game.play("concede")
    assert match.status(game).lines[1] == "At least 2 more games before you can move on."


# What is refused.


def test_a_file_of_another_match_is_refused_and_stays(tmp_path: Path) -> None:
    for keywords, message in (
        ({"match": "campaign"}, "match='series', not 'campaign'"),
        ({"opponent": "random"}, "opponent='greedy', not 'random'"),
        ({"side": "black"}, "side='white', not 'black'"),
        ({"seed": 2}, "seed=1, not 2"),
        ({"settings": {"chapters": "memory"}}, "chapters=('growth',), not ('memory',)"),
        ({"settings": {"handicap": "0,1"}}, "handicap=(0, 0), not (0, 1)"),
        ({"settings": {"concede": False}}, "concede=True, not False"),
    ):
        file = tmp_path / "series.json"
        concede(begun(file, {"chapters": "growth"}, opponent="greedy", seed=1))
        before = bytes_of_all(tmp_path)
        with pytest.raises(FileError) as caught:
            begun(file, **keywords)
        assert (
            str(caught.value)
            == f"{file}: it keeps a match with {message}: continue that one, or name another file"
        ), (keywords, message)
        assert bytes_of_all(tmp_path) == before, (keywords, message)


def test_a_file_of_another_game_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "series.json"
    concede(begun(file, opponent="person"))
    with pytest.raises(FileError, match="game='tkm', not 'terminus'"):
        MatchFile(file).session(TERMINUS, {}, match="series")


def test_the_same_settings_in_other_words_are_the_same(tmp_path: Path) -> None:
    file = tmp_path / "series.json"
    concede(begun(file, {"chapters": "growth+memory"}, opponent="person"))
    assert begun(file, {"chapters": "memory+growth"}).game.config.chapters == ("growth", "memory")


def changed(key: str, value: Any) -> Callable[[dict[str, Any]], object]:
    return lambda content: content.update({key: value})


def test_a_damaged_file_is_refused_and_stays(tmp_path: Path) -> None:
    for damage in (
        changed("kind", "tkm_env series"),
        changed("version", 2),
        changed("game", None),
        changed("match", ["series"]),
        changed("opponent", 5),
        changed("opponent", "clever"),
        changed("side", None),
        changed("side", "green"),
        changed("seed", None),
        changed("seed", -1),
        changed("clock", "soon"),
        changed("settings", []),
        changed("settings", {"chapters": "growht"}),
        changed("settings", {"opponent": "greedy"}),
        changed("played", None),
        changed("played", {"games": None}),
        changed("played", {"games": [{}]}),
        changed("played", {"games": [], "stage": "coda"}),
        lambda content: content.pop("clock"),
    ):
        file = tmp_path / "series.json"
        file.unlink(missing_ok=True)
        concede(begun(file, opponent="person"))
        content = json.loads(file.read_text())
        damage(content)
        file.write_text(json.dumps(content))
        before = bytes_of_all(tmp_path)
        with pytest.raises(FileError) as caught:
            begun(file)
        assert caught.value.path == file, damage
        assert bytes_of_all(tmp_path) == before, damage


def test_a_file_of_anything_else_is_refused_and_stays(tmp_path: Path) -> None:
    for content in ("", "Dear Ada", '{"kind": "tkm_env match", "version": 1', "[]"):
        file = tmp_path / "letter.txt"
        file.write_text(content)
        with pytest.raises(FileError):
            MatchFile(file)
        assert bytes_of_all(tmp_path) == {file.name: content.encode()}, content


def test_a_file_does_not_say_which_program_is_run(tmp_path: Path) -> None:
    file, bot = tmp_path / "series.json", tmp_path / "bot.py"
    bot.write_text("def first(observation, info):\n    return info['action_mask'].argmax()\n")
    concede(begun(file, opponent=f"{bot}:first"))
    bot.write_text("raise SystemExit('it was run')\n")
    with pytest.raises(FileError, match="is a program; name it again"):
        begun(file)
    bot.write_text("def first(observation, info):\n    return info['action_mask'].argmax()\n")
    assert standing(begun(file, opponent=f"{bot}:first")) == ("Series, game 2", "white 0 : black 1")


def test_what_something_else_has_written_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "series.json"
    one, other = (begun(file, opponent="person") for _ in range(2))
    concede(one)
    before = bytes_of_all(tmp_path)
    with pytest.raises(
        FileError, match="something else has changed it in the meantime; nothing is overwritten"
    ):
        concede(other)
    assert other.game.result is None
    assert bytes_of_all(tmp_path) == before


def test_a_game_that_cannot_be_kept_does_not_end(tmp_path: Path) -> None:
    file = tmp_path / "series.json"
    session = begun(file, opponent="person")
    with full_beyond(10), pytest.raises(FileError, match="cannot be written"):
        session.play("concede")
    assert (session.game.history, session.can_take_back, bytes_of_all(tmp_path)) == ([], False, {})
    concede(session)
    assert standing(begun(file)) == ("Series, game 2", "white 0 : black 1")


def test_what_is_said_but_cannot_be_kept_is_not_said(tmp_path: Path) -> None:
    session = begun(tmp_path / "campaign.json", match="campaign", opponent="person")
    with full_beyond(10), pytest.raises(FileError, match="cannot be written"):
        session.say("go on")
    assert standing(session) == ("Campaign, standard, game 1", "white 0 : black 0")


def test_a_match_from_a_position_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the games of a series start from the usual position"):
        begun(tmp_path / "series.json", position=WHITE_WINS)
