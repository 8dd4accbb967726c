"""One turn in each position, with credit by how good it is, for training language models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from tkm_env.core.registry import GameSpec, default_game, game_spec
from tkm_env.core.settings import changed_settings
from tkm_env.foundations.checks import checked_instance, checked_integer
from tkm_env.foundations.errors import ConfigError
from tkm_env.players.solvers import SOLVERS, solver
from tkm_env.questions.generator import MOST_SEEDS, SPAN
from tkm_env.questions.question_set import Entry
from tkm_env.questions.random_positions import RandomPositions
from tkm_env.questions.valued_position import ValuedPosition
from tkm_env.text.options import DEFAULT_OPTIONS, TextOptions, without_picture
from tkm_env.text.prompt import prompt_for
from tkm_env.text.reply import reply_of, write_reply

#: The turns, of both sides, that are played at random before a position.
_TURNS: Final = (2, 24)
#: How many turns a position has: enough for a choice, and few enough to value them all.
_CHOICES: Final = (8, 60)
#: How much more the best turn is worth than the mean, at least.
_SPREAD: Final = 0.1
#: How many positions are tried for each that is wanted.
_CANDIDATES: Final = 2_000
_DEEPEST: Final = 10
_DECIMALS: Final = 4
#: The kind of position in a row.
_DRAWN: Final = "drawn"


def make_valued_position(
    seed: int, *, game: str | None = None, depth: int = 2, **settings: Any
) -> ValuedPosition:
    """A position of random play in which the choice of the turn matters.

    Args:
        seed: from 0 to 2**60 - 1; the same arguments give the same position in every process.
        game: the name of the game; None for the first in the registry.
        depth: the depth of the search for the values, in turns, from 1 to 10.
        **settings: the keywords of the game's config.

    Returns:
        The position.

    Raises:
        ConfigError: naming the argument that is invalid, if the game has no analysis, or if no
            fitting position is found.

    >>> position = make_valued_position(1, depth=1)
    >>> position.credit(position.best)
    1.0
    """
    spec = _checked_spec(game, depth, settings)
    checked_integer("seed", seed, 0, MOST_SEEDS - 1)
    config, analyse = spec.config(settings), SOLVERS.of(spec.name).analyse
    assert analyse is not None
    positions = RandomPositions(spec, config, seed, _TURNS)
    for _ in range(_CANDIDATES):
        found = positions.turn()
        count = 0 if found is None else len(found.turns())
        if found is None or not _CHOICES[0] <= count <= _CHOICES[1]:
            continue
        state: Any = found
        lines = analyse(state.state, lines=count, depth=depth)
        values = {tuple(line.turns[0]): round(line.chance, _DECIMALS) for line in lines}
        if len(values) == count and max(values.values()) - sum(values.values()) / count > _SPREAD:
            return ValuedPosition(
                _DRAWN, spec.name, changed_settings(config), found.position, values
            )
    raise ConfigError("seed", seed, "no fitting position is found under these settings")


class BestTurnEnv:
    """One position after another; the reward is the credit for one turn, from 0 to 1.

    It is what TRL's ``environment_factory`` expects: `play` is its only tool, and `get_reward` the
    reward of an episode. Other than a whole game, an episode is a single answer, and the reward of
    an answer does not depend on luck.

    Args:
        game: the name of the game; None for the first in the registry.
        options: what prompts hold.
        depth: the depth of the search for the values, as for `make_valued_position`.
        tool: the name of the tool with which the model plays; empty if its replies are given to
            `play` as they are.
        **settings: the keywords of the game's config.

    Raises:
        ConfigError: naming the argument that is invalid.

    >>> env = BestTurnEnv(depth=1)
    >>> env.reset(seed=1).splitlines()[-1]
    'Which of the 22 turns do you play? Call play with its number.'
    >>> env.play("choose 99"), env.done
    (0.0, True)
    """

    def __init__(
        self,
        game: str | None = None,
        *,
        options: TextOptions = DEFAULT_OPTIONS,
        depth: int = 2,
        tool: str = "play",
        **settings: Any,
    ) -> None:
        self._options = without_picture(options)
        self._tool = checked_instance("tool", tool, str)
        self._draw = _drawing(game, depth, settings)
        self._next = -1
        self._credit: float | None = None
        self._position: ValuedPosition | None = None

    def reset(self, *, seed: int | None = None, prompt: object = None, **columns: object) -> str:
        """Draw the next position.

        Args:
            seed: from 0; it decides the position. None takes the seed that follows the last one,
                from 0.
            prompt: ignored, as is all else: TRL passes every column of its data.
            **columns: ignored.

        Returns:
            The rules and the position.

        Raises:
            ConfigError: if the seed is out of range, or no fitting position is found.
        """
        given = self._next + 1 if seed is None else seed
        self._position, self._next, self._credit = self._draw(given), given, None
        return "\n\n".join(prompt_for(self._position.game, self._options, tool=self._tool))

    def play(self, turn: str | int | list[str]) -> float:
        """Play a whole turn, which ends the episode.

        Args:
            turn: the number of a listed turn; or all actions of the turn in order, as a list, or
                as text with semicolons between them.

        Returns:
            The credit: 1.0 for the best turn, 0.0 for the worst, or one that may not be played.
        """
        if self._credit is None:
            self._credit = self.position.mark(reply_of(turn, self._tool), self._options)
        return self._credit

    def get_reward(self) -> float:
        """The credit for the turn; 0.0 before it is played."""
        return self._credit or 0.0

    @property
    def done(self) -> bool:
        """Whether the turn was played."""
        return self._credit is not None

    @property
    def position(self) -> ValuedPosition:
        """The position, with the values of its turns.

        Raises:
            ConfigError: before the first `reset`.
        """
        if self._position is None:
            raise ConfigError("position", None, "`reset` draws the first one")
        return self._position


class BestTurnSet:
    """A data set of positions, each to be answered with a turn.

    It has the interface of reasoning-gym's ``ProceduralDataset``, which is not needed.

    Args:
        size: the number of positions.
        seed: the number of the data set, from 0; sets of different numbers share no seeds.
        game: the name of the game; None for the first in the registry.
        options: what prompts hold.
        depth: the depth of the search for the values, as for `make_valued_position`.
        **settings: the keywords of the game's config.

    Raises:
        ConfigError: naming the argument that is invalid.

    >>> positions = BestTurnSet(size=10, seed=7, depth=1)
    >>> entry = positions[3]
    >>> len(positions), positions.score_answer(entry["answer"], entry)
    (10, 1.0)
    """

    def __init__(
        self,
        *,
        size: int = 500,
        seed: int = 0,
        game: str | None = None,
        options: TextOptions = DEFAULT_OPTIONS,
        depth: int = 2,
        **settings: Any,
    ) -> None:
        self._options = without_picture(options)
        self.size = checked_integer("size", size, 1, SPAN)
        self.seed = checked_integer("seed", seed, 0, MOST_SEEDS // SPAN - 1)
        self._depth = depth
        self._draw = _drawing(game, depth, settings)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> Entry:
        """An entry; the same index gives the same entry in every process.

        Raises:
            IndexError: if there is no such entry.
        """
        if not 0 <= index < self.size:
            raise IndexError(f"there is no position {index}; the last one is {self.size - 1}")
        position = self._draw(self.seed * SPAN + index)
        return {
            "question": "\n\n".join(prompt_for(position.game, self._options)),
            "answer": write_reply(position.game, position.best, self._options),
            "metadata": {
                "source_dataset": "tkm_env.best_turn",
                "source_index": index,
                "difficulty": {"depth": self._depth},
                "position": position.row(),
            },
        }

    def __iter__(self) -> Iterator[Entry]:
        return (self[index] for index in range(self.size))

    def score_answer(self, answer: str | None, entry: Mapping[str, Any]) -> float:
        """The credit for an answer.

        Args:
            answer: the answer, or a whole reply; None if there is none.
            entry: an entry of this data set, or of another with the same options.

        Returns:
            The credit, from 0 to 1; 0 if the answer is refused.

        Raises:
            RecordError: if the entry's metadata are not those of a position.
        """
        position = ValuedPosition.from_row(entry["metadata"]["position"])
        return position.mark(answer or "", self._options)


def _drawing(
    game: str | None, depth: int, settings: Mapping[str, Any]
) -> Callable[[int], ValuedPosition]:
    """What draws positions by their seeds."""
    name = _checked_spec(game, depth, settings).name
    return partial(make_valued_position, game=name, depth=depth, **settings)


def _checked_spec(game: str | None, depth: int, settings: Mapping[str, Any]) -> GameSpec:
    """The game, after a check of what positions are drawn by."""
    spec = game_spec(default_game() if game is None else game)
    checked_integer("depth", depth, 1, _DEEPEST)
    solver(spec.name, "analyse", "values of turns are")
    spec.config(dict(settings))
    return spec
