"""Players described by a line of text, such as ``alphabeta:depth=3`` or ``path/to/bot.py:MyBot``.

A line is a player's name, or a Python file and the name of a class or function in it; options follow a colon, separated by commas.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tkm_env.agents.function import FunctionAgent
from tkm_env.core.registry import default_game, game_spec, load
from tkm_env.errors import ConfigError

__all__ = ["ladder", "make_agent", "options_of"]


def ladder(game: str | None = None) -> list[Any]:
    """One agent of each kind for that game (by default the first one), from the weakest to the strongest.

    >>> [agent.name for agent in ladder()]
    ['random', 'greedy', 'mcts iterations=200', 'alphabeta depth=4']
    """
    spec = game_spec(game or default_game())
    return [make_agent(line, game=spec.name) for line in spec.ladder]


def make_agent(spec: str, keyword: str = "agent", game: str | None = None) -> Any:
    """The player described by a line of text.

    Args:
        spec: the name of one of the game's agents or ``FILE.py:NAME``, with options after a colon:
            ``mcts:iterations=500,exploration=0.7``.
        keyword: the argument's name in error messages.
        game: the game it will play; None for the first.

    Raises:
        ConfigError: naming the players, or the options, that exist.

    >>> make_agent("random").name
    'random'
    >>> make_agent("clever")
    Traceback (most recent call last):
        ...
    tkm_env.errors.ConfigError: agent='clever' is invalid: players are 'random', 'greedy', 'alphabeta', 'mcts' and FILE.py:NAME
    """

    def refuse(reason: str) -> ConfigError:
        return ConfigError(keyword, spec, reason)

    name, _, rest = spec.partition(":")
    agents = game_spec(game or default_game()).agents
    if name in agents:
        maker = load(agents[name])
    elif name.endswith(".py"):
        what, _, rest = rest.partition(":")
        maker = _found_in(Path(name), what, refuse)
    else:
        raise refuse(f"players are {', '.join(map(repr, agents))} and FILE.py:NAME")
    return _made(maker, _options(rest, refuse), spec, refuse)


def options_of(spec: str, keyword: str = "agent") -> tuple[str, dict[str, Any]]:
    """The name and the options in a line describing one of a game's agents.

    Raises:
        ConfigError: if the options are malformed.

    >>> options_of("alphabeta:depth=3,seconds=0.5")
    ('alphabeta', {'depth': 3, 'seconds': 0.5})
    """
    name, _, rest = spec.partition(":")
    return name, _options(rest, lambda reason: ConfigError(keyword, spec, reason))


def _found_in(path: Path, what: str, refuse: Callable[[str], ConfigError]) -> Any:
    """The class or function of that name in a Python file, which is executed."""
    if not path.is_file():
        raise refuse(f"there is no file {str(path)!r}")
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
