"""A game as tools of the Model Context Protocol: a language model plays in a session.

Needs the extra ``[mcp]``. The docstrings of tools are what a language model is told about them.
"""

import sys
import threading
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

from tkm_env.play.session import Session
from tkm_env.play.tool_stdio import OrderedServer
from tkm_env.text.options import LISTED, TextOptions
from tkm_env.text.prompt import Prompt, legal_turns, prompt_for
from tkm_env.text.reply import Refusal, read_reply, reply_of


class ToolSession:
    """Games one after another, told and answered in words.

    Its methods, `close` aside, are the tools.

    Args:
        new_session: called with the index of each game, from 0; makes its session, against an
            agent.
        options: how games are told.
        keep: called with the record of each game in which something was played, once it is over or
            left.
    """

    def __init__(
        self,
        new_session: Callable[[int], Session[Any]],
        options: TextOptions,
        keep: Callable[[dict[str, Any]], object],
    ) -> None:
        self._new_session, self._options, self._keep = new_session, options, keep
        self._lock = threading.RLock()  # tools may be called from several threads
        self._games = 0
        self._begin()

    def new_game(self) -> str:
        """Begin a new game, and leave the one in progress.

        Returns the rules and the first position.
        """
        with self._lock:
            self._end()
            self._begin()
            return "\n\n".join(self._told())

    def rules(self) -> str:
        """The rules of this game, how positions and turns are written, and how to answer."""
        with self._lock:
            return self._told().system

    def observe(self) -> str:
        """The position, what was played since your last turn, and whose turn it is."""
        with self._lock:
            return self._told().user

    def list_legal_turns(self) -> str:
        """The legal turns, numbered, one per line; none once the game is over."""
        with self._lock:
            turns = (
                legal_turns(self._session.game, self._options)
                if self._session.waits_for_person
                else []
            )
            return "\n".join(f"{number}. {turn}" for number, turn in enumerate(turns, 1))

    def play(self, turn: str | int | list[str]) -> str:
        """Play a whole turn.

        Returns what the opponent played and the new position, or why the turn cannot be played.

        Args:
            turn: all actions of the turn in order, separated by semicolons or as a list, or its
                number among the legal turns.
        """
        with self._lock:
            if self._is_over:
                return self._told().user
            answer = read_reply(self._session.game, reply_of(turn), self._options)
            if isinstance(answer, Refusal):
                return answer.message
            for action in answer:
                self._session.play(action)
            self._let_opponent_play()
            return self._told().user

    def resign(self) -> str:
        """Resign the game."""
        with self._lock:
            if self._is_over:
                return self._told().user
            game = self._session.adapter.concede(self._session.game)
            if game is not self._session.game:
                self._session.play(game.history[-1])
            self._end()
            return (
                self._told().user
                if self._session.game.result is not None
                else "The game is left unfinished."
            )

    def close(self) -> None:
        """Keep the record of the game in progress."""
        with self._lock:
            self._end()

    @property
    def _is_over(self) -> bool:
        return self._is_kept or self._session.game.result is not None

    def _begin(self) -> None:
        # An opponent's file may print, but standard output belongs to the protocol.
        with redirect_stdout(sys.stderr):
            self._session = self._new_session(self._games)
        self._side = next(side for side, name in self._session.names.items() if name == "you")
        self._games += 1
        self._is_kept = False
        self._let_opponent_play()

    def _let_opponent_play(self) -> None:
        while self._session.waits_for_agent:
            with redirect_stdout(sys.stderr):
                self._session.let_agent_play()
        if self._session.game.result is not None:
            self._end()

    def _end(self) -> None:
        if not self._is_kept and self._session.game.history:
            self._keep(self._session.to_record())
        self._is_kept = True

    def _told(self) -> Prompt:
        return prompt_for(self._session.game, self._options, player=self._side)


def tool_server(tools: ToolSession, options: TextOptions) -> OrderedServer:
    """Make the server of the tools.

    Args:
        tools: the games.
        options: how games are told; `list_legal_turns` is a tool only if they list legal turns.

    Returns:
        The server.
    """
    server = OrderedServer(
        "tkm_env", instructions="Call rules, then play turns until the game is over."
    )
    offered: list[Callable[..., str]] = [
        tools.new_game,
        tools.rules,
        tools.observe,
        tools.play,
        tools.resign,
    ]
    for tool in [*offered, tools.list_legal_turns] if options.legal == LISTED else offered:
        server.add_tool(
            tool, name={"list_legal_turns": "legal_turns"}.get(tool.__name__, tool.__name__)
        )
    return server
