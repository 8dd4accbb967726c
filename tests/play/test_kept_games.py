"""Unfinished games are kept in files, and continued where they were left."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tkm_env import ConfigError, FileError
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.games.terminus.deck import write_deck
from tkm_env.play import kept_games
from tkm_env.play.kept_games import KeptGames
from tkm_env.play.session import Session

SESSIONS: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    "standard": (TKM, {}, {"opponent": "greedy", "side": "black"}),
    "chapters": (TKM, {"chapters": "growth+memory", "concede": True}, {"opponent": "random"}),
    "powers": (TKM, {"powers": "doorway,none", "max_turns": 9}, {}),
    "draft": (TKM, {"timeline": "draft_powers"}, {"opponent": "random"}),
    "clock": (TKM, {}, {"clock": "5+3"}),
    "series": (TKM, {"max_turns": 3}, {"opponent": "random", "match": "series"}),
    "campaign": (TKM, {"max_turns": 3}, {"match": "campaign"}),
    "terminus": (TERMINUS, {}, {"opponent": "random"}),
}


@pytest.fixture(params=SESSIONS)
def session(request: pytest.FixtureRequest) -> Session[Any]:
    """A new session of some kind."""
    spec, settings, options = SESSIONS[request.param]
    return Session(spec, settings, seed=5, **options)


def play_some(session: Session[Any], actions: int, generator: np.random.Generator) -> Session[Any]:
    """Play random actions for people, and on through a match; the session that goes on."""
    for _ in range(actions):
        if session.is_over:
            if session.match is None:
                break
            session = session.next_in_match()
        if session.waits_for_agent:
            session.let_agent_play()
        else:
            session.play(str(generator.choice(session.game.legal_names())))
    return session


def begin(session: Session[Any]) -> None:
    """Play more than the obvious action."""
    session.play("choose 1")
    session.play("move east")


def seen_of(session: Session[Any]) -> dict[str, Any]:
    """What a person sees of a session, and what the next game would be."""
    status = None if session.match is None else session.match.status(session.match_game)
    return {
        "position": session.game.position,
        "history": [*session.game.history],
        "players": session.players,
        "log": session.adapter.log(session.game),
        "can undo": session.can_undo,
        "can take back": session.can_take_back,
        "match": status,
        "clock": session.clock is not None
        and [round(left) for left in session.clock.left().values()],
        "record": session.to_record(),
    }


@pytest.mark.parametrize("actions", [2, 7, 30])
def test_a_kept_game_is_continued_as_it_was_left(
    session: Session[Any], actions: int, tmp_path: Path
) -> None:
    session = play_some(session, actions, np.random.default_rng(actions))
    KeptGames(tmp_path).keep(session)
    restored = KeptGames(tmp_path).session(session.id)
    assert seen_of(restored) == seen_of(session)
    assert restored.id == session.id
    while session.can_take_back and restored.can_take_back:
        session.take_back()
        restored.take_back()
        assert restored.game == session.game
    assert session.can_take_back == restored.can_take_back


def test_a_rematch_of_a_continued_game_has_a_deck_of_its_own(tmp_path: Path) -> None:
    session = play_some(
        Session(TERMINUS, {}, opponent="random", seed=5), 4, np.random.default_rng(1)
    )
    KeptGames(tmp_path).keep(session)
    assert KeptGames(tmp_path).session(session.id).rematch().asked["position"] is None


def test_games_are_listed_latest_first_with_words_for_people(tmp_path: Path) -> None:
    kept = KeptGames(tmp_path)
    first = play_some(
        Session(TKM, {"chapters": "growth"}, opponent="greedy"), 4, np.random.default_rng(1)
    )
    second = play_some(Session(TERMINUS, {}), 4, np.random.default_rng(1))
    for age, session in ((60, first), (5, second)):
        kept.keep(session)
        path = tmp_path / f"{session.id}.json"
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime - age))
    assert [game.id for game in kept.all()] == [second.id, first.id]
    label = kept.all()[1].label
    assert "Growth" in label or "growth" in label
    assert f"turn {first.game.turn}" in label
    assert "against" in label
    assert 59 < kept.all()[1].age < 100


def test_what_is_over_or_not_begun_or_a_lesson_is_not_offered(tmp_path: Path) -> None:
    kept = KeptGames(tmp_path)
    new = Session(TKM, {})
    new.play("choose 1")  # which the page does by itself
    lesson = Session.of_exercise(TKM, "first steps", 2)
    for _ in range(2):
        lesson.play(lesson.game.legal_names()[0])
    over = play_some(Session(TKM, {"max_turns": 1}), 100, np.random.default_rng(1))
    for session in (new, lesson, over):
        kept.keep(session)
    assert kept.all() == []
    restored = kept.session(lesson.id)
    assert restored.exercise_place == ("first steps", 2)
    assert restored.game == lesson.game
    assert kept.session(over.id).is_over, "until it is replaced, a finished game can be looked at"
    with pytest.raises(ConfigError, match="no such game"):
        kept.session(new.id)


def test_a_game_from_which_all_was_undone_is_forgotten(tmp_path: Path) -> None:
    session, kept = Session(TKM, {}), KeptGames(tmp_path)
    begin(session)
    kept.keep(session)
    session.undo()
    kept.keep(session)
    assert [*tmp_path.iterdir()] == []


def test_only_the_latest_games_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_games, "MOST_GAMES", 3)
    kept, ids = KeptGames(tmp_path), []
    for number in range(5):
        session = Session(TKM, {})
        begin(session)
        kept.keep(session)
        os.utime(tmp_path / f"{session.id}.json", (number, number))
        ids.append(session.id)
    assert {game.id for game in kept.all()} == {*ids[2:]}


@pytest.mark.parametrize("given", ["", "../secret", "0" * 15, "0" * 16, "g" * 16])
def test_an_id_that_is_none_is_refused(tmp_path: Path, given: str) -> None:
    with pytest.raises(ConfigError, match="no such game"):
        KeptGames(tmp_path / "games").session(given)


def test_a_folder_that_cannot_be_written_ends_no_game(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept, session = KeptGames(tmp_path / "file" / "games"), Session(TKM, {})
    begin(session)
    kept.keep(session)
    assert kept.problem
    assert kept.all() == []


def broken(content: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Contents of files with something wrong."""
    return {
        "another form": content | {"actions": "choose 1"},
        "an illegal action": content | {"actions": ["choose 1", "choose 1"]},
        "another game": content | {"game": "chess"},
        "an unknown setting": content | {"settings": {"colour": "red"}},
        "a clock of a stranger": content | {"clock": "5", "left": {"red": 1}},
        "more times than actions": content | {"seconds": [1, 2, 3]},
        "no opponent": {key: value for key, value in content.items() if key != "opponent"},
        "a later version": content | {"version": 2},
        "an exercise out of range": content | {"exercise": ["first steps", 99]},
        "a position that is none": content | {"start": "nowhere"},
    }


@pytest.mark.parametrize("what", [*broken({})])
def test_a_damaged_file_is_refused_by_name_and_hides_no_other(tmp_path: Path, what: str) -> None:
    kept, sessions = KeptGames(tmp_path), [Session(TKM, {}), Session(TKM, {})]
    for session in sessions:
        begin(session)
        kept.keep(session)
    damaged, intact = sessions
    path = tmp_path / f"{damaged.id}.json"
    path.write_text(json.dumps(broken(json.loads(path.read_text()))[what]))
    with pytest.raises(FileError, match=damaged.id):
        kept.session(damaged.id)
    assert intact.id in [game.id for game in kept.all()]


def test_continuing_runs_no_program_and_reads_no_file_that_was_not_named(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("class Bot:\n    def act(self, game):\n        return game.legal_actions()[0]\n")
    line = f"{bot}:Bot"
    session = Session(TKM, {}, opponent=line)
    begin(session)
    kept = KeptGames(tmp_path / "games")
    kept.keep(session)
    with pytest.raises(FileError, match="name it again"):
        kept.session(session.id)
    assert kept.session(session.id, [line]).players["black"] == line
    deck = tmp_path / "deck.json"
    write_deck(deck)
    other = Session(TERMINUS, {"deck": str(deck)})
    other.play(other.game.legal_names()[0])
    kept.keep(other)
    with pytest.raises(FileError, match="name it again"):
        kept.session(other.id)
    assert kept.session(other.id, [str(deck)]).game == other.game


def test_without_a_home_nothing_is_kept_and_the_reason_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept_games.platformdirs, "user_state_path", lambda *_, **__: Path("~/x"))
    kept, session = KeptGames.of_user(), Session(TKM, {})
    begin(session)
    kept.keep(session)
    assert kept.problem == "there is no home folder"
    assert kept.all() == []
