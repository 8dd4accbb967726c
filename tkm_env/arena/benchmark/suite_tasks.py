"""Running the suite: the trials of a tier, one after another."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from tkm_env.arena.benchmark.suite import TRIALS, Tier, tier_of
from tkm_env.arena.benchmark.suite_report import TriedTurn
from tkm_env.arena.benchmark.turn_tasks import TurnBenchmark
from tkm_env.arena.playing.referee import DEFAULT_CONDITIONS, Conditions
from tkm_env.arena.playing.schedule import Stoppable
from tkm_env.foundations.errors import ConfigError
from tkm_env.players.player_spec import LLM, PlayerSpec
from tkm_env.text.options import DEFAULT_OPTIONS


@dataclasses.dataclass(frozen=True)
class SuiteBenchmark(Stoppable):
    """A tier of the suite for one player.

    The trials differ in what a language model is told; any other player has the plain one only.

    Raises:
        ConfigError: if there is no such player or tier, or the player's line has options that the
            trials set.
    """

    agent: str  # a player, as `tkm_env.players.factory.make_agent` reads it
    tier: str  # the name of one of `tkm_env.arena.benchmark.suite.TIERS`
    conditions: Conditions = DEFAULT_CONDITIONS

    def __post_init__(self) -> None:
        spec = PlayerSpec.parse(self.agent)
        given = {part.partition("=")[0] for part in spec.options.split(",")}
        if spec.kind == LLM and (own := given & {*vars(DEFAULT_OPTIONS)}):
            reason = f"the suite sets {', '.join(sorted(own))} itself"
            raise ConfigError("agent", self.agent, reason)
        TurnBenchmark(self.agent, self.conditions, self._tier.positions[:1])

    @cached_property
    def _tier(self) -> Tier:
        return tier_of(self.tier)

    @property
    def trials(self) -> tuple[str, ...]:
        """The names of the player's trials."""
        return self._tier.trials_of(is_model=PlayerSpec.parse(self.agent).kind == LLM)

    @property
    def answers(self) -> int:
        """The number of answers that are asked for."""
        return len(self.trials) * len(self._tier.positions)

    @property
    def price(self) -> tuple[float, float] | None:
        """The prices of a million of the model's tokens, in and out; None if none are given."""
        model = PlayerSpec.parse(self.agent).subject
        prices = {named: prices for named, *prices in self.conditions.budget.prices}
        return (prices[model][0], prices[model][1]) if model in prices else None

    def play(self, save: str | os.PathLike[str] | None = None) -> Iterator[TriedTurn]:
        """Ask for a turn in each position of each trial, until stopped.

        Args:
            save: a file; the answers of a language model are kept beside it, as by
                `tkm_env.arena.benchmark.turn_tasks.TurnBenchmark.play`.

        Yields:
            The answers, trial by trial.

        Raises:
            MachineError: if the machine or a server fails.
            BudgetError: if the budget is used up.
            ConfigError: if a server refuses a request.
        """
        for name in self.trials:
            agent = _with_options(self.agent, TRIALS[name].options)
            trial = TurnBenchmark(agent, self.conditions, self._tier.positions)
            prompt = trial.prompt
            for turn in trial.play(save):
                yield TriedTurn(name, prompt, turn)
                if self.is_stopped:
                    return


def _with_options(line: str, options: Mapping[str, Any]) -> str:
    """The line of a language model with more options."""
    separator = "," if PlayerSpec.parse(line).options else ":"
    more = ",".join(f"{name}={value}" for name, value in options.items())
    return f"{line}{separator}{more}" if more else line
