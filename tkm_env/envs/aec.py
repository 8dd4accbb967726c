"""PettingZoo's AEC interface to any registered game, with and without checks."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Collection, Iterator
from typing import Any, ClassVar, Final, TypeAlias, TypedDict

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv

from tkm_env.compiled.random_numbers import Streams
from tkm_env.core.game import BaseGame
from tkm_env.core.initial_positions import InitialPositions
from tkm_env.core.observation_encoder import PLANES, ObservationEncoder
from tkm_env.core.outcome import Outcome
from tkm_env.core.registry import game_spec
from tkm_env.envs.interface import (
    MANY_GAMES,
    IllegalActionCounter,
    action_number,
    action_space,
    checked_options,
    checked_reset_seed,
    next_streams,
    observation_space,
)
from tkm_env.envs.rendering import EnvRenderer, RenderingMixin
from tkm_env.foundations.checks import checked_choice, whole_number
from tkm_env.foundations.errors import IllegalActionError, UnknownActionError, repr_of

#: The option that PettingZoo's API tests pass to `reset`; it has no meaning.
_OF_PETTINGZOOS_TESTS: Final = "options"

Observation: TypeAlias = dict[str, Any]
AgentID: TypeAlias = str


class AECKeywords(TypedDict, total=False):
    """The keywords of these environments besides ``render_mode`` and the game's settings.

    For type checkers.
    """

    opening_turns: int
    positions: Collection[str] | None
    observation: str
    canonical: bool


class AECGameEnv(RenderingMixin, AECEnv[AgentID, Observation, int]):
    """A PettingZoo environment that does not check the order of calls.

    An illegal action raises an `IllegalActionError` and changes nothing.

    Agents are named after the game's players, such as ``white_0`` and ``black_0``. Observations are
    dicts ``{"observation", "action_mask"}``. The mask is also in ``infos``; it is all 0 for an
    agent that is not to act. At the end, ``infos`` also holds the game's own ``info``. The winner's
    reward is 1, the loser's -1, and every other reward 0. A game that ends for a reason outside its
    rules is truncated.

    Args:
        game: the name of the game in the registry.
        render_mode: None, ``"ansi"``, ``"rgb_array"`` or ``"human"``, as for
            `tkm_env.envs.single.GameEnv`.
        opening_turns: the number of random turns that begin each game.
        positions: the texts of the positions to begin from, ``"shipped"`` or None, as for
            `tkm_env.envs.single.GameEnv`.
        observation: ``"planes"`` or ``"compact"``, as for `tkm_env.envs.single.GameEnv`.
        canonical: whether the second agent sees the game as if it were the first, with its actions
            numbered accordingly.
        **settings: the keywords of the game's config.

    Raises:
        ConfigError: naming the keyword that is unknown or has an invalid value.
        MissingExtraError: if the render mode needs the extra ``[render]``.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
        "render_fps": 2,
    }
    infos: dict[AgentID, dict[str, Any]]

    def __init__(
        self,
        game: str,
        *,
        render_mode: str | None = None,
        opening_turns: int = 0,
        positions: Collection[str] | None = None,
        observation: str = PLANES,
        canonical: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__()
        self._spec = spec = game_spec(game)
        self.config = spec.config(settings, AECGameEnv)
        self._encoder = ObservationEncoder(spec.game_class, self.config, observation, canonical)
        self._starts = InitialPositions(
            spec.game_class, self.config, opening_turns, positions, self._encoder
        )
        own = {"name": f"{spec.name}_v0", "render_modes": [*self.metadata["render_modes"]]}
        self.metadata = self.metadata | own  # type: ignore[misc]
        self._rendering = EnvRenderer(render_mode, self.metadata)
        self.render_mode = render_mode
        #: The player that each agent stands for.
        self.players = {f"{player}_0": player for player in spec.players}
        self.possible_agents = list(self.players)
        self._agent_of = {player: agent for agent, player in self.players.items()}
        self._num_actions = len(spec.game_class.action_names)
        mask_space = spaces.Box(0, 1, (self._num_actions,), np.int8)
        both = spaces.Dict(
            {"observation": observation_space(self._encoder), "action_mask": mask_space}
        )
        self._observation_spaces = {agent: copy.deepcopy(both) for agent in self.possible_agents}
        self._action_spaces = {agent: action_space(spec) for agent in self.possible_agents}
        self.state_space = observation_space(self._encoder)
        #: The random streams of everything left to chance; None before the first reset.
        self._streams: Streams | None = None
        self._illegal_actions = IllegalActionCounter()

    @property
    def game(self) -> BaseGame:
        """The game being played: a forward model to copy and search in.

        Play through `step`, not on this game.
        """
        return self._game

    def observation_space(self, agent: AgentID) -> spaces.Space[Any]:
        return self._observation_spaces[checked_choice("agent", agent, self.players)]

    def action_space(self, agent: AgentID) -> spaces.Space[Any]:
        return self._action_spaces[checked_choice("agent", agent, self.players)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game.

        If it raises, the current episode and its random streams are unchanged.

        Args:
            seed: seeds everything that the game leaves to chance, an integer from 0; None continues
                with the streams of the last game.
            options: may hold "position", the text of a position to start from, which replaces
                ``positions`` and ``opening_turns``.

        Raises:
            TKMError: if the seed or an option is invalid.
        """
        number = checked_reset_seed(seed)
        position = checked_options(options, "position", ignored=(_OF_PETTINGZOOS_TESTS,)).get(
            "position"
        )
        streams = next_streams(self._streams, number)
        self._game: BaseGame = self._starts.begin(streams, position)
        #: What the player to act sees; None once returned, since the caller may write to it.
        self._seen: Any = None
        self._streams = streams
        self.agents = list(self.possible_agents)
        self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection: AgentID | None = None
        self.infos = {agent: self._without_actions() for agent in self.agents}
        self._follow_game()

    def step(self, action: int | None) -> None:
        """Play the selected agent's action; None once that agent is done.

        Raises:
            IllegalActionError: if the action is not legal; the environment is unchanged.
            UnknownActionError: if it is not the index of an action, or if the agent is done and it
                is not None.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise UnknownActionError(
                    f"{agent} is done: the only valid action is None, not {repr_of(action)}"
                )
            self._was_dead_step(action)
            return
        number = action if type(action) is int else action_number(action, self._num_actions)
        self._seen = self._encoder.play_and_observe(self._game, number)
        self._follow_game()

    def _follow_game(self) -> None:
        """Update the agent to act, the legal actions and the outcome from the game.

        Runs in every step, so it touches only what changes. Until the end, ``infos`` always hold
        the same keys: TorchRL makes its specs from those of a reset, and refuses others.
        """
        game = self._game
        before, selected = self.agent_selection, self._agent_of[game.to_act]
        if selected != before:
            self.infos[before] = self._without_actions()
            self.agent_selection = selected
        if game.result is None:
            self.infos[selected] = {"action_mask": self._encoder.action_mask(game)}
        else:
            self.infos[selected] = self._without_actions()
            self._finish(Outcome(game.result), truncated=game.is_truncated)
            game_info = game.info()
            self.infos = {agent: info | game_info for agent, info in self.infos.items()}
        if self.render_mode == "human":
            self.render()

    def _without_actions(self) -> dict[str, Any]:
        """The info of an agent with nothing to decide."""
        return {"action_mask": np.zeros(self._num_actions, np.int8)}

    def _finish(self, outcome: Outcome, *, truncated: bool = False) -> None:
        """End the episode for all agents."""
        for agent, reward in zip(self.agents, outcome.rewards, strict=True):
            self.rewards[agent] = float(reward)
            self.terminations[agent] = not truncated
            self.truncations[agent] = truncated
        self._accumulate_rewards()
        self._deads_step_first()

    def observe(self, agent: AgentID) -> Observation:
        """Return what the agent sees: ``{"observation": …, "action_mask": …}``.

        Raises:
            ConfigError: if there is no such agent.
        """
        if agent is not self.agent_selection:
            checked_choice("agent", agent, self.players)
        info = self.infos.get(agent) or self._without_actions()
        seen = self._seen
        if seen is None or agent != self._agent_of[self._game.to_act]:
            seen = self._encoder.observation(self._game, self.players[agent])
        else:
            self._seen = None
        return {"observation": seen, "action_mask": info["action_mask"]}

    def state(self) -> np.ndarray:
        """The whole position, as the player to act sees it."""
        return self._encoder.observation(self._game)


class _NoGameError(ResetNeeded, AttributeError):
    """An attribute that does not exist before the first `reset`."""


class _FromReset:
    """A placeholder in the class for an attribute that `reset` sets; reading it is an error.

    The attribute that `reset` sets on an environment hides it. Unlike ``__getattr__``, it does not
    slow down the reading of other attributes.
    """

    def __set_name__(self, env_class: type, name: str) -> None:
        self._name = name.removeprefix("_")

    def __get__(self, env: object, env_class: type) -> Any:
        raise _NoGameError(f"{self._name} does not exist before reset(): call it first")


def _from_reset() -> Any:
    """An attribute of any type that does not exist before `reset`."""
    return _FromReset()


class OrderEnforcingEnv(AECGameEnv):
    """A PettingZoo environment with checks.

    Calls in the wrong order raise an error, and an illegal action loses the game for the agent that
    made it. The checks replace PettingZoo's wrappers, which do the same at several times the cost.
    Arguments and errors are otherwise those of `AECGameEnv`.

    Ten games lost by illegal actions bring a warning, and so do ten games of which only the reward
    of the agent that acted last was read: a learner that plays both sides then never sees a loss.
    """

    agents: list[AgentID] = _from_reset()
    agent_selection: AgentID = _from_reset()
    rewards: dict[AgentID, float] = _from_reset()
    terminations: dict[AgentID, bool] = _from_reset()
    truncations: dict[AgentID, bool] = _from_reset()
    infos: dict[AgentID, dict[str, Any]] = _from_reset()
    _game: BaseGame = _from_reset()

    #: The number of calls of `reset` and `step` so far.
    calls = 0
    #: Whether an agent's rewards were read without `last`.
    _read_privately = False
    #: Whether `last` was called, or the step of an agent that is done was taken.
    _follows_all_agents = False
    #: The number of games of which only the last actor's reward was read.
    _one_sided = 0

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        is_one_sided = self._read_privately and not self._follows_all_agents
        super().reset(seed, options)
        self.calls += 1
        self._read_privately = False
        if is_one_sided:
            self._one_sided += 1
            if self._one_sided == MANY_GAMES:
                warnings.warn(
                    f"of {MANY_GAMES} games, only the reward of the agent that acted last was "
                    "read: that is nearly always the winner, so a learner of both sides never sees "
                    "a loss; read the rewards of both agents, or let the learner play one side, as "
                    "gymnasium.make does",
                    stacklevel=2,
                )

    @property
    def _cumulative_rewards(self) -> dict[AgentID, float]:
        """What each agent earned since it last acted; some wrappers read it."""
        self._read_privately = True
        return self._earned

    @_cumulative_rewards.setter
    def _cumulative_rewards(self, rewards: dict[AgentID, float]) -> None:
        self._earned = rewards

    def _accumulate_rewards(self) -> None:
        for agent, reward in self.rewards.items():
            self._earned[agent] += reward

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """What the agent to act sees, and what it earned since it last acted.

        Args:
            observe: whether to return the observation.

        Returns:
            The observation or None, the reward, whether the agent is terminated, whether it is
            truncated, and its ``info``.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
        """
        agent = self.agent_selection
        self._follows_all_agents = True
        return (
            self.observe(agent) if observe else None,
            self._earned[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def step(self, action: int | None) -> None:
        """Play the selected agent's action; None once that agent is done.

        An illegal action ends the episode with -1 for the agent and 1 for its opponent. Every
        ``info`` then holds "illegal_action" (its index), "illegal_by" (the agent) and "reason" (a
        sentence).

        Raises:
            gymnasium.error.ResetNeeded: before the first reset, and after the last agent is done.
            UnknownActionError: if ``action`` is not in the action space; the environment is
                unchanged.
        """
        if not self.agents:
            raise ResetNeeded("the game is over: call reset() before the next step()")
        try:
            super().step(action)
        except UnknownActionError:
            raise
        except IllegalActionError as error:
            agent = self.agent_selection
            self._finish(Outcome.won_by(1 - self.agents.index(agent)))
            lost = {
                "illegal_action": whole_number(action),
                "illegal_by": agent,
                "reason": str(error),
            }
            self.infos = {other: self._without_actions() | lost for other in self.agents}
            self._illegal_actions.count(0, 1)
        self.calls += 1

    def _finish(self, outcome: Outcome, *, truncated: bool = False) -> None:
        super()._finish(outcome, truncated=truncated)
        self._illegal_actions.count(1, 0)

    def _was_dead_step(self, action: int | None) -> None:
        self._follows_all_agents = True
        super()._was_dead_step(action)

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        return self._iterate_agents(max_iter) if self.agents else iter(())

    def _iterate_agents(self, max_iter: int) -> Iterator[AgentID]:
        """Yield the agent to act, once per step.

        A loop that forgets to step gets an error instead of running forever.
        """
        calls_before = -1
        while self.agents and max_iter > 0:
            if self.calls == calls_before:
                raise ResetNeeded(
                    "a loop over agent_iter() must call step() or reset() in each iteration"
                )
            calls_before = self.calls
            max_iter -= 1
            yield self.agent_selection
