"""What chance decides in *That Time You Killed Me*: the start."""

from typing import Any

from tkm_env.core.chance import Chance, ChanceState
from tkm_env.core.game import BaseGame


class StartChance(Chance):
    """Chapters and powers that the settings leave open are drawn before a game begins.

    Args:
        game_class: the class of the game.
        config: its settings.
    """

    def __init__(self, game_class: type[BaseGame], config: Any) -> None:
        super().__init__(game_class, config)
        starts, self._probabilities = config.starts()
        self._starts = [self._game_class.from_state(start, config) for start in starts]
        self.most_draws = int(len(self._starts) > 1)
        self.outcome_names = (
            tuple(start.position for start in self._starts) if self.most_draws else ()
        )

    def begin(self) -> ChanceState:
        return ChanceState(self._starts[0], (0,) * self.most_draws)

    def outcomes(self, moment: ChanceState) -> list[tuple[int, float]]:
        return list(enumerate(self._probabilities.tolist())) if moment.undrawn else []

    def _after_draw(self, moment: ChanceState, outcome: int) -> ChanceState:
        return ChanceState(self._starts[outcome])
