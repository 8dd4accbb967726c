"""What describes a player: a line of text, taken apart, and kinds of players by prefix.

A line is the name of one of a game's agents, or a Python file with the name of a class or function
in it, with options after a colon; or it begins with a prefix, such as ``policy:``. A prefix is an
entry point of the group ``tkm_env.players`` that names a `PlayerKind`, in this package as in any
other.

A file's name may contain colons. The name of a Python file ends with the first ``.py`` before a
colon up to which there is a file, that of a policy at the first colon up to which there is one. A
path that looks like another kind of line, such as ``greedy:1.py``, is written ``./greedy:1.py``.
"""

from __future__ import annotations

import ast
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import Any, ClassVar, Final, NamedTuple, cast

from tkm_env.core.function_agent import FunctionAgent
from tkm_env.core.registry import game_names
from tkm_env.foundations.errors import ConfigError, repr_of
from tkm_env.foundations.files import split_python_file
from tkm_env.foundations.plugins import installed, load
from tkm_env.isolation.limits import Limits
from tkm_env.players.roster import ROSTERS

#: The group of entry points in which packages list prefixes.
ENTRY_POINTS: Final = "tkm_env.players"

# The prefixes of this package.
COMMAND: Final = "cmd"
POLICY: Final = "policy"
EXPLOIT: Final = "exploit"
LLM: Final = "llm"
#: The kinds without a prefix: a Python file with a class or function, and a game's own agents.
PYTHON: Final = "python"
AGENT: Final = "agent"

#: The most characters of one option.
_LONGEST_OPTION: Final = 1000


class PlayerSpec(NamedTuple):
    """A line that describes a player, taken apart.

    Attributes:
        kind: a prefix, `PYTHON` or `AGENT`.
        subject: the agent's name, the file's path, the command, the model's name, or the line of
            the player to beat.
        name: the class or function in a Python file; "" for others.
        options: the options as they stand in the line, separated by commas; "" for none.
    """

    kind: str
    subject: str
    name: str = ""
    options: str = ""

    @classmethod
    def parse(cls, line: object, keyword: str = "agent") -> PlayerSpec:
        """Take a line apart, without checking that there is such a player or reading any file.

        Args:
            line: the text, such as ``"alphabeta:depth=3"`` or ``"bots/mine.py:Bot"``.
            keyword: the argument's name in error messages.

        Returns:
            The parts of the line.

        Raises:
            ConfigError: if the line is not a str.

        >>> PlayerSpec.parse("alphabeta:depth=3")
        PlayerSpec(kind='agent', subject='alphabeta', name='', options='depth=3')
        >>> PlayerSpec.parse("2:1.py:Bot:depth=3")
        PlayerSpec(kind='python', subject='2:1.py', name='Bot', options='depth=3')
        """
        if not isinstance(line, str):
            players = "a player's name, FILE.py:NAME or policy:FILE, with options after a colon"
            raise ConfigError(keyword, line, f"it must be a line of text: {players}")
        first, _, rest = line.partition(":")
        if (kind := player_kind(first)) is not None:
            subject, options = kind.split(rest)
            return cls(first, subject, options=options)
        is_agent = any(first in ROSTERS.of(game).agents for game in game_names())
        if not is_agent and (found := split_python_file(line)) is not None:
            path, more = found
            name, _, options = more.partition(":")
            return cls(PYTHON, path, name, options)
        return cls(AGENT, first, options=rest)

    def parsed_options(self, refuse: Callable[[str], Exception]) -> dict[str, Any]:
        """The options by name.

        Args:
            refuse: makes the error for a reason.

        Returns:
            The value of each option: a Python literal or, failing that, text.

        Raises:
            Exception: what ``refuse`` makes, if an option is malformed.
        """
        options: dict[str, Any] = {}
        for part in filter(None, self.options.split(",")):
            name, given, value = part.partition("=")
            if not given or not name:
                raise refuse(f"options are written name=value, not {repr_of(part)}")
            if name in options:
                raise refuse(f"the option {repr_of(name)} is given twice")
            if len(value) > _LONGEST_OPTION:
                raise refuse(
                    f"the option {repr_of(name)} is longer than {_LONGEST_OPTION} characters"
                )
            options[name] = _value_of(value)
            if not isinstance(options[name], (str, int, float, NoneType)):
                allowed = "a number, text, True, False or None"
                raise refuse(f"the option {repr_of(name)} must be {allowed}, not {repr_of(value)}")
        return options


def _value_of(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text  # also beyond Python's limits on numbers and nesting


@dataclass(frozen=True)
class PlayerRequest:
    """A request for a player.

    Attributes:
        line: the line that describes it, as it was given.
        spec: the line, taken apart.
        game: the name of the game that it will play.
        keyword: the argument's name in error messages.
        limits: how its program is isolated; None runs files in this process, and each command in a
            process of its own.
        config: the settings of the games that it will play; None if they are not known yet.
    """

    line: str
    spec: PlayerSpec
    game: str
    keyword: str = "agent"
    limits: Limits | None = None
    config: Any = None

    def refuse(self, reason: str) -> ConfigError:
        """The error that says why there is no such player."""
        return ConfigError(self.keyword, self.line, reason)

    def build(self, maker: Callable[..., Any], *given: Any) -> Any:
        """A player of a class, made with these arguments and the line's options.

        Args:
            maker: the class, or a function that acts as the player.
            *given: the first arguments of the class.

        Returns:
            The player.

        Raises:
            ConfigError: naming an option that is malformed, or that the class does not have.
        """
        options = self.spec.parsed_options(self.refuse)
        return build_player(maker, options, self.line, self.refuse, *given)


class PlayerKind(ABC):
    """The players whose lines begin with a prefix.

    An entry point of the group ``tkm_env.players`` names an instance.
    """

    #: What follows the prefix, for error messages, such as ``"FILE"``.
    form: ClassVar[str]

    def split(self, text: str) -> tuple[str, str]:
        """Split what follows the prefix into the subject and the options.

        By default the options follow the first colon.
        """
        subject, _, options = text.partition(":")
        return subject, options

    @abstractmethod
    def make(self, request: PlayerRequest) -> Any:
        """The player, a `tkm_env.core.agent.Agent`.

        Raises:
            ConfigError: made by ``request.refuse``, if there is no such player.
        """


@cache
def player_kind(prefix: str) -> PlayerKind | None:
    """The kind of players whose lines begin with this prefix and a colon; None if none do."""
    entry_point = installed(ENTRY_POINTS).get(prefix)
    return None if entry_point is None else cast("PlayerKind", load(entry_point, PlayerKind))


def prefixed_forms() -> Iterator[str]:
    """How lines with a prefix are written, such as ``"policy:FILE"``, sorted by prefix."""
    for prefix in sorted(installed(ENTRY_POINTS)):
        if (kind := player_kind(prefix)) is not None:
            yield f"{prefix}:{kind.form}"


def build_player(
    maker: Callable[..., Any],
    options: Mapping[str, Any],
    line: str,
    refuse: Callable[[str], Exception],
    *given: Any,
) -> Any:
    """Make a player from a class, or from a plain function that it calls.

    Args:
        maker: the class or function.
        options: the class's keywords.
        line: what the player is called if it has no name of its own.
        refuse: makes the error for a reason.
        *given: the class's first arguments.

    Returns:
        An instance of the class, or an agent that calls the function.

    Raises:
        Exception: what ``refuse`` makes, if an option does not exist, or the class has no ``act``.
    """
    if not inspect.isclass(maker):
        if options:
            raise refuse("a function takes no options")
        agent: Any = FunctionAgent(maker)
    else:
        try:
            parameters = [*inspect.signature(maker).parameters]
        except ValueError:  # some classes written in C
            parameters = []
        known = [name for name in parameters[len(given) :] if name not in ("seed", "weights")]
        unknown = [name for name in options if name not in known]
        if unknown:
            valid = ", ".join(map(repr, known)) or "none"
            raise refuse(f"there is no option {repr_of(unknown[0])}; valid options: {valid}")
        agent = maker(*given, **options)
        if not callable(getattr(agent, "act", None)):
            raise refuse("it has no act(game)")
    if not hasattr(agent, "name"):
        agent.name = line
    return agent
