"""Self-play and its evaluation with Stable-Baselines3 and sb3-contrib.

Needs stable_baselines3, from the extra ``[train]``.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Mapping, Sequence
from os import PathLike
from types import MappingProxyType
from typing import Any, Final

from tkm_env.envs.opponent_pool import Tally
from tkm_env.envs.opponents import OpponentLike
from tkm_env.envs.single import RANDOM_SIDE
from tkm_env.evaluation.policy_evaluation import Evaluation, evaluate
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import ConfigError, extra
from tkm_env.learn.snapshots import Snapshots

with extra("train"):
    import torch
    from stable_baselines3.common.callbacks import BaseCallback

_MOST_STEPS: Final = 2**63 - 1


class _FrozenPolicy:
    """A copy of a model's policy and of the normalisation of its observations."""

    def __init__(self, model: Any, deterministic: bool) -> None:
        # Made as if from a saved file, since a trained policy holds tensors that `deepcopy`
        # refuses. Its initial weights must not consume random numbers of the learner.
        with torch.random.fork_rng(devices=[]):
            self._policy = type(model.policy)(**model.policy._get_constructor_parameters())
        self._policy.load_state_dict(model.policy.state_dict())
        self._policy.to(model.device)
        self._normalizer = copy.deepcopy(model.get_vec_normalize_env())
        self._deterministic = deterministic
        self.name = type(model).__name__

    def predict(self, observation: Any) -> Any:
        return self._predict(observation)

    def _predict(self, observation: Any, **masks: Any) -> Any:
        normalized = (
            observation if self._normalizer is None else self._normalizer.normalize_obs(observation)
        )
        return self._policy.predict(normalized, deterministic=self._deterministic, **masks)[0]


class _FrozenMaskedPolicy(_FrozenPolicy):
    def predict(self, observation: Any, action_masks: Any) -> Any:  # type: ignore[override]
        return self._predict(observation, action_masks=action_masks)


def freeze(model: Any, *, deterministic: bool = False) -> Any:
    """Copy a model's policy, which then no longer learns.

    The copy can be an opponent, or be given to `tkm_env.evaluation.evaluate`. A recurrent policy
    starts from an empty memory at every step.

    Args:
        model: a model of Stable-Baselines3 or sb3-contrib. If its environment is a `VecNormalize`,
            the copy normalises observations as that does now.
        deterministic: whether to play the most likely action, or to sample one with PyTorch's
            random numbers.

    Returns:
        An object with the model's ``predict`` and a ``name``.
    """
    masked = "action_masks" in inspect.signature(model.policy.predict).parameters
    return (_FrozenMaskedPolicy if masked else _FrozenPolicy)(model, deterministic)


class _PeriodicCallback(BaseCallback):
    """Calls `_act` between rollouts, every ``every`` steps of the environment."""

    def __init__(self, every: int, verbose: int) -> None:
        super().__init__(verbose)
        self._every = checked_integer("every", every, 1, _MOST_STEPS)
        self._due = 0

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self._due:
            self._act()

    def _on_step(self) -> bool:
        return True

    def _act(self) -> None:
        raise NotImplementedError


class SelfPlayCallback(_PeriodicCallback):
    """Lets a model play against copies of itself.

    Pass it to a model: ``model.learn(…, callback=SelfPlayCallback(every=20_000))``.

    Only the opponent changes, so every reward is the learner's own, and every lost game gives it
    -1. When training begins, a first copy joins a pool of anchors, which becomes the opponent of
    the environment; others follow. The environment must be in this process, with ``side="random"``,
    since the copies play the other side. Scores since the last copy are logged as ``self_play/…``.

    Args:
        every: the steps of the environment between copies; a copy is made only between rollouts.
        anchors: players' names and the share of the games that each plays, as for
            `tkm_env.learn.Snapshots`.
        keep: the number of copies to keep; the oldest are removed.
        sampling: how copies are sampled, as for `tkm_env.learn.Snapshots`.
        deterministic: whether copies play their most likely actions, or sample them.
        verbose: as for all callbacks.

    Attributes:
        snapshots: the copies, in their `tkm_env.OpponentPool`.

    Raises:
        ConfigError: naming the argument that is invalid; when training begins, if the environment
            does not support self-play.
    """

    def __init__(
        self,
        every: int = 20_000,
        *,
        anchors: Mapping[str, float] = MappingProxyType({"random": 0.1}),
        keep: int = 10,
        sampling: str = "uniform",
        deterministic: bool = False,
        verbose: int = 0,
    ) -> None:
        super().__init__(every, verbose)
        self._deterministic = deterministic
        self.snapshots = Snapshots(anchors, keep=keep, sampling=sampling)

    def _on_training_start(self) -> None:
        sides = self.training_env.get_attr("wanted_side")
        if {*sides} != {RANDOM_SIDE}:
            raise ConfigError(
                "side",
                sides[0],
                f"in self-play it must be {RANDOM_SIDE!r}: copies play the other side",
            )
        self._add()
        pool = self.snapshots.pool
        self.training_env.env_method("set_opponent", pool)
        if any(given is not pool for given in self.training_env.get_attr("opponent")):
            raise ConfigError(
                "env",
                self.training_env,
                "self-play needs environments in this process, such as SB3VecEnv",
            )

    def _act(self) -> None:
        self._log()
        self._add()

    def _add(self) -> None:
        self.snapshots.add(freeze(self.model, deterministic=self._deterministic))
        self._due = self.num_timesteps + self._every

    def _log(self) -> None:
        """Log the share of points against each anchor, and against all copies together."""
        tallies = self.snapshots.pool.tallies
        copies = [tallies.pop(name) for name in self.snapshots.names]
        tallies["snapshots"] = Tally(*map(sum, zip(*copies, strict=True)))
        for name, tally in tallies.items():
            if tally.games:
                self.logger.record(
                    f"self_play/{name}", (tally.wins + tally.draws / 2) / tally.games
                )


class WinRateCallback(_PeriodicCallback):
    """Plays matches periodically, logs the scores with intervals, and saves the best model.

    Matches are those of `tkm_env.evaluation.evaluate`, under the settings of the environment. Each
    start is played from both sides, and the starts are the same each time; the model plays its most
    likely actions. For each opponent, it logs ``win_rate/NAME``, ``…_low`` and ``…_high``: the
    share of points and the bounds of its 95% interval. The best model is the one with the highest
    mean of lower bounds.

    Args:
        anchors: the opponents.
        games: the number of games to play against each.
        every: the steps of the environment between matches, which are played only between rollouts
            and at the end.
        best: the file for the best model; None to save none.
        verbose: 1 to print each result.
        **settings: for `tkm_env.evaluation.evaluate`, such as ``opening_turns``, ``seed`` and
            ``num_threads``.

    Attributes:
        evaluations: for each match, the number of steps before it, and its results, one for each
            opponent.
        best_low: the best mean of lower bounds so far.

    Raises:
        ConfigError: naming the argument that is invalid; for some of them when training begins.
    """

    def __init__(
        self,
        anchors: Sequence[OpponentLike] = ("random", "greedy"),
        games: int = 200,
        every: int = 50_000,
        *,
        best: str | PathLike[str] | None = None,
        verbose: int = 0,
        **settings: Any,
    ) -> None:
        super().__init__(every, verbose)
        if isinstance(anchors, str) or not isinstance(anchors, Sequence) or not anchors:
            raise ConfigError("anchors", anchors, "it must be a non-empty list of opponents")
        self._anchors = tuple(anchors)
        self._best = best
        self._settings = {"games": games} | settings
        self.evaluations: list[tuple[int, tuple[Evaluation, ...]]] = []
        self.best_low = -1.0

    def _on_training_start(self) -> None:
        config = self.training_env.get_attr("config")[0]
        of_game = {field.name: getattr(config, field.name) for field in dataclasses.fields(config)}
        game, shown_as = (self.training_env.get_attr(name)[0] for name in ("game_name", "shown_as"))
        self._settings = {"game": game} | shown_as | of_game | self._settings
        self._due = self.num_timesteps

    def _on_training_end(self) -> None:
        if not self.evaluations or self.evaluations[-1][0] != self.num_timesteps:
            self._act()

    def _act(self) -> None:
        self._due = self.num_timesteps + self._every
        policy = freeze(self.model, deterministic=True)
        results = tuple(evaluate(policy, anchor, **self._settings) for anchor in self._anchors)
        self.evaluations.append((self.num_timesteps, results))
        for result in results:
            for key, value in zip(("", "_low", "_high"), result.score, strict=True):
                self.logger.record(f"win_rate/{result.opponent}{key}", value)
            if self.verbose:
                line = f"{self.num_timesteps} steps: {result.score} against {result.opponent}"
                print(line)  # noqa: T201
        self.logger.record("time/total_timesteps", self.num_timesteps, exclude="tensorboard")
        self.logger.dump(self.num_timesteps)
        low = sum(result.score.low for result in results) / len(results)
        if low > self.best_low:
            self.best_low = low
            if self._best is not None:
                self.model.save(self._best)
