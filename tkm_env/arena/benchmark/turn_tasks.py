"""The task of turns: an agent plays one turn in each of many fixed positions."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator

import numpy as np

from tkm_env.arena.benchmark.tasks import SEED
from tkm_env.arena.benchmark.turn_report import TURNS, CreditedTurn
from tkm_env.arena.benchmark.valued_positions import valued_positions
from tkm_env.arena.playing.referee import DEFAULT_CONDITIONS, Conditions, Player
from tkm_env.arena.playing.schedule import Stoppable
from tkm_env.core.game import BaseGame
from tkm_env.foundations.errors import PlayerError, TKMError
from tkm_env.foundations.seeds import derived
from tkm_env.questions.valued_position import ValuedPosition
from tkm_env.text.language_model import LanguageModel
from tkm_env.text.paid_answers import SUFFIX, PaidAnswers
from tkm_env.text.prompt import digest, prompt_for
from tkm_env.text.reply import Refusal, read_reply


@dataclasses.dataclass(frozen=True)
class TurnBenchmark(Stoppable):
    """One answer in each of the fixed positions; a language model is asked once.

    Raises:
        ConfigError: if there is no such agent.
    """

    agent: str  # a player, as `tkm_env.players.factory.make_agent` reads it
    conditions: Conditions = DEFAULT_CONDITIONS
    positions: tuple[ValuedPosition, ...] = dataclasses.field(
        default_factory=lambda: valued_positions()
    )

    def __post_init__(self) -> None:
        self._player(self.positions[0]).close()

    @property
    def prompt(self) -> str:
        """The version of the prompts of a language model; empty for other agents."""
        first = self.positions[0]
        model = self._player(first).model
        return "" if model is None else digest(type(first.game), model.options)

    def play(self, save: str | os.PathLike[str] | None = None) -> Iterator[CreditedTurn]:
        """Ask for a turn in each position, until stopped.

        Args:
            save: a file; the answers of a language model are kept beside it, with ``.answers``
                added to its name, so that an interrupted run asks nothing twice. None keeps
                nothing.

        Yields:
            The answers.

        Raises:
            MachineError: if the machine or a server fails.
            BudgetError: if the budget is used up.
            ConfigError: if a server refuses a request.
        """
        path = "" if save is None else os.path.realpath(save) + SUFFIX
        for position in self.positions:
            if self.is_stopped:
                return
            player = self._player(position)
            try:
                if player.model is not None:
                    player.model.paid = PaidAnswers(path, self.conditions.budget)
                    yield _answered(player.model, position)
                else:
                    seed = derived(SEED, TURNS, position.position)
                    yield _played(player, position, np.random.default_rng(seed))
            finally:
                player.close()

    def _player(self, position: ValuedPosition) -> Player:
        game = position.game
        return Player(self.agent, game.name, self.conditions, config=game.config)


def _answered(model: LanguageModel, position: ValuedPosition) -> CreditedTurn:
    """The answer of a language model."""
    try:
        prompt = prompt_for(position.game, model.options)
        answer = model.complete(prompt, game=position.game)
    except PlayerError as error:
        return CreditedTurn(position, 0.0, error.kind)
    read = read_reply(position.game, answer.said, model.options, end=answer.end)
    turn = CreditedTurn(
        position, 0.0, tokens=answer.counted, is_estimated=answer.estimate is not None
    )
    if isinstance(read, Refusal):
        return turn._replace(flaw=read.flaw)
    return turn._replace(credit=position.credit(read))


def _played(
    player: Player, position: ValuedPosition, generator: np.random.Generator
) -> CreditedTurn:
    """The turn of any other agent."""
    game: BaseGame = position.game.copy()
    turn, actions = game.turn_id, list[int]()
    try:
        player.begin(game, game.to_act, generator)
        while game.is_in_turn(turn):
            answer, _ = player.answer(game)
            for action in answer:
                actions.append(game.index_of(action))
                game.play(action)
    except PlayerError as error:
        return CreditedTurn(position, 0.0, error.kind)
    except TKMError:  # an action that is not legal, or does not exist
        return CreditedTurn(position, 0.0, "illegal")
    return CreditedTurn(position, position.credit(tuple(actions)))
