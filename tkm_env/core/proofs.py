"""Proofs of forced wins: what is claimed, and a check that relies on the rules alone."""

from collections.abc import Mapping
from typing import NamedTuple

from tkm_env.core.game import BaseGame
from tkm_env.core.turns import played
from tkm_env.foundations.errors import ConfigError, repr_of


class Proof(NamedTuple):
    """What is proven about a position.

    Attributes:
        turns: the number of turns within which it holds, counting both sides, from the one being
            played.
        winner: the player who can force a win within them; None if neither can.
        strategy: how: for the text of each position in which the winner may come to act, the names
            of the turn's actions. Empty without a winner.
    """

    turns: int
    winner: str | None
    strategy: Mapping[str, tuple[str, ...]]


def check_proof(game: BaseGame, proof: Proof) -> int:
    """Play a winner's strategy against every answer.

    Args:
        game: the position that the proof is about; unchanged.
        proof: the proof, with a winner.

    Returns:
        The number of positions visited.

    Raises:
        ConfigError: naming the position in which the strategy fails.
    """
    seen: set[str] = set()
    waiting = [game]
    while waiting:
        position = waiting.pop()
        text = position.position
        if text in seen or (proof.winner is not None and position.winner == proof.winner):
            continue
        seen.add(text)
        if position.result is not None or position.turn - game.turn >= proof.turns:
            raise ConfigError("strategy", text, f"{repr_of(proof.winner)} has not won here")
        if position.to_act != proof.winner:
            waiting += [way.after for way in position.turns()]
            continue
        if text not in proof.strategy:
            raise ConfigError("strategy", text, "it does not say what to play here")
        waiting.append(played(position, proof.strategy[text]))
    return len(seen)
