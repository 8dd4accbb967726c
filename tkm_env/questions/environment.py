"""Questions as environments and rewards, in the shapes that training libraries take."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tkm_env.core.registry import default_game, game_spec
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import ConfigError, repr_of
from tkm_env.questions.generator import MOST_SEEDS, make_question
from tkm_env.questions.plan import rows_for
from tkm_env.questions.question import Question, Verdict
from tkm_env.text.options import ENGLISH, TextOptions


class QuestionEnv:
    """One question after another, each with a reward that can be verified: 1 if right, else 0.

    It is what TRL's ``environment_factory`` expects: `answer` is its only tool, and `get_reward`
    the reward of an episode.

    Args:
        kinds: the names of the kinds; empty for all that fit the settings.
        difficulties: the difficulties of each kind; empty for its usual ones.
        game: the name of the game; None for the first in the registry.
        style: ``"english"`` or ``"terse"``.
        rename: the seed of invented words; None for the game's own.
        **settings: the keywords of the game's config.

    Raises:
        ConfigError: naming the argument that is invalid.

    >>> env = QuestionEnv(kinds=["win"], difficulties=[6])
    >>> env.reset(seed=3).splitlines()[-3]
    'Can white win in this turn, by any way to play it?'
    >>> env.answer("ANSWER: maybe"), env.done
    (0.0, True)
    """

    def __init__(
        self,
        kinds: Sequence[str] = (),
        difficulties: Sequence[int] = (),
        *,
        game: str | None = None,
        style: str = ENGLISH,
        rename: int | None = None,
        **settings: Any,
    ) -> None:
        spec = game_spec(default_game() if game is None else game)
        self._rows = rows_for(spec, spec.config(settings), kinds, difficulties)
        if not self._rows:
            raise ConfigError("kinds", kinds, "no kind of question fits these settings")
        self._options = TextOptions(style=style, rename=rename)
        self._next = -1
        self._verdict: Verdict | None = None
        self._question: Question | None = None

    def reset(self, *, seed: int | None = None, prompt: object = None, **columns: object) -> str:
        """Draw the next question.

        Args:
            seed: from 0; it decides kind, difficulty and question. None takes the seed that follows
                the last one, from 0.
            prompt: ignored, as is all else: TRL passes every column of its data.
            **columns: ignored.

        Returns:
            The rules, the position and the question.

        Raises:
            ConfigError: if the seed is out of range, or no fitting position is found.
        """
        given = self._next + 1 if seed is None else seed
        self._next = checked_integer("seed", given, 0, MOST_SEEDS - 1)
        number, place = divmod(self._next, len(self._rows))
        row = self._rows[place]
        question = make_question(row.kind, row.difficulty, number, game=row.game, config=row.config)
        self._question, self._verdict = question.reworded(self._options), None
        return "\n\n".join(self._question.prompt)

    def answer(self, answer: str) -> float:
        """Answer the question, which ends the episode.

        Args:
            answer: the answer, or a whole reply with a line that begins with ANSWER:.

        Returns:
            1.0 if it is right, else 0.0.
        """
        if self._verdict is None:
            self._verdict = self.question.mark(answer)
        return self.get_reward()

    def get_reward(self) -> float:
        """1.0 if the question was answered and the answer is right, else 0.0."""
        return float(self._verdict is Verdict.RIGHT)

    @property
    def done(self) -> bool:
        """Whether the question was answered."""
        return self._verdict is not None

    @property
    def verdict(self) -> Verdict | None:
        """What the answer is worth; None before it is given."""
        return self._verdict

    @property
    def question(self) -> Question:
        """The question.

        Raises:
            ConfigError: before the first `reset`.
        """
        if self._question is None:
            raise ConfigError("question", None, "`reset` draws the first one")
        return self._question


def training_rows(questions: Iterable[Question]) -> Iterator[dict[str, Any]]:
    """Rows of a data set for TRL, with the columns ``prompt`` and ``question``.

    Args:
        questions: the questions.

    Yields:
        For each question, its prompt as messages, and its line as JSON.
    """
    for question in questions:
        messages = [
            {"role": role, "content": text} for role, text in question.prompt._asdict().items()
        ]
        yield {"prompt": messages, "question": json.dumps(question.line())}


def question_reward(
    prompts: Sequence[object],
    completions: Sequence[str | Sequence[Mapping[str, Any]]],
    question: Sequence[str | Mapping[str, Any]],
    **columns: object,
) -> list[float]:
    """The reward of each completion, in the form of TRL's reward functions.

    Args:
        prompts: ignored.
        completions: what the model wrote: texts, or lists of messages, of which the last counts.
        question: the column of `training_rows`: lines of a data set, as objects or as JSON.
        **columns: ignored.

    Returns:
        1.0 for each right answer, else 0.0.

    Raises:
        RecordError: if something in the column is not a question.

    >>> (row,) = training_rows([make_question("win", 6, 1)])
    >>> question_reward([], ["ANSWER: yes", "ANSWER: no"], 2 * [row["question"]])
    [1.0, 0.0]
    """
    return [
        float(_question_of(line).mark(_text_of(completion)) is Verdict.RIGHT)
        for completion, line in zip(completions, question, strict=True)
    ]


def _question_of(line: str | Mapping[str, Any]) -> Question:
    return Question.from_line(json.loads(line) if isinstance(line, str) else line)


def _text_of(completion: str | Sequence[Mapping[str, Any]]) -> str:
    if isinstance(completion, str):
        return completion
    content = completion[-1].get("content") if completion else ""
    return content if isinstance(content, str) else repr_of(content)
