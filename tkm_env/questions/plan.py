"""Which questions a data set holds: rows of kind, game, settings and difficulty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tkm_env.core.registry import GameSpec, game_spec, registered_games
from tkm_env.core.settings import changed_settings
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import ConfigError
from tkm_env.questions.game_questions import QUESTIONS
from tkm_env.questions.generator import SPAN, block, block_size
from tkm_env.questions.kinds import checked_kind, kinds_of
from tkm_env.questions.question import Question, checked_wording, question_id
from tkm_env.text.options import DEFAULT_OPTIONS, TextOptions

_MOST_DATA_SETS: Final = 2**32
#: The fixed questions of benchmarks begin at the data set of this number plus their version.
_BENCHMARK: Final = 1_000_000
BENCHMARK_VERSION: Final = 1


class PlanRow(NamedTuple):
    """Questions of one kind and difficulty, about one game under the same settings."""

    kind: str
    game: str
    config: Any
    difficulty: int


class Unit(NamedTuple):
    """Questions of a row that are made together: ``number`` of them, from the seed ``first``."""

    row: PlanRow
    first: int
    number: int


@dataclass(frozen=True)
class QuestionPlan:
    """Which questions a data set holds.

    Attributes:
        rows: what they are about; each row has equally many questions, up to rounding.
        count: the number of questions; each row's share is rounded up so that all balanced answers
            are equally frequent in it.
        number: the number of the data set, from 0 to 2**32 - 1. Data sets of different numbers
            share no seeds.
        options: the style and the words of the prompts.

    Raises:
        ConfigError: if there are no rows, or a number is out of range.
    """

    rows: tuple[PlanRow, ...]
    count: int
    number: int = 0
    options: TextOptions = DEFAULT_OPTIONS

    def __post_init__(self) -> None:
        if not self.rows:
            raise ConfigError("rows", self.rows, "no kind of question fits these settings")
        checked_integer("number", self.number, 0, _MOST_DATA_SETS - 1)
        checked_integer("count", self.count, 1, SPAN * len(self.rows) // 2)
        object.__setattr__(self, "options", checked_wording(self.options))

    def units(self) -> list[Unit]:
        """The questions in the order of the data set, in units that are made together."""
        share = -(-self.count // len(self.rows))
        found = []
        for row in self.rows:
            kind = checked_kind(game_spec(row.game), row.kind, row.config, row.difficulty)
            answers = kind.balanced_answers(row.difficulty)
            number, size = -(-share // answers) * answers, block_size(kind, row.difficulty)
            found += [
                (start, Unit(row, self.number * SPAN + start, min(size, number - start)))
                for start in range(0, number, size)
            ]
        return [unit for _, unit in sorted(found, key=lambda pair: pair[0])]

    def questions(self) -> Iterator[Question]:
        """The questions of the data set, one after another."""
        for unit in self.units():
            yield from self.made(unit)

    def made(self, unit: Unit) -> list[Question]:
        """The questions of a unit.

        Raises:
            ConfigError: if too few fitting positions are found.
        """
        kind, game, config, difficulty = unit.row
        made = block(game, kind, config, difficulty, unit.first)[: unit.number]
        return [question.reworded(self.options) for question in made]

    def ids(self, unit: Unit) -> list[str]:
        """The ids of a unit's questions, which need not be made for that."""
        kind, name, config, difficulty = unit.row
        game = game_spec(name).game_class(config, seed=0)
        numbers = range(unit.first, unit.first + unit.number)
        return [question_id(game, kind, difficulty, seed, self.options) for seed in numbers]

    def told(self) -> list[dict[str, Any]]:
        """The rows, of JSON's types."""
        return [
            {
                "kind": row.kind,
                "game": row.game,
                "settings": changed_settings(row.config),
                "difficulty": row.difficulty,
            }
            for row in self.rows
        ]


def rows_for(
    spec: GameSpec, config: Any, kinds: Sequence[str] = (), difficulties: Sequence[int] = ()
) -> tuple[PlanRow, ...]:
    """The rows about one game under the same settings.

    Args:
        spec: the game.
        config: the settings: an instance of its config.
        kinds: the names of the kinds; empty for all that fit.
        difficulties: the difficulties of each kind; empty for its usual ones.

    Returns:
        The rows, kind by kind.

    Raises:
        ConfigError: naming what does not fit. Where kinds are not named, those are left out that
            fit neither the settings nor the difficulty.

    >>> spec = game_spec("tkm")
    >>> [row.difficulty for row in rows_for(spec, spec.config({}), ["legal"])]
    [1, 2, 4]
    """
    rows = []
    for name in kinds or kinds_of(spec):
        usual = kinds_of(spec)[name].usual_difficulties(spec) if name in kinds_of(spec) else (1,)
        for difficulty in difficulties or usual:
            if kinds:
                checked_kind(spec, name, config, difficulty)
            with suppress(ConfigError):
                checked_kind(spec, name, config, difficulty)
                rows.append(PlanRow(name, spec.name, config, difficulty))
    return tuple(rows)


def usual_rows(games: Sequence[str] = (), kinds: Sequence[str] = ()) -> tuple[PlanRow, ...]:
    """The rows about games under their usual settings, with usual difficulties.

    Args:
        games: the names of the games; empty for all.
        kinds: the names of the kinds; empty for all.

    Returns:
        The rows, game by game.

    Raises:
        ConfigError: if there is no such game.
    """
    return tuple(
        row
        for spec in map(game_spec, games or registered_games())
        for settings in QUESTIONS.of(spec).usual_settings
        for row in rows_for(spec, spec.config(settings))
        if not kinds or row.kind in kinds
    )


def questions_for_benchmark(
    game: str, version: int = BENCHMARK_VERSION, options: TextOptions = DEFAULT_OPTIONS
) -> tuple[Question, ...]:
    """The fixed questions that benchmarks put to language models.

    They are about a game under its usual settings, with usual difficulties, and as few of each as
    keep the answers balanced. The version decides their seeds: they are those of the data set whose
    number is 1,000,000 plus the version, so a model should not be trained on data sets of such
    numbers. `tkm_env.questions.result_table` makes a table of the replies.

    Args:
        game: the name of the game.
        version: the version of the set.
        options: the style and the words of the prompts.

    Returns:
        The questions.

    Raises:
        ConfigError: if there is no such game or version.
    """
    checked_integer("version", version, 1, BENCHMARK_VERSION)
    plan = QuestionPlan(usual_rows([game]), 1, _BENCHMARK + version, options)
    return (*plan.questions(),)
