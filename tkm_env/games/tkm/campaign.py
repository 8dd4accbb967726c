"""The rulebook's journey, saved as JSON: the standard game, the chapters, the Coda with its envelopes."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Final

import numpy as np

from tkm_env.errors import ConfigError, shown
from tkm_env.files import content_of, read_json, write_json
from tkm_env.games.tkm.achievements import ACHIEVEMENTS, achieved
from tkm_env.games.tkm.config import CONVERGENCE, STANDARD, TIMELINES, GameConfig
from tkm_env.games.tkm.engine.state import CHAPTERS, PLAYERS
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.series import Series

__all__ = ["JOURNEY", "Campaign"]

_KIND: Final = "tkm_env campaign"

#: What is played before the Coda, in order: the standard game once, each chapter three times (EN 12, 17, 21, 25, 29).
JOURNEY: Final = (STANDARD, *(chapter for chapter in (*CHAPTERS, CONVERGENCE) for _ in range(3)))

_UNLOCKS: Final = {achievement.name: achievement.unlocks for achievement in ACHIEVEMENTS}


class Campaign:
    """Two players on the rulebook's journey. What they have played and signed determines the next game.

    First the standard game, then chapters 1 to 4 three times each, then the Coda, which never ends. In the Coda feats count: the first
    player to complete one signs its envelope. Four envelopes hold a set of powers. A set that has just been unlocked is used in the next
    game, and the player who signed goes first (EN 31); other games of the Coda use any unlocked set or, while there is none, two drawn
    chapters.

    Args:
        players: the names of white and black.
        seed: for everything that is drawn, from 0 to 2**128 - 1; None draws a seed from the system.
        **settings: keywords of `GameConfig` that apply to every game, such as ``edition`` or ``max_turns``. The journey itself decides
            on ``chapters``, ``powers``, ``timeline`` and ``power_set``.

    Raises:
        ConfigError: naming the invalid argument.

    >>> campaign = Campaign(("Ada", "Bob"), seed=1)
    >>> campaign.next_config.chapters, campaign.stage
    ((), 'standard')
    """

    def __init__(self, players: tuple[str, str] = PLAYERS, *, seed: int | None = None, **settings: Any) -> None:
        self.series = _checked_series(Series(players, seed=seed, **settings))
        #: Who signed each envelope: names by feat.
        self.signed: dict[str, str] = {}
        #: The feats whose envelopes were opened in the last game, with the player who signed: "white" or "black".
        self.just_signed: dict[str, str] = {}

    @property
    def stage(self) -> str:
        """What is played next: "standard", a chapter's name, "convergence" or "coda"."""
        played = len(self.series.games)
        return JOURNEY[played] if played < len(JOURNEY) else "coda"

    @property
    def open_sets(self) -> list[str]:
        """The sets of powers unlocked by signed envelopes, in the order of signing."""
        return [unlocked for name in self.signed if (unlocked := _UNLOCKS[name]) is not None]

    @property
    def next_config(self) -> GameConfig:
        """The settings of the next game."""
        base = self.series.next_config
        if self.stage != "coda":
            return dataclasses.replace(base, chapters=self.stage)
        generator = np.random.default_rng([self.series.seed, len(self.series.games), 1])
        first_player = next(iter(self.just_signed.values()), base.first_player)
        fresh = [unlocked for name in self.just_signed if (unlocked := _UNLOCKS[name]) is not None]
        candidates = fresh[:1] or self.open_sets
        if not candidates:
            return dataclasses.replace(base, chapters=CONVERGENCE, first_player=first_player)
        return dataclasses.replace(
            base,
            chapters=None,
            first_player=first_player,
            timeline=TIMELINES[generator.integers(len(TIMELINES))],
            power_set=candidates[generator.integers(len(candidates))],
        )

    def next_game(self) -> Game:
        """The next game at its start; the same one until `finish` is called."""
        return self.series.next_game(self.next_config)

    def finish(self, game: Game) -> None:
        """Record a finished game, and in the Coda sign the envelopes of the feats completed in it.

        Raises:
            ConfigError: if it is not over; nothing is recorded then.
        """
        in_coda = self.stage == "coda"
        self.series.finish(game)
        self.just_signed = {}
        if not in_coda:
            return
        for feat, player in achieved(game):
            if feat not in self.signed:
                self.signed[feat] = self.series.players[PLAYERS.index(player)]
                self.just_signed[feat] = player

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the campaign as JSON; a file that is there is replaced as a whole or not at all.

        Raises:
            FileError: if it cannot be written.
        """
        write_json(path, _KIND, {"series": self.series.to_dict(), "signed": self.signed, "just_signed": self.just_signed})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Campaign:
        """Read the campaign in a file.

        Raises:
            FileError: if the file cannot be read, or does not contain a campaign.
        """
        content = read_json(path, _KIND, ("series", "signed", "just_signed"))
        with content_of(path):
            series = _checked_series(Series.from_dict(content["series"]))
            in_coda = len(series.games) > len(JOURNEY)
            signed = _checked_signatures("signed", content["signed"], series.players if in_coda else ())
            just_signed = _checked_signatures("just_signed", content["just_signed"], PLAYERS if in_coda else ())
            for feat, player in just_signed.items():
                if signed.get(feat) != series.players[PLAYERS.index(player)]:
                    raise ConfigError("just_signed", just_signed, f"{feat!r} must be signed by {player}'s player")
        campaign = cls()
        campaign.series, campaign.signed, campaign.just_signed = series, signed, just_signed
        return campaign


def _checked_series(series: Series) -> Series:
    """The series of a campaign, which leaves to the journey what that decides on."""
    default = GameConfig()
    for keyword in ("chapters", "powers", "timeline", "power_set"):
        given = getattr(series.config, keyword)
        if given != getattr(default, keyword):
            raise ConfigError(keyword, given, "in a campaign, the journey decides on it")
    return series


def _checked_signatures(keyword: str, signed: object, signers: tuple[str, ...]) -> dict[str, str]:
    """Who signed which envelopes; nobody has before the first game of the Coda is over."""
    if not isinstance(signed, dict):
        raise ConfigError(keyword, signed, "it must be an object with the names of those who signed, by feat")
    for feat, signer in signed.items():
        if feat not in _UNLOCKS or signer not in signers:
            raise ConfigError(keyword, signed, f"{shown(signer)} cannot have signed {shown(feat)}")
    return signed
