"""Playing in the browser: a web server for one session.

Needs Flask, from the extra ``[play]``. The page in ``page/`` shows what the game's `PlayAdapter` describes, and sends back the names
of actions; the session decides whether they are legal. Every request that changes the game names the version of the game it was made
for, so that no click applies to a different position.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from flask import Flask, Response, jsonify, request
from werkzeug.exceptions import HTTPException
from werkzeug.serving import WSGIRequestHandler, make_server

from tkm_env.core.registry import GameSpec
from tkm_env.core.settings import Setting
from tkm_env.errors import ConfigError, TKMError
from tkm_env.play.request_guard import HEADERS, INLINE_POLICY, check_address, refusal
from tkm_env.play.session import PERSON, RANDOM_SIDE, Session
from tkm_env.render.replay_page import page as replay_page

__all__ = ["LOOPBACK", "new_app", "serve"]

LOOPBACK: Final = "127.0.0.1"
_PAGE: Final = Path(__file__).parent / "page"
_LARGEST_REQUEST: Final = 1 << 14


class _StaleError(TKMError):
    """A request that was made for an earlier version of the game."""

    def __init__(self) -> None:
        super().__init__("the game has moved on; nothing was changed")


class SessionHolder:
    """The current session, and its version, which counts all changes.

    A session's lock is held while it changes, and while its agent thinks; reading needs no lock.
    """

    def __init__(self, session: Session[Any]) -> None:
        self._versions = itertools.count(1)
        self._given = session.players.values()
        self.begin(session)

    def begin(self, session: Session[Any]) -> None:
        """Replace the session; an agent of the previous one may keep thinking, but its action is never shown."""
        self.session, self._lock = session, threading.Lock()
        self.version = next(self._versions)

    def change(self, version: object, how: Callable[[Session[Any]], None]) -> None:
        """Change the session that has this version.

        Raises:
            TKMError: if the version is out of date, or the session refuses; nothing has changed then.
        """
        session, lock = self.session, self._lock
        with lock:
            if version != self.version or session is not self.session:
                raise _StaleError
            how(session)
            if session is self.session:
                self.version = next(self._versions)

    def checked_opponent(self, line: object) -> str:
        """An opponent that the page may choose: files are executed only if the command named them.

        Raises:
            ConfigError: if it is any other.
        """
        names = [*self.session.spec.agents]
        if not isinstance(line, str) or (line.partition(":")[0] not in (*names, PERSON) and line not in self._given):
            raise ConfigError("opponent", line, f"on the page it must be {', '.join(map(repr, (*names, PERSON)))}, with options")
        return line


def _own_settings(spec: GameSpec) -> tuple[Setting, ...]:
    """The settings of a session, in addition to those of the game itself."""
    return (
        Setting(
            "opponent",
            f"Who plays the other side: an agent, with options after a colon, or {PERSON}: two people at one screen.",
            spec.ladder[0],
            "text",
            (*spec.ladder, PERSON),
        ),
        Setting("side", "Which side you play.", spec.players[0], "choice", (*spec.players, RANDOM_SIDE)),
        Setting("seed", "For what is left to chance; the same seed, the same draws.", "drawn", "number"),
        Setting("position", "The text of a position to begin in.", "the start", "text"),
    )


def _asked_on_page(spec: GameSpec) -> list[Setting]:
    """The game's settings without files, which are read only if the command named them, and stay for further games."""
    return [setting for setting in spec.settings if setting.kind != "file"]


def _shown(setting: Setting) -> dict[str, Any]:
    """What the page needs to show a setting."""
    return {name: getattr(setting, name) for name in ("keyword", "help", "default", "kind", "choices")}


def new_app(session: Session[Any], *, remote_name: str | None = None) -> Flask:
    """The server's application, which shows a game and lets people play it.

    Args:
        session: the game; the page may replace it.
        remote_name: the name by which other machines may reach the server; None if only this machine may.
    """
    app = Flask("tkm_env.play", static_folder=str(_PAGE), static_url_path="/page")
    app.config["MAX_CONTENT_LENGTH"] = _LARGEST_REQUEST
    app.json.sort_keys = False  # type: ignore[attr-defined]  # the order of players and settings matters
    holder = app.extensions["holder"] = SessionHolder(session)
    own = {setting.keyword for setting in _own_settings(session.spec)}

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
        return _error(type(error).__name__.lstrip("_"), str(error), 409 if isinstance(error, _StaleError) else 400)

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
        given = session.asked
        return jsonify(
            {name: [_shown(row) | {"given": given.get(row.keyword)} for row in rows] for name, rows in groups.items() if rows}
        )

    @app.get("/api/state")
    def state() -> Response:
        if request.args.get("since") == str(holder.version):
            return Response(status=204)
        return _state(holder)

    @app.get("/api/record")
    def record() -> Response:
        response = jsonify(holder.session.to_record())
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

    @app.post("/api/agent")
    def agent() -> Response:
        holder.change(_asked("version")["version"], lambda session: session.let_agent_play())
        return _state(holder)

    @app.post("/api/advice")
    def advice() -> Response:
        _asked()
        session = holder.session
        return jsonify([lines._asdict() for lines in session.adapter.advice(session.game)])

    @app.post("/api/new")
    def new() -> Response:
        spec, before = holder.session.spec, holder.session.asked
        asked = _asked(*own, *(setting.keyword for setting in _asked_on_page(spec)))
        if "opponent" in asked:
            holder.checked_opponent(asked["opponent"])
        if "position" in asked:
            _text("position", asked["position"])
        chosen = {"opponent": spec.ladder[0]} | {name: value for name, value in asked.items() if name in own}
        files = {setting.keyword: before.get(setting.keyword) for setting in spec.settings if setting.kind == "file"}
        kept = files | {name: value for name, value in asked.items() if name not in own}
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
    asked = request.get_json()
    if not isinstance(asked, dict):
        raise ConfigError("request", asked, "it must be a JSON object")
    for name, value in asked.items():
        if name not in allowed:
            raise ConfigError(name, value, f"there is no such key; valid keys: {', '.join(allowed) or 'none'}")
    return dict.fromkeys(allowed if "version" in allowed else ()) | asked


def _text(keyword: str, value: object) -> str:
    if not isinstance(value, str):
        raise ConfigError(keyword, value, "it must be a string")
    return value


def _state(holder: SessionHolder) -> Response:
    """Everything that the page shows."""
    version, session = holder.version, holder.session
    spec, adapter, game = session.spec, session.adapter, session.game
    theme = "dark" if request.args.get("theme") == "dark" else "light"
    picture = adapter.picture(game, theme=theme, hints=session.waits_for_person and request.args.get("hints") != "0")
    mine = session.waits_for_person
    return jsonify(
        version=version,
        title=spec.title,
        rules=adapter.rules,
        players=session.players,
        to_act=game.to_act,
        waits_for_agent=session.waits_for_agent,
        situation=game.situation,
        is_over=game.result is not None,
        svg=picture.svg,
        places=[place._asdict() for place in picture.places] if mine else [],
        choices=[choice._asdict() for choice in adapter.choices(game)] if mine else [],
        can_undo=session.can_undo,
        log=[entry._asdict() for entry in adapter.log(game)],
        position=adapter.position(game),
    )


class _Quiet(WSGIRequestHandler):
    """Does not log requests."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


def serve(
    session: Session[Any],
    *,
    host: str = LOOPBACK,
    port: int = 0,
    allow_remote: bool = False,
    ready: Callable[[str], object] = lambda url: None,
) -> Session[Any]:
    """Serve the page until the process is interrupted; returns the last session.

    Args:
        session: the game to begin with.
        host: the address to listen on.
        port: the port; 0 for a free one.
        allow_remote: whether other machines may be able to reach the address.
        ready: called with the page's address once it can be opened.

    Raises:
        ConfigError: if other machines could reach the address but are not allowed to, or the server cannot listen on it.
    """
    is_remote = check_address(host, allow_remote=allow_remote)
    app = new_app(session, remote_name=host if is_remote else None)
    try:
        server = make_server(host, port, app, threaded=True, request_handler=_Quiet)
    except (OSError, OverflowError, SystemExit) as error:
        raise ConfigError("port" if port else "host", port or host, f"the server cannot listen on it: {error}") from error
    ready(f"http://{f'[{host}]' if ':' in host else host}:{server.port}/")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
    holder: SessionHolder = app.extensions["holder"]
    return holder.session
