"""All kinds of questions about a game, found by name."""

from __future__ import annotations

from typing import Any

from tkm_env.core.registry import GameSpec
from tkm_env.foundations.checks import checked_choice
from tkm_env.questions.game_questions import QUESTIONS
from tkm_env.questions.general_kinds import GENERAL_KINDS
from tkm_env.questions.kind import QuestionKind


def kinds_of(game: GameSpec) -> dict[str, QuestionKind]:
    """The kinds of questions about a game, by name.

    They are those for every game, and then the game's own.
    """
    general = (kind for kind in GENERAL_KINDS if kind.is_about(game))
    return {kind.name: kind for kind in (*general, *QUESTIONS.of(game).kinds)}


def kind_of(game: GameSpec, name: object) -> QuestionKind:
    """A kind of question about a game.

    Args:
        game: the game.
        name: the name of the kind.

    Returns:
        The kind.

    Raises:
        ConfigError: if the game has no such kind.
    """
    kinds = kinds_of(game)
    return kinds[checked_choice("kind", name, kinds)]


def checked_kind(spec: GameSpec, kind: object, config: Any, difficulty: int) -> QuestionKind:
    """A kind of which questions of this difficulty can be asked.

    Args:
        spec: the game.
        kind: the name of the kind.
        config: the settings of the game.
        difficulty: the difficulty.

    Returns:
        The kind.

    Raises:
        ConfigError: naming what does not fit.
    """
    found = kind_of(spec, kind)
    QUESTIONS.of(spec).check(config)
    found.check(spec, config, difficulty)
    return found
