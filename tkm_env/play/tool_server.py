"""A game as tools of the Model Context Protocol: a language model plays in a session.

Needs the extra ``[mcp]``.
"""

import json
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from typing import Any, Final, NamedTuple

from anyio import to_thread
from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations

from tkm_env import __version__
from tkm_env.core.game import BaseGame
from tkm_env.core.turns import played
from tkm_env.foundations.errors import ConfigError, repr_of
from tkm_env.play.session import PERSON, Session
from tkm_env.play.tool_stdio import OrderedServer
from tkm_env.text.flaws import FORM
from tkm_env.text.options import TextOptions
from tkm_env.text.prompt import TURN, Prompt, digest, legal_turns, prompt_for, topics
from tkm_env.text.record_fields import kept_text
from tkm_env.text.renaming import renaming_of
from tkm_env.text.reply import TURN_SCHEMA, Refusal, read_reply, reply_of

#: The address of the resource with the rules.
RULES_ADDRESS: Final = "game://rules"
_PLAY: Final = "play"
_TRY_OUT: Final = "try_out"
_LEGAL_TURNS: Final = "legal_turns"


class ToolAnswer(NamedTuple):
    """What a tool answers.

    Attributes:
        text: what the model reads.
        is_refused: whether nothing was done, for the reason in the text.
    """

    text: str
    is_refused: bool = False


class ToolSession:
    """Games one after another, told and answered in words.

    Args:
        new_session: called with the index of each game, from 0; makes its session, against an
            agent.
        options: how games are told.
        keep: called with the record of each game in which something was played, once it is over or
            left.
        trials: how many turns may be tried out before each turn, with `try_out`.
        name: what records call the model.

    Attributes:
        trials: as given.

    Raises:
        ConfigError: if turns are to be tried out in a game that hides something.
    """

    def __init__(
        self,
        new_session: Callable[[int], Session[Any]],
        options: TextOptions,
        keep: Callable[[dict[str, Any]], object],
        trials: int = 0,
        name: str = PERSON,
    ) -> None:
        self._new_session, self._options, self._keep = new_session, options, keep
        self._name = name
        self.trials = trials
        self._lock = threading.RLock()  # tools may be called from several threads
        self._games = 0
        #: How many turns were tried out before the turn of a number.
        self._tried: dict[int, int] = {}
        self._begin()
        if trials and type(self._session.game).hides():
            raise ConfigError(
                "trials", trials, "the outcome of a turn depends on what this game hides"
            )

    def new_game(self) -> ToolAnswer:
        """Begin a new game, and leave the one in progress."""
        with self._lock:
            self._end()
            self._begin()
            return ToolAnswer("\n\n".join(self._told()))

    def rules(self, topic: object = None) -> ToolAnswer:
        """The rules of this game, how positions and turns are written, and how to answer.

        Args:
            topic: the heading of the only section to tell; None for all of it.
        """
        with self._lock:
            if topic is None:
                return ToolAnswer(self._told().system)
            known = topics(self._session.game, self._options)
            if not isinstance(topic, str) or topic not in known:
                names = ", ".join(map(repr, known))
                return ToolAnswer(f"There is no topic {repr_of(topic)}; there are {names}.", True)
            return ToolAnswer(known[topic])

    def observe(self) -> ToolAnswer:
        """The position, what was played since the player's last turn, and whose turn it is."""
        with self._lock:
            return ToolAnswer(self._told().user)

    def list_legal_turns(self) -> ToolAnswer:
        """The legal turns, numbered, one per line; none once the game is over."""
        with self._lock:
            turns = enumerate(self._legal_turns(), 1)
            return ToolAnswer("\n".join(f"{number}. {turn}" for number, turn in turns))

    def play(self, turn: object) -> ToolAnswer:
        """Play a whole turn, and let the opponent reply.

        Args:
            turn: as in `tkm_env.text.reply.TURN_SCHEMA`.

        Returns:
            What the opponent played and the new position, or why the turn cannot be played.
        """
        with self._lock:
            game = self._session.game
            if self._is_over:
                return ToolAnswer(self._told().user, is_refused=True)
            reply = reply_of(turn, _PLAY)
            answer = read_reply(game, reply, self._options, tool=_PLAY)
            self.note(reply, answer)
            if isinstance(answer, Refusal):
                return ToolAnswer(answer.message, is_refused=True)
            for action in answer:
                self._session.play(action)
            self._let_opponent_play()
            return ToolAnswer(self._told().user)

    def try_out(self, turn: object) -> ToolAnswer:
        """The position after a turn, before the opponent's reply; nothing is played.

        Args:
            turn: as for `play`.

        Returns:
            The position and how many trials are left before this turn, or why there is none.
        """
        with self._lock:
            game = self._session.game
            if self._is_over:
                return ToolAnswer(self._told().user, is_refused=True)
            tried = self._tried.get(game.turn, 0)
            if tried >= self.trials:
                return ToolAnswer("No trials are left before this turn: play a turn.", True)
            self._tried[game.turn] = tried + 1
            left = f"Trials left before this turn: {self.trials - tried - 1}."
            answer = read_reply(game, reply_of(turn, _TRY_OUT), self._options, tool=_TRY_OUT)
            if isinstance(answer, Refusal):
                return ToolAnswer(f"{answer.message}\n\n{left}", is_refused=True)
            after = played(game, answer)
            told = prompt_for(after.restart(), self._options, player=self._side, tool=_PLAY).user
            return ToolAnswer(f"Nothing was played. After that turn:\n\n{told}\n\n{left}")

    def resign(self) -> ToolAnswer:
        """Resign the game."""
        with self._lock:
            if self._is_over:
                return ToolAnswer(self._told().user, is_refused=True)
            game = self._session.adapter.concede(self._session.game)
            if game is not self._session.game:
                self._session.play(game.history[-1])
            self._end()
            return ToolAnswer(
                self._told().user
                if self._session.game.result is not None
                else "The game is left unfinished."
            )

    def status(self) -> dict[str, Any]:
        """How the game stands, as `STATUS_SCHEMA` says."""
        with self._lock:
            game: BaseGame = self._session.game
            is_left = self._is_kept and game.result is None
            turns = self._legal_turns() if self._options.lists_turns else None
            rename = renaming_of(type(game), self._options.rename).prose
            return {
                "status": "left" if is_left else "playing" if game.result is None else "over",
                "you": rename(self._side),
                "winner": None if game.winner is None else rename(game.winner),
                "turn": game.turn,
                _LEGAL_TURNS: turns,
            }

    def note(self, reply: str, read: tuple[int, ...] | Refusal) -> None:
        """Add a call of `play` to the record; only the client knows how many tokens it took.

        Args:
            reply: what was given, as a reply.
            read: the indices of its actions, or why it is refused.
        """
        with self._lock:
            game: BaseGame = self._session.game
            refusal = read if isinstance(read, Refusal) else None
            names = None if isinstance(read, Refusal) else [game.action_names[one] for one in read]
            self._answers.append(
                {
                    "ply": len(game.history) + 1,
                    "text": kept_text(reply),
                    "end": "tool_calls",
                    "tokens": [None, None],
                    "model": "",
                    "turn": names,
                    "refused": refusal and refusal.kind,
                    "flaw": refusal and refusal.flaw,
                }
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
        self._answers: list[dict[str, Any]] = []
        self._tried.clear()
        self._let_opponent_play()

    def _let_opponent_play(self) -> None:
        while self._session.waits_for_agent:
            with redirect_stdout(sys.stderr):
                self._session.let_agent_play()
        if self._session.game.result is not None:
            self._end()

    def _end(self) -> None:
        if not self._is_kept and self._session.game.history:
            record = self._session.to_record()
            self._keep(
                record
                | {"players": record["players"] | {self._side: self._name}}
                | {"models": {self._side: self._conversation()}}
            )
        self._is_kept = True

    def _conversation(self) -> dict[str, Any]:
        """What was asked and answered in this game, as records hold it."""
        game: BaseGame = self._session.game
        return {
            "asked": {"tool": _PLAY, "trials": self.trials, **vars(self._options)},
            "prompt": digest(type(game), self._options),
            "answers": self._answers,
        }

    def _legal_turns(self) -> list[str]:
        if self._is_over or not self._session.waits_for_person:
            return []
        return legal_turns(self._session.game, self._options)

    def _told(self) -> Prompt:
        return prompt_for(self._session.game, self._options, player=self._side, tool=_PLAY)


#: What tools tell beside their text, as a JSON schema.
STATUS_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "status": {
            "enum": ["playing", "over", "left"],
            "description": "Whether the game goes on, is over, or was left unfinished.",
        },
        "you": {"type": "string", "description": "The player that you are."},
        "winner": {"type": ["string", "null"], "description": "The player that has won."},
        "turn": {"type": "integer", "description": "The number of the turn, from 1."},
        _LEGAL_TURNS: {
            "type": ["array", "null"],
            "items": {"type": "string"},
            "description": "The legal turns in the order of their numbers; null if untold.",
        },
    },
    "required": ["status", "you", "winner", "turn", _LEGAL_TURNS],
    "additionalProperties": False,
}


class GameTool(NamedTuple):
    """A tool as a client sees it.

    Attributes:
        name: its name.
        title: its name for people.
        description: what a language model is told about it.
        act: the method of `ToolSession` that it calls.
        arguments: the schema of each argument; all are required.
        optional: the schema of each argument that may be left out.
        reads_only: whether it changes nothing.
        is_destructive: whether it ends a game that goes on.
    """

    name: str
    title: str
    description: str
    act: Callable[..., ToolAnswer]
    arguments: Mapping[str, Any] = {}
    optional: Mapping[str, Any] = {}
    reads_only: bool = False
    is_destructive: bool = False


#: The tools, in the order in which clients list them.
TOOLS: Final = (
    GameTool(
        "rules",
        "Rules",
        "The rules of this game, how positions and turns are written, and how to play a turn.",
        ToolSession.rules,
        optional={
            "topic": {
                "type": "string",
                "description": "The heading of the only section to tell; all if left out.",
            }
        },
        reads_only=True,
    ),
    GameTool(
        "observe",
        "Position",
        "The position, what was played since your last turn, and whose turn it is.",
        ToolSession.observe,
        reads_only=True,
    ),
    GameTool(
        _LEGAL_TURNS,
        "Legal turns",
        "The legal turns, numbered, one per line; none once the game is over.",
        ToolSession.list_legal_turns,
        reads_only=True,
    ),
    GameTool(
        _PLAY,
        "Play a turn",
        "Play a whole turn. Answers with what the opponent played and the new position, or with "
        "the reason why the turn cannot be played; nothing has changed then.",
        ToolSession.play,
        {TURN: TURN_SCHEMA},
    ),
    GameTool(
        _TRY_OUT,
        "Try a turn out",
        "The position after a whole turn, before the opponent's reply. Nothing is played. It can "
        "be called a limited number of times before each turn.",
        ToolSession.try_out,
        {TURN: TURN_SCHEMA},
    ),
    GameTool(
        "resign",
        "Resign",
        "Resign the game, or leave it unfinished if it does not allow that.",
        ToolSession.resign,
        is_destructive=True,
    ),
    GameTool(
        "new_game",
        "New game",
        "Begin a new game, and leave the one in progress. Answers with the rules and the first "
        "position.",
        ToolSession.new_game,
        is_destructive=True,
    ),
)


class GameServer(OrderedServer):
    """The tools of a session as a server.

    Args:
        session: the games.
        tools: the tools that are offered.
    """

    def __init__(self, session: ToolSession, tools: tuple[GameTool, ...]) -> None:
        super().__init__(
            "tkm_env",
            version=__version__,
            instructions="Call rules, then play turns until the game is over.",
        )
        self._session, self._tools = session, {tool.name: tool for tool in tools}
        self.resource(
            RULES_ADDRESS,
            name="rules",
            title="Rules",
            description=TOOLS[0].description,
            mime_type="text/plain",
        )(lambda: session.rules().text)

    async def list_tools(self) -> list[Tool]:
        """The tools, as clients see them."""
        return [
            Tool(
                name=tool.name,
                title=tool.title,
                description=tool.description,
                input_schema={
                    "type": "object",
                    "properties": {
                        name: dict(one) for name, one in {**tool.arguments, **tool.optional}.items()
                    },
                    "required": [*tool.arguments],
                    "additionalProperties": False,
                },
                output_schema=dict(STATUS_SCHEMA),
                annotations=ToolAnnotations(
                    read_only_hint=tool.reads_only,
                    destructive_hint=tool.is_destructive,
                    idempotent_hint=tool.reads_only,
                    open_world_hint=False,
                ),
            )
            for tool in self._tools.values()
        ]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Any = None
    ) -> CallToolResult:
        """Call a tool.

        Args:
            name: its name.
            arguments: its arguments.
            context: unused.

        Returns:
            What it answers, and how the game stands; an error if it refuses.
        """
        answer = await to_thread.run_sync(self._call, name, arguments)
        return CallToolResult(
            content=[TextContent(type="text", text=answer.text)],
            structured_content=self._session.status(),
            is_error=answer.is_refused,
        )

    def _call(self, name: str, arguments: dict[str, Any]) -> ToolAnswer:
        tool = self._tools.get(name)
        if tool is None:
            known = ", ".join(self._tools)
            return ToolAnswer(f"There is no tool {repr_of(name)}; there are {known}.", True)
        allowed = {**tool.arguments, **tool.optional}
        if not {*tool.arguments} <= {*arguments} <= {*allowed}:
            wanted = ", ".join(allowed) or "no arguments"
            given = ", ".join(map(repr_of, arguments)) or "none"
            sentence = f"The tool {name} takes {wanted}; given: {given}."
            if name == _PLAY:
                self._session.note(json.dumps(arguments), Refusal(FORM, sentence, sentence))
            return ToolAnswer(sentence, True)
        return tool.act(self._session, **arguments)


def tool_server(session: ToolSession, options: TextOptions) -> GameServer:
    """Make the server of the tools.

    Args:
        session: the games.
        options: how games are told; ``legal_turns`` is a tool only if they list legal turns.

    Returns:
        The server; ``try_out`` is a tool only if the session allows trials.
    """
    left_out = set() if options.lists_turns else {_LEGAL_TURNS}
    left_out |= set() if session.trials else {_TRY_OUT}
    return GameServer(session, tuple(tool for tool in TOOLS if tool.name not in left_out))
