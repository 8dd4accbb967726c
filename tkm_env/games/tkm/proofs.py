"""Proofs: whether a side can force a win within some turns, and the strategy that does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tkm_env.checks import checked_integer
from tkm_env.errors import ConfigError
from tkm_env.game.proofs import Proof
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.search.alphabeta import MAX_DEPTH, Searcher, turns_to_end
from tkm_env.games.tkm.search.evaluation import new_evaluator

#: The transposition table has 2**this entries of 48 bytes.
_TABLE_BITS: Final = 20


def prove(
    game: Game, turns: int, *, table_bits: int = _TABLE_BITS, on_depth: Callable[[int], object] = lambda depth: None
) -> Proof:
    """Find out whether a side can force a win within so many turns, by alpha-beta search of all of them without an evaluation.

    A win comes with a strategy, which `tkm_env.game.proofs.check_proof` checks. That there is none rests on the search: positions that it
    knows are told apart by keys of 64 bits, 2**``table_bits`` of them, 48 bytes each. Turns, 1 to 64, are counted over both sides;
    ``on_depth`` is called with each number of turns that has been searched. Raises a `ConfigError` if the game is over or has draw offers.

    >>> from tkm_env.game.proofs import check_proof
    >>> game = Game(position="W.../..../..../...B|W.../..../..../....|W.../..../..../.... - w f PF - 4/4 - ---/--- -/- 9")
    >>> proof = prove(game, 3)
    >>> proof.turns, proof.winner, check_proof(game, proof)
    (1, 'white', 1)
    >>> prove(Game(), 3).winner is None
    True
    """
    checked_integer("turns", turns, 1, MAX_DEPTH)
    checked_integer("table_bits", table_bits, 1, 28)
    if game.result is not None:
        raise ConfigError("position", game.position, f"the game is over: {game.result}")
    if game.config.draws:
        raise ConfigError("draws", True, "a game with draw offers is not searched to its end")
    searcher = Searcher(table_bits=table_bits, evaluator=new_evaluator(knows_endgames=False), only_proves=True)
    (found,) = searcher.best_turns(game.state, 1, depth=turns, on_depth=lambda results: on_depth(results[0].depth))
    end = turns_to_end(found.score)
    if end is None:
        return Proof(turns, None, {})
    first, second = game.players
    winner = game.to_act if found.score > 0 else second if game.to_act == first else first
    return Proof(end, winner, _strategy(game, end, winner, searcher))


def _strategy(game: Game, turns: int, winner: str, searcher: Searcher) -> dict[str, tuple[str, ...]]:
    """The turns with which a side wins within so many."""
    strategy: dict[str, tuple[str, ...]] = {}
    seen: set[str] = set()
    waiting = [game]
    while waiting:
        position = waiting.pop()
        if position.result is not None or position.position in seen:
            continue
        seen.add(position.position)
        if position.to_act == winner:
            turn = searcher.search(position.state, depth=turns - (position.turn - game.turn)).turn
            strategy[position.position] = tuple(position.action_names[action] for action in turn)
            position = position.copy()
            for action in turn:
                position.play(action)
            waiting.append(position)
        else:
            waiting += [way.after for way in position.turns()]
    return strategy
