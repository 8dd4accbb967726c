"""The plan of a tournament: its players, how they are paired, and under which settings."""

import dataclasses
import warnings
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from tkm_env.arena.playing.referee import DEFAULT_CONDITIONS, Conditions, Player
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.playing.versions import base_of
from tkm_env.arena.rating import checked_anchor
from tkm_env.evaluation.starts import Settings
from tkm_env.foundations.checks import (
    checked_instance,
    checked_integer,
    checked_number,
    checked_texts,
    is_text,
)
from tkm_env.foundations.errors import ConfigError, repr_of
from tkm_env.foundations.seeds import checked_secret


def warn(name: str, digest: str, why: str) -> None:
    """Warn that a player is out or refused; the default of `TournamentPlan.notify`.

    Args:
        name: the player's name.
        digest: the player's digest.
        why: the message.
    """
    warnings.warn(why, RuntimeWarning, stacklevel=3)


def check_name(name: object) -> None:
    """Check that a player can have this name.

    Raises:
        ConfigError: saying why it cannot.
    """
    if not isinstance(name, str) or not name.strip():
        raise ConfigError("players", name, "a player needs a name, since records name it")
    if not is_text(name):
        raise ConfigError("players", name, "its name must be UTF-8, since records hold it")
    if base_of(name)[0] != name:
        raise ConfigError("players", name, "an @ and a number after a name are for versions")


#: How games are paired, by name.
KINDS: Final = ("round robin", "gauntlet", "continuous", "swiss", "knockout")
#: Fields that only tournaments of one kind have.
_ONLY_IN: Final = {
    "games_per_player": "continuous",
    "ahead": "continuous",
    "within": "continuous",
    "rounds": "swiss",
}


def most_rounds(players: int) -> int:
    """Return the maximum number of rounds of a Swiss tournament of this many players.

    Players that have met fewer than half of the others can always be paired.
    """
    return (players + 1) // 2


class RequestedGames(NamedTuple):
    """Games of two players that somebody wants, whatever they tell about the ratings."""

    one: str  # the name of a player, without its version
    other: str
    pairs: int  # the number of pairs of games that all versions of the two should have played


@dataclasses.dataclass(frozen=True)
class TournamentPlan:
    """The players of a tournament, how they are paired, and under which settings.

    Raises:
        ConfigError: naming the invalid field.
    """

    players: tuple[Entrant, ...]  # with different names; at least two, unless others join
    settings: tuple[Settings, ...] = (Settings(),)  # the settings under which any two of them play
    #: ``"round robin"``: everyone meets everyone; ``"gauntlet"``: each of the challengers meets all
    #: others; ``"continuous"``: the pair whose games are expected to tell most about the ratings
    #: meets next; ``"swiss"``: in each round everyone meets a new opponent of a similar rating;
    #: ``"knockout"``: the loser of a match is out.
    kind: str = "round robin"
    #: The number of pairs of games that any two opponents play under each of the settings, a
    #: maximum in a continuous tournament; None for 10, or for the number of openings, if that is
    #: smaller or the tournament is continuous.
    pairs: int | None = None
    challengers: tuple[str, ...] = ()  # the names of the challengers in a gauntlet
    #: The number of rounds of a Swiss tournament, at most half the number of players, rounded up;
    #: None for as many as a knockout takes.
    rounds: int | None = None
    #: A continuous tournament ends once the half width of every rating's 95% interval is at most
    #: this, in Elo, and players that won or lost everything are apart from all others; None: never.
    within: float | None = None
    #: In a continuous tournament, players with this many games meet only players that have fewer;
    #: None for no limit.
    games_per_player: int | None = None
    #: The number of pairs of games that two players play in a row, so that their programs need not
    #: start for each pair.
    block: int = 5
    #: The number of games of a continuous tournament that may be in progress: a choice does not
    #: depend on the results of this many games before it. None for 64, or two for each player if
    #: that is more.
    ahead: int | None = None
    #: A player and its Elo, relative to which the other ratings and their intervals are; None for
    #: the mean.
    anchor: tuple[str, float] | None = None
    #: A secret from which everything random is derived, by `tkm_env.foundations.seeds.derived`;
    #: None draws 128 bits from the system. Players could guess a small number.
    seed: int | None = None
    #: Where the players run, and how long they may think.
    conditions: Conditions = DEFAULT_CONDITIONS
    #: Returns the present newcomers, before each choice of a continuous tournament; None if no
    #: others join.
    newcomers: Callable[[], Sequence[Entrant]] | None = None
    #: Returns the games that are requested, before each choice of a continuous tournament; None for
    #: none.
    requests: Callable[[], Sequence[RequestedGames]] | None = None
    #: Called, in a continuous tournament, with the name and the digest of a player that is out or
    #: refused, and with the reason.
    notify: Callable[[str, str, str], object] = warn
    #: Whether the seed was drawn.
    is_seed_drawn: bool = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or self.kind not in KINDS:
            raise ConfigError(
                "kind", self.kind, f"it must be {', '.join(map(repr, KINDS[:-1]))} or {KINDS[-1]!r}"
            )
        checked_instance("conditions", self.conditions, Conditions)
        if not isinstance(self.settings, tuple) or not self.settings:
            raise ConfigError("settings", self.settings, "there must be at least one")
        keys = [checked_instance("settings", settings, Settings).key for settings in self.settings]
        for key in keys:
            if keys.count(key) > 1:
                raise ConfigError("settings", key, "they are listed twice")
        if not isinstance(self.players, tuple) or len(self.players) < (
            0 if self.kind == "continuous" and self.newcomers else 2
        ):
            raise ConfigError("players", self.players, "there must be at least two")
        object.__setattr__(self, "is_seed_drawn", self.seed is None)
        object.__setattr__(self, "seed", checked_secret(self.seed))
        checked_integer("block", self.block, 1, 10**6)
        rounds = most_rounds(len(self.players))
        counts = {
            "pairs": (1, 10**6),
            "games_per_player": (2, 10**6),
            "ahead": (2, 10**6),
            "rounds": (1, rounds),
        }
        for keyword, (low, high) in counts.items():
            if getattr(self, keyword) is not None:
                checked_integer(keyword, getattr(self, keyword), low, high)
        if self.within is not None:
            checked_number("within", self.within)
        for keyword, kind in _ONLY_IN.items():
            if getattr(self, keyword) is not None and self.kind != kind:
                raise ConfigError(
                    keyword, getattr(self, keyword), f"it is only for {kind} tournaments"
                )
        if self.newcomers is not None and not callable(self.newcomers):
            raise ConfigError(
                "newcomers", self.newcomers, "it must be a function that returns players"
            )
        if self.requests is not None and not callable(self.requests):
            raise ConfigError("requests", self.requests, "it must be a function that returns games")
        if not callable(self.notify):
            raise ConfigError(
                "notify",
                self.notify,
                "it must be a function that takes a name, a digest and a reason",
            )
        names: list[str] = []
        for entrant in self.players:
            self.check(entrant, names)
            names.append(entrant.name)
        self._check_challengers(names)
        if self.anchor is not None:
            name, _ = checked_anchor(self.anchor)
            if name not in names and self.newcomers is None:
                raise ConfigError("anchor", name, f"the players are {repr_of(names)}")

    def _check_challengers(self, names: Sequence[str]) -> None:
        if bool(checked_texts("challengers", self.challengers)) != (self.kind == "gauntlet"):
            reason = "they are only for gauntlets" if self.challengers else "a gauntlet needs them"
            raise ConfigError("challengers", self.challengers, reason)
        for name in self.challengers:
            if name not in names:
                raise ConfigError("challengers", name, f"the players are {repr_of([*names])}")
        if self.challengers and set(self.challengers) == set(names):
            raise ConfigError(
                "challengers", self.challengers, "there must be other players to meet"
            )

    def check(self, entrant: Entrant, names: Sequence[str]) -> None:
        """Check that a player can take part.

        Args:
            entrant: the player.
            names: the names of the others.

        Raises:
            ConfigError: saying why it cannot.
        """
        name, line, game, readable, *_ = checked_instance("players", entrant, Entrant)
        checked_texts("readable", readable)
        check_name(name)
        if name in names:
            raise ConfigError("players", name, "two players have this name")
        games = {settings.spec.name for settings in self.settings}
        if game is not None and not (isinstance(game, str) and game in games):
            raise ConfigError(
                "players", game, f"the games of this tournament are {repr_of(sorted(games))}"
            )
        if self.kind in ("swiss", "knockout") and game is not None and len(games) > 1:
            raise ConfigError(
                "players", game, f"in a {self.kind} tournament everyone plays all games"
            )
        for settings in self.settings:
            if game in (None, settings.spec.name):
                Player(
                    line,
                    settings.spec.name,
                    self.conditions.reading(readable),
                    f"player {name!r}",
                    settings.config,
                )
