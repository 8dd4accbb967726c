"""How well questions can be answered without reading the position.

    python benchmarks/questions.py FOLDER

For each kind it makes questions under the usual settings, and lets a naive Bayes classifier learn
from four of five blocks what the answers are: first from the words of the prompts, without the
position and without the actions that are played, and then from the characters of the position. On
the other questions it is compared with whoever always gives the most frequent answer. The figures
are written to ``docs/questions.json``; the folder keeps them kind by kind, so that a run goes on
where it was interrupted.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.progress import track

from tkm_env.evaluation.score import Interval, share_of
from tkm_env.questions import PlanRow, Question, QuestionPlan, usual_rows
from tkm_env.questions.generator import block_size
from tkm_env.text.prompt import drawing_in_words

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, begun, keep

FIGURES = ROOT / "docs/questions.json"
#: The smallest number of questions of each kind about each game, and of each of its rows.
QUESTIONS, OF_EACH_ROW = 480, 8
#: The number of the data set, which no example uses.
NUMBER = 900
#: One of this many blocks is held back.
_HELD_BACK = 5

Features = Callable[[Question], Sequence[Hashable]]


class Guesses(NamedTuple):
    """How often answers are guessed right in questions that were held back.

    Attributes:
        questions: the number of questions that were held back.
        frequent: the share of the answer that is most frequent in the others.
        guessed: the share that the classifier guesses right.
    """

    questions: int
    frequent: float
    guessed: Interval

    @property
    def is_chance(self) -> bool:
        """Whether the classifier is within three standard deviations of the frequent answer."""
        deviation = math.sqrt(self.frequent * (1 - self.frequent) / self.questions)
        return abs(self.guessed.share - self.frequent) <= 3 * deviation + 1 / self.questions


class NaiveBayes:
    """A multinomial naive Bayes classifier, with one added to each count.

    Args:
        examples: the features of each example, and its class.
    """

    def __init__(self, examples: Iterable[tuple[Sequence[Hashable], str]]) -> None:
        self._classes: Counter[str] = Counter()
        self._counts: dict[str, Counter[Hashable]] = defaultdict(Counter)
        for features, name in examples:
            self._classes[name] += 1
            self._counts[name].update(features)
        self._known = {feature for counts in self._counts.values() for feature in counts}
        self._totals = {
            name: math.log(sum(counts.values()) + len(self._known))
            for name, counts in self._counts.items()
        }

    def guess(self, features: Sequence[Hashable]) -> str:
        """The most likely class of an example with these features."""
        known = [feature for feature in features if feature in self._known]

        def likelihood(name: str) -> float:
            counts, total = self._counts[name], self._totals[name]
            return math.log(self._classes[name]) + sum(
                math.log(counts[feature] + 1) - total for feature in known
            )

        return max(self._classes, key=likelihood)


def words_of(question: Question) -> list[str]:
    """The words of a prompt without the position, its turn, and the actions played from there."""
    _, _, text = question.prompt.user.replace(question.game.visible_position, "").partition("\n")
    text = text.replace(drawing_in_words(question.game, question.options).strip("\n"), "")
    return re.findall(r"\w+", re.sub(r"^\d+\. `.*`$", "", text, flags=re.MULTILINE).lower())


def characters_of(question: Question) -> list[Hashable]:
    """The characters of the position, alone and with their places, and the actions."""
    position = question.game.visible_position
    return [*position, *enumerate(position), *question.task.actions]


def guesses(questions: Sequence[Question], features: Features) -> Guesses:
    """How well answers are guessed from features of the questions.

    Args:
        questions: questions of one kind about one game.
        features: the features of a question.

    Returns:
        The shares.
    """
    learned, held_back = [], []
    blocks: dict[Hashable, int] = {}  # each with its number, since its positions may be alike
    for question in questions:
        first = question.seed // block_size(question.kind, question.difficulty)
        block = question.game.config, question.difficulty, first
        number = blocks.setdefault(block, len(blocks))
        (held_back if number % _HELD_BACK == 0 else learned).append(question)
    model = NaiveBayes((features(question), question.correct) for question in learned)
    ((frequent, _),) = Counter(question.correct for question in learned).most_common(1)
    right = [
        (number, model.guess(features(question)) == question.correct)
        for number, question in enumerate(held_back)
    ]
    usual = sum(question.correct == frequent for question in held_back) / len(held_back)
    return Guesses(len(held_back), usual, share_of(right))


def lucky_turns(questions: Sequence[Question]) -> float:
    """The share of legal turns that are right, of questions that ask for a turn."""
    shares = []
    for question in questions:
        game = question.game
        turns = [
            "; ".join(game.action_names[action] for action in way.actions) for way in game.turns()
        ]
        right = sum(question.mark(turn).value == "right" for turn in turns)
        shares.append(right / len(turns))
    return sum(shares) / len(shares)


def by_kind() -> dict[tuple[str, str], tuple[PlanRow, ...]]:
    """The usual rows of each game and kind."""
    found: dict[tuple[str, str], tuple[PlanRow, ...]] = {}
    for row in usual_rows(("tkm", "terminus")):
        found[row.game, row.kind] = (*found.get((row.game, row.kind), ()), row)
    return found


def measure(game: str, kind: str, rows: tuple[PlanRow, ...]) -> dict[str, Any]:
    """The figures of one kind of questions about one game."""
    questions = [*QuestionPlan(rows, max(QUESTIONS, OF_EACH_ROW * len(rows)), NUMBER).questions()]
    answers = {question.correct for question in questions}
    figures: dict[str, Any] = {
        "game": game,
        "kind": kind,
        "questions": len(questions),
        "answers": len(answers),
    }
    if kind == "winning-turn":
        return figures | {"frequent": round(lucky_turns(questions[:40]), 4)}
    words, characters = (guesses(questions, of) for of in (words_of, characters_of))
    return figures | {
        "held_back": words.questions,
        "frequent": round(words.frequent, 4),
        "words": [round(value, 4) for value in words.guessed],
        "characters": [round(value, 4) for value in characters.guessed],
        "is_chance": words.is_chance,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    begun(folder, "questions")
    found = []
    for (game, kind), rows in track([*by_kind().items()], description="kinds"):
        path = folder / f"{game}, {kind}.json"
        if not path.exists():
            path.write_text(json.dumps(measure(game, kind, rows)), "utf-8")
        found.append(json.loads(path.read_text("utf-8")))
    FIGURES.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    keep(folder, "questions")
    print(f"wrote {FIGURES}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
