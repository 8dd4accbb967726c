"""Series and campaigns on the page and in the terminal."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final

from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.files import check_keys
from tkm_env.foundations.message import Message, joined
from tkm_env.games.tkm.achievements import ACHIEVEMENTS
from tkm_env.games.tkm.campaign import CODA, DECIDED, JOURNEY, Campaign
from tkm_env.games.tkm.config_values import RANDOM, TIMELINES
from tkm_env.games.tkm.engine.state import PLAYERS
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.series import Series
from tkm_env.play.adapter import MatchStatus, MatchStep, SessionMatch

_DESCRIPTIONS: Final = {achievement.name: achievement.description for achievement in ACHIEVEMENTS}
_TIMELINES: Final = {
    "draft_powers": Message("each player takes a power"),
    "power_share": Message("both players use one power"),
    RANDOM: Message("random"),
}
assert {*_TIMELINES} == {*TIMELINES, RANDOM}


def _next_stage(campaign: Campaign) -> str:
    """The stage after the current one, as people write it."""
    stages = (*JOURNEY, CODA)
    following = stages[stages.index(campaign.stage) + 1]
    return Message("the Coda") if following == CODA else following.capitalize()


def _score(series: Series, game: Game) -> Message:
    """The score, including this game if it is over."""
    score = series.score
    if game.result is not None:
        score = {
            player: points + (0.5 if game.winner is None else game.winner == player)
            for player, points in score.items()
        }
    return joined(
        " : ",
        (
            Message("{player} {points:g}", player=player, points=points)
            for player, points in score.items()
        ),
    )


class SeriesMatch:
    """A series: the loser of a game goes first in the next one.

    Args:
        seed: seeds everything left to chance.
        played: what `to_dict` returned, to continue the series from there; None for a new one.
        **settings: the keywords of the game's config.
    """

    decides: ClassVar[Sequence[str]] = ()

    def __init__(
        self, *, seed: int, played: Mapping[str, Any] | None = None, **settings: Any
    ) -> None:
        self._series = Series(PLAYERS, seed=seed, **settings)
        if played is not None:
            check_keys("played", played, self.to_dict())
            self._series = Series.from_dict({**self._series.to_dict(), **played})

    def next_game(self) -> Game:
        return self._series.next_game()

    def finish(self, game: Game) -> None:
        self._series.finish(game)

    def status(self, game: Game) -> MatchStatus:
        return MatchStatus(
            Message("Series, game {number}", number=len(self._series.games) + 1),
            [_score(self._series, game)],
        )

    def steps(self) -> Sequence[MatchStep]:
        return []

    def say(self, step: str) -> None:
        raise ConfigError("step", step, Message("there is nothing to say in a series"))

    def to_dict(self) -> dict[str, Any]:
        return {"games": self._series.to_dict()["games"]}


class CampaignMatch:
    """A campaign: its players decide when to move on, and choose the games of the Coda.

    Args:
        seed: seeds everything left to chance.
        played: what `to_dict` returned, to continue the campaign from there; None for a new one.
        **settings: the keywords of the game's config, except those that a campaign sets itself.
    """

    decides: ClassVar[Sequence[str]] = DECIDED

    def __init__(
        self, *, seed: int, played: Mapping[str, Any] | None = None, **settings: Any
    ) -> None:
        self._campaign = Campaign(PLAYERS, seed=seed, **settings)
        if played is not None:
            check_keys("played", played, self.to_dict())
            series = self._campaign.series.to_dict() | {"games": played["games"]}
            said = {key: value for key, value in played.items() if key != "games"}
            self._campaign = Campaign.from_dict({"series": series, **said})

    def next_game(self) -> Game:
        return self._campaign.next_game()

    def finish(self, game: Game) -> None:
        self._campaign.finish(game)

    def status(self, game: Game) -> MatchStatus:
        campaign = self._campaign
        lines: list[str] = [_score(campaign.series, game)]
        due = campaign.games_due - (game.result is not None)
        if due > 0:
            lines.append(
                Message(
                    "At least {count} more game before you can move on.",
                    "At least {count} more games before you can move on.",
                    count=due,
                )
            )
        lines += [
            Message(
                "{player} completed {feat}: {what}",
                player=player,
                feat=feat,
                what=_DESCRIPTIONS[feat],
            )
            for feat, player in campaign.feats_in(game).items()
        ]
        if campaign.stage == CODA:
            assert game.config.timeline is not None
            lines.append(
                Message(
                    "In this game, {how} from the set {power_set}.",
                    how=_TIMELINES[game.config.timeline],
                    power_set=game.config.power_set,
                )
            )
            open_sets = joined(", ", campaign.open_sets)
            lines.append(Message("Open sets of powers: {power_sets}.", power_sets=open_sets))
            lines += [
                Message(
                    "{player} signed the envelope {feat}.", player=signer.capitalize(), feat=feat
                )
                for feat, signer in campaign.signed.items()
            ]
        return MatchStatus(
            Message(
                "Campaign, {stage}, game {number}",
                stage=campaign.stage,
                number=campaign.stages.count(campaign.stage) + 1,
            ),
            lines,
        )

    def steps(self) -> Sequence[MatchStep]:
        campaign = self._campaign
        if campaign.stage != CODA:
            if campaign.games_due:
                return []
            move = Message("Move on to {stage}", stage=_next_stage(campaign))
            stay = Message("The game that has just begun is dropped.")
            return [MatchStep("go on", move, stay)]
        timelines = [
            MatchStep(
                f"timeline {name}",
                Message("Timeline: {how}", how=words),
                Message("How powers are drafted."),
            )
            for name, words in _TIMELINES.items()
        ]
        sets = [
            MatchStep(
                f"power_set {name}",
                Message("Powers: {power_set}", power_set=name),
                Message("The set to draft powers from."),
            )
            for name in (*campaign.next_sets, RANDOM)
        ]
        return [*timelines, *sets]

    def say(self, step: str) -> None:
        if step not in [one.name for one in self.steps()]:
            raise ConfigError("step", step, Message("it cannot be said now"))
        keyword, _, value = step.partition(" ")
        if keyword == "go":
            self._campaign.go_on()
        else:
            self._campaign.choose(**{keyword: value})

    def to_dict(self) -> dict[str, Any]:
        content = self._campaign.to_dict()
        return {"games": content.pop("series")["games"], **content}


#: The kinds of matches, by name.
MATCHES: Final[Mapping[str, type[SessionMatch]]] = MappingProxyType(
    {"series": SeriesMatch, "campaign": CampaignMatch}
)
