"""How value networks of TKM are trained and stored."""

import threading
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.network import Network
from tkm_env.compiled.random_numbers import CHANCE, new_stream
from tkm_env.core.state_arrays import copy_states
from tkm_env.foundations.checks import checked_choice
from tkm_env.games.tkm.config import GameConfig
from tkm_env.games.tkm.config_values import TIMELINES
from tkm_env.games.tkm.engine.state import CHAPTERS, EDITIONS
from tkm_env.learn.value_game import Samples, SelfPlayConfig, ValueGame
from tkm_env.players.model_file import Model, ModelCard
from tkm_env.players.tkm.evaluators import LEARNED, have_powers, network_from
from tkm_env.players.tkm.greedy import NetAgent
from tkm_env.players.tkm.search import network_inputs
from tkm_env.players.tkm.search.network_inputs import (
    INPUTS_VERSION,
    MAX_INPUTS,
    NUM_INPUTS,
    OLDER_VERSION,
    write_all_inputs,
)
from tkm_env.players.tkm.search.selfplay import (
    SelfPlayWorkspace,
    new_self_play_workspace,
    play_games,
)


class _Values(ValueGame):
    num_inputs = NUM_INPUTS
    most_inputs = MAX_INPUTS
    factorized_inputs = network_inputs.factorized_inputs()
    images = network_inputs.images()
    input_versions = OLDER_VERSION, INPUTS_VERSION

    def __init__(self, inputs: str = INPUTS_VERSION) -> None:
        self.inputs = inputs
        self._local = threading.local()

    def with_inputs(self, version: str) -> "_Values":
        return _Values(checked_choice("inputs", version, self.input_versions))

    @property
    def _knows_powers(self) -> bool:
        return self.inputs != OLDER_VERSION

    def variants(self, complexity_factor: int = 1) -> tuple[GameConfig, ...]:
        """All sets of chapters in both editions, with and without powers.

        For each, two configs have no powers, and one has them for each way of drafting. A set with
        one more chapter is there ``complexity_factor`` times as often.
        """
        sets = [
            tuple(name for bit, name in enumerate(CHAPTERS) if chapters >> bit & 1)
            for chapters in range(1 << len(CHAPTERS))
        ]
        return tuple(
            GameConfig(chapters=chapters, edition=edition, timeline=timeline)
            for chapters in sets
            for edition in EDITIONS
            for timeline in (None, None, *TIMELINES)
            for _ in range(complexity_factor ** len(chapters))
        )

    def starts(
        self, configs: Sequence[GameConfig], generator: np.random.Generator, number: int
    ) -> NDArray[np.void]:
        drawn = [
            configs[which].draw(new_stream(generator, CHANCE))
            for which in generator.integers(len(configs), size=number)
        ]
        return np.concatenate(drawn).view(drawn[0].dtype)

    def active_inputs(
        self, states: NDArray[np.void]
    ) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
        found = np.zeros((len(states), MAX_INPUTS), np.int16), np.zeros(len(states), np.int16)
        write_all_inputs(copy_states(states), *found, self._knows_powers)
        return found

    def play(
        self,
        network: Network,
        how: SelfPlayConfig,
        starts: NDArray[np.void],
        streams: NDArray[np.uint64],
    ) -> Samples:
        most = len(starts) * how.most_turns
        samples = Samples(
            np.zeros((most, MAX_INPUTS), np.int16),
            np.zeros(most, np.int16),
            np.zeros(most, np.float32),
            np.zeros(len(starts), np.int64),
        )
        workspace = self._workspace(network, how)
        rows = play_games(network, how, starts, streams, workspace, samples, self._knows_powers)
        inputs, counts, targets, lengths = samples
        return Samples(inputs[:rows].copy(), counts[:rows].copy(), targets[:rows].copy(), lengths)

    def _workspace(self, network: Network, how: SelfPlayConfig) -> SelfPlayWorkspace:
        """The workspace of this thread."""
        shape = len(network.first_bias), len(network.second_bias), how.most_turns
        if getattr(self._local, "shape", None) != shape:
            self._local.shape, self._local.workspace = (
                shape,
                new_self_play_workspace(network, how.most_turns),
            )
        return self._local.workspace

    def model(self, network: Network, configs: Sequence[GameConfig], **card: Any) -> Model:
        learned = np.zeros((2, 1 << len(CHAPTERS)), np.float32)
        for config in configs:
            starts = config.starts()[0]
            learned[have_powers(starts).astype(np.int64), starts["chapters"]] = 1
        return Model(
            ModelCard("values", "tkm", self.inputs, **card), {**network._asdict(), LEARNED: learned}
        )

    def player(self, model: Model) -> NetAgent:
        return NetAgent(file=network_from(model, "the network"))


#: The interface between this game and training.
VALUES: Final = _Values()
