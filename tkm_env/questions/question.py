"""A question with one right answer: its words, its answer, and the marking of replies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from hashlib import blake2b
from typing import Any, Final

from tkm_env import __version__
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import GameSpec, game_spec
from tkm_env.core.settings import changed_settings
from tkm_env.foundations.errors import ConfigError, RecordError, TKMError, repr_of
from tkm_env.foundations.files import check_keys
from tkm_env.questions.answer_form import ANSWER, UnreadableError, answer_in
from tkm_env.questions.kind import QuestionKind
from tkm_env.questions.kinds import checked_kind
from tkm_env.questions.task import Task
from tkm_env.text.options import ENGLISH, LEFT_OUT, NO_HISTORY, TextOptions
from tkm_env.text.prompt import Prompt, drawing_in_words, rules_in_words
from tkm_env.text.renaming import renaming_of

#: To be raised when the same seed gives another question or other words.
VERSION: Final = 1
#: The keys of a line of a data set, with their meaning.
LINE_KEYS: Final[Mapping[str, str]] = {
    "id": "kind, game, settings, difficulty, seed and wording; the same in every run",
    "kind": "the kind of the question",
    "game": "the name of the game",
    "settings": "the settings that differ from the defaults",
    "difficulty": "the difficulty, as the kind measures it",
    "seed": "the seed of the question",
    "style": "the style of the rules and the position: `english` or `terse`",
    "rename": "the seed of the invented words; null for the game's own",
    "position": "the position that is shown, as text, in the game's own letters",
    "actions": "what is played from there, in the game's own words",
    "system": "the digest of the rules and the notation, which the card has in full",
    "prompt": "the position, the question and how to answer, in the words of the prompt",
    "answer": "the canonical answer, in the words of the prompt",
    "version": "the version of the questions, and that of the package",
}
_DIGEST_BYTES: Final = 8
#: Longer texts of settings are shortened to a digest in ids.
_LONGEST_SETTING: Final = 60


class Verdict(Enum):
    """What a reply to a question is worth."""

    RIGHT = "right"
    WRONG = "wrong"
    UNREADABLE = "unreadable"


@dataclass(frozen=True)
class Question:
    r"""A question with one right answer, or with answers that are all checked.

    `tkm_env.questions.make_question` makes it.

    Attributes:
        kind: the kind.
        task: what it is about.
        seed: its seed.
        correct: the canonical answer, in the game's own words.
        options: the style and the words of the prompt.

    >>> from tkm_env.questions import make_question
    >>> question = make_question("win", difficulty=6, seed=1)
    >>> question.prompt.user.splitlines()[-3]
    'Can white win in this turn, by any way to play it?'
    >>> question.mark(f"Nothing can be pushed out. ANSWER: {question.answer}")
    <Verdict.UNREADABLE: 'unreadable'>
    >>> question.mark(f"Nothing can be pushed out.\nANSWER: {question.answer}")
    <Verdict.RIGHT: 'right'>
    """

    kind: QuestionKind
    task: Task
    seed: int
    correct: str
    options: TextOptions

    @property
    def game(self) -> BaseGame:
        """The game at the position that is shown; to be copied, not changed."""
        return self.task.game

    @property
    def difficulty(self) -> int:
        """The difficulty, as the kind measures it."""
        return self.task.difficulty

    @cached_property
    def id(self) -> str:
        """Identifies the question, and is the same in every run of this version."""
        kind = self.kind.name
        return question_id(self.game, kind, self.difficulty, self.seed, self.options)

    @cached_property
    def answer(self) -> str:
        """The canonical answer, in the words of the prompt."""
        return self.kind.form(self.task).write(self.correct, self._rename)

    @cached_property
    def prompt(self) -> Prompt:
        """What a model is told: the rules and the notation; the position and the question."""
        return Prompt(*self._told)

    @cached_property
    def system_digest(self) -> str:
        """The digest of the first part of the prompt, which many questions share."""
        return blake2b(self.prompt.system.encode(), digest_size=_DIGEST_BYTES).hexdigest()

    def mark(self, reply: str) -> Verdict:
        """Mark a reply.

        The answer is what follows the last ``ANSWER:``, or the whole reply; see
        `tkm_env.questions.answer_form.answer_in`. The form may differ as long as there is no doubt:
        the order of items, capitals outside positions, quotes, spaces, a block of code.

        Args:
            reply: what a model replied; no reply raises an error.

        Returns:
            Whether it is right, wrong, or holds no answer in the form that was asked for.
        """
        try:
            given = self.kind.form(self.task).read(answer_in(reply), self._rename)
            is_right = self.kind.is_right(self.task, given, self.correct, self.options)
        except UnreadableError:
            return Verdict.UNREADABLE
        return Verdict.RIGHT if is_right else Verdict.WRONG

    def objection(self) -> str:
        """What the second path finds instead of the answer; empty if it confirms it."""
        return self.kind.objection(self.task, self.correct)

    def reworded(self, options: TextOptions) -> Question:
        """The same question in other words.

        Args:
            options: the style and the seed of invented words; the rest does not count.

        Returns:
            The question.
        """
        return Question(self.kind, self.task, self.seed, self.correct, checked_wording(options))

    def line(self) -> dict[str, Any]:
        """The question as a line of a data set, of JSON's types, with the keys of `LINE_KEYS`."""
        return {
            "id": self.id,
            "kind": self.kind.name,
            "game": self.game.name,
            "settings": changed_settings(self.game.config),
            "difficulty": self.difficulty,
            "seed": self.seed,
            "style": self.options.style,
            "rename": self.options.rename,
            "position": self.game.visible_position,
            "actions": [*self.task.actions],
            "system": self.system_digest,
            "prompt": self.prompt.user,
            "answer": self.answer,
            "version": versions(),
        }

    @classmethod
    def from_line(cls, line: Mapping[str, Any]) -> Question:
        """The question of a line; its answer is worked out again.

        The line may come from anywhere: it makes this read no file.

        Args:
            line: a line of a data set.

        Returns:
            The question.

        Raises:
            RecordError: naming the key whose value does not fit.
        """
        try:
            check_keys("line", dict(line), LINE_KEYS)
            spec = game_spec(line["game"])
            config = spec.config(_without_files(spec, line["settings"]))
            kind = checked_kind(spec, line["kind"], config, line["difficulty"])
            game = spec.game_class(config, seed=0, position=line["position"])
            task = Task(game, line["difficulty"], tuple(line["actions"]))
            options = TextOptions(LEFT_OUT, NO_HISTORY, line["style"], line["rename"])
            return cls(kind, task, line["seed"], kind.answer(task), options)
        except (TKMError, TypeError) as error:
            key = error.keyword if isinstance(error, ConfigError) else "line"
            raise RecordError(key, str(error)) from None

    @property
    def _rename(self) -> Any:
        return renaming_of(type(self.game), self.options.rename).prose

    @property
    def _told(self) -> tuple[str, str]:
        game, options = self.game, self.options
        words = renaming_of(type(game), options.rename)
        rules, notation = rules_in_words(game, options)
        system = (
            f"You answer questions about {words.title}, a game for two players.\n\n"
            f"# The rules\n\n{rules}\n\n"
            f"# How positions and actions are written\n\n{notation}\n\n"
            "# How to answer\n\nThink first, if you like. Then end with a line that begins with "
            f"{ANSWER}, followed by the answer alone. Only the last such line counts."
        )
        shown = [
            f"Turn {game.turn} of at most {game.config.max_turns}. The position as text:",
            words.position(game.visible_position),
            drawing_in_words(game, options),
            words.prose(self.kind.ask(self.task)),
            words.prose(self.kind.answers),
        ]
        return system, "\n\n".join(part.strip("\n") for part in shown if part)


def _without_files(spec: GameSpec, settings: Any) -> Any:
    """Settings of which none is the path of a file.

    Raises:
        ConfigError: if one is.
    """
    for setting in spec.settings:
        if setting.kind == "file" and isinstance(dict(settings).get(setting.keyword), str):
            given = settings[setting.keyword]
            raise ConfigError(setting.keyword, given, "a line names no files")
    return settings


def checked_wording(options: TextOptions) -> TextOptions:
    """Options without what questions do not have: legal turns and what was played."""
    return TextOptions(LEFT_OUT, NO_HISTORY, options.style, options.rename)


def question_id(game: BaseGame, kind: str, difficulty: int, seed: int, options: TextOptions) -> str:
    """The id of a question.

    Args:
        game: a game under the question's settings.
        kind: the name of the kind.
        difficulty: the difficulty.
        seed: the seed.
        options: the style and the words of the prompt.

    Returns:
        The id, whose parts are separated by slashes.
    """
    settings = ",".join(
        f"{keyword}={_short(value)}" for keyword, value in changed_settings(game.config).items()
    )
    wording = [] if options.style == ENGLISH else [options.style]
    if options.rename is not None:
        wording.append(f"rename={options.rename}")
    parts = (kind, game.name, settings or "default", str(difficulty), str(seed), *wording)
    return "/".join(parts)


def _short(value: Any) -> str:
    if isinstance(value, list):
        value = "+".join(map(str, value))
    text = str(value).replace("/", "|")
    if len(text) <= _LONGEST_SETTING:
        return text
    return blake2b(json.dumps(value).encode(), digest_size=_DIGEST_BYTES).hexdigest()


def versions() -> str:
    """The version of the questions, and that of the package, such as "1, tkm_env 0.1.0"."""
    return f"{VERSION}, tkm_env {__version__}"


def shown_game(spec: GameSpec, game: BaseGame) -> BaseGame:
    """The game that a reader of its visible position knows; what is hidden is arbitrary.

    Args:
        spec: the game's row in the registry.
        game: the game.

    Returns:
        A game without a history.

    Raises:
        ConfigError: if the visible position is not that of the game.
    """
    shown = spec.game_class(game.config, seed=0, position=game.visible_position)
    if shown.visible_position != game.visible_position:
        raise ConfigError("position", repr_of(game.visible_position), "it is read differently")
    return shown
