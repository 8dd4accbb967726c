"""A position in which every turn has a value, and the credit for an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from tkm_env.core.game import BaseGame
from tkm_env.core.registry import game_spec
from tkm_env.core.turns import played
from tkm_env.foundations.errors import RecordError
from tkm_env.text.options import DEFAULT_OPTIONS, TextOptions
from tkm_env.text.reply import Refusal, read_reply

_SEPARATOR: Final = "; "


@dataclass(frozen=True)
class ValuedPosition:
    """A position, and what each of its turns is worth.

    Attributes:
        group: what it stands for, such as "growth".
        game_name: the name of the game.
        settings: the settings that differ from the defaults.
        position: the text of the position.
        values: for each turn, the names of its actions, and the chance to win for the side to act,
            from 0 to 1: exact where the game is solved or proven, else by a search.
    """

    group: str
    game_name: str
    settings: Mapping[str, Any]
    position: str
    values: Mapping[tuple[str, ...], float]

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> ValuedPosition:
        """Take a row apart.

        Args:
            row: an object of JSON's types, as `row` returns it.

        Returns:
            The position.

        Raises:
            RecordError: if it is no such row.
        """
        try:
            values = {tuple(turn.split(_SEPARATOR)): value for turn, value in row["values"].items()}
            return cls(row["group"], row["game"], row["settings"], row["position"], values)
        except (LookupError, TypeError, AttributeError) as error:
            raise RecordError("position", f"no row of a valued position: {error!r}") from None

    def row(self) -> dict[str, Any]:
        """The position as an object of JSON's types."""
        return {
            "group": self.group,
            "game": self.game_name,
            "settings": {**self.settings},
            "position": self.position,
            "values": {_SEPARATOR.join(turn): value for turn, value in self.values.items()},
        }

    @cached_property
    def game(self) -> BaseGame:
        """The game at the position; to be copied, not changed."""
        spec = game_spec(self.game_name)
        game: BaseGame = spec.game_class(
            spec.config(dict(self.settings)), seed=0, position=self.position
        )
        return game

    @cached_property
    def _by_outcome(self) -> dict[int, float]:
        return {played(self.game, turn).key: value for turn, value in self.values.items()}

    @property
    def best(self) -> tuple[int, ...]:
        """The indices of the actions of a best turn."""
        turn = max(self.values, key=lambda turn: self.values[turn])
        return tuple(map(self.game.action_index, turn))

    def credit(self, actions: tuple[int, ...]) -> float:
        """What a turn is worth, from 0 for the worst turn to 1 for the best.

        The credit falls with the regret: the difference from the best turn's value.

        Args:
            actions: the indices of the turn's actions.

        Returns:
            The credit; 0 for conceding, which has no value.
        """
        best, worst = max(self.values.values()), min(self.values.values())
        value = self._by_outcome.get(played(self.game, actions).key, worst)
        return 1 - (best - value) / (best - worst)

    def mark(self, reply: str, options: TextOptions = DEFAULT_OPTIONS) -> float:
        """The credit for the turn in a reply to the position's prompt.

        Args:
            reply: what a language model replied.
            options: the options of the prompt.

        Returns:
            The credit, from 0 to 1; 0 if the reply is refused.
        """
        read = read_reply(self.game, reply, options)
        return 0.0 if isinstance(read, Refusal) else self.credit(read)

    @property
    def credit_at_random(self) -> float:
        """The mean credit of a player that draws one of the turns."""
        best, worst = max(self.values.values()), min(self.values.values())
        mean = sum(self.values.values()) / len(self.values)
        return 1 - (best - mean) / (best - worst)
