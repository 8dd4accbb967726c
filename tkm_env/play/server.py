"""Playing in the browser: a web server for one session.

Needs Flask and waitress, from the extra ``[play]``. The page in ``page/`` shows what the game's `PlayAdapter` describes, and sends back
the names of actions; the session decides whether they are legal. Every request that changes the game names the version of the game it
was made for, so that no click applies to a different position.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from flask import Flask, Response, jsonify, request
from waitress import wasyncore
from waitress.server import create_server
from werkzeug.exceptions import HTTPException, UnsupportedMediaType

from tkm_env.agents.specs import options_of
from tkm_env.checks import checked_integer
from tkm_env.compiled.decorators import is_compiling
from tkm_env.errors import ConfigError, TKMError
from tkm_env.files import parsed_json
from tkm_env.game.registry import GameSpec, load
from tkm_env.game.settings import Setting
from tkm_env.play.request_guard import HEADERS, INLINE_POLICY, check_address, refusal
from tkm_env.play.reviews import Reviews
from tkm_env.play.session import PERSON, RANDOM_SIDE, Session, settings_of_people
from tkm_env.render.replay_page import replay_page

LOOPBACK: Final = "127.0.0.1"
_PAGE: Final = Path(__file__).parent / "page"
#: Bytes of a request's body, and of its headers.
_LARGEST_REQUEST: Final = 1 << 14
#: Threads that answer requests, and how many of them may think at a time: the others answer everybody else meanwhile.
_THREADS: Final = 8
_THINKERS: Final = 4
#: Connections at a time, which take no thread each; the seconds that one may be silent, and between looking for such.
_CONNECTIONS: Final = 200
_SILENCE: Final = 20
_ROUNDS: Final = 5
#: Seconds that threads have to finish when the server ends.
_PATIENCE: Final = 2
#: Seconds in which a session is made unless something must be compiled first: what is wrong with it is then said before a page opens.
_AT_ONCE: Final = 1.5
_HIGHEST_PORT: Final = 65535


class _ConflictError(TKMError):
    """A request that does not fit the game as it is; nothing was changed."""


class _StaleError(_ConflictError):
    """A request that was made for an earlier version of the game."""

    def __init__(self) -> None:
        super().__init__("the game has moved on; nothing was changed")


class _ThinkingError(_ConflictError):
    """A request for a change while an agent is thinking about its own."""

    def __init__(self) -> None:
        super().__init__("the opponent is thinking; nothing was changed")


class _HiddenError(TKMError):
    """A request for what the players must not know yet."""

    def __init__(self) -> None:
        super().__init__("the record tells what is still hidden from the players; it can be saved once the game is over")


class _StartingError(TKMError):
    """A request for a game that cannot be played yet."""

    def __init__(self) -> None:
        super().__init__("the rules are being compiled, which happens once and takes up to a minute; the game begins by itself")


class _BusyError(TKMError):
    """A request to think while enough others are being thought about."""

    def __init__(self) -> None:
        super().__init__(f"{_THINKERS} requests are thinking already; try again later")


_STATUS: Final = {_ConflictError: 409, _HiddenError: 403, _BusyError: 503, _StartingError: 503, TKMError: 400}


class SessionHolder:
    """The current session, and its version, which counts all changes. Reading needs no lock, and nobody waits for an agent."""

    def __init__(self, session: Session[Any] | None = None) -> None:
        self._lock = threading.Lock()
        self._thinkers = threading.BoundedSemaphore(_THINKERS)
        self._given: set[str] = set()
        self._session: Session[Any] | None = None
        self.version, self.is_changing = 0, False
        if session is not None:
            self.start(session)

    def start(self, session: Session[Any]) -> None:
        """The first session, whose players may be chosen again."""
        self._given = {*session.players.values()}
        self._session, self.version = session, 1

    @property
    def session(self) -> Session[Any]:
        """The current session.

        Raises:
            TKMError: if there is none yet.
        """
        if self._session is None:
            raise _StartingError
        return self._session

    def begin(self, session: Session[Any]) -> None:
        """Replace the session; an agent of the previous one stops, or may keep thinking, but its action is never shown."""
        with self._lock:
            before = self.session
            self._session, self.version, self.is_changing = session, self.version + 1, False
        before.abandon()

    def abandon(self) -> None:
        """Stop what is thinking in the current session, if there is one."""
        if self._session is not None:
            self._session.abandon()

    def change(self, version: object, how: Callable[[Session[Any]], None]) -> None:
        """Change the session that has this version.

        Raises:
            TKMError: if the version is out of date, the session is being changed, or it refuses; nothing has changed then.
        """
        with self._lock:
            if type(version) is not int or version != self.version:
                raise _StaleError
            if self.is_changing:
                raise _ThinkingError
            session, self.is_changing = self.session, True
        changed = 0
        try:
            how(session)
            changed = 1
        finally:
            with self._lock:
                if session is self._session:
                    self.version += changed
                    self.is_changing = False

    def let_agent_play(self, version: object) -> None:
        """Have the agent play that is to act; one that was chosen on the page no longer than its limits allow."""
        with self.thinking():
            self.change(version, lambda session: session.let_agent_play(self._limits_of(session.asked["opponent"]).get("seconds")))

    @contextmanager
    def thinking(self) -> Iterator[None]:
        """Around what takes long.

        Raises:
            TKMError: if enough requests are doing that.
        """
        if not self._thinkers.acquire(blocking=False):
            raise _BusyError
        try:
            yield
        finally:
            self._thinkers.release()

    def _limits_of(self, line: str) -> Mapping[str, float]:
        """The highest values of the options of an opponent; none where the command named it."""
        agents, (name, _, _) = self.session.spec.agents, line.partition(":")
        return {} if line in self._given or name not in agents else getattr(load(agents[name]), "page_limits", {})

    def checked_opponent(self, line: object) -> str:
        """An opponent that the page may choose: what the command named, one of the ladder, or an agent within its limits; no files.

        Raises:
            ConfigError: if it is any other, naming the option that is.
        """
        names = (*self.session.spec.agents, PERSON)
        if not isinstance(line, str) or (line.partition(":")[0] not in names and line not in self._given):
            raise ConfigError("opponent", line, f"on the page it must be {', '.join(map(repr, names))}, with options")
        spec = self.session.spec
        if line in (*self._given, *spec.ladder, *(level.player for level in spec.levels)):
            return line
        name, options = options_of(line, "opponent")
        limits = self._limits_of(line)
        for option, value in options.items():
            if option not in limits:
                raise ConfigError(option, value, f"on the page {name} has {_listed(limits)}")
            if isinstance(value, (int, float)) and value > limits[option]:
                raise ConfigError(option, value, f"on the page it must be at most {limits[option]}")
        return line


def _listed(limits: Mapping[str, float]) -> str:
    return f"the options {', '.join(f'{name} (at most {most})' for name, most in limits.items())}" if limits else "no options"


def _default_opponent(spec: GameSpec) -> str:
    """The weakest player that people choose from."""
    return spec.levels[0].player


def _matches(spec: GameSpec) -> tuple[Setting, ...]:
    """The setting that says whether it is a single game; none where it always is."""
    matches = load(spec.adapter).matches
    words = "Or several in a row: in a series the loser of a game goes first in the next; a campaign is the rulebook's journey."
    setting = Setting("match", words, "a single game", "choice", tuple(matches), is_first=True)
    return (setting,) if matches else ()


def _own_settings(spec: GameSpec) -> tuple[Setting, ...]:
    """The settings of a session, in addition to those of the game itself."""
    return (
        Setting(
            "opponent",
            "Who plays the other side. Below a level stands its player's line, which commands take, too.",
            _default_opponent(spec),
            "level",
            (*(level.player for level in spec.levels), PERSON),
            names={level.player: f"{number} {level.name}" for number, level in enumerate(spec.levels, 1)}
            | {PERSON: "another person, at this screen"},
            is_first=True,
        ),
        Setting("side", "Which side you play.", spec.players[0], "choice", (*spec.players, RANDOM_SIDE), is_first=True),
        *_matches(spec),
        Setting(
            "clock",
            "The time of each player in minutes, and the seconds added after each turn, such as 10+5. Whose time is up has lost.",
            "no clock",
            "text",
            _CLOCKS,
        ),
        Setting("seed", "For what is left to chance; the same number, the same draws.", "drawn", "number"),
        Setting("position", "The text of a position to begin in.", "the start", "text"),
    )


#: The clocks that the page suggests.
_CLOCKS: Final = ("5+5", "10+10", "30+0")


def _asked_on_page(spec: GameSpec) -> list[Setting]:
    """The game's settings without files, which are read only if the command named them, and stay for further games."""
    return [setting for setting in spec.settings if setting.kind != "file"]


def _shown(setting: Setting) -> dict[str, Any]:
    """What the page needs to show a setting."""
    return {
        **{name: getattr(setting, name) for name in ("keyword", "default", "kind", "choices", "names", "is_first")},
        "label": setting.label or setting.keyword.replace("_", " "),
        "help": setting.words or setting.help,
        "given": None,
    }


def new_app(session: Session[Any] | None, spec: GameSpec | None = None, *, remote_name: str | None = None) -> Flask:
    """The server's application, which shows a game and lets people play it.

    Args:
        session: the game; the page may replace it. None if it follows, by ``extensions["holder"].start``.
        spec: which game that will be.
        remote_name: the name by which other machines may reach the server; None if only this machine may.
    """
    app = Flask("tkm_env.play", static_folder=str(_PAGE), static_url_path="/page")
    app.config["MAX_CONTENT_LENGTH"] = _LARGEST_REQUEST
    app.json.sort_keys = False  # type: ignore[attr-defined]  # the order of players and settings matters
    holder = app.extensions["holder"] = SessionHolder(session)
    spec = session.spec if session is not None else spec
    assert spec is not None
    own = {setting.keyword for setting in _own_settings(spec)}
    reviews = Reviews()

    @app.before_request
    def guard() -> tuple[Response, int] | None:
        reason = refusal(request.host, request.headers.get("Origin"), remote_name)
        return None if reason is None else _error("Forbidden", reason, 403)

    @app.after_request
    def with_headers(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    @app.errorhandler(TKMError)
    def refused(error: TKMError) -> tuple[Response, int]:
        status = next(status for kind, status in _STATUS.items() if isinstance(error, kind))
        return _error(type(error).__name__.lstrip("_"), str(error), status)

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException) -> tuple[Response, int]:
        return _error(error.name, error.description or error.name, error.code or 500)

    @app.get("/")
    def page() -> Response:
        return app.send_static_file("index.html")

    @app.get("/replay")
    def replay() -> Response:
        session = holder.session
        response = Response(replay_page(session.game.replay(session.players)))
        response.headers["Content-Security-Policy"] = INLINE_POLICY
        return response

    @app.get("/api/settings")
    def settings() -> Response:
        session = holder.session
        groups = {"You": _own_settings(session.spec), "The game": _asked_on_page(session.spec)}
        given = {name: value for name, value in session.asked.items() if value is not None}
        return jsonify(
            {
                name: [_shown(row) | ({"given": given[row.keyword]} if row.keyword in given else {}) for row in rows]
                for name, rows in groups.items()
                if rows
            }
        )

    @app.get("/api/canvas")
    def canvas() -> Response:
        drawn = holder.session.game.canvas
        return jsonify(glyphs=drawn.glyphs, background=drawn.background, slots=[*drawn.slots.items()], themes=drawn.themes)

    @app.get("/api/state")
    def state() -> Response:
        if request.args.get("since") == str(holder.version):
            return Response(status=204)
        return _state(holder)

    @app.get("/api/compiling")
    def compiling() -> Response:
        return jsonify(is_compiling=is_compiling())

    @app.get("/api/record")
    def record() -> Response:
        session = holder.session
        if session.hides:
            raise _HiddenError
        response = jsonify(session.to_record())
        response.headers["Content-Disposition"] = 'attachment; filename="game.json"'
        return response

    @app.post("/api/play")
    def play() -> Response:
        asked = _asked("version", "action")
        holder.change(asked["version"], lambda session: session.play(_text("action", asked["action"])))
        return _state(holder)

    @app.post("/api/undo")
    def undo() -> Response:
        holder.change(_asked("version")["version"], lambda session: session.undo())
        return _state(holder)

    @app.post("/api/take-back")
    def take_back() -> Response:
        holder.change(_asked("version")["version"], lambda session: session.take_back())
        return _state(holder)

    @app.post("/api/agent")
    def agent() -> Response:
        holder.let_agent_play(_asked("version")["version"])
        return _state(holder)

    @app.post("/api/advice")
    def advice() -> Response:
        _asked()
        session = holder.session
        with holder.thinking():
            return jsonify([lines._asdict() for lines in session.adapter.advice(session.game)])

    @app.post("/api/evaluation")
    def evaluation() -> Response:
        _asked()
        session = holder.session
        with holder.thinking():
            return jsonify(reviews.evaluation(session.adapter, session.game))

    @app.post("/api/review")
    def review() -> Response:
        """The evaluations of the game so far; some more of them with every request."""
        _asked()
        session = holder.session
        with holder.thinking():
            return jsonify(reviews.review(session))

    @app.post("/api/rematch")
    def rematch() -> Response:
        _asked()
        holder.begin(holder.session.rematch())
        return _state(holder)

    @app.post("/api/next")
    def following() -> Response:
        _asked()
        holder.begin(holder.session.next_in_match())
        return _state(holder)

    @app.post("/api/say")
    def say() -> Response:
        asked = _asked("version", "step")
        holder.change(asked["version"], lambda session: session.say(_text("step", asked["step"])))
        return _state(holder)

    @app.post("/api/edit")
    def edit() -> Response:
        session = holder.session
        if session.adapter.editor is None:
            raise ConfigError("game", session.spec.name, "its positions are not put together by hand")
        asked = _asked("position", "field", "value")
        fields = [_text(keyword, asked.get(keyword, "")) for keyword in ("position", "field", "value")]
        return jsonify(_dict(session.adapter.editor.edited(*fields, config=session.game.config)))

    @app.post("/api/new")
    def new() -> Response:
        before = holder.session.asked
        asked = _asked(*own, *(setting.keyword for setting in _asked_on_page(spec)))
        if "opponent" in asked:
            holder.checked_opponent(asked["opponent"])
        if "position" in asked:
            _text("position", asked["position"])
        chosen = {"opponent": _default_opponent(spec)} | {name: value for name, value in asked.items() if name in own}
        files = {setting.keyword: before.get(setting.keyword) for setting in spec.settings if setting.kind == "file"}
        kept = settings_of_people(
            spec, files | {name: value for name, value in asked.items() if name not in own}, chosen["opponent"]
        )
        holder.begin(Session(spec, kept, **chosen))
        return _state(holder)

    return app


def _error(name: str, message: str, status: int) -> tuple[Response, int]:
    return jsonify({"error": name, "message": message}), status


def _asked(*allowed: str) -> dict[str, Any]:
    """The request's JSON object.

    Raises:
        ConfigError: if there is none, or it has other keys.
    """
    if not request.is_json:
        raise UnsupportedMediaType("The content type must be application/json.")
    content = request.get_data()
    try:
        asked = parsed_json(content)
    except ValueError as error:
        raise ConfigError("request", content, str(error)) from None
    if not isinstance(asked, dict):
        raise ConfigError("request", asked, "it must be a JSON object")
    for name in asked:
        if name not in allowed:
            raise ConfigError("request", name, f"there is no such key; valid keys: {', '.join(allowed) or 'none'}")
    return dict.fromkeys(allowed if "version" in allowed else ()) | asked


def _text(keyword: str, value: object) -> str:
    if not isinstance(value, str):
        raise ConfigError(keyword, value, "it must be a string")
    return value


def _state(holder: SessionHolder) -> Response:
    """Everything that the page shows."""
    version, session, is_changing = holder.version, holder.session, holder.is_changing
    spec, adapter, game = session.spec, session.adapter, session.game
    mine, out_of_time = session.waits_for_person, session.out_of_time
    picture = adapter.picture(game, hints=mine and request.args.get("hints") != "0")
    ending = adapter.ending(game) if out_of_time is None else f"The time of {out_of_time} is up."
    return jsonify(
        version=version,
        title=spec.title,
        rules=adapter.rules,
        goal=adapter.goal,
        players=session.players,
        called=session.called,
        to_act=game.to_act,
        waits_for_agent=session.waits_for_agent,
        is_thinking=is_changing,
        can_save=not session.hides,
        situation=game.situation,
        turn=game.turn,
        is_over=session.is_over,
        ending=ending,
        winner=session.winner,
        parts=picture.parts,
        boards=[_dict(board) for board in picture.boards],
        sides=[_dict(side) for side in adapter.sides(game)],
        icons={player: game.icon(player) for player in game.players},
        sections=[{"title": section.title, "text": section.text} for section in adapter.rules_for(game)],
        marks=[mark._asdict() for mark in adapter.marks],
        clock=None if session.clock is None else session.clock.left(),
        runs=None if session.clock is None else session.clock.running,
        match=None if session.match is None else _dict(session.match.standing(session.counted)),
        is_kept=session.is_kept,
        steps=[] if session.match is None or game.history else [step._asdict() for step in session.match.steps()],
        can_evaluate=spec.analyse is not None,
        can_edit=adapter.editor is not None,
        choices=[choice._asdict() for choice in adapter.choices(game)] if mine else [],
        can_undo=session.can_undo,
        can_take_back=session.can_take_back,
        log=[entry._asdict() for entry in adapter.log(game)],
        position=adapter.position(game),
    )


def _dict(content: Any) -> Any:
    """Named tuples within named tuples, as JSON types."""
    if hasattr(content, "_asdict"):
        return {name: _dict(value) for name, value in content._asdict().items()}
    return [_dict(one) for one in content] if isinstance(content, (list, tuple)) else content


class PageServer:
    """The server of a session's page, which listens once it is made.

    Args:
        session: the game to begin with, or a function that makes it, for `begin`.
        host: the address to listen on.
        port: the port; 0 for a free one.
        allow_remote: whether other machines may be able to reach the address.

    Attributes:
        url: the page's address.

    Raises:
        ConfigError: if other machines could reach the address but are not allowed to, or the server cannot listen on it.
    """

    def __init__(
        self,
        session: Session[Any] | Callable[[], Session[Any]],
        spec: GameSpec | None = None,
        *,
        host: str = LOOPBACK,
        port: int = 0,
        allow_remote: bool = False,
    ) -> None:
        is_remote = check_address(host, allow_remote=allow_remote)
        self._make = None if isinstance(session, Session) else session
        app = new_app(session if isinstance(session, Session) else None, spec, remote_name=host if is_remote else None)
        self._holder: SessionHolder = app.extensions["holder"]
        listener = _listening(host, port)
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}/"
        # Nobody needs to read that requests wait for a thread.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        #: What is listened to, by its file descriptor: connections, the listener, and what wakes the loop.
        self._channels: dict[int, Any] = {}
        self._server: Any = create_server(
            app,
            map=self._channels,
            sockets=[listener],
            threads=_THREADS,
            connection_limit=_CONNECTIONS,
            channel_timeout=_SILENCE,
            cleanup_interval=_ROUNDS,
            max_request_header_size=_LARGEST_REQUEST,
            max_request_body_size=_LARGEST_REQUEST,
            log_socket_errors=False,
            ident=None,
        )
        self._is_stopping = False
        self._failure: Exception | None = None

    @property
    def session(self) -> Session[Any]:
        """The current session.

        Raises:
            TKMError: if there is none yet.
        """
        return self._holder.session

    @property
    def has_session(self) -> bool:
        """Whether there is a session: none while the first one is being made."""
        return self._holder.version > 0

    def run(self) -> None:
        """Answer requests until interrupted or stopped.

        Raises:
            Exception: what the function raised that was to make the session.
        """
        while not self._is_stopping:
            wasyncore.loop(timeout=1, map=self._channels, count=1)
        if self._failure is not None:
            raise self._failure

    def begin(self, patience: float) -> None:
        """Have the session made, while the page says that it is waited for.

        Args:
            patience: seconds to wait for it here; if it takes longer, and fails, `run` ends with the reason.

        Raises:
            Exception: what the function raised that was to make it.
        """
        if self._make is None:
            return
        thread = threading.Thread(target=self._begin, args=[self._make], daemon=True)
        thread.start()
        thread.join(patience)
        if self._failure is not None:
            raise self._failure

    def _begin(self, make: Callable[[], Session[Any]]) -> None:
        try:
            self._holder.start(make())
        except Exception as error:  # whoever runs the server is told
            self._failure = error
            self.stop()

    def stop(self) -> None:
        """End `run`, from another thread."""
        self._is_stopping = True
        self._server.pull_trigger()

    def close(self) -> None:
        """Stop what is thinking, and close all connections."""
        threads = self._server.task_dispatcher
        threads.set_thread_count(0)
        self._holder.abandon()
        threads.shutdown(timeout=_PATIENCE)
        for channel in list(self._channels.values()):
            # A thread that nobody can stop would wake the loop by a descriptor that may be another file's by then.
            if channel is not self._server.trigger or not threads.threads:
                channel.close()


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens on an address; on IPv4 as well where the address is any of IPv6."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    checked_integer("port", port, 0, _HIGHEST_PORT)
    try:
        *_, address = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)[0]
        return socket.create_server(
            address, family=family, dualstack_ipv6=family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        )
    except (OSError, TypeError, ValueError) as error:
        raise ConfigError("port" if port else "host", port or host, f"the server cannot listen on it: {error}") from error


def serve(
    session: Session[Any] | Callable[[], Session[Any]],
    spec: GameSpec | None = None,
    *,
    host: str = LOOPBACK,
    port: int = 0,
    allow_remote: bool = False,
    ready: Callable[[str], object] = lambda url: None,
) -> Session[Any] | None:
    """Serve the page until the process is interrupted; returns the last session, None if there was none yet.

    Args:
        session: the game to begin with, or a function that makes it, which is called once the page can be opened.
        spec: which game that will be.
        host: the address to listen on.
        port: the port; 0 for a free one.
        allow_remote: whether other machines may be able to reach the address.
        ready: called with the page's address once it can be opened.

    Raises:
        ConfigError: as for `PageServer`.
    """
    server = PageServer(session, spec, host=host, port=port, allow_remote=allow_remote)
    try:
        server.begin(_AT_ONCE)
        ready(server.url)
        server.run()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()
    return server.session if server.has_session else None
