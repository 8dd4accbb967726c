"""Learning values by self-play: rounds of games, each followed by regression on what they taught.

A round depends on nothing but the seed, its number and the network that the last one left. So the same seed gives the same network on any
number of threads, and after any number of interruptions.
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

from tkm_env.agents.model_file import Model, ModelRating, write_model
from tkm_env.agents.specs import make_agent
from tkm_env.arena.evaluation import evaluate
from tkm_env.checks import checked_integer, checked_number
from tkm_env.compiled.network import Network
from tkm_env.errors import ConfigError, FileError
from tkm_env.files import check_writable, read_file, write_file
from tkm_env.game.registry import default_game, game_spec, load
from tkm_env.learn.regression import learn, new_learner, new_network
from tkm_env.learn.value_game import Samples, SelfPlay, ValueGame

#: Games that one thread plays between two looks at anything else.
_CHUNK: Final = 25
_OPENING_TURNS: Final = 2


def value_game(game: str) -> ValueGame:
    """How values of a game's positions are learned.

    Raises:
        ConfigError: if there is no such game, or it does not say how.
    """
    spec = game_spec(game)
    if spec.values is None:
        raise ConfigError("game", game, "values of its positions between turns cannot be learned: it does not say how")
    found: ValueGame = load(spec.values)
    return found


@dataclasses.dataclass(frozen=True)
class Plan:
    """How to learn.

    Attributes:
        games: how many to play, rounded up to whole rounds.
        seed: of everything that is left to chance.
        width: units of the first hidden layer.
        narrow: units of the second.
        self_play: how games are played.
        round_games: how many games are played with one and the same network.
        passes: how often each position is learned from.
        batch: positions in a step of Adam.
        rate: its step size at the beginning.
        last_rate: and in the end; in between it falls by the same factor in every round.

    Raises:
        ConfigError: naming the number that is out of range.
    """

    games: int = 150_000
    seed: int = 0
    width: int = 128
    narrow: int = 32
    self_play: SelfPlay = dataclasses.field(default_factory=SelfPlay)
    round_games: int = 2_000
    passes: float = 3.5
    batch: int = 512
    rate: float = 1e-3
    last_rate: float = 5e-5

    def __post_init__(self) -> None:
        for name, low, high in (
            ("games", 1, 10**9),
            ("seed", 0, 2**63 - 1),
            ("width", 1, 1024),
            ("narrow", 1, 1024),
            ("round_games", 1, 10**6),
            ("batch", 1, 10**6),
        ):
            checked_integer(name, getattr(self, name), low, high)
        for name, most in (("passes", 100), ("rate", 1), ("last_rate", 1)):
            checked_number(name, getattr(self, name), 0, most)
        self.self_play.check()

    @property
    def rounds(self) -> int:
        """How many rounds that makes."""
        return math.ceil(self.games / self.round_games)


class Round(NamedTuple):
    """What one round came to.

    Attributes:
        games: played so far.
        positions: learned from in this round.
        error: the mean squared difference between values and targets in this round; values go from -1 to 1.
        seconds: of processor time so far.
        ratings: against each anchor, if the network was rated after this round.
    """

    games: int
    positions: int
    error: float
    seconds: float
    ratings: tuple[ModelRating, ...]


class ValueTraining:
    """A network that learns what positions are worth; everything about it is in a file, so that it goes on where it was stopped.

    Args:
        file: where the network is written, each time it is rated; what else is needed to go on is in a second file beside it, whose name
            ends in ``.training``.
        game: which game; None for the first in the registry.
        settings: of the games, as keywords of its config; None for games of all kinds.
        plan: how to learn.
        anchors: the players that the network is rated against, as lines of text.
        rating_games: how many games against each.
        evaluations: how often it is rated, the last time at the end.
        num_threads: the maximum number of cores; the network does not depend on it.
        command: what to write on the network's card.

    Raises:
        ConfigError: naming what is invalid.
        FileError: if the second file is that of another training, or cannot be read.

    >>> import tempfile
    >>> plan = Plan(games=8, round_games=4, width=4, narrow=4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     training = ValueTraining(f"{folder}/net.npz", settings={}, plan=plan, anchors=["random"], rating_games=2, evaluations=1)
    ...     [done.games for done in training.run()]
    [4, 8]
    """

    def __init__(
        self,
        file: str | os.PathLike[str],
        *,
        game: str | None = None,
        settings: dict[str, Any] | None = None,
        plan: Plan | None = None,
        anchors: Sequence[str] = ("greedy",),
        rating_games: int = 400,
        evaluations: int = 10,
        num_threads: int = 1,
        command: str = "",
    ) -> None:
        self.file = Path(file)
        self.plan = plan or Plan()
        self._spec = game_spec(default_game() if game is None else game)
        self._values = value_game(self._spec.name)
        self._settings = settings
        self._configs = self._values.variety() if settings is None else [self._spec.config(settings)]
        for anchor in anchors:
            make_agent(anchor, "anchors", self._spec.name)
        self._anchors = tuple(anchors)
        self._rating_games = checked_integer("rating_games", rating_games, 1, 10**6)
        self._evaluations = checked_integer("evaluations", evaluations, 1, 10**6)
        self._num_threads = checked_integer("num_threads", num_threads, 1, 256)
        self._command = command
        self._companions, self._images = self._values.companions(), self._values.images()
        self._round = 0
        self._seconds = 0.0
        #: A row for each time the network was rated: after how many games, after how much processor time, in seconds, and its ratings.
        self.curve: list[dict[str, Any]] = []
        rows = max(self._values.num_inputs, int(self._companions.max()) + 1)
        network = new_network(rows, self.plan.width, self.plan.narrow, np.random.default_rng([self.plan.seed, 0]))
        self._learner = new_learner(network, 2 * self._values.most_inputs)
        self._stopped = False
        check_writable(self.file)
        self._go_on()

    @property
    def rounds_done(self) -> int:
        """How many rounds are behind it; more than 0 at first where it goes on."""
        return self._round

    @property
    def network(self) -> Network:
        """The network as it is used: what inputs share is added to each of them, and those that never were on count nothing."""
        network = self._learner.network
        learned = np.where(self._learner.touched[:, None] > 0, network.first, np.float32(0))
        first = learned[: self._values.num_inputs].copy()
        shares = self._companions >= 0
        first[shares] += learned[self._companions[shares]]
        return Network(first, *(array.copy() for array in network[1:]))

    def model(self) -> Model:
        """The network as it is kept in a file."""
        return self._values.model(
            self.network,
            self._configs,
            settings=self._settings_as_text(),
            command=self._command,
            seed=self.plan.seed,
            games=self._round * self.plan.round_games,
            minutes=round(self._seconds / 60, 2),
            ratings=tuple(ModelRating(**rating) for rating in self.curve[-1]["ratings"]) if self.curve else (),
        )

    def stop(self) -> None:
        """End after the round that is being played; any thread may say so."""
        self._stopped = True

    def run(self) -> Iterator[Round]:
        """Play and learn, a round at a time, until the plan is fulfilled or `stop` was called."""
        with ThreadPoolExecutor(self._num_threads) as pool:
            while self._round < self.plan.rounds and not self._stopped:
                yield self._one_round(pool)

    def _one_round(self, pool: ThreadPoolExecutor) -> Round:
        began = time.process_time()
        generator = np.random.default_rng([self.plan.seed, 1 + self._round])
        samples = self._play(pool, generator)
        error = self._learn(samples, generator)
        self._round += 1
        self._seconds += time.process_time() - began
        ratings: tuple[ModelRating, ...] = ()
        if self._is_due():
            model = self.model()
            ratings = tuple(self._rate(model, anchor) for anchor in self._anchors)
            rated = {"games": self._round * self.plan.round_games, "seconds": self._seconds}
            self.curve.append(rated | {"ratings": [rating._asdict() for rating in ratings]})
            write_model(self.file, self.model())
        self._save()
        return Round(self._round * self.plan.round_games, len(samples.targets), error, self._seconds, ratings)

    def _is_due(self) -> bool:
        """Whether the network is rated after this round."""
        before, now = ((number * self._evaluations) // self.plan.rounds for number in (self._round - 1, self._round))
        return now > before

    def _play(self, pool: ThreadPoolExecutor, generator: np.random.Generator) -> Samples:
        network, games = self.network, self.plan.round_games
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
        order = np.concatenate([generator.permutation(number) for _ in range(math.ceil(plan.passes))])[:visits]
        rate = plan.rate * (plan.last_rate / plan.rate) ** (self._round / plan.rounds)
        images = generator.integers(len(self._images), size=visits)
        return learn(self._learner, samples, order, images, plan.batch, rate, self._images, self._companions)

    def _rate(self, model: Model, anchor: str) -> ModelRating:
        """Play against an anchor, under the settings learned from; of all kinds of games, the usual ones."""
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
        settings = "" if self._settings is None else self._settings_as_text()
        return ModelRating("net:file=FILE", anchor, settings, found.games, score.share, score.low, score.high)

    def _settings_as_text(self) -> str:
        """The settings that are not the usual ones."""
        if self._settings is None:
            return "all kinds of games"
        usual = self._spec.game_class.default_config
        values = {field.name: getattr(self._configs[0], field.name) for field in dataclasses.fields(usual)}
        return ", ".join(f"{name}={value!r}" for name, value in values.items() if value != getattr(usual, name))

    @property
    def _training_file(self) -> Path:
        return self.file.with_name(self.file.name + ".training")

    def _identity(self) -> str:
        """What must be the same for one training to go on with another's file."""
        return repr((self._spec.name, self._configs, self.plan))

    def _save(self) -> None:
        learner = self._learner
        arrays: dict[str, Any] = {"identity": np.frombuffer(self._identity().encode(), np.uint8)}
        arrays["counts"] = np.array([self._round, learner.steps[0]])
        arrays["seconds"] = np.array(self._seconds)
        arrays["touched"] = learner.touched
        arrays["curve"] = np.frombuffer(json.dumps(self.curve).encode(), np.uint8)
        for name in ("network", "means", "squares"):
            arrays |= {f"{name}.{part}": array for part, array in getattr(learner, name)._asdict().items()}
        packed = io.BytesIO()
        np.savez(packed, **arrays)
        write_file(self._training_file, packed.getvalue())

    def _go_on(self) -> None:
        """Take up the training that the second file holds, if there is one."""
        path = self._training_file
        if not path.exists():
            return
        try:
            with np.load(io.BytesIO(read_file(path)), allow_pickle=False) as file:
                found = {name: file[name] for name in file.files}
            if found["identity"].tobytes().decode() != self._identity():
                raise FileError(path, "it is of a training with another plan or other settings; move it away to begin a new one")
            self._round, self._learner.steps[0] = found["counts"].tolist()
            self._seconds = float(found["seconds"])
            self._learner.touched[:] = found["touched"]
            self.curve = json.loads(found["curve"].tobytes())
            for name in ("network", "means", "squares"):
                for part, array in getattr(self._learner, name)._asdict().items():
                    array[:] = found[f"{name}.{part}"]
        except FileError:
            raise
        except Exception as error:
            raise FileError(path, "it is damaged; move it away to begin again") from error
