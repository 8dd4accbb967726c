"""Best responses to a fixed agent: a player that knows it, and the value of the best play.

The value is exact, for games that are small enough.
"""

import dataclasses
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tkm_env.core.agent import Agent, game_over_error
from tkm_env.core.game import BaseGame
from tkm_env.foundations.checks import checked_choice, checked_integer
from tkm_env.foundations.errors import ConfigError, MachineError
from tkm_env.players.command_agent import CommandAgent
from tkm_env.players.factory import make_agent
from tkm_env.players.player_spec import LLM, PlayerKind, PlayerRequest, PlayerSpec
from tkm_env.players.roster import ROSTERS

#: The number of playouts before an action, by default and at most.
PLAYOUTS: Final = 100
_MOST_PLAYOUTS: Final = 10**6
#: The weight of the exploration term (UCB1).
_EXPLORATION: Final = 0.2


@dataclasses.dataclass
class _Decision:
    """The statistics of the playouts that reached one decision.

    Attributes:
        untried: the legal actions that have not been tried; the last one is tried first.
        tried: for each action tried, the number of playouts that continued with it, and the sum of
            their values.
        visits: the number of playouts that came here.
    """

    untried: list[int]
    tried: dict[int, tuple[int, float]] = dataclasses.field(default_factory=dict)
    visits: int = 0

    def choose(self) -> int:
        """Choose an untried action if the tried ones have enough visits, else the best by UCB1."""
        if self.untried and len(self.tried) ** 2 <= self.visits:
            return self.untried.pop()
        width = _EXPLORATION * math.sqrt(math.log(self.visits + 1))
        bounds = {
            action: total / visits + width / math.sqrt(visits)
            for action, (visits, total) in self.tried.items()
        }
        return max(bounds, key=bounds.__getitem__)

    def note(self, action: int, value: float) -> None:
        """Count a playout that continued with this action."""
        self.visits += 1
        visits, total = self.tried.get(action, (0, 0.0))
        self.tried[action] = visits + 1, total + value

    def is_clear(self, playouts: int) -> bool:
        """Whether more playouts, up to this number, cannot change the most visited action."""
        return (
            self.visits >= playouts
            or 2 * max(visits for visits, _ in self.tried.values()) > playouts
        )


class BestResponse:
    """Looks for the best play against one agent, by playing copies of the game out against it.

    With the agent fixed, this is a decision problem of one player. A tree of its decisions, keyed
    by what is visible, grows by UCB1; the more often a decision is visited, the more alternatives
    are tried. Past the tree the guides choose, except that a line known to win is continued. The
    player knows the agent, but neither the agent's random numbers nor what `determinize` draws
    again.

    Args:
        agent: the agent to beat, which must run in this process.
        guides: agents that choose actions past the tree, in turns from playout to playout; at least
            one.
        playouts: the number of playouts before an action, from 1 to 1,000,000.
        seed: where random numbers come from; None draws a seed from the system.

    Raises:
        ConfigError: if the agent runs outside this process, or ``playouts`` is out of range.
    """

    def __init__(
        self,
        agent: Agent,
        guides: Sequence[Agent],
        *,
        playouts: int = PLAYOUTS,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        if isinstance(agent, CommandAgent):
            raise ConfigError(
                "agent",
                agent.name,
                "only an agent in this process, such as a trusted file, can be simulated",
            )
        self._agent, self._guides = agent, guides
        self._playouts = checked_integer("playouts", playouts, 1, _MOST_PLAYOUTS)
        self.name = f"exploit {agent.name}"
        self.reset(seed)

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        self._generator = np.random.default_rng(seed)
        #: The player's decisions, by the text of the visible position.
        self._decisions: dict[str, _Decision] = {}
        #: The actions of the first winning playout from each root, by the same texts.
        self._won: dict[str, int] = {}

    def act(self, game: Any) -> int:
        """Return the action with which most playouts continued.

        Raises:
            IllegalActionError: if the game is over.
        """
        legal: list[int] = game.legal_actions()
        if not legal:
            raise game_over_error()
        if len(legal) == 1:
            return legal[0]
        for player in (self._agent, *self._guides):
            if hasattr(player, "reset"):
                player.reset(self._generator)
        position = game.visible_position
        root = self._decision(game, position, self._guides[0])
        while not (root.tried and root.is_clear(self._playouts)):
            number = 0 if position in self._won else root.visits % len(self._guides)
            self._play_out(game.determinize(self._generator), self._guides[number])
        # Among equally visited actions, take the one with the highest value.
        return max(root.tried, key=root.tried.__getitem__)

    def _decision(self, game: Any, position: str, guide: Agent) -> _Decision:
        """Return the statistics of the pending decision, new if it was never reached.

        The first action to try is one that won before or, failing that, the guide's.
        """
        if position not in self._decisions:
            first = self._won.get(position)
            first = guide.act(game.determinize(self._generator)) if first is None else first
            others = self._generator.permutation(
                [action for action in game.legal_actions() if action != first]
            ).tolist()
            self._decisions[position] = _Decision([*others, first])
        return self._decisions[position]

    def _play_out(self, game: Any, guide: Agent) -> None:
        """Play a game to its end, and note the outcome at each decision up to the first new one."""
        player, winner, grows, follows = game.to_act, None, True, True
        path: list[tuple[_Decision, int]] = []
        own: list[tuple[Any, int]] = []
        is_won_before = game.visible_position in self._won
        while game.result is None:
            if game.to_act != player:
                try:
                    game.play(self._agent.act(game.copy()))
                except MachineError:
                    raise
                except Exception:  # agents may raise anything
                    winner = player
                    break
                continue
            position = game.visible_position if grows or follows else ""
            follows = position in self._won
            if grows and len(game.legal_actions()) > 1:
                decision = self._decision(game, position, guide)
                grows = bool(decision.tried)
                action = decision.choose()
                path.append((decision, action))
            else:
                action = self._won[position] if follows else guide.act(game)
            if not is_won_before:
                own.append((game.copy(), action))
            game.play(action)
        winner = winner or game.winner
        if winner == player:
            self._won.update((then.visible_position, action) for then, action in own)
        points = 0.5 if winner is None else float(winner == player)
        value = 0.5 + (points - 0.5) * (1 - game.turn / (2 * game.config.max_turns))
        for decision, action in path:
            decision.note(action, value)


#: The largest number of positions to search.
_MOST_POSITIONS: Final = 200_000


def best_response_value(
    game: BaseGame,
    player: str,
    probabilities: Callable[[Any], Mapping[int, float]],
    most_positions: int = _MOST_POSITIONS,
) -> float:
    """Compute the points that a player expects with the best play against a known opponent.

    Args:
        game: the game to play from; unchanged.
        player: the name of the player that plays best.
        probabilities: returns the probability of each of the opponent's actions, by index, given a
            game; it must follow from the position alone.
        most_positions: the largest number of positions to search.

    Returns:
        The expected points, from 0 to 1.

    Raises:
        ConfigError: if there is no such player, something is hidden, or there are more positions.
    """
    checked_choice("player", player, game.players)
    if game.hides():
        raise ConfigError("game", game.name, "it hides information, so there is no exact value")
    known: dict[str, float] = {}

    def value(now: Any) -> float:
        if now.result is not None:
            return 0.5 if now.winner is None else float(now.winner == player)
        position = now.position
        if position not in known:
            if len(known) >= most_positions:
                raise too_large
            if now.to_act == player:
                known[position] = max(value(_after(now, action)) for action in now.legal_actions())
            else:
                shares = probabilities(now).items()
                known[position] = sum(
                    share * value(_after(now, action)) for action, share in shares if share
                )
        return known[position]

    too_large = ConfigError(
        "game",
        game.name,
        f"it is too large for an exact value: more than {most_positions:,} positions",
    )
    try:
        return value(game)
    except RecursionError:
        raise too_large from None


def _after(game: BaseGame, action: int) -> BaseGame:
    after = game.copy()
    after.play(action)
    return after


class _ExploitKind(PlayerKind):
    """Players described by ``exploit:AGENT``.

    Options precede the agent: ``exploit:playouts=50:greedy``.
    """

    form = "AGENT"

    def split(self, text: str) -> tuple[str, str]:
        options, _, agent = text.partition(":")
        return (agent, options) if re.match(r"\w+=", options) else (text, "")

    def make(self, request: PlayerRequest) -> BestResponse:
        line = request.spec.subject
        if PlayerSpec.parse(line).kind == LLM:
            raise request.refuse(
                "a language model would be asked thousands of questions for every action"
            )
        # The second on the ladder is the quickest that does not play at random.
        quick = ROSTERS.of(request.game).ladder[:2][-1]
        agent, *guides = (
            make_agent(
                each, request.keyword, request.game, limits=request.limits, config=request.config
            )
            for each in (line, quick, line)
        )
        response: BestResponse = request.build(BestResponse, agent, guides)
        return response


PLAYER_KIND: Final = _ExploitKind()
