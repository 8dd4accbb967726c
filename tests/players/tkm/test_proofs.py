"""Proofs: they agree with minimax, and the check of a strategy finds every fault."""

from __future__ import annotations

import pytest

from tests.games.tkm.positions import BLACK_WINS, NOBODY_WINS, WHITE_WINS, random_game
from tkm_env import ConfigError, Game, IllegalActionError
from tkm_env.core.proofs import check_proof
from tkm_env.players.tkm.proofs import prove


def by_minimax(game: Game, turns: int) -> int:
    """What White can force within that many turns: 1 to win, -1 to lose, else 0."""
    if game.result is not None or turns == 0:
        return {"white": 1, "black": -1}.get(game.winner or "", 0)
    values = [by_minimax(way.after, turns - 1) for way in game.turns()]
    return max(values) if game.to_act == "white" else min(values)


@pytest.mark.parametrize("position", [WHITE_WINS, BLACK_WINS, NOBODY_WINS])
def test_a_proof_is_what_minimax_finds(position: str) -> None:
    game = Game(position=position)
    proof = prove(game, 2)
    assert {"white": 1, "black": -1, None: 0}[proof.winner] == by_minimax(game, 2)


def test_every_win_in_random_games_comes_with_a_strategy_that_holds() -> None:
    found = set()
    for chapters in ("standard", "growth"):
        for seed in range(12):
            for game in random_game(Game(chapters=chapters), seed):
                if game.result is not None or game.turn % 3:
                    continue
                proof = prove(game, 4, table_bits=12)
                if proof.winner is not None:
                    found.add((proof.winner == game.to_act, proof.turns))
                    check_proof(game, proof)
    assert found >= {(True, 1), (True, 3), (False, 2), (False, 4)}


def win_in_three() -> Game:
    """White to act wins in three turns of both sides."""
    for seed in range(100):
        for game in random_game(Game(), seed):
            if game.result is None and game.to_act == "white":
                proof = prove(game, 3, table_bits=12)
                if proof.winner == "white" and proof.turns == 3 and len(proof.strategy) > 2:
                    return Game(position=game.position)
    raise AssertionError("none found")


@pytest.fixture
def three_turns() -> Game:
    return win_in_three()


def test_a_strategy_that_misses_an_answer_plays_illegally_or_takes_too_long_is_refused(
    three_turns: Game,
) -> None:
    proof = prove(three_turns, 5)
    assert (proof.winner, proof.turns) == ("white", 3)
    assert check_proof(three_turns, proof) > 2
    *_, last = proof.strategy
    with pytest.raises(ConfigError, match="does not say what to play here"):
        check_proof(
            three_turns,
            proof._replace(
                strategy={key: turn for key, turn in proof.strategy.items() if key != last}
            ),
        )
    with pytest.raises(ConfigError, match="'white' has not won here"):
        check_proof(three_turns, proof._replace(turns=2))
    with pytest.raises(ConfigError, match=r"'black' has not won here|does not say"):
        check_proof(three_turns, proof._replace(winner="black"))
    with pytest.raises(IllegalActionError):
        check_proof(
            three_turns, proof._replace(strategy={**proof.strategy, last: ("build", "build")})
        )


def test_what_cannot_be_proven_is_refused() -> None:
    with pytest.raises(ConfigError, match="draws=True"):
        prove(Game(draws=True), 3)
    game = Game(position=WHITE_WINS)
    game.play("focus present")
    with pytest.raises(ConfigError, match="the game is over"):
        prove(game, 3)
