"""Players of Terminus beside the random one. Imports `agents.protocol`'s checks, `game` and the engine.

No player looks at the order of the deck: all of them shuffle it before they try anything.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.agents.protocol import checked_count
from tkm_env.engine.state import copied
from tkm_env.terminus.engine.batch import play_all, play_at_random, shuffle_all
from tkm_env.terminus.engine.state import PLAYERS, UNDECIDED, VICTORY, WON
from tkm_env.terminus.game import TerminusGame

__all__ = ["GreedyAgent", "MonteCarloAgent"]

_SEEDS: Final = 2**62
_NOBODY: Final = -1
#: More than any lead in visible eras.
_A_WIN: Final = 100
#: With so many actions left the choice between them ends.
_FINALISTS: Final = 2
#: Fewer wins than any action has that is still looked at.
_DROPPED: Final = -1


class _Trying(ABC):
    """A player who tries every legal action in shuffled copies of the game, and plays what turns out best; of equals any."""

    name: str

    def __init__(self, seed: int | np.random.Generator | None) -> None:
        self.reset(seed)

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Draw from ``seed`` from now on."""
        self._generator = np.random.default_rng(seed)

    def act(self, game: TerminusGame) -> int:
        """The legal action that looks best; the game stays as it is."""
        legal = np.array(game.legal_actions())
        values = self._values(game, legal)
        return int(self._generator.choice(legal[values == values.max()]))

    @abstractmethod
    def _values(self, game: TerminusGame, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        """What each action is worth to the player to act."""

    def _after(self, game: TerminusGame, actions: NDArray[np.int64], *, to_the_end: bool) -> np.ndarray:
        """Shuffled copies of the game after one action each, or after random play from there to the end."""
        number = len(actions)
        states = copied(np.repeat(game.state, number))
        streams = self._generator.integers(1, _SEEDS, number).astype(np.uint64)
        masks = np.repeat(game.action_mask()[None], number, 0)
        shuffle_all(states, streams)
        play_all(states, states, actions, masks, np.zeros(number, np.bool_))
        if to_the_end:
            play_at_random(states, np.full(number, _NOBODY), streams, masks)
        return states


class GreedyAgent(_Trying):
    """Takes the action after which it leads by most visible eras; it wins when it can, and does not see what comes then.

    >>> game = TerminusGame(position="6:RAB|1:.I.|11:RAB|16:RAB r p T/3 ?0 -/- 13 -")
    >>> game.action_names[GreedyAgent(seed=1).act(game)]
    'play first at 14'
    """

    def __init__(self, *, seed: int | np.random.Generator | None = None) -> None:
        self.name = "greedy"
        super().__init__(seed)

    def _values(self, game: TerminusGame, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        player = PLAYERS.index(game.to_act)
        states = self._after(game, actions, to_the_end=False)
        mine, theirs = ((states["era"] == VICTORY + side).sum(1) for side in (player, 1 - player))
        won = np.where(states["result"] == UNDECIDED, 0, np.where(states["result"] == WON + player, _A_WIN, -_A_WIN))
        values: NDArray[np.float64] = (mine - theirs + won).astype(np.float64)
        return values


class MonteCarloAgent(_Trying):
    """Plays many random games to their ends after every action, and takes the one after which it wins most.

    Half of the actions are dropped, and the others played on, until one is left: sequential halving.

    Args:
        playouts: random games after each action that is still looked at, 1 to 10,000.
        seed: for the shuffles and the random games.

    Raises:
        ConfigError: if the number cannot be.

    >>> MonteCarloAgent(playouts=200, seed=1).act(TerminusGame(seed=1)) in TerminusGame(seed=1).legal_actions()
    True
    """

    def __init__(self, *, playouts: int = 50, seed: int | np.random.Generator | None = None) -> None:
        self._playouts = checked_count("playouts", playouts, most=10_000)
        self.name = f"montecarlo:playouts={playouts}"
        super().__init__(seed)

    def _values(self, game: TerminusGame, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        player = PLAYERS.index(game.to_act)
        wins = np.zeros(len(actions))
        left = np.arange(len(actions))
        while True:
            ends = self._after(game, np.repeat(actions[left], self._playouts), to_the_end=True)
            wins[left] += (ends["result"] == WON + player).reshape(len(left), self._playouts).sum(1)
            if len(left) <= _FINALISTS:
                return wins
            order = left[np.argsort(-wins[left], kind="stable")]
            left, dropped = np.split(order, [(len(left) + 1) // 2])
            wins[dropped] = _DROPPED
