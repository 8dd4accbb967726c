"""Questions by kind, settings, difficulty and seed.

Seeds belong together in blocks, in which all answers of a kind with few answers are equally
frequent. A block depends on nothing but its first seed, so that any part of a data set can be made
by itself, in any process.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from tkm_env.core.registry import default_game, game_spec
from tkm_env.core.settings import make_config
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.seeds import derived
from tkm_env.questions.game_questions import QUESTIONS
from tkm_env.questions.kind import QuestionKind
from tkm_env.questions.kinds import checked_kind, kind_of
from tkm_env.questions.question import Question, checked_wording, question_id, shown_game
from tkm_env.questions.random_positions import RandomPositions
from tkm_env.questions.task import Task
from tkm_env.text.options import ENGLISH, TextOptions

#: Seeds are numbered anew from every multiple of this one: data set number n begins at n times it.
SPAN: Final = 2**20
#: The smallest number of questions that are made together.
_BLOCK: Final = 8
#: How many candidates are tried for each question of a block.
_CANDIDATES: Final = 4_000
#: Seeds are below this number.
MOST_SEEDS: Final = 2**60


def make_question(
    kind: str,
    difficulty: int,
    seed: int,
    *,
    game: str | None = None,
    style: str = ENGLISH,
    rename: int | None = None,
    config: Any = None,
    **settings: Any,
) -> Question:
    """A question with one right answer.

    Args:
        kind: the name of the kind; see `tkm_env.questions.kinds_of`.
        difficulty: the difficulty, as the kind measures it, from 1.
        seed: from 0 to 2**60 - 1; the same arguments give the same question in every process.
        game: the name of the game; None for the first in the registry.
        style: ``"english"`` or ``"terse"``.
        rename: the seed of invented words; None for the game's own.
        config: the game's config; None for the default one.
        **settings: keywords of the config, which replace or override its own.

    Returns:
        The question.

    Raises:
        ConfigError: naming the argument that is invalid, or if no fitting position is found.

    >>> question = make_question("position", difficulty=2, seed=1, chapters="growth")
    >>> question.id
    'position/tkm/chapters=growth/2/1'
    >>> question.objection()
    ''
    """
    spec = game_spec(default_game() if game is None else game)
    config = make_config(type(spec.game_class.default_config), config, settings, make_question)
    checked_integer("seed", seed, 0, MOST_SEEDS - 1)
    found = checked_kind(spec, kind, config, difficulty)
    first = seed - seed % SPAN % block_size(found, difficulty)
    question = block(spec.name, found.name, config, difficulty, first)[seed - first]
    return question.reworded(TextOptions(style=style, rename=rename))


def block_size(kind: QuestionKind, difficulty: int) -> int:
    """How many seeds belong together.

    Args:
        kind: the kind of question.
        difficulty: the difficulty.

    Returns:
        A multiple of the number of balanced answers.
    """
    answers = kind.balanced_answers(difficulty)
    return answers * max(1, _BLOCK // answers)


@lru_cache(maxsize=256)
def block(game: str, kind: str, config: Any, difficulty: int, first: int) -> tuple[Question, ...]:
    """The questions of a block, in the order of their seeds.

    Args:
        game: the name of the game.
        kind: the name of the kind.
        config: the settings of the game.
        difficulty: the difficulty.
        first: the first seed of the block.

    Returns:
        The questions, in the game's own words.

    Raises:
        ConfigError: if too few fitting positions are found.
    """
    spec = game_spec(game)
    asked = kind_of(spec, kind)
    plain = checked_wording(TextOptions())
    name = question_id(spec.game_class(config, seed=0), kind, difficulty, first, plain)
    source = RandomPositions(spec, config, derived(0, name), QUESTIONS.of(spec).turns)
    number = block_size(asked, difficulty)
    answers = asked.balanced_answers(difficulty)
    found: list[list[tuple[Task, str]]] = [[] for _ in range(answers)]
    for task, answer in _candidates(asked, source, difficulty, _CANDIDATES * number):
        rows = found[asked.answer_class(task, answer)]
        if len(rows) < number // answers:
            rows.append((task, answer))
        if sum(map(len, found)) == number:
            break
    else:
        raise ConfigError(
            "difficulty",
            difficulty,
            f"too few positions were found under these settings for {number} questions {kind!r}",
        )
    in_order: list[tuple[Task, str]] = []
    for row in range(number // answers):  # each row has every answer once, in random order
        in_order += [found[place][row] for place in source.generator.permutation(answers)]
    return tuple(
        Question(asked, task, seed, answer, plain)
        for seed, (task, answer) in enumerate(in_order, first)
    )


def _candidates(
    kind: QuestionKind, source: RandomPositions, difficulty: int, most: int
) -> Iterator[tuple[Task, str]]:
    """Yield different tasks with their answers, as their readers know them."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for _ in range(most):
        task = kind.propose(source, difficulty)
        if task is None:
            continue
        key = task.game.visible_position, task.actions
        if key not in seen:
            seen.add(key)
            shown = Task(shown_game(source.spec, task.game), difficulty, task.actions)
            yield shown, kind.answer(shown)
