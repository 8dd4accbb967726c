"""Proofs that a side can force a win within a number of turns, with the strategy."""

from collections.abc import Callable
from typing import Final

from tkm_env.core.proofs import Proof
from tkm_env.core.turns import played
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import ConfigError
from tkm_env.games.tkm.engine.state import PLAYERS
from tkm_env.games.tkm.game import Game
from tkm_env.players.tkm.search.proof_search import MAX_DEPTH, ProofSearcher

#: The default size of the table: it has 2**20 entries of 24 bytes.
_TABLE_BITS: Final = 20


def prove(
    game: Game,
    turns: int,
    *,
    table_bits: int = _TABLE_BITS,
    on_progress: Callable[[float], object] = lambda done: None,
) -> Proof:
    """Find out whether a side can force a win within a number of turns.

    A win comes with a strategy, which `check_proof` checks. That there is no win rests on 64-bit
    hash keys.

    Args:
        game: the game, at the position in question; unchanged.
        turns: the number of turns to look ahead, 1 to 64, counting both sides.
        table_bits: 1 to 28; the transposition table has 2**``table_bits`` entries of 24 bytes.
        on_progress: called from time to time with the number of turns searched so far, including
            fractions.

    Returns:
        The proof within the fewest turns; its ``winner`` is None if neither side can force a win.

    Raises:
        ConfigError: if a number is out of range, the game is over, or it has draw offers.
    """
    checked_integer("turns", turns, 1, MAX_DEPTH)
    checked_integer("table_bits", table_bits, 1, 28)
    if game.result is not None:
        raise ConfigError("position", game.position, f"the game is over: {game.result}")
    if game.config.draws:
        raise ConfigError("draws", True, "a game with draw offers is not searched to its end")
    searcher = ProofSearcher(turns, table_bits)
    mover = PLAYERS.index(game.to_act)
    for within in range(1, turns + 1):
        # No side loses in its own turn, so only the side that plays the last of these turns can win
        # in it.
        attacker = mover if within % 2 else 1 - mover
        if searcher.winning_turn(game.state, attacker, within, on_progress) is not None:
            return Proof(within, PLAYERS[attacker], _strategy(game, within, attacker, searcher))
        on_progress(within)
    return Proof(turns, None, {})


def _strategy(
    game: Game, turns: int, winner: int, searcher: ProofSearcher
) -> dict[str, tuple[str, ...]]:
    """Return the turn with which ``winner`` wins, for each position that can arise."""
    strategy: dict[str, tuple[str, ...]] = {}
    seen: set[str] = set()
    waiting = [game]
    while waiting:
        position = waiting.pop()
        if position.result is not None or position.position in seen:
            continue
        seen.add(position.position)
        if position.to_act == PLAYERS[winner]:
            turn = searcher.winning_turn(
                position.state, winner, turns - (position.turn - game.turn)
            )
            assert turn is not None
            strategy[position.position] = tuple(position.action_names[action] for action in turn)
            waiting.append(played(position, turn))
        else:
            waiting += [way.after for way in position.turns()]
    return strategy
