"""The answers of language models in the games of a file, kept as they come, so that none is paid for twice."""

import json
import os
from typing import Final, NamedTuple

from tkm_env.foundations.errors import BudgetError, ConfigError
from tkm_env.foundations.files import failing_as
from tkm_env.foundations.line_file import LineFile
from tkm_env.text.chat import Answer

#: Added to the name of a file of records, for the answers in its games.
SUFFIX: Final = ".answers"

#: Seconds to wait while another process adds an answer.
_PATIENCE: Final = 30.0
#: So many tokens have a price.
_PRICED: Final = 1_000_000


class Budget(NamedTuple):
    """How much answers may cost."""

    max_tokens: int | None = (
        None  # tokens of all questions and answers together; None for any number
    )
    max_cost: float | None = None  # what they cost by the prices; None for any
    prices: tuple[
        tuple[str, float, float], ...
    ] = ()  # a model, and the price of a million tokens of questions, and of answers


NO_LIMIT: Final = Budget()


class PaidAnswers:
    """The answers in the file ``path``, which any number of processes share, or those of this one; the ``tokens`` of questions and of
    answers, and their ``cost`` by the prices of the budget.
    """

    def __init__(self, path: str = "", budget: Budget = NO_LIMIT) -> None:
        self.path, self.budget = path, budget
        self.tokens, self.cost = (0, 0), 0.0
        self._prices = {model: prices for model, *prices in budget.prices}
        self._answers: dict[str, Answer] = {}
        self._end = 0

    def find(self, key: str) -> Answer | None:
        """The answer with this key, which may be another process's; None if there is none."""
        if key not in self._answers:
            self.refresh()
        return self._answers.get(key)

    def check(self, model: str) -> None:
        """Raise a `BudgetError` if nothing is left for another answer of a model, and a `ConfigError` if that cannot be told."""
        most_tokens, most_cost, _ = self.budget
        if not self.path and (most_tokens, most_cost) != (None, None):
            raise ConfigError(
                "save",
                None,
                "a limit on tokens or on cost needs a file, beside which the answers are counted",
            )
        if most_cost is not None and model not in self._prices:
            raise ConfigError("price", None, f"a limit on cost needs the price of {model}")
        self.refresh()
        if most_tokens is not None and sum(self.tokens) >= most_tokens:
            raise BudgetError(f"{sum(self.tokens):,} tokens are spent, of {most_tokens:,}")
        if most_cost is not None and not self.cost < most_cost:  # nor if one of them is no number
            raise BudgetError(f"answers have cost {self.cost:.2f}, of {most_cost:.2f}")

    def add(self, key: str, model: str, answer: Answer) -> None:
        """Keep the answer of a model, asked for by this name. Raises a `FileError` if it cannot be written."""
        line = json.dumps({"key": key, "asked": model, **answer._asdict()}).encode("utf-8")
        if not self.path:
            self._count(line)
            return
        with LineFile(self.path, _PATIENCE) as file:
            file.append_line(line)

    def refresh(self) -> None:
        """Read what was added to the file."""
        if not self.path or not os.path.exists(self.path):
            return
        with failing_as(self.path, "read"), open(self.path, "rb") as file:
            file.seek(self._end)
            content = file.read()
        *lines, _ = content.split(b"\n")  # the last one is empty, or still being written
        for line in lines:
            self._end += len(line) + 1
            self._count(line)

    def _count(self, line: bytes) -> None:
        try:
            row = json.loads(line)
            key, model, (read, written) = row.pop("key"), row.pop("asked"), row.pop("tokens")
            self._answers[key] = Answer(tokens=(read, written), **row)
        except (ValueError, LookupError, TypeError, AttributeError):
            return  # what a killed writer left
        self.tokens = self.tokens[0] + read, self.tokens[1] + written
        prices = self._prices.get(model, (0.0, 0.0))
        self.cost += (prices[0] * read + prices[1] * written) / _PRICED

    def so_far(self, done: float, total: float | None) -> str:
        """What was spent on this share of the work, and is expected for all of it, in a few words; "" if nothing was."""
        self.refresh()
        name, spent, form = (
            ("cost", self.cost, ".2f") if self._prices else ("tokens", sum(self.tokens), ",.0f")
        )
        about = f" of about {spent * total / done:{form}}" if total and 0 < done < total else ""
        return f"{name} {spent:{form}}{about}" if any(self.tokens) else ""

    def __str__(self) -> str:
        cost = f", cost {self.cost:.2f}" if self._prices else ""
        return f"{self.tokens[0]:,} tokens in, {self.tokens[1]:,} out{cost}"
