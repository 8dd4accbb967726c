"""The other end of the protocol: any player of this package as a program that reads requests and writes answers, a line each."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np

from tkm_env.agents.specs import make_agent
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import default_game, game_spec
from tkm_env.errors import ProtocolError, TKMError
from tkm_env.wall.protocol import Begin, End, Go, Hello, Play, Quit, parse_request

__all__ = ["main", "serve"]

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
    made = game or default_game()
    agent = make_agent(spec, "player", made)
    seat: _Seat | None = None
    for line in requests:
        request = parse_request(line.rstrip("\r\n"))
        if isinstance(request, Begin):
            if request.game != made:
                made, agent = request.game, make_agent(spec, "player", request.game)
            seat = _Seat(request)
            if hasattr(agent, "reset"):
                agent.reset(np.random.default_rng(request.seed))
            write(str(Hello(_word(getattr(agent, "name", spec)))))
        elif isinstance(request, Go):
            if seat is None:
                raise ProtocolError(line, "no game has begun")
            write(str(Play((seat.answer(agent, request),))))
        elif isinstance(request, End):
            seat = None
        elif isinstance(request, Quit):
            return


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
    sys.stdout.flush()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)  # what a player prints is no answer
    with answers:
        serve(spec, sys.stdin, lambda line: print(line, file=answers, flush=True), game)
