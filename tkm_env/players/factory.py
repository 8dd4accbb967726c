"""Players described by a line of text, such as ``alphabeta:depth=3`` or ``cmd:./mybot``.

A line is the name of one of the game's agents, or a Python file with the name of a class or
function in it; options follow a colon, separated by commas. Or it begins with a prefix: ``policy:``
with the file of a trained policy, ``cmd:`` with the command of a program that speaks the protocol
of ``docs/protocol.md``, ``llm:`` with the name of a language model, ``exploit:`` with the line of
another player, which the player knows and tries to beat, or a prefix that another package adds.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import numpy as np

from tkm_env.core.registry import default_game, game_spec
from tkm_env.foundations.errors import ConfigError, PlayerError, did_you_mean, repr_of
from tkm_env.isolation.limits import Limits
from tkm_env.players.player_spec import (
    AGENT,
    COMMAND,
    PYTHON,
    PlayerRequest,
    PlayerSpec,
    build_player,
    player_kind,
    prefixed_forms,
)
from tkm_env.players.python_file import load_file, reraise_with_location
from tkm_env.players.roster import ROSTERS


def ladder(game: str | None = None) -> list[Any]:
    """Agents of all kinds for a game, from the weakest to the strongest.

    ``game`` is its name; None for the first in the registry.

    >>> [agent.name for agent in ladder()][:4]
    ['random', 'greedy', 'mcts iterations=200', 'alphabeta depth=4 net=None']
    """
    name = game_spec(default_game() if game is None else game).name
    return [make_agent(line, game=name) for line in ROSTERS.of(name).ladder]


def make_agent(
    spec: str,
    keyword: str = "agent",
    game: str | None = None,
    *,
    limits: Limits | None = None,
    config: Any = None,
) -> Any:
    """The player described by a line of text.

    Args:
        spec: the name of one of the game's agents, ``FILE.py:NAME``, ``policy:FILE`` or
            ``llm:MODEL``, with options after a colon: ``mcts:iterations=500,exploration=0.7``;
            ``cmd:`` and a command; or ``exploit:`` and another such line, maybe with options before
            it: ``exploit:playouts=50:greedy``.
        keyword: the argument's name in error messages.
        game: the name of the game that it will play; None for the first in the registry.
        limits: how Python files and commands are isolated; None runs files in this process, and
            each command in a process of its own.
        config: the settings of the games that it will play; None if they are not known yet.

    Returns:
        The player, a `tkm_env.core.agent.Agent`.

    Raises:
        ConfigError: naming the players or the options that exist, or how these settings differ from
            those that a policy learned.
        FileError: if the file of a policy cannot be read, or holds none for this game.

    >>> make_agent("random").name
    'random'
    >>> make_agent("clever", game="terminus")
    Traceback (most recent call last):
        ...
    tkm_env.foundations.errors.ConfigError: agent='clever' is invalid: players are 'random', \
'greedy', 'ismcts', FILE.py:NAME, cmd:COMMAND, exploit:AGENT, llm:MODEL, policy:FILE and \
turn:first|last
    """
    name = game_spec(default_game() if game is None else game).name
    parsed = PlayerSpec.parse(spec, keyword)
    request = PlayerRequest(spec, parsed, name, keyword, limits, config)
    if parsed.kind == AGENT:
        return _agent(request)
    if parsed.kind == PYTHON:
        return _from_file(request)
    kind = player_kind(parsed.kind)
    assert kind is not None
    return kind.make(request)


def _agent(request: PlayerRequest) -> Any:
    """One of the game's own agents."""
    agents, name = ROSTERS.of(request.game).agents, request.spec.subject
    if name not in agents:
        *forms, last = "FILE.py:NAME", *prefixed_forms()
        prefixes = (form.partition(":")[0] for form in (*forms[1:], last))
        likely = did_you_mean(name, (*agents, *prefixes))
        known = ", ".join((*map(repr, agents), *forms))
        raise request.refuse(f"players are {known} and {last}{likely}")
    return request.build(agents[name]())


def _from_file(request: PlayerRequest) -> Any:
    """The player in a Python file."""
    spec, limits = request.spec, request.limits
    options, path = spec.parsed_options(request.refuse), Path(spec.subject)
    if not os.path.isfile(path):
        raise request.refuse(f"there is no file {repr_of(str(path))}")
    if limits is not None:  # the file runs in isolation only; its errors show when it starts
        from tkm_env.players.command_agent import CommandAgent, bot_command

        may_read = dataclasses.replace(limits, readable=(*limits.readable, spec.subject))
        command = bot_command(request.line, request.game, limits.import_rules)
        return CommandAgent(command, name=request.line, limits=may_read, compiles=True)
    module = load_file(path, request.refuse)
    return player_in(module, spec.name, request.game, request.line, request.refuse, options)


def check_start(
    line: str,
    game: str | None,
    config: Any,
    keyword: str,
    limits: Limits | None = None,
    *,
    trust: bool = False,
) -> None:
    """Start the program of a player once, as for a game, and end it.

    Args:
        line: the player; one that runs in this process has started once it is made.
        game: the name of the game; None for the first in the registry.
        config: the settings of the game; None for the defaults.
        keyword: the argument's name in error messages.
        limits: how it is isolated, and how long it may take.
        trust: whether files run in this process.

    Raises:
        ConfigError: with the reason, if there is no such player, or it does not start.
        MachineError: if this machine fails.
    """
    kind = PlayerSpec.parse(line).kind
    if kind not in (COMMAND, PYTHON):
        return
    from tkm_env.players.command_agent import CommandAgent

    agent = make_agent(
        line, keyword, game, limits=None if trust and kind == PYTHON else limits, config=config
    )
    if not isinstance(agent, CommandAgent):
        return
    spec = game_spec(default_game() if game is None else game)
    new = spec.game_class(config, seed=0)
    try:
        agent.reset(np.random.default_rng(0))
        agent.begin(new, new.to_act)
    except PlayerError as error:
        raise ConfigError(keyword, line, f"the player does not start: {error.reason}") from error
    finally:
        agent.close()


def player_in(
    module: ModuleType,
    what: str,
    game: str,
    spec: str,
    refuse: Callable[[str], Exception],
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    """The player that a class or function in a module makes.

    Args:
        module: the module, loaded from a file.
        what: the name of the class or function.
        game: the name of the game that it will play.
        spec: what the player is called if it has no name of its own.
        refuse: makes the error for a reason.
        options: the class's keywords.

    Returns:
        The player; if the game hides anything, it only ever gets games drawn from what its side may
            see.

    Raises:
        Exception: what ``refuse`` makes, if there is no such player.
    """
    path = Path(module.__file__ or "")
    maker = getattr(module, what, None)
    if not callable(maker):
        offered = [
            name
            for name, value in vars(module).items()
            if callable(value) and getattr(value, "__module__", "") == module.__name__
        ]
        raise refuse(
            f"{path.name} holds {', '.join(map(repr, offered)) or 'no classes or functions'}, "
            f"not {repr_of(what)}"
        )
    with reraise_with_location(path, refuse):
        agent = build_player(maker, options, spec, refuse)
    return _DeterminizingAgent(agent) if game_spec(game).game_class.hides() else agent


class _DeterminizingAgent:
    """A player of unknown origin in a game with hidden information.

    It gets games drawn from what its side may see.
    """

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self.name = agent.name
        self._generator = np.random.default_rng()

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        self._generator = np.random.default_rng(seed)
        if hasattr(self._agent, "reset"):
            self._agent.reset(seed)

    def act(self, game: Any) -> Any:
        """The player's action in a game that looks the same to it."""
        return self._agent.act(game.determinize(self._generator))


def options_of(spec: str, keyword: str = "agent") -> tuple[str, dict[str, Any]]:
    """The name and the options in a line that describes one of a game's agents.

    Args:
        spec: the line.
        keyword: the argument's name in error messages.

    Returns:
        The agent's name, and its options by name.

    Raises:
        ConfigError: if the options are malformed.
    """
    line = PlayerSpec.parse(spec, keyword)
    return line.subject, line.parsed_options(lambda reason: ConfigError(keyword, spec, reason))
