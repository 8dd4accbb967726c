"""The bot's side of the protocol: any player as a program that reads and writes lines."""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tkm_env.core.game import BaseGame
from tkm_env.core.registry import default_game, game_spec
from tkm_env.foundations.errors import ProtocolError, TKMError
from tkm_env.isolation.bot_protocol import (
    LONGEST_VALUE,
    Begin,
    End,
    Go,
    Hello,
    Info,
    Play,
    Quit,
    parse_request,
)
from tkm_env.isolation.import_rules import ImportRules
from tkm_env.players.factory import make_agent
from tkm_env.players.player_spec import PYTHON, PlayerSpec
from tkm_env.players.python_file import (
    redirect_prints_to_stderr,
    reseed_at_each_game,
    seed_shared_generators,
)


def serve(
    spec: str, requests: Iterable[str], write: Callable[[str], object], game: str | None = None
) -> None:
    """Answer the referee's requests as a player, until the referee sends ``quit``.

    Args:
        spec: the player, as `tkm_env.players.factory.make_agent` reads it; it is made at once.
        requests: the referee's lines.
        write: called with each answer, a line without its end.
        game: the name of the game for which the player is made at first; None for the first in the
            registry.

    Raises:
        TKMError: if there is no such player, or a request violates the protocol.
    """
    bot = BotServer(lambda name: make_agent(spec, "player", name), spec, game or default_game())
    for line in requests:
        answer = bot.answer(line)
        if answer is not None:
            if bot.remark is not None:
                write(bot.remark)
            write(answer)
        if bot.has_quit:
            return


def main(arguments: Sequence[str]) -> None:
    """Serve a player on standard input and output.

    Args:
        arguments: the line of the player, the name of the game and, to restrict imports, the text
            of `tkm_env.isolation.import_rules.ImportRules`.
    """
    spec, game, *rules = arguments
    line = PlayerSpec.parse(spec)
    if line.kind == PYTHON:  # it can import modules beside it, as a script can
        sys.path.insert(0, os.path.dirname(os.path.abspath(line.subject)))
    for text in rules:
        ImportRules.from_text(text).keep()
    seed_shared_generators(0)  # from which the player may draw when it is made
    with redirect_prints_to_stderr() as write:
        serve(spec, reseed_at_each_game(sys.stdin), write, game)


class BotServer:
    """The bot's end of the protocol.

    Args:
        make: makes the player of a game, by the game's name.
        name: the bot's name if the player has none.
        game: the name of the game for which the player is made at first.

    Attributes:
        has_quit: whether the referee has sent ``quit``.
        remark: a line to write before the last answer: the result that the player expected when it
            chose its action, if it has an attribute ``expectation`` that tells; None for none.
    """

    def __init__(self, make: Callable[[str], Any], name: str, game: str) -> None:
        self._make = make
        self._name = name
        self._game_name = game
        self._agent = make(game)
        self._current: _CurrentGame | None = None
        self.has_quit = False
        self.remark: str | None = None

    def answer(self, line: str) -> str | None:
        """Answer a request; None if the request takes no answer.

        Raises:
            TKMError: if there is no player of the game, or the request violates the protocol.
        """
        self.remark = None
        request = parse_request(line.rstrip("\r\n"))
        if isinstance(request, Begin):
            if request.game != self._game_name:
                self._game_name, self._agent = request.game, self._make(request.game)
            self._current = _CurrentGame(request)
            if hasattr(self._agent, "reset"):
                self._agent.reset(np.random.default_rng(request.seed))
            name = "".join(
                letter if "!" <= letter <= "~" else "_"
                for letter in getattr(self._agent, "name", self._name)
            )
            return str(Hello(name[:LONGEST_VALUE] or "bot"))
        if isinstance(request, Go):
            if self._current is None:
                raise ProtocolError(line, "no game has begun")
            game = self._current.update(request)
            action = self._agent.act(game.copy())
            self.remark = _remark_of(self._agent)
            if not isinstance(action, str):
                action = game.action_names[game.index_of(action)]
            return str(Play((action,)))
        if isinstance(request, End):
            self._current = None
        elif isinstance(request, Quit):
            self.has_quit = True
        return None


def _remark_of(agent: object) -> str | None:
    """Return the remark about the result that a player expects; None if it does not tell.

    This package's own players write answers only.
    """
    if type(agent).__module__.startswith("tkm_env."):
        return None
    expected = getattr(agent, "expectation", None)
    if isinstance(expected, (int, float)) and -1 <= expected <= 1:
        return str(Info(f"score {expected:.4f}"))
    return None


class _CurrentGame:
    """The game as one side sees it, kept from request to request."""

    def __init__(self, begin: Begin) -> None:
        spec = game_spec(begin.game)
        self._class = spec.game_class
        self._config = spec.config(begin.config)
        self._game: BaseGame | None = None
        self._played: list[str] = []

    def update(self, request: Go) -> BaseGame:
        """Return the game of a request.

        It is the known game, continued, if that leads to the request's position. Otherwise it is a
        new game from that position, with its hidden parts drawn at random.
        """
        played = list(request.played)
        game = self._game if played[: len(self._played)] == self._played else None
        if game is not None:
            try:
                for name in played[len(self._played) :]:
                    game.play(name)
            except TKMError:
                game = None
        if game is None or game.position != request.position:
            game = self._class(self._config, seed=request.seed, position=request.position)
        self._game, self._played = game, played
        return game
