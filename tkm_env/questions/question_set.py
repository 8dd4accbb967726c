"""Questions as a procedural data set, with the interface of reasoning-gym's."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, TypedDict

from tkm_env.core.registry import default_game, game_spec
from tkm_env.foundations.checks import checked_integer
from tkm_env.questions.plan import QuestionPlan, rows_for
from tkm_env.questions.question import Question, Verdict
from tkm_env.text.options import ENGLISH, TextOptions


class Entry(TypedDict):
    """One entry of a `QuestionSet`.

    Attributes:
        question: the whole prompt.
        answer: the canonical answer, in the words of the prompt.
        metadata: ``source_dataset``, ``source_index``, ``difficulty`` by its name, and ``line``,
            the line of the question in a data set.
    """

    question: str
    answer: str
    metadata: dict[str, Any]


class QuestionSet:
    """A data set that makes its questions when they are asked for.

    It has the interface of reasoning-gym's ``ProceduralDataset``, which is not needed.

    Args:
        kinds: the names of the kinds; empty for all that fit the settings.
        difficulties: the difficulties of each kind; empty for its usual ones.
        size: the number of questions.
        seed: the number of the data set, from 0; sets of different numbers share no seeds.
        game: the name of the game; None for the first in the registry.
        style: ``"english"`` or ``"terse"``.
        rename: the seed of invented words; None for the game's own.
        **settings: the keywords of the game's config.

    Raises:
        ConfigError: naming the argument that is invalid.

    >>> questions = QuestionSet(["position"], [1], size=10, seed=7)
    >>> entry = questions[3]
    >>> len(questions), questions.score_answer(entry["answer"], entry)
    (10, 1.0)
    """

    def __init__(
        self,
        kinds: Sequence[str] = (),
        difficulties: Sequence[int] = (),
        *,
        size: int = 500,
        seed: int = 0,
        game: str | None = None,
        style: str = ENGLISH,
        rename: int | None = None,
        **settings: Any,
    ) -> None:
        spec = game_spec(default_game() if game is None else game)
        rows = rows_for(spec, spec.config(settings), kinds, difficulties)
        options = TextOptions(style=style, rename=rename)
        self._plan = QuestionPlan(rows, size, seed, options)
        self._units = self._plan.units()
        self._ends = [*accumulate(unit.number for unit in self._units)]
        self.size, self.seed = checked_integer("size", size, 1, self._ends[-1]), seed

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> Entry:
        """An entry; the same index gives the same entry in every process.

        Raises:
            IndexError: if there is no such entry.
        """
        question = self.question(index)
        metadata = {
            "source_dataset": f"tkm_env.{question.kind.name}",
            "source_index": index,
            "difficulty": {"difficulty": question.difficulty},
            "line": question.line(),
        }
        prompt = "\n\n".join(question.prompt)
        return {"question": prompt, "answer": question.answer, "metadata": metadata}

    def __iter__(self) -> Iterator[Entry]:
        return (self[index] for index in range(self.size))

    def question(self, index: int) -> Question:
        """The question at an index.

        Raises:
            IndexError: if there is none.
        """
        if not 0 <= index < self.size:
            raise IndexError(f"there is no question {index}; the last one is {self.size - 1}")
        place = bisect_right(self._ends, index)
        unit = self._units[place]
        return self._plan.made(unit)[index - self._ends[place] + unit.number]

    def score_answer(self, answer: str | None, entry: Mapping[str, Any]) -> float:
        """The score of an answer.

        Args:
            answer: the answer, or a whole reply; None if there is none.
            entry: an entry of this data set or another.

        Returns:
            1.0 if it is right, else 0.0.

        Raises:
            RecordError: if the entry's metadata are not those of a question.
        """
        question = Question.from_line(entry["metadata"]["line"])
        return float(question.mark(answer or "") is Verdict.RIGHT)
