"""Players described by a line of text, such as ``alphabeta:depth=3``, ``path/to/bot.py:MyBot`` or ``cmd:./mybot``.

A line is a player's name, a Python file with the name of a class or function in it, or ``policy:`` with the file of a trained policy;
options follow a colon, separated by commas. Or it is ``cmd:`` with a command: a program that speaks the protocol of ``docs/protocol.md``;
``llm:`` with the name of a language model; or ``exploit:`` with another player's line: one that knows this player, and looks for what
beats it.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType, NoneType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tkm_env.core.function_agent import FunctionAgent
from tkm_env.core.registry import default_game, game_spec, load
from tkm_env.foundations.errors import ConfigError, PlayerError, did_you_mean, repr_of
from tkm_env.isolation.limits import Limits
from tkm_env.players.player_line import AGENT, COMMAND, EXPLOIT, LLM, POLICY, PYTHON, parsed_line
from tkm_env.players.python_file import load_file, reraise_with_location

if TYPE_CHECKING:
    from tkm_env.players.policy import PolicyAgent

#: Characters of one option.
_LONGEST_OPTION: Final = 1000


def ladder(game: str | None = None) -> list[Any]:
    """Agents of all kinds for that game (by default the first one), from the weakest to the strongest.

    >>> [agent.name for agent in ladder()]
    ['random', 'greedy', 'mcts iterations=200', 'alphabeta depth=4 net=None', 'gumbel iterations=400']
    """
    spec = game_spec(default_game() if game is None else game)
    return [make_agent(line, game=spec.name) for line in spec.ladder]


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
        spec: the name of one of the game's agents, ``FILE.py:NAME``, ``policy:FILE`` or ``llm:MODEL``, with options after a colon:
            ``mcts:iterations=500,exploration=0.7``; ``cmd:`` and a command; or ``exploit:`` and another such line, before which options
            may stand: ``exploit:playouts=50:greedy``.
        keyword: the argument's name in error messages.
        game: the game it will play; None for the first.
        limits: how Python files and commands are isolated; None runs files in this process, and commands in a process each.
        config: the settings of the games that it will play; None if they are not known yet.

    Raises:
        ConfigError: naming the players, or the options, that exist; or how these settings differ from those that a policy learned.
        FileError: if a policy's file cannot be read, or holds none for this game.

    >>> make_agent("random").name
    'random'
    >>> make_agent("clever", game="terminus")
    Traceback (most recent call last):
        ...
    tkm_env.foundations.errors.ConfigError: agent='clever' is invalid: players are 'random', 'greedy', 'ismcts', FILE.py:NAME, \
policy:FILE, llm:MODEL, exploit:AGENT and cmd:COMMAND
    """

    def refuse(reason: str) -> ConfigError:
        return ConfigError(keyword, spec, reason)

    line = parsed_line(spec, keyword)
    game = default_game() if game is None else game
    agents = game_spec(game).agents
    if line.kind == AGENT and line.subject in agents:
        return _make(load(agents[line.subject]), _parse_options(line.options, refuse), spec, refuse)
    if line.kind == COMMAND:
        from tkm_env.players.command import CommandAgent

        try:
            return CommandAgent(line.subject, name=spec, limits=limits)
        except ConfigError as error:
            if error.keyword == "command":
                raise refuse(error.reason) from None
            raise
    if line.kind == EXPLOIT:
        from tkm_env.players.best_response import BestResponse

        if parsed_line(line.subject).kind == LLM:
            raise refuse("for every action a language model would be asked thousands of questions")
        quick = game_spec(game).ladder[:2][
            -1
        ]  # the second one is the quickest that does not play at random
        lines = (line.subject, quick, line.subject)
        agent, *guides = [
            make_agent(each, keyword, game, limits=limits, config=config) for each in lines
        ]
        return _make(
            BestResponse, _parse_options(line.options, refuse), spec, refuse, agent, guides
        )
    if line.kind == POLICY:
        from tkm_env.players.policy import PolicyAgent

        options = _parse_options(line.options, refuse)
        policy: PolicyAgent = _make(PolicyAgent, options, spec, refuse, line.subject, game)
        if config is not None:
            policy.check_settings(config)
        return policy
    if line.kind == LLM:
        from tkm_env.players.language_model import LanguageModel

        if not line.subject or "key=" in line.options:  # which messages must not show
            reason = (
                "a model's name must follow; the key comes from the environment: OPENAI_API_KEY"
            )
            raise ConfigError(keyword, f"llm:{line.subject}", reason)
        return _make(
            LanguageModel, _parse_options(line.options, refuse), spec, refuse, line.subject, game
        )
    if line.kind == AGENT:
        known = f"players are {', '.join(map(repr, agents))}, FILE.py:NAME, {POLICY}:FILE, {LLM}:MODEL, {EXPLOIT}:AGENT"
        likely = did_you_mean(line.subject, (*agents, POLICY, LLM, EXPLOIT, COMMAND))
        raise refuse(f"{known} and {COMMAND}:COMMAND{likely}")
    parsed, path = _parse_options(line.options, refuse), Path(line.subject)
    if not os.path.isfile(path):
        raise refuse(f"there is no file {repr_of(str(path))}")
    if limits is not None:  # the file runs only in isolation: errors in it show when it starts
        from tkm_env.players.command import CommandAgent, bot_command

        may_read = dataclasses.replace(limits, readable=(*limits.readable, line.subject))
        command = bot_command(spec, game, limits.import_rules)
        return CommandAgent(command, name=spec, limits=may_read, compiles=True)
    return player_in(load_file(path, refuse), line.name, game, spec, refuse, parsed)


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
        game: the name of the game; None for the first.
        config: the settings of the game; None for the defaults.
        keyword: the argument's name in an error's message.
        limits: where it runs, and how long it may take.
        trust: whether files run in this process.

    Raises:
        ConfigError: with the reason, if there is no such player, or it does not start.
        MachineError: if this machine fails.
    """
    kind = parsed_line(line).kind
    if kind not in (COMMAND, PYTHON):
        return
    from tkm_env.players.command import CommandAgent

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
    """The player, called ``spec`` without a name, that a class, given the options, or a function in a module makes. Raises what ``refuse``
    makes.
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
            f"{path.name} holds {', '.join(map(repr, offered)) or 'no classes or functions'}, not {repr_of(what)}"
        )
    with reraise_with_location(path, refuse):
        agent = _make(maker, options, spec, refuse)
    return _DeterminizingAgent(agent) if game_spec(game).game_class.hides() else agent


class _DeterminizingAgent:
    """A player of unknown origin in a game with hidden information: it gets games drawn from what its side may see."""

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
    """The name and the options in a line describing one of a game's agents; raises a `ConfigError` if they are malformed."""
    line = parsed_line(spec, keyword)
    return line.subject, _parse_options(
        line.options, lambda reason: ConfigError(keyword, spec, reason)
    )


def _parse_options(text: str, refuse: Callable[[str], ConfigError]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        name, given, value = part.partition("=")
        if not given or not name:
            raise refuse(f"options are written name=value, not {repr_of(part)}")
        if name in options:
            raise refuse(f"the option {repr_of(name)} is given twice")
        if len(value) > _LONGEST_OPTION:
            raise refuse(f"the option {repr_of(name)} is longer than {_LONGEST_OPTION} characters")
        try:
            options[name] = ast.literal_eval(value)
        except (
            ValueError,
            SyntaxError,
            MemoryError,
            RecursionError,
        ):  # also for numbers and nesting beyond Python's limits
            options[name] = value
        if not isinstance(options[name], (str, int, float, NoneType)):
            raise refuse(
                f"the option {repr_of(name)} must be a number, a text, True, False or None, not {repr_of(value)}"
            )
    return options


def _make(
    maker: Callable[..., Any],
    options: Mapping[str, Any],
    spec: str,
    refuse: Callable[[str], Exception],
    *given: Any,
) -> Any:
    """An instance of a class, made with these arguments and options; for a plain function, an agent that calls it."""
    if not inspect.isclass(maker):
        if options:
            raise refuse("a function takes no options")
        agent: Any = FunctionAgent(maker)
    else:
        try:
            parameters = [*inspect.signature(maker).parameters]
        except ValueError:  # as of some classes in C
            parameters = []
        known = [name for name in parameters[len(given) :] if name not in ("seed", "weights")]
        unknown = [name for name in options if name not in known]
        if unknown:
            raise refuse(
                f"there is no option {repr_of(unknown[0])}; valid options: {', '.join(map(repr, known)) or 'none'}"
            )
        agent = maker(*given, **options)
        if not callable(getattr(agent, "act", None)):
            raise refuse("it has no act(game)")
    if not hasattr(agent, "name"):
        agent.name = spec
    return agent
