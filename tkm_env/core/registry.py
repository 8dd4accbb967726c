"""The registered games: a `GameSpec` for each.

With it the package finds a game without importing the game's folder before it is played.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tkm_env.core.settings import Setting, make_config, parse_settings, settings_of
from tkm_env.foundations.checks import checked_choice, checked_instance
from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.plugins import installed

if TYPE_CHECKING:
    from tkm_env.core.batch import BaseBatch
    from tkm_env.core.chance import Chance
    from tkm_env.core.cuda_batch import BaseCudaBatch
    from tkm_env.core.game import BaseGame
    from tkm_env.core.rulebook_text import RulesSection

#: The group of entry points in which packages list their games.
ENTRY_POINTS: Final = "tkm_env.games"


class GameParts(NamedTuple):
    """What the environment needs from a game.

    Attributes:
        game: the class of one game.
        batch: the class of many games side by side; None to play them one by one.
        chance: the class that describes what the game leaves to chance, draw by draw; None for a
            game without chance.
        cuda_batch: imports and returns the class of many games on a GPU; None for a game that runs
            on CPUs only.
    """

    game: type[BaseGame]
    batch: type[BaseBatch[Any]] | None = None
    chance: type[Chance] | None = None
    cuda_batch: Callable[[], type[BaseCudaBatch[Any]]] | None = None


class Preset(NamedTuple):
    """A game that begins at one position, under an id of its own.

    Attributes:
        position: the text of the position.
        settings: the keywords of the game's config that differ from the defaults.
    """

    position: str
    settings: Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class GameSpec:
    """A game's row in the registry.

    Attributes:
        name: the name used in records and commands.
        title: the name shown to people.
        env_id: the id of the game's Gymnasium environments, such as ``"tkm_env/TKM-v0"``; in lower
            case, that of its PettingZoo environment.
        load: imports the game and returns its parts; called once, when the game is first used.
        presets: games with ids of their own, by the word that their ids have before the version,
            such as ``"Small"`` for ``"tkm_env/TKM-Small-v0"``.

    Raises:
        ConfigError: naming a field that is not a str, ``load`` if it cannot be called, or
            ``presets`` if one is not a `Preset`.
    """

    name: str
    title: str
    env_id: str
    load: Callable[[], GameParts]
    presets: Mapping[str, Preset] = dataclasses.field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for keyword in ("name", "title", "env_id"):
            if not isinstance(getattr(self, keyword), str):
                raise ConfigError(keyword, getattr(self, keyword), "it must be a str")
        if not callable(self.load):
            raise ConfigError("load", self.load, "it must be a function that returns a GameParts")
        for preset in self.presets.values():
            checked_instance("presets", preset, Preset)

    def id_of(self, word: str) -> str:
        """The id with a word before its version, such as ``"tkm_env/TKM-Small-v0"``."""
        name, version, number = self.env_id.rpartition("-v")
        return f"{name}-{word}{version}{number}" if name else f"{self.env_id}-{word}"

    @cached_property
    def parts(self) -> GameParts:
        """The game's parts, imported on first use."""
        parts = checked_instance("load", self.load(), GameParts)
        if parts.game.name != self.name:
            raise ConfigError("name", self.name, f"the game calls itself {parts.game.name!r}")
        return parts

    @property
    def game_class(self) -> type[BaseGame]:
        """The class of one game."""
        return self.parts.game

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names, in order."""
        return self.game_class.players

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings that can be chosen before a game.

        They are the fields of its config made by `tkm_env.core.settings.setting`.
        """
        return settings_of(type(self.game_class.default_config))

    def config(
        self, settings: Mapping[str, Any], taker: Callable[..., object] | None = None
    ) -> Any:
        """The game's config with these settings.

        Args:
            settings: values by keyword.
            taker: the callable that took the settings along with keywords of its own, which error
                messages then list as well.

        Returns:
            An instance of the game's config class.

        Raises:
            ConfigError: naming the keyword that is unknown or has an invalid value.
        """
        return make_config(type(self.game_class.default_config), None, settings, taker)

    def config_from_text(self, given: Mapping[str, Any]) -> Any:
        """`config` with settings given as text; those that are None are skipped."""
        return self.config(parse_settings(self.settings, given))

    def chance(self, config: Any) -> Chance:
        """What games under these settings leave to chance, draw by draw.

        Raises:
            ConfigError: if they leave something to chance that the game does not describe.
        """
        from tkm_env.core.chance import NoChance

        return (self.parts.chance or NoChance)(self.game_class, config)

    def rules_for(self, config: Any = None) -> list[RulesSection]:
        """The sections of the rules for players that can matter under a config; all for None.

        >>> game_spec("tkm").rules_for()[0].title
        'How the game is won'
        """
        return self.game_class.rules_for(config)


_SPECS: Final[dict[str, GameSpec]] = {}


def add_games(specs: Iterable[GameSpec]) -> None:
    """Register games in this process; each replaces any game of the same name."""
    _SPECS.update({spec.name: spec for spec in specs})


@cache
def _add_installed_games() -> None:
    """Register the games of other installed packages.

    Games added explicitly take precedence, and one that fails to load is skipped.
    """
    for entry_point in installed(ENTRY_POINTS).values():
        _add_installed_game(entry_point)


def _add_installed_game(entry_point: EntryPoint) -> None:
    try:
        spec = checked_instance("spec", entry_point.load(), GameSpec)
    except Exception as error:  # another package may raise anything; this one must load
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
    """The game of this name.

    Raises:
        ConfigError: if there is none.
    """
    games = registered_games()
    return games[checked_choice("game", name, games)]
