"""Two agents play, and people watch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tkm_env import ConfigError
from tkm_env.core.turns import played
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.play.kept_games import KeptGames
from tkm_env.play.lines import thinking_as_json
from tkm_env.play.session import PERSON, Session


def watched(**keywords: Any) -> Session[Any]:
    return Session(
        TKM, {}, **{"opponent": "mcts:iterations=40", "watch": "greedy", "seed": 1, **keywords}
    )


def test_agents_play_to_the_end_and_tell_what_they_considered() -> None:
    session = watched(opponent="greedy")
    tellers = set()
    while not session.is_over:
        session.let_agent_play()
        assert session.thinking is not None
        told = thinking_as_json(session.adapter, session.thinking)
        tellers.add(told["player"])
        line = told["lines"][0]
        assert line["worth"].endswith("to win")
        after = played(session.thinking.game, line["turns"][0]["actions"])
        assert after.turn_id != session.thinking.game.turn_id or after.result is not None
    assert tellers == {"white", "black"}
    assert not session.can_undo
    assert not session.can_take_back


def test_agents_that_play_a_person_keep_their_thoughts() -> None:
    session = watched(watch=None, side="black")
    session.let_agent_play()
    assert session.thinking is None


@pytest.mark.parametrize(
    "keywords",
    [{"watch": PERSON}, {"opponent": PERSON}, {"match": "series"}],
    ids=lambda keywords: next(iter(keywords)),
)
def test_a_game_without_two_agents_is_not_one_to_watch(keywords: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="watch="):
        watched(**keywords)


def test_the_agents_swap_sides_for_a_rematch() -> None:
    session = watched()
    again = session.rematch()
    assert again.players == {"white": "mcts:iterations=40", "black": "greedy"}


def test_a_watched_game_is_continued(tmp_path: Path) -> None:
    session = watched()
    for _ in range(7):
        session.let_agent_play()
    KeptGames(tmp_path).keep(session)
    continued = KeptGames(tmp_path).session(session.id)
    assert continued.players == session.players
    assert continued.game == session.game
    assert "greedy and mcts:iterations=40" in KeptGames(tmp_path).all()[0].label


def test_thoughts_do_not_tell_which_card_comes_next() -> None:
    session: Session[Any] = Session(
        TERMINUS, {}, opponent="ismcts:iterations=30", watch="greedy", seed=1
    )
    seen = 0
    for _ in range(12):
        if session.is_over:
            break
        session.let_agent_play()
        assert session.thinking is not None
        for line in thinking_as_json(session.adapter, session.thinking)["lines"]:
            assert len(line["turns"]) == 1
            assert "drawn" not in line["turns"][0]["words"]
            seen += 1
    assert seen > 0
