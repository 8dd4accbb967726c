"""The answers of language models in the games of a file.

They are kept as they arrive, so that none is paid for twice.
"""

import json
import os
from collections.abc import Sequence
from typing import Final, NamedTuple

from tkm_env.foundations.errors import BudgetError, ConfigError, NewerVersionError
from tkm_env.foundations.files import failing_as, refuse_newer
from tkm_env.foundations.line_file import LineFile
from tkm_env.text.completion import Completion

#: The name of this form of file, and its version; lines without one are of version 1.
FORM: Final = "tkm_env answers"
_VERSION: Final = 1
#: Added to the name of a file of records, for the file of the answers in its games.
SUFFIX: Final = ".answers"

#: Seconds to wait while another process adds an answer.
_PATIENCE: Final = 30.0
#: The number of tokens that a price is for.
_PRICED: Final = 1_000_000


class Budget(NamedTuple):
    """How much answers may cost.

    Attributes:
        max_tokens: the tokens of all questions and answers together; None for no limit.
        max_cost: what they may cost at the prices; None for no limit.
        prices: for each model, its name, and the prices of a million tokens of questions and of
            answers.
    """

    max_tokens: int | None = None
    max_cost: float | None = None
    prices: tuple[tuple[str, float, float], ...] = ()


NO_LIMIT: Final = Budget()


def cost_of(tokens: tuple[int, int], prices: Sequence[float]) -> float:
    """What tokens cost.

    Args:
        tokens: those of questions and those of answers.
        prices: the prices of a million tokens of questions and of answers.

    Returns:
        The cost, in the currency of the prices.
    """
    return sum(price * count for price, count in zip(prices, tokens, strict=True)) / _PRICED


class PaidAnswers:
    """Answers in a file that any number of processes share, or in memory.

    Args:
        path: the file; empty to keep the answers in this process only.
        budget: how much answers may cost.

    Attributes:
        path: as given.
        budget: as given.
        tokens: the tokens of all questions so far, and of all answers, as servers count them or,
            where they do not, by an estimate that is rather too high.
        estimated: how many of the answers were counted by the estimate.
        cost: what they have cost at the prices of the budget.
    """

    def __init__(self, path: str = "", budget: Budget = NO_LIMIT) -> None:
        self.path, self.budget = path, budget
        self.tokens, self.estimated, self.cost = (0, 0), 0, 0.0
        self._prices = {model: prices for model, *prices in budget.prices}
        self._answers: dict[str, Completion] = {}
        self._end = 0

    def find(self, key: str) -> Completion | None:
        """The answer with this key, maybe from another process; None if there is none."""
        if key not in self._answers:
            self.refresh()
        return self._answers.get(key)

    def check(self, model: str) -> None:
        """Check that the budget allows another answer of a model.

        Raises:
            BudgetError: if nothing is left.
            ConfigError: if there is a limit that cannot be checked, for want of a file or of the
                model's price.
        """
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
        if most_cost is not None and not self.cost < most_cost:  # refuses NaN, too
            raise BudgetError(f"answers have cost {self.cost:.2f}, of {most_cost:.2f}")

    def add(self, key: str, model: str, answer: Completion) -> None:
        """Keep an answer.

        Args:
            key: what `find` finds it by; empty for an answer that cannot be used, but that may have
                to be paid.
            model: the model, by the name under which it was asked.
            answer: the answer.

        Raises:
            FileError: if it cannot be written.
        """
        row = {"key": key, "asked": model, **answer._asdict(), "version": _VERSION}
        line = json.dumps(row).encode("utf-8")
        if not self.path:
            self._count(line)
            return
        with LineFile(self.path, _PATIENCE) as file:
            file.append_line(line)

    def refresh(self) -> None:
        """Read what has been added to the file.

        Raises:
            NewerVersionError: if a newer version of the package added it.
            FileError: if the file cannot be read.
        """
        if not self.path or not os.path.exists(self.path):
            return
        with failing_as(self.path, "read"), open(self.path, "rb") as file:
            file.seek(self._end)
            content = file.read()
        *lines, _ = content.split(b"\n")  # the last is empty or unfinished
        for line in lines:
            self._end += len(line) + 1
            self._count(line)

    def _count(self, line: bytes) -> None:
        try:
            row = json.loads(line)
            refuse_newer(self.path, FORM, row.pop("version", _VERSION), _VERSION)
            key, model = row.pop("key"), row.pop("asked")
            pairs = {
                name: (row[name][0], row[name][1])
                for name in ("tokens", "estimate")
                if row.get(name)
            }
            answer = Completion(**row | pairs)
            read, written = answer.counted
        except NewerVersionError:
            raise  # its answers would be paid for twice
        except (ValueError, LookupError, TypeError, AttributeError):
            return  # the line of a writer that was killed
        if key:
            self._answers[key] = answer
        self.tokens = self.tokens[0] + read, self.tokens[1] + written
        self.estimated += answer.estimate is not None
        self.cost += cost_of((read, written), self._prices.get(model, (0.0, 0.0)))

    def so_far(self, done: float, total: float | None) -> str:
        """What has been spent, and what the whole work is expected to cost, in a few words.

        Args:
            done: how much of the work is done.
            total: how much work there is, in the same unit; None if unknown.

        Returns:
            The words; empty if nothing has been spent.
        """
        self.refresh()
        name, spent, form = (
            ("cost", self.cost, ".2f") if self._prices else ("tokens", sum(self.tokens), ",.0f")
        )
        name = f"{name} about" if self.estimated else name
        about = f" of about {spent * total / done:{form}}" if total and 0 < done < total else ""
        return f"{name} {spent:{form}}{about}" if any(self.tokens) else ""

    def __str__(self) -> str:
        cost = f", cost {self.cost:.2f}" if self._prices else ""
        estimated = f", {self.estimated:,} answers estimated" if self.estimated else ""
        return f"{self.tokens[0]:,} tokens in, {self.tokens[1]:,} out{cost}{estimated}"
