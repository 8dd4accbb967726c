"""The other end of the protocol: any player of this package as a program that reads requests and writes answers, a line each."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np

from tkm_env.agents.python_file import answers_apart
from tkm_env.agents.specs import make_agent
from tkm_env.errors import ProtocolError, TKMError
from tkm_env.game.base import BaseGame
from tkm_env.game.registry import default_game, game_spec
from tkm_env.isolation.protocol import Begin, End, Go, Hello, Play, Quit, parse_request

_LONGEST_NAME: Final = 200


def serve(spec: str, requests: Iterable[str], write: Callable[[str], object], game: str | None = None) -> None:
    """Answer requests as a player, until the judge has had enough.

    Args:
        spec: the player, as `make_agent` reads it.
        requests: the judge's lines.
        write: takes each answer, without the end of line.
        game: the name of the game it is made for at first, so that what is wrong with it is known at once; None for the first.

    Raises:
        TKMError: if there is no such player, or a request is not of the protocol.

    >>> position = game_spec("tkm").game_class().position
    >>> serve("random", ["tkm 1 game=tkm seat=white seed=7 config={}", f"go legal=0 | {position} | ", "quit"], print)
    tkm 1 name=random
    play choose 1
    """
    bot = Bot(lambda name: make_agent(spec, "player", name), spec, game or default_game())
    for line in requests:
        answer = bot.answer(line)
        if answer is not None:
            write(answer)
        if bot.has_quit:
            return


class Bot:
    """A player at its end of the protocol.

    Args:
        make: makes the player of a game, given its name.
        name: what to call players who have no name.
        game: the name of the game for which a player is made at once.

    Attributes:
        has_quit: whether the judge has had enough.
    """

    def __init__(self, make: Callable[[str], Any], name: str, game: str) -> None:
        self._make = make
        self._name = name
        self._made = game
        self._agent = make(game)
        self._seat: _Seat | None = None
        self.has_quit = False

    def answer(self, line: str) -> str | None:
        """The answer to a request; None if none is due.

        Raises:
            TKMError: if there is no such player, or the request is not of the protocol.
        """
        request = parse_request(line.rstrip("\r\n"))
        if isinstance(request, Begin):
            if request.game != self._made:
                self._made, self._agent = request.game, self._make(request.game)
            self._seat = _Seat(request)
            if hasattr(self._agent, "reset"):
                self._agent.reset(np.random.default_rng(request.seed))
            return str(Hello(_word(getattr(self._agent, "name", self._name))))
        if isinstance(request, Go):
            if self._seat is None:
                raise ProtocolError(line, "no game has begun")
            return str(Play((self._seat.answer(self._agent, request),)))
        if isinstance(request, End):
            self._seat = None
        elif isinstance(request, Quit):
            self.has_quit = True
        return None


class _Seat:
    """A game as one side knows it."""

    def __init__(self, begin: Begin) -> None:
        spec = game_spec(begin.game)
        self._class = spec.game_class
        self._config = spec.config(begin.config)
        self._game: BaseGame | None = None
        self._known: list[str] = []

    def answer(self, agent: Any, request: Go) -> str:
        game = self._brought_up_to(request)
        action = agent.act(game.copy())
        return game.action_names[action] if not isinstance(action, str) else action

    def _brought_up_to(self, request: Go) -> BaseGame:
        """The game as requested: what we know, continued if that leads there; else from the position, with whatever is hidden drawn."""
        played, known = list(request.played), self._known
        game = self._game
        if game is not None and played[: len(known)] == known:
            try:
                for name in played[len(known) :]:
                    game.play(name)
            except TKMError:
                game = None
        else:
            game = None
        if game is None or game.position != request.position:
            game = self._class(self._config, seed=request.seed, position=request.position)
        self._game, self._known = game, played
        return game


def _word(text: str) -> str:
    """A name as the protocol has it: printable, without spaces."""
    return "".join(letter if "!" <= letter <= "~" else "_" for letter in text)[:_LONGEST_NAME] or "bot"


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the player that the arguments name on standard input and output; what it prints goes to standard error."""
    parser = argparse.ArgumentParser(description=serve.__doc__)
    parser.add_argument("spec")
    parser.add_argument("--game")
    given = parser.parse_args(arguments)
    play(given.spec, given.game)


def play(spec: str, game: str | None = None) -> None:
    """The same with its arguments named.

    Raises:
        TKMError: if there is no such player, or a request is not of the protocol.
    """
    file, is_file, _ = spec.partition(".py:")
    if is_file:  # it imports what lies beside it, as a script does
        sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    with answers_apart() as write:
        serve(spec, sys.stdin, write, game)
