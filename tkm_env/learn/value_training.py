"""Learn values by self-play: rounds of games, each followed by regression.

A round depends only on the seed, its index and the network before it. So the same seed gives the
same network on any number of threads, and after any number of interruptions.
"""

from __future__ import annotations

import dataclasses
import io
import json
import math
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.compiled.network import Network
from tkm_env.core.registry import default_game, game_spec
from tkm_env.evaluation.policy_evaluation import evaluate
from tkm_env.foundations.checks import checked_flag, checked_integer, checked_number
from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.files import check_version, check_writable, read_file, write_file
from tkm_env.learn.regression import learn, new_learner, new_network
from tkm_env.learn.value_game import VALUE_GAMES, Samples, SelfPlayConfig, ValueGame
from tkm_env.players.factory import check_start, make_agent
from tkm_env.players.model_file import Model, ModelRating, write_model

#: The name of the form of file that a training resumes from, and its version.
FORM: Final = "tkm_env value training"
_VERSION: Final = 1
#: The number of games that a thread plays at a time.
_CHUNK: Final = 25
_OPENING_TURNS: Final = 2


def value_game(game: str) -> ValueGame:
    """Return a game as value training sees it.

    Raises:
        ConfigError: if there is no such game, or it does not support value training.
    """
    found = VALUE_GAMES.of(game_spec(game))
    if found is None:
        raise ConfigError("game", game, "this game does not support value training")
    return found


@dataclasses.dataclass(frozen=True)
class TrainingPlan:
    """The hyperparameters of a training.

    Attributes:
        games: the number of games to play.
        seed: seeds all random numbers.
        width: the units of the first hidden layer.
        narrow: the units of the second.
        self_play: how games are played.
        round_games: the games in a round, all played with the same network; the last round plays
            what is left.
        passes: how often each position is learned from.
        batch: the positions in a step of Adam.
        rate: Adam's learning rate in the first round.
        last_rate: the rate at the end; it falls by the same factor in every round.

    Raises:
        ConfigError: naming a number that is out of range.
    """

    games: int = 150_000
    seed: int = 0
    width: int = 128
    narrow: int = 32
    self_play: SelfPlayConfig = dataclasses.field(default_factory=SelfPlayConfig)
    round_games: int = 2_000
    passes: float = 3.5
    batch: int = 512
    rate: float = 1e-3
    last_rate: float = 5e-5

    def __post_init__(self) -> None:
        for name, most in (
            ("games", 10**9),
            ("width", 1024),
            ("narrow", 1024),
            ("round_games", 10**6),
            ("batch", 10**6),
        ):
            checked_integer(name, getattr(self, name), 1, most)
        checked_integer("seed", self.seed, 0, 2**63 - 1)
        for name, most in (("passes", 100), ("rate", 1), ("last_rate", 1)):
            checked_number(name, getattr(self, name), 0, most)
        self.self_play.check()

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return math.ceil(self.games / self.round_games)

    def games_after(self, rounds: int) -> int:
        """The number of games that have been played after this number of rounds."""
        return min(self.games, rounds * self.round_games)


class TrainingRound(NamedTuple):
    """The result of a round.

    Attributes:
        games: the number of games played so far.
        actions: the number of actions played in this round.
        positions: the number of positions that this round learned from.
        error: the mean squared error of values, from -1 to 1, in this round.
        seconds: the processor time so far, in seconds.
        ratings: the results against each anchor; empty if the network was not rated after this
            round.
    """

    games: int
    actions: int
    positions: int
    error: float
    seconds: float
    ratings: tuple[ModelRating, ...]


class ValueTraining:
    """The training of a value network.

    Its state is kept in a file, so that it resumes where it was stopped.

    Args:
        file: the network's file, written each time it is rated; the state of the training is in a
            second file beside it, whose name ends in ``.training``.
        game: the name of the game; None for the first in the registry.
        settings: keywords of the game's config; None for all variants of the game.
        all_kinds: whether to learn all variants of the game in which ``settings`` hold.
        complexity_factor: of these, how many times as often games are played that have one part
            more, such as a chapter; from 1 to 10, and 1 without ``all_kinds``.
        plan: the hyperparameters; None for the defaults.
        anchors: the players that the network is rated against, as lines of text.
        rating_games: the number of games to play against each.
        evaluations: how often the network is rated, the last time at the end.
        num_threads: the maximum number of cores; the network does not depend on it.
        command: the command for the network's card.
        inputs: the version of the network's inputs; None for that of the training that resumes, or
            else the newest.

    Raises:
        ConfigError: naming what is invalid.
        FileError: if the second file is unreadable, or belongs to another training.

    >>> import tempfile
    >>> plan = TrainingPlan(games=8, round_games=4, width=4, narrow=4)
    >>> rated = {"anchors": ["random"], "rating_games": 2, "evaluations": 1}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     training = ValueTraining(f"{folder}/net.npz", settings={}, plan=plan, **rated)
    ...     [done.games for done in training.run()]
    [4, 8]
    """

    def __init__(
        self,
        file: str | os.PathLike[str],
        *,
        game: str | None = None,
        settings: dict[str, Any] | None = None,
        all_kinds: bool = False,
        complexity_factor: int = 1,
        plan: TrainingPlan | None = None,
        anchors: Sequence[str] = ("greedy",),
        rating_games: int = 400,
        evaluations: int = 10,
        num_threads: int = 1,
        command: str = "",
        inputs: str | None = None,
    ) -> None:
        self.file = Path(file)
        self._training_file = self.file.with_name(self.file.name + ".training")
        self.plan = plan or TrainingPlan()
        self._spec = game_spec(default_game() if game is None else game)
        self._values = value_game(self._spec.name)
        if inputs is not None:
            self._values = self._values.with_inputs(inputs)
        self._settings = settings
        self._all_kinds = settings is None or checked_flag("all_kinds", all_kinds)
        self._complexity_factor = checked_integer("complexity_factor", complexity_factor, 1, 10)
        if complexity_factor != 1 and not self._all_kinds:
            raise ConfigError(
                "complexity_factor", complexity_factor, "it must be 1 unless all_kinds is set"
            )
        self._config = self._spec.config(settings or {})
        self._configs = self._kinds()
        for anchor in anchors:
            make_agent(anchor, "anchors", self._spec.name)
        self._anchors = tuple(anchors)
        self._rating_games = checked_integer("rating_games", rating_games, 1, 10**6)
        self._evaluations = checked_integer("evaluations", evaluations, 1, 10**6)
        self._num_threads = checked_integer("num_threads", num_threads, 1, 256)
        self._command = command
        self._companions, self._images = self._values.factorized_inputs, self._values.images
        self._round = 0
        self._seconds = 0.0
        #: An entry for each rating of the network: the games and the processor time, in seconds,
        #: before it, and the ratings.
        self.curve: list[dict[str, Any]] = []
        rows = max(self._values.num_inputs, int(self._companions.max()) + 1)
        network = new_network(
            rows, self.plan.width, self.plan.narrow, np.random.default_rng([self.plan.seed, 0])
        )
        self._learner = new_learner(network, 2 * self._values.most_inputs)
        self._stopped = False
        check_writable(self.file)
        self._resume(inputs)

    @property
    def rounds_done(self) -> int:
        """The number of rounds that are complete; more than 0 at first if the training resumes."""
        return self._round

    @property
    def network(self) -> Network:
        """The network for play.

        Shared rows are added to each of their inputs, and the rows of inputs that were never active
        are 0.
        """
        network = self._learner.network
        learned = np.where(self._learner.touched[:, None] > 0, network.first, np.float32(0))
        first = learned[: self._values.num_inputs].copy()
        shares = self._companions >= 0
        first[shares] += learned[self._companions[shares]]
        return Network(first, *(array.copy() for array in network[1:]))

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write the network as it is now to another file.

        Raises:
            FileError: if it cannot be written.
        """
        write_model(file, self.model())

    def model(self) -> Model:
        """Return the network as a model for a file."""
        return self._values.model(
            self.network,
            self._configs,
            settings=self._settings_as_text("all kinds of games" if self._all_kinds else ""),
            command=self._command,
            seed=self.plan.seed,
            games=self.plan.games_after(self._round),
            minutes=round(self._seconds / 60, 2),
            ratings=tuple(ModelRating(**rating) for rating in self.curve[-1]["ratings"])
            if self.curve
            else (),
        )

    def stop(self) -> None:
        """End `run` after the current round; any thread may call it."""
        self._stopped = True

    def run(self) -> Iterator[TrainingRound]:
        """Play and learn, a round at a time, until the plan is complete or `stop` was called.

        Yields:
            The result of each round.

        Raises:
            ConfigError: before the first round, if a player to rate against does not start.
        """
        if self._round < self.plan.rounds:
            for anchor in self._anchors:  # as in `evaluate`, files run in this process
                check_start(anchor, self._spec.name, self._config, "anchors", trust=True)
        with ThreadPoolExecutor(self._num_threads) as pool:
            while self._round < self.plan.rounds and not self._stopped:
                yield self._run_round(pool)

    def _run_round(self, pool: ThreadPoolExecutor) -> TrainingRound:
        began = time.process_time()
        generator = np.random.default_rng([self.plan.seed, 1 + self._round])
        samples = self._play(pool, generator)
        error = self._learn(samples, generator)
        self._round += 1
        self._seconds += time.process_time() - began
        ratings: tuple[ModelRating, ...] = ()
        before, now = (
            number * self._evaluations // self.plan.rounds
            for number in (self._round - 1, self._round)
        )
        if now > before:  # the network is rated after this round
            model = self.model()
            ratings = tuple(self._rate(model, anchor) for anchor in self._anchors)
            rated = {"games": self.plan.games_after(self._round), "seconds": self._seconds}
            self.curve.append(rated | {"ratings": [rating._asdict() for rating in ratings]})
            write_model(self.file, self.model())
        self._save()
        return TrainingRound(
            self.plan.games_after(self._round),
            int(samples.lengths.sum()),
            len(samples.targets),
            error,
            self._seconds,
            ratings,
        )

    def _play(self, pool: ThreadPoolExecutor, generator: np.random.Generator) -> Samples:
        network = self.network
        games = self.plan.games_after(self._round + 1) - self.plan.games_after(self._round)
        starts = self._values.starts(self._configs, generator, games)
        streams = generator.integers(1, 2**63, games).astype(np.uint64)

        def play(first: int) -> Samples:
            chunk = slice(first, first + _CHUNK)
            return self._values.play(network, self.plan.self_play, starts[chunk], streams[chunk])

        parts = list(pool.map(play, range(0, games, _CHUNK)))
        return Samples(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def _learn(self, samples: Samples, generator: np.random.Generator) -> float:
        plan, number = self.plan, len(samples.targets)
        visits = int(number * plan.passes)
        order = np.concatenate(
            [generator.permutation(number) for _ in range(math.ceil(plan.passes))]
        )[:visits]
        rate = plan.rate * (plan.last_rate / plan.rate) ** (self._round / plan.rounds)
        images = generator.integers(len(self._images), size=visits)
        return learn(
            self._learner, samples, order, images, plan.batch, rate, self._images, self._companions
        )

    def _rate(self, model: Model, anchor: str) -> ModelRating:
        """Play against an anchor, under the settings that hold in the training."""
        found = evaluate(
            self._values.player(model),
            anchor,
            games=self._rating_games,
            opening_turns=_OPENING_TURNS,
            game=self._spec.name,
            seed=self.plan.seed,
            num_threads=self._num_threads,
            **(self._settings or {}),
        )
        score = found.score
        return ModelRating(
            "net:file=FILE",
            anchor,
            self._settings_as_text(),
            found.games,
            score.share,
            score.low,
            score.high,
        )

    def _kinds(self) -> Sequence[Any]:
        """The configs of the games to learn, all equally likely; some are there repeatedly."""
        if not self._all_kinds:
            return [self._config]
        variants = self._values.variants(self._complexity_factor)
        if not self._settings:
            return variants
        fixed = {name: getattr(self._config, name) for name in self._settings}
        return [dataclasses.replace(variant, **fixed) for variant in variants]

    def _settings_as_text(self, kinds: str = "") -> str:
        """The kinds of games, and the settings that differ from the defaults."""
        default = self._spec.game_class.default_config
        values = {
            field.name: getattr(self._config, field.name) for field in dataclasses.fields(default)
        }
        named = [
            f"{name}={value!r}" for name, value in values.items() if value != getattr(default, name)
        ]
        return ", ".join([kinds, *named] if kinds else named)

    def _identity(self) -> str:
        """What must be equal for a training to resume from a file."""
        return repr((self._spec.name, self._configs, self.plan))

    def _arrays(self) -> dict[str, Any]:
        """The learner's arrays that outlive a batch, by name."""
        learner = self._learner
        networks = {
            f"{name}.{part}": array
            for name in ("network", "means", "squares")
            for part, array in getattr(learner, name)._asdict().items()
        }
        return {"steps": learner.steps, "touched": learner.touched, **networks}

    def _save(self) -> None:
        state = {
            "version": _VERSION,
            "identity": self._identity(),
            "inputs": self._values.inputs,
            "round": self._round,
            "seconds": self._seconds,
            "curve": self.curve,
        }
        packed = io.BytesIO()
        np.savez(
            packed, state=np.frombuffer(json.dumps(state).encode(), np.uint8), **self._arrays()
        )
        write_file(self._training_file, packed.getvalue())

    def _resume(self, wanted: str | None) -> None:
        """Restore the training that the second file holds, if there is one.

        Args:
            wanted: the version of the inputs that it must have; None for any.
        """
        path = self._training_file
        if not path.exists():
            return
        try:
            with np.load(io.BytesIO(read_file(path)), allow_pickle=False) as file:
                state = json.loads(file["state"].tobytes())
                check_version(path, FORM, state.get("version", _VERSION), _VERSION)
                # Until version 1.0, the oldest inputs were the only ones.
                inputs = state.get("inputs", next(iter(self._values.input_versions), ""))
                if inputs not in (*self._values.input_versions, ""):
                    raise FileError(
                        path,
                        f"it learns from the inputs {inputs}, which this version of the package "
                        "does not have",
                    )
                if wanted is None and inputs != self._values.inputs:
                    self._values = self._values.with_inputs(inputs)
                if (state["identity"], inputs) != (self._identity(), self._values.inputs):
                    raise FileError(
                        path,
                        "it belongs to a training with another plan or other settings; "
                        "move it away to begin a new one",
                    )
                self._round, self._seconds, self.curve = (
                    state["round"],
                    state["seconds"],
                    state["curve"],
                )
                for name, array in self._arrays().items():
                    array[:] = file[name]
        except FileError:
            raise
        except Exception as error:
            raise FileError(path, "it is damaged; move it away to start over") from error
