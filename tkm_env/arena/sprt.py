"""When to stop a match: the sequential probability ratio test over pairs of games."""

import dataclasses
import math
from typing import Final, Literal

from tkm_env.evaluation.pair_likelihood import PairLikelihood
from tkm_env.evaluation.score import ELO_PER_DEVIATION, PairResults
from tkm_env.foundations.checks import checked_number
from tkm_env.foundations.errors import ConfigError
from tkm_env.players.factory import options_of

#: The largest hypothesis, in normalised Elo; beyond it, a few games decide.
_MOST_ELO: Final = 200.0


@dataclasses.dataclass(frozen=True)
class SPRT:
    """A sequential probability ratio test of the first player's advantage in normalised Elo.

    This is Van den Bergh's test ("Comments on Normalized Elo"),
    which chess engines use: the likelihood ratio compares the most likely distributions of a pair's
    points under either hypothesis (Li, Liu and Ying, 2014), with the bounds of Wald (1945). It may
    be evaluated after every pair; a result that did not occur counts as a thousandth of a pair.

    Raises:
        ConfigError: naming the invalid number.
    """

    elo0: float  # the advantage under H0, -200 to 200
    elo1: float  # the advantage under H1, above ``elo0``, up to 200
    alpha: float = 0.05  # the chance of accepting H1 if H0 is true, at most: above 0, below 0.5
    beta: float = 0.05  # the chance of accepting H0 if H1 is true, at most: above 0, below 0.5

    def __post_init__(self) -> None:
        for keyword in ("elo0", "elo1"):
            checked_number(keyword, getattr(self, keyword), -_MOST_ELO, _MOST_ELO, from_low=True)
        if self.elo0 >= self.elo1:
            raise ConfigError("elo1", self.elo1, f"it must be above elo0, which is {self.elo0}")
        for keyword in ("alpha", "beta"):
            if checked_number(keyword, getattr(self, keyword)) >= 0.5:
                raise ConfigError(
                    keyword, getattr(self, keyword), "it must be a number above 0 and below 0.5"
                )

    @classmethod
    def from_text(cls, text: str) -> "SPRT":
        """Parse a test from text such as ``"elo0=0,elo1=20,alpha=0.01"``.

        Raises:
            ConfigError: if the text does not describe a test.
        """
        _, given = options_of(f"sprt:{text.replace(' ', '')}", "sprt")
        try:
            return cls(**given)
        except TypeError:
            raise ConfigError(
                "sprt",
                text,
                "it must be written elo0=0,elo1=20, optionally followed by ,alpha=0.05,beta=0.05",
            ) from None

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: PairResults) -> float:
        """Compute the log-likelihood ratio of H1 to H0 after these complete pairs of games."""
        if not any(pairs.counts):
            return 0.0
        likelihood = PairLikelihood(pairs.counts)
        under0, under1 = (
            likelihood.loss(elo / ELO_PER_DEVIATION) for elo in (self.elo0, self.elo1)
        )
        return under0 - under1

    def accepted(self, pairs: PairResults) -> Literal["H0", "H1"] | None:
        """Return the hypothesis that is accepted after these pairs; None to play on."""
        low, high = self.bounds
        llr = self.llr(pairs)
        return "H0" if llr <= low else "H1" if llr >= high else None
