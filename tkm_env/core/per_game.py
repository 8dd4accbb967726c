"""A value for each game, found by entry points, with a default for all other games."""

from typing import Final, Generic, NamedTuple, TypeVar, cast

from tkm_env.core.registry import GameSpec, add_games, registered_games
from tkm_env.foundations.checks import checked_instance
from tkm_env.foundations.plugins import installed, load

Value = TypeVar("Value")

#: What was added in this process, by group and game.
_ADDED: Final[dict[tuple[str, str], object]] = {}


class PerGame(Generic[Value]):
    """A value for each game, imported when it is first requested.

    A package that adds a game lists its value as an entry point of the same group, named after the
    game.

    Args:
        group: the group of entry points, such as ``"tkm_env.rosters"``.
        kind: the class of the values.
        default: the value for games without one.
    """

    def __init__(self, group: str, kind: type, default: Value) -> None:
        self.group: Final = group
        self._kind: Final = kind
        self._default: Final = default
        self._installed: dict[str, Value] = {}

    def of(self, game: GameSpec | str) -> Value:
        """The value for a game, given by its row in the registry or its name.

        Raises:
            ConfigError: if the game's entry point names anything but a value of this kind.
        """
        name = game if isinstance(game, str) else game.name
        if (added := _ADDED.get((self.group, name))) is not None:
            return cast(Value, added)
        if name not in self._installed:
            entry_point = installed(self.group).get(name)
            found = None if entry_point is None else load(entry_point, self._kind)
            self._installed[name] = self._default if found is None else cast(Value, found)
        return self._installed[name]

    def add(self, game: str, value: Value) -> None:
        """Set the value for a game, in this process and in those that it starts to play.

        Args:
            game: the game's name.
            value: the value, which replaces any other.

        Raises:
            ConfigError: if the value is not of this kind.
        """
        _ADDED[self.group, game] = checked_instance("value", value, self._kind)

    def remove(self, game: str) -> None:
        """Forget the value that was added for a game."""
        _ADDED.pop((self.group, game), None)


class Registrations(NamedTuple):
    """What is registered in a process, to be registered in those that it starts to play.

    Attributes:
        games: the registered games.
        values: the values added for games, by group of entry points and game.
    """

    games: tuple[GameSpec, ...]
    values: dict[tuple[str, str], object]

    @classmethod
    def here(cls) -> "Registrations":
        """What is registered in this process."""
        return cls((*registered_games().values(),), dict(_ADDED))

    def add(self) -> None:
        """Register the same in this process."""
        add_games(self.games)
        _ADDED.update(self.values)
