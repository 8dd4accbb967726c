"""Players described by a line of text, such as ``alphabeta:depth=3``, ``path/to/bot.py:MyBot`` or ``cmd:./mybot``.

A line is a player's name, or a Python file and the name of a class or function in it; options follow a colon, separated by commas. Or it is
``cmd:`` and a command: a program that speaks the protocol of ``docs/protocol.md``.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tkm_env.agents.function import FunctionAgent
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import default_game, game_spec, load
from tkm_env.errors import ConfigError
from tkm_env.wall.program import Wall

if TYPE_CHECKING:
    from tkm_env.agents.command import CommandAgent

__all__ = ["COMMAND", "ladder", "make_agent", "options_of"]

#: What a line begins with that holds a command.
COMMAND: Final = "cmd"


def ladder(game: str | None = None) -> list[Any]:
    """One agent of each kind for that game (by default the first one), from the weakest to the strongest.

    >>> [agent.name for agent in ladder()]
    ['random', 'greedy', 'mcts iterations=200', 'alphabeta depth=4']
    """
    spec = game_spec(game or default_game())
    return [make_agent(line, game=spec.name) for line in spec.ladder]


def make_agent(spec: str, keyword: str = "agent", game: str | None = None, *, wall: Wall | None = None) -> Any:
    """The player described by a line of text.

    Args:
        spec: the name of one of the game's agents or ``FILE.py:NAME``, with options after a colon:
            ``mcts:iterations=500,exploration=0.7``; or ``cmd:`` and a command.
        keyword: the argument's name in error messages.
        game: the game it will play; None for the first.
        wall: behind which files and commands run; None runs files in this process, and commands in a process each.

    Raises:
        ConfigError: naming the players, or the options, that exist.

    >>> make_agent("random").name
    'random'
    >>> make_agent("clever")
    Traceback (most recent call last):
        ...
    tkm_env.errors.ConfigError: agent='clever' is invalid: players are 'random', 'greedy', 'alphabeta', 'mcts', FILE.py:NAME and cmd:COMMAND
    """

    def refuse(reason: str) -> ConfigError:
        return ConfigError(keyword, spec, reason)

    name, _, rest = spec.partition(":")
    agents = game_spec(game or default_game()).agents
    if name in agents:
        maker = load(agents[name])
    elif name == COMMAND:
        return _program(rest, spec, wall, refuse)
    elif name.endswith(".py"):
        what, _, rest = rest.partition(":")
        _check_file(Path(name), refuse)
        if wall is not None:
            _options(rest, refuse)
            return _behind(wall, spec, game or default_game())
        maker = _found_in(Path(name), what, refuse)
    else:
        raise refuse(f"players are {', '.join(map(repr, agents))}, FILE.py:NAME and {COMMAND}:COMMAND")
    agent = _made(maker, _options(rest, refuse), spec, refuse)
    hides = game_spec(game or default_game()).game_class.seen is not BaseGame.seen
    return _Outsider(agent) if hides and name not in agents else agent


class _Outsider:
    """A player of unknown origin in a game that hides something: it is given games drawn from what its side may see."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self.name = agent.name
        self._generator = np.random.default_rng()

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Start the player over, and draw from ``seed`` from now on."""
        self._generator = np.random.default_rng(seed)
        if hasattr(self._agent, "reset"):
            self._agent.reset(seed)

    def act(self, game: Any) -> Any:
        """The player's action in a game that it cannot tell from this one."""
        return self._agent.act(game.seen(self._generator))


def options_of(spec: str, keyword: str = "agent") -> tuple[str, dict[str, Any]]:
    """The name and the options in a line describing one of a game's agents.

    Raises:
        ConfigError: if the options are malformed.

    >>> options_of("alphabeta:depth=3,seconds=0.5")
    ('alphabeta', {'depth': 3, 'seconds': 0.5})
    """
    name, _, rest = spec.partition(":")
    return name, _options(rest, lambda reason: ConfigError(keyword, spec, reason))


def _program(line: str, spec: str, wall: Wall | None, refuse: Callable[[str], ConfigError]) -> CommandAgent:
    """The player that a command starts."""
    from tkm_env.agents.command import CommandAgent

    try:
        return CommandAgent(line, name=spec, wall=wall)
    except ConfigError as error:
        raise refuse(str(error)) from None


def _behind(wall: Wall, spec: str, game: str) -> CommandAgent:
    """The player in a Python file, which is executed behind the wall only; what is wrong inside shows when it starts."""
    from tkm_env.agents.command import CommandAgent, bot_command

    return CommandAgent(bot_command(spec, game), name=spec, wall=wall, compiles=True)


def _check_file(path: Path, refuse: Callable[[str], ConfigError]) -> None:
    if not path.is_file():
        raise refuse(f"there is no file {str(path)!r}")


def _found_in(path: Path, what: str, refuse: Callable[[str], ConfigError]) -> Any:
    """The class or function of that name in a Python file, which is executed."""
    module_name = f"tkm_env_bot_{path.stem}"
    found = importlib.util.spec_from_file_location(module_name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[module_name] = module
    found.loader.exec_module(module)
    if not callable(getattr(module, what, None)):
        offered = [
            name for name, value in vars(module).items() if callable(value) and getattr(value, "__module__", "") == module_name
        ]
        raise refuse(f"{path.name} holds {', '.join(map(repr, offered)) or 'no classes or functions'}, not {what!r}")
    return getattr(module, what)


def _options(text: str, refuse: Callable[[str], ConfigError]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        name, given, value = part.partition("=")
        if not given or not name:
            raise refuse(f"options are written name=value, not {part!r}")
        if name in options:
            raise refuse(f"the option {name!r} is given twice")
        try:
            options[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            options[name] = value
    return options


def _made(maker: Callable[..., Any], options: dict[str, Any], spec: str, refuse: Callable[[str], ConfigError]) -> Any:
    """The agent that a class makes with these options; for a plain function, an agent that calls it."""
    if not inspect.isclass(maker):
        if options:
            raise refuse("a function takes no options")
        agent: Any = FunctionAgent(maker)
    else:
        known = [name for name in inspect.signature(maker).parameters if name not in ("seed", "weights")]
        unknown = [name for name in options if name not in known]
        if unknown:
            raise refuse(f"there is no option {unknown[0]!r}; valid options: {', '.join(map(repr, known)) or 'none'}")
        agent = maker(**options)
        if not hasattr(agent, "act"):
            raise refuse("it has no act(game)")
    if not hasattr(agent, "name"):
        agent.name = spec
    return agent
