"""The rulebook's journey: the standard game, the chapters, and the Coda with envelopes."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final, Unpack

import numpy as np

from tkm_env.foundations.checks import checked_choice, checked_instance
from tkm_env.foundations.errors import ConfigError, repr_of
from tkm_env.foundations.files import check_keys
from tkm_env.games.tkm.achievements import ACHIEVEMENTS, achieved
from tkm_env.games.tkm.config import GameConfig, GameSettings
from tkm_env.games.tkm.config_values import CONVERGENCE, RANDOM, STANDARD, TIMELINES
from tkm_env.games.tkm.engine.state import CHAPTERS, PLAYERS
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.series import SavedAsJSON, Series

CODA: Final = "coda"
#: The stages before the Coda, in order, and how many games of each must be played (EN 12, 17, 21,
#: 25, 29).
JOURNEY: Final = {STANDARD: 0, **dict.fromkeys((*CHAPTERS, CONVERGENCE), 3)}
_STAGES: Final = (*JOURNEY, CODA)
#: The settings that the journey determines.
DECIDED: Final = ("chapters", "powers", "timeline", "power_set")
#: What the players choose for a game of the Coda.
_CHOICES: Final = ("timeline", "power_set")
#: The set of powers that reaching the Coda opens.
FIRST_SET: Final = "tempo"

_UNLOCKS: Final = {achievement.name: achievement.unlocks for achievement in ACHIEVEMENTS}


class Campaign(SavedAsJSON):
    """Two players on the rulebook's journey.

    What they have played, chosen and signed determines the next game.

    First comes the standard game, then chapters 1 to 4, then the Coda, which never ends. Each
    chapter is played at least three times, the standard game as often as they like; `go_on` takes
    them to the next stage. Every game of the Coda is an alternate timeline: the players `choose`
    its card and set of powers, and its chapters are drawn. Reaching the Coda opens one set of
    powers. From then on feats count: the first player ever to complete one signs its envelope, and
    three of the envelopes hold another set. A set that has just been unlocked is used in the next
    game, in which the player who signed goes first (EN 31).

    Args:
        players: the names of white and black.
        seed: for everything that is drawn, from 0 to 2**128 - 1; None draws a seed from the system.
        **settings: keywords of `GameConfig` that apply to every game, such as ``edition`` or
            ``max_turns``. The journey itself determines ``chapters``, ``powers``, ``timeline`` and
            ``power_set``.

    Raises:
        ConfigError: naming the invalid argument.

    >>> campaign = Campaign(("Ada", "Bob"), seed=1)
    >>> campaign.stage, campaign.games_due
    ('standard', 0)
    >>> campaign.go_on()
    >>> campaign.next_config.chapters, campaign.games_due
    (('growth',), 3)
    """

    _KIND = "tkm_env campaign"
    _KEYS = ("series", "stages", "stage", "choice", "signed", "just_signed")

    def __init__(
        self,
        players: tuple[str, str] = PLAYERS,
        *,
        seed: int | None = None,
        **settings: Unpack[GameSettings],
    ) -> None:
        self.series = _checked_series(Series(players, seed=seed, **settings))
        #: The current stage: "standard", a chapter's name, "convergence" or "coda".
        self.stage: str = STANDARD
        #: The stage of each finished game.
        self.stages: list[str] = []
        #: The card and the set chosen for the next game of the Coda; None where none was chosen.
        self.choice: dict[str, str | None] = dict.fromkeys(_CHOICES)
        #: Who signed each envelope: names by feat.
        self.signed: dict[str, str] = {}
        #: The feats whose envelopes were opened in the last game, with the player who signed:
        #: "white" or "black".
        self.just_signed: dict[str, str] = {}

    @property
    def games_due(self) -> int:
        """How many more games of this stage are due before the players may go on; 0 in the Coda."""
        return max(0, JOURNEY.get(self.stage, 0) - self.stages.count(self.stage))

    def go_on(self) -> None:
        """Go on to the next stage.

        Raises:
            ConfigError: if this stage has not been played often enough, or is the last.
        """
        if self.stage == CODA:
            raise ConfigError("stage", self.stage, "it is the last stage")
        if self.games_due:
            raise ConfigError(
                "stage",
                self.stage,
                f"play it at least {JOURNEY[self.stage]} times: {self.games_due} more to play",
            )
        self.stage = _STAGES[_STAGES.index(self.stage) + 1]

    @property
    def open_sets(self) -> list[str]:
        """The unlocked sets of powers, in the order of unlocking; none before the Coda."""
        return [FIRST_SET, *_sets_in(self.signed)] if self.stage == CODA else []

    @property
    def next_sets(self) -> list[str]:
        """The sets to choose from next: those just unlocked, or else all `open_sets`."""
        return list(_sets_in(self.just_signed)) or self.open_sets

    def choose(self, *, timeline: str | None = None, power_set: str | None = None) -> None:
        """Choose the next game of the Coda.

        None leaves a choice as it is; without any choice the first option is taken.

        Args:
            timeline: the card, ``"draft_powers"`` or ``"power_share"``; ``"random"`` draws one.
            power_set: one of `next_sets`; ``"random"`` draws one.

        Raises:
            ConfigError: naming an argument that is none of these, or if this stage leaves no
                choice; nothing is chosen then.

        >>> campaign = Campaign(seed=1)
        >>> campaign.choose(timeline="power_share")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        tkm_env.foundations.errors.ConfigError: timeline='power_share' is invalid: only games of ...
        """
        given = {"timeline": timeline, "power_set": power_set}
        self._check_choice(given)
        self.choice |= {keyword: value for keyword, value in given.items() if value is not None}

    def _check_choice(self, choice: dict[str, str | None]) -> None:
        for keyword, allowed in (("timeline", TIMELINES), ("power_set", tuple(self.next_sets))):
            given = choice[keyword]
            if given is None:
                continue
            if self.stage != CODA:
                raise ConfigError(
                    keyword,
                    given,
                    f"only games of the Coda are alternate timelines, not {self.stage!r}",
                )
            checked_choice(keyword, given, (*allowed, RANDOM))

    @property
    def next_config(self) -> GameConfig:
        """The settings of the next game."""
        base = self.series.next_config
        if self.stage != CODA:
            return dataclasses.replace(base, chapters=self.stage)
        generator = np.random.default_rng([self.series.seed, len(self.series.games), 1])
        timeline = _resolve_choice(
            self.choice["timeline"], TIMELINES, str(generator.choice(TIMELINES))
        )
        power_set = _resolve_choice(
            self.choice["power_set"], self.next_sets, str(generator.choice(self.next_sets))
        )
        first_player = _sets_in(self.just_signed).get(power_set, base.first_player)
        return dataclasses.replace(
            base, chapters=None, first_player=first_player, timeline=timeline, power_set=power_set
        )

    def next_game(self) -> Game:
        """The next game at its start.

        Calls return equal games until `finish`, `go_on` or `choose` is called.
        """
        return self.series.next_game(self.next_config)

    def feats_in(self, game: Game) -> dict[str, str]:
        """The feats first completed in a game of the Coda, finished or not, each with its player.

        They are in the order of their completion, so that an action's feats come last. `finish`
        signs their envelopes.

        Raises:
            ConfigError: if it is not a `Game`.
        """
        checked_instance("game", game, Game)
        return (
            {feat: player for feat, player in achieved(game) if feat not in self.signed}
            if self.stage == CODA
            else {}
        )

    def finish(self, game: Game) -> None:
        """Record a finished game; in the Coda, sign the envelopes of the feats completed in it.

        Raises:
            ConfigError: if the game is not over; nothing is recorded.
        """
        self.series.finish(game)
        self.just_signed = self.feats_in(game)
        self.signed |= {
            feat: self.series.players[PLAYERS.index(player)]
            for feat, player in self.just_signed.items()
        }
        self.stages.append(self.stage)
        self.choice = dict.fromkeys(_CHOICES)

    def to_dict(self) -> dict[str, Any]:
        return copy.deepcopy(
            {key: getattr(self, key) for key in self._KEYS} | {"series": self.series.to_dict()}
        )

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Campaign:
        check_keys("campaign", content, cls._KEYS)
        campaign = cls()
        campaign.series = series = _checked_series(Series.from_dict(content["series"]))
        campaign.stages, campaign.stage = _checked_stages(
            content["stages"], content["stage"], len(series.games)
        )
        in_coda = CODA in campaign.stages
        campaign.signed = _checked_signatures(
            "signed", content["signed"], series.players if in_coda else ()
        )
        campaign.just_signed = just_signed = _checked_signatures(
            "just_signed", content["just_signed"], PLAYERS if in_coda else ()
        )
        for feat, player in just_signed.items():
            if campaign.signed.get(feat) != series.players[PLAYERS.index(player)]:
                raise ConfigError(
                    "just_signed", just_signed, f"{feat!r} must be signed by {player}'s player"
                )
        check_keys("choice", content["choice"], campaign.choice)
        campaign._check_choice(content["choice"])
        campaign.choice = dict(content["choice"])
        return campaign


def _resolve_choice(choice: str | None, offered: Sequence[str], drawn: str) -> str:
    """The players' choice: the first option if they made none, ``drawn`` for "random"."""
    return drawn if choice == RANDOM else choice or offered[0]


def _sets_in(signed: dict[str, str]) -> dict[str, str]:
    """The sets in these envelopes, each with the player who signed it."""
    return {
        unlocked: signer
        for feat, signer in signed.items()
        if (unlocked := _UNLOCKS[feat]) is not None
    }


def _checked_stages(stages: object, stage: object, games: int) -> tuple[list[str], str]:
    """The stages of the finished games and the current one: in order, each played enough."""
    if not isinstance(stages, list) or len(stages) != games:
        raise ConfigError(
            "stages", stages, f"it must be a list with the stage of each of the {games} games"
        )
    for keyword, given in (*(("stages", name) for name in stages), ("stage", stage)):
        checked_choice(keyword, given, _STAGES)
    assert isinstance(stage, str)
    path = [*stages, stage]
    if path != sorted(path, key=_STAGES.index):
        raise ConfigError(
            "stages",
            stages,
            f"they must follow one another, up to {stage!r}, as {', '.join(_STAGES)}",
        )
    for passed in _STAGES[: _STAGES.index(stage)]:
        if stages.count(passed) < JOURNEY[passed]:
            raise ConfigError(
                "stages",
                stages,
                f"before {stage!r}, {passed!r} must be played at least {JOURNEY[passed]} times",
            )
    return list(stages), stage


def _checked_series(series: Series) -> Series:
    """The series of a campaign, whose settings must leave open what the journey determines."""
    default = GameConfig()
    for keyword in DECIDED:
        given = getattr(series.config, keyword)
        if given != getattr(default, keyword):
            raise ConfigError(keyword, given, "in a campaign, the journey determines it")
    return series


def _checked_signatures(keyword: str, signed: object, signers: tuple[str, ...]) -> dict[str, str]:
    """Who signed which envelopes; there are no signatures before a game of the Coda is over."""
    if not isinstance(signed, dict):
        raise ConfigError(keyword, signed, "it must be an object: the name of the signer by feat")
    for feat, signer in signed.items():
        if feat not in _UNLOCKS or signer not in signers:
            raise ConfigError(
                keyword, signed, f"{repr_of(signer)} cannot have signed {repr_of(feat)}"
            )
    return dict(signed)
