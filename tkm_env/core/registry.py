"""The registered games: one `GameSpec` each, which is all that code outside a game's own folder knows about it."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tkm_env.core.settings import Setting, make_config, parse_settings, settings_of
from tkm_env.foundations.checks import checked_choice, checked_instance
from tkm_env.foundations.errors import ConfigError

if TYPE_CHECKING:
    from tkm_env.core.game import BaseGame
    from tkm_env.core.rulebook_text import RulesSection

#: The group of entry points in which other packages list their games.
ENTRY_POINTS: Final = "tkm_env.games"
#: What makes a player from a line of text: the environment knows by themselves only those that it is given.
_MAKES_PLAYERS: Final = "tkm_env.players.specs:make_agent"


@cache
def load(reference: str) -> Any:
    """The object that ``"module:name"`` refers to; the module is imported now."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def named_player(line: str, keyword: str = "agent", game: str | None = None) -> Any:
    """The player that a line of text describes, by `tkm_env.players.specs.make_agent`, whose errors it raises."""
    return load(_MAKES_PLAYERS)(line, keyword, game)


class Level(NamedTuple):
    """A level of play: its name, and the player, as `tkm_env.players.specs.make_agent` reads it."""

    name: str
    player: str


@dataclasses.dataclass(frozen=True)
class GameSpec:
    """One game. References are strings ``"module:name"``, so that a game is imported only when used. Raises a `ConfigError` naming a field
    that is not a text.

    Attributes:
        name: the name used in records and commands.
        title: the name shown to people.
        game: a reference to its `tkm_env.core.game.BaseGame`.
        env_id: the id of its Gymnasium environments; in lower case that of its PettingZoo environment.
        batch: a reference to its `tkm_env.core.batch.BaseBatch`; None to play games one by one.
        cuda_batch: a reference to its `tkm_env.core.cuda_batch.BaseCudaBatch`; None to play on processors only.
        adapter: a reference to its `tkm_env.play.adapter.PlayAdapter`: how people play it.
        agents: references to the classes of its agents, by name.
        ladder: agents of all kinds, weakest first, as `tkm_env.players.specs.make_agent` reads them.
        levels: the levels that people choose from, weakest first.
        analyse: a reference to a function that finds the best lines from ``game.state``, as `tkm analyse` shows them; None if there
            is none.
        perft: a reference to a function ``(game.state, depth)`` that counts lines of play; None if there is none.
        prove: a reference to a function ``(game, turns, table_bits=…, on_progress=…)`` that finds out whether a side can force a win within
            so many turns, and returns a `tkm_env.core.proofs.Proof`; None if there is none.
        tables: a reference to a class of tables of solved endgames, as `tkm tables` makes and proves them; None if there is none.
        outcome: a reference to a function that says of ``game.state`` at the beginning of a turn in how many turns of both sides best play
            decides the game, odd if the side to act wins, even if it loses, 0 if nobody can; None where it does not know. None if there
            is none.
        rules: a reference to a function that takes a config, or None for all settings, and returns the sections of the players' rules
            that matter under it: a list of `tkm_env.core.rulebook_text.RulesSection`; None if there are none.
        openings: a reference to a function that takes a config and returns the game's own opening positions under these settings, as a
            tuple of texts, numbered from 1; None if there are none.
        chance: a reference to its `tkm_env.core.chance.Chance`: what it leaves to chance, draw by draw; by default nothing.
        values: a reference to its `tkm_env.learn.value_game.ValueGame`: how values of its positions are learned; None if they are not.
        teaching: a reference to its `tkm_env.course.teaching_material.TeachingMaterial`: what it provides for courses; None for nothing.
    """

    name: str
    title: str
    game: str
    env_id: str
    batch: str | None = None
    cuda_batch: str | None = None
    adapter: str = "tkm_env.play.adapter:PLAIN"
    agents: Mapping[str, str] = dataclasses.field(
        default_factory=lambda: {"random": "tkm_env.core.random_agent:RandomAgent"}
    )
    ladder: tuple[str, ...] = ("random",)
    levels: tuple[Level, ...] = (Level("beginner", "random"),)
    analyse: str | None = None
    perft: str | None = None
    prove: str | None = None
    tables: str | None = None
    outcome: str | None = None
    rules: str | None = None
    openings: str | None = None
    chance: str = "tkm_env.core.chance:NoChance"
    values: str | None = None
    teaching: str | None = None

    def __post_init__(self) -> None:
        for keyword in ("name", "title", "game", "env_id"):
            if not isinstance(getattr(self, keyword), str):
                raise ConfigError(keyword, getattr(self, keyword), "it must be a text")

    @property
    def game_class(self) -> type[BaseGame]:
        """The class of one game."""
        return load(self.game)

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names, in order."""
        return self.game_class.players

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings that can be chosen before a game: the fields of its config made by `tkm_env.core.settings.setting`."""
        return settings_of(type(self.game_class.default_config))

    @property
    def offered_players(self) -> tuple[str, ...]:
        """The players that also those may choose who have not started the program: the levels and the ladder. Other lines may start
        programs, read files, or think for as long as they are told.
        """
        return tuple(dict.fromkeys((*(level.player for level in self.levels), *self.ladder)))

    def config(
        self, settings: Mapping[str, Any], taker: Callable[..., object] | None = None
    ) -> Any:
        """The game's config with these settings; ``taker`` is the callable that took them among keywords of its own. Raises a `ConfigError`
        naming the keyword that is unknown or has an invalid value.
        """
        return make_config(type(self.game_class.default_config), None, settings, taker)

    def config_from_text(self, given: Mapping[str, Any]) -> Any:
        """`config` with settings given as text; those that are None are skipped."""
        return self.config(parse_settings(self.settings, given))

    def shipped_openings(self, config: Any) -> tuple[str, ...]:
        """The texts of the opening positions that come with the package for games under this config, number 1 first; maybe none."""
        return () if self.openings is None else load(self.openings)(config)

    def rules_for(self, config: Any = None) -> list[RulesSection]:
        """The sections of the rules, for players, that can matter in games under this config; for None all of them.

        >>> game_spec("tkm").rules_for()[0].title
        'How the game is won'
        """
        return [] if self.rules is None else load(self.rules)(config)


_SPECS: Final[dict[str, GameSpec]] = {}


def add_games(specs: Iterable[GameSpec]) -> None:
    """Register games in this process; a game with the same name is replaced."""
    _SPECS.update({spec.name: spec for spec in specs})


@cache
def _add_installed_games() -> None:
    """Register the games of other installed packages; those added explicitly take precedence, and one that fails to load is skipped."""
    for entry_point in entry_points(group=ENTRY_POINTS):
        _add_installed_game(entry_point)


def _add_installed_game(entry_point: EntryPoint) -> None:
    try:
        spec = checked_instance("spec", entry_point.load(), GameSpec)
    except Exception as error:  # whatever another package raises, ours must load
        warnings.warn(
            f"the game {entry_point.value!r} failed to load: {error!r}",
            RuntimeWarning,
            stacklevel=1,
        )
    else:
        _SPECS.setdefault(spec.name, spec)


def registered_games() -> dict[str, GameSpec]:
    """All games by name; a new dict."""
    _add_installed_games()
    return dict(_SPECS)


def game_names() -> tuple[str, ...]:
    """The names of all games."""
    return tuple(registered_games())


def default_game() -> str:
    """The name of the game that is used where none is given."""
    return next(iter(_SPECS))


def game_spec(name: object) -> GameSpec:
    """The game of that name. Raises a `ConfigError` if there is none."""
    games = registered_games()
    return games[checked_choice("game", name, games)]
