"""A league's pages and its JSON, as a Flask application. Needs the extra ``[league]``."""

import hashlib
import threading
import time
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from flask import Blueprint, Flask, Response, abort, current_app, jsonify, redirect, request
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from sqlalchemy.exc import DBAPIError
from werkzeug.exceptions import HTTPException

from tkm_env.arena.league.league import League
from tkm_env.arena.league.refusals import Refusal, of_database, of_storage, without_places
from tkm_env.arena.league.standings import Standings
from tkm_env.arena.league.store import Person, QuotaError, Season
from tkm_env.arena.playing.live import live_game
from tkm_env.arena.playing.versions import base_of
from tkm_env.arena.report.json_report import elo_as_json, report_as_json
from tkm_env.core.record_files import from_record, replay_of
from tkm_env.foundations.errors import ConfigError, FileError, MachineError, TKMError
from tkm_env.foundations.untrusted_text import visible, visible_in
from tkm_env.render.canvas import THEMES
from tkm_env.render.html import as_style, templates
from tkm_env.render.replay import replay_page
from tkm_env.web.request_checks import HEADERS, guard

_PAGE: Final = Path(__file__).parent / "page"
_COOKIE: Final = "league"
_COOKIE_SECONDS: Final = 30 * 86_400
#: The time for which an upload waits for others, in seconds.
_PATIENCE: Final = 1.0
#: The number of slowest turns to show.
_SLOWEST: Final = 10
_routes: Final = Blueprint("league", __name__)
#: The limit on requests from one address; tokens are too long to be found by trying.
_limits: Final = Limiter(
    get_remote_address, default_limits=["600 per minute"], storage_uri="memory://"
)


def new_app(
    league: League, *, remote_name: str | None = None, public_url: str | None = None
) -> Flask:
    """Make the application of a league.

    Args:
        league: the league.
        remote_name: the name by which other machines may reach the server; None if only this
            machine may reach it.
        public_url: the public address, if a proxy passes requests on; None for no proxy.

    Returns:
        The application.
    """
    league.clear()
    app = Flask(
        "tkm_env.arena.league", static_folder=str(_PAGE / "static"), static_url_path="/static"
    )
    is_secure = (public_url or "").startswith("https:")
    app.extensions |= {
        "league": league,
        "tables": {},
        "uploading": threading.Lock(),
        "is_secure": is_secure,
    }
    guard(app, remote_name, public_url, {**HEADERS, **_headers()})
    _limits.init_app(app)
    app.register_blueprint(_routes)
    return app


@cache
def _headers() -> dict[str, str]:
    """Return headers that allow only the package's scripts, those within pages by digest.

    Referrers are sent within the site, since forms are checked for the page they come from.
    """
    digests = ""
    for package, name in (("tkm_env.arena", "report.js"), ("tkm_env.render", "replay.js")):
        digest = hashlib.sha256(b"\n" + (files(package) / "page" / name).read_bytes()).digest()
        digests += f" 'sha256-{b64encode(digest).decode()}'"
    policy = (
        f"default-src 'none'; script-src 'self'{digests}; style-src 'unsafe-inline'; "
        "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
    return {"Content-Security-Policy": policy, "Referrer-Policy": "same-origin"}


def _league() -> League:
    league: League = current_app.extensions["league"]
    return league


def _standings(table: str | None = None) -> Standings:
    """Return the standings of the table of this name, by default of the current season."""
    league = _league()
    now = league.games_of(league.store.season())
    path = now if table is None else now.with_name(f"{table}.jsonl")
    known: dict[str, Standings] = current_app.extensions["tables"]
    if path.stem not in known:
        if path != now and path not in now.parent.glob("season-*.jsonl"):
            abort(404, "This table does not exist.")
        known[path.stem] = Standings(
            path, league.anchor, f"{league.rules.title}, {_title_of(path.stem)}", _links(path.stem)
        )
    return known[path.stem]


def _title_of(table: str) -> str:
    """Return a table's name as people read it."""
    return table.replace("season-", "season ").replace("-final", ", final")


def _links(table: str) -> dict[str, str]:
    return {
        "Live game": "/live",
        "Histories": f"/tables/{table}/history",
        "All tables": "/tables",
        "Take part": "/me",
    }


def _is_program() -> bool:
    """Whether the request comes from a program, which gets JSON."""
    return "Authorization" in request.headers or request.path.startswith("/api/")


def _person() -> Person:
    """Return the person of the request, by the token in the header or in the cookie."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    token = token if kind == "Bearer" else request.cookies.get(_COOKIE, "")
    person = _league().store.person(token.strip())
    if person is None:
        abort(401, "Sign in with the token that the organiser gave you.")
    return person


def _show(page: str, **content: Any) -> str:
    league = _league()
    season = league.store.season()
    style = as_style(THEMES) + (files("tkm_env.arena") / "page" / "report.css").read_text("utf-8")
    environment = templates("tkm_env.arena.league", "page")
    environment.filters["utc"] = lambda seconds: time.strftime(
        "%Y-%m-%d %H:%M UTC", time.gmtime(seconds)
    )
    return environment.get_template(page).render(
        title=league.rules.title,
        season=season,
        style=style,
        links=_links(league.games_of(season).stem),
        **content,
    )


@_routes.app_errorhandler(TKMError)
def _refuse(error: TKMError) -> tuple[Response, int]:
    if (refusal := of_storage(error)) is not None:
        return _fail_with(refusal)
    if isinstance(error, MachineError):
        return _fail_with(Refusal(type(error).__name__, "The server is too busy. Try again.", 503))
    reason = error.reason if isinstance(error, (ConfigError, FileError)) else str(error)
    status = 429 if isinstance(error, QuotaError) else 400
    return _fail_with(Refusal(type(error).__name__, reason, status))


@_routes.app_errorhandler(OSError)
def _refuse_full(error: OSError) -> tuple[Response, int]:
    """Refuse requests while the disk is full or cannot be written."""
    if (refusal := of_storage(error)) is None:
        raise error
    return _fail_with(refusal)


@_routes.app_errorhandler(DBAPIError)
def _wait(error: DBAPIError) -> tuple[Response, int]:
    """Refuse requests while the database is down, busy or full."""
    if (refusal := of_storage(error) or of_database(error)) is None:
        raise error
    if _is_program():
        return _fail_with(refusal)
    # Plain text, since every page would ask the database for the season.
    return Response(refusal.message, mimetype="text/plain"), refusal.status


@_routes.app_errorhandler(HTTPException)
def _fail(error: HTTPException) -> tuple[Response, int]:
    return _fail_with(Refusal(error.name, error.description or error.name, error.code or 500))


def _fail_with(refusal: Refusal) -> tuple[Response, int]:
    name, message, status = refusal
    if _is_program():
        return jsonify(error=name, message=visible(message)), status
    return Response(_show("refusal.html", name=name, message=message)), status


@_routes.after_app_request
def _hide_places(response: Response) -> Response:
    """Hide the server's paths in all text, since messages of bots and of the system name them."""
    if response.mimetype in ("text/html", "application/json") and not response.is_streamed:
        response.set_data(without_places(response.get_data(as_text=True), _league().folder))
    return response


# Pages for everyone.


@_routes.get("/")
def index() -> Any:
    """Redirect to the standings of the current season."""
    return redirect(f"/tables/{_league().games_of(_league().store.season()).stem}")


@_routes.get("/favicon.ico")
def icon() -> Response:
    """Serve the icon that browsers request by default."""
    return current_app.send_static_file("icon.svg")


@_routes.get("/tables")
def tables() -> str:
    """Show the list of all seasons and finals."""
    names = sorted(
        path.stem for path in _league().games_of(Season(1, "")).parent.glob("season-*.jsonl")
    )
    return _show("tables.html", tables={name: _title_of(name) for name in names})


@_routes.get("/tables/<table>")
def table(table: str) -> str:
    """Show ratings, head-to-head scores, and all games."""
    return _standings(table).page() or _show("empty.html")


@_routes.get("/tables/<table>/<int:number>.html")
def replay(table: str, number: int) -> str:
    """Show a game as a replay.

    Args:
        table: the name of the table.
        number: the number of the game, from 1.

    Returns:
        The page.
    """
    return replay_page(replay_of(_game(table, number)))


def _game(table: str, number: int) -> Mapping[str, Any]:
    played = _standings(table).game(number)
    if played is None:
        abort(404, "This game does not exist.")
    return played.record


@_routes.get("/live")
def live() -> str:
    """Show a game in progress."""
    shown = live_game(_league().live)
    pictures, game = {}, None
    if shown["record"]:
        game = from_record(shown["record"])
        pictures = {theme: b64encode(game.svg(theme=theme).encode()).decode() for theme in THEMES}
    return _show("live.html", game=game, pictures=pictures, **shown)


@_routes.get("/api/live")
def api_live() -> Response:
    """Return the record of a game in progress, so far."""
    return jsonify(visible_in(live_game(_league().live)))


@_routes.get("/tables/<table>/history")
def history(table: str) -> str:
    """Show how ratings developed."""
    standings = _standings(table)
    report = standings.report()
    return _show(
        "history.html",
        sections=report.sections if report is not None else (),
        points=standings.history,
        name=_title_of(table),
        table=table,
    )


# Pages for participants.


@_routes.get("/me")
def me() -> Any:
    """Show a participant's bots, with logs, faults and slowest turns; or the form to sign in."""
    token = request.cookies.get(_COOKIE, "")
    league, standings = _league(), _standings()
    person = league.store.person(token)
    if person is None:
        return _show("sign_in.html", failed=token != "")
    report, bots = standings.report(), league.store.bots(person=person)[::-1]
    sections = report.sections if report is not None else ()
    times = [
        turn
        for game in (report.games if report is not None else ())
        for turn in game.times
        if _is_of(turn.player, person)
    ]
    return _show(
        "me.html",
        person=person,
        bots=bots,
        rules=league.rules,
        table=standings.name,
        sections=sections,
        is_mine=lambda player: _is_of(player, person),
        slowest=sorted(times, key=attrgetter("seconds"), reverse=True)[:_SLOWEST],
    )


def _is_of(player: str, person: Person) -> bool:
    """Whether a player is a version of a person's bot."""
    return base_of(player)[0] == person.name


@_routes.post("/sign-in")
@_limits.limit("10 per minute")
def sign_in() -> Any:
    """Keep the token in a cookie that scripts cannot read and other sites cannot send."""
    token = request.form.get("token", "").strip()
    if _league().store.person(token) is None:
        return _show("sign_in.html", failed=True), 401
    answer = redirect("/me", 303)
    is_secure = current_app.extensions["is_secure"]
    answer.set_cookie(
        _COOKIE, token, max_age=_COOKIE_SECONDS, secure=is_secure, httponly=True, samesite="Strict"
    )
    return answer


@_routes.post("/sign-out")
def sign_out() -> Any:
    """Delete the cookie with the token."""
    answer = redirect("/", 303)
    answer.delete_cookie(_COOKIE)
    return answer


@_routes.post("/bots")
@_limits.limit("30 per minute")
def upload() -> Any:
    """Accept a bot, uploaded as the file ``file``."""
    league, person = _league(), _person()
    request.max_content_length = (league.rules.upload_mib << 20) + (1 << 16)
    league.store.check_quota(person, league.rules.uploads_per_day)
    given = request.files.get("file")
    if given is None:
        abort(400, "The file is missing.")
    folder = league.receive(given.stream, given.filename or "")
    try:
        number = _add_bot(person, folder)
    except BaseException:
        league.discard(folder)
        raise
    return (jsonify(bot=number), 201) if _is_program() else redirect("/me", 303)


def _add_bot(person: Person, folder: str) -> int:
    """Add an uploaded bot, one at a time, so that uploads at the same time both count."""
    store, uploading = _league().store, current_app.extensions["uploading"]
    if not uploading.acquire(timeout=_PATIENCE):
        abort(503, "Too many bots are being uploaded. Try again in a moment.")
    try:
        store.check_quota(person, _league().rules.uploads_per_day)
        return store.add_bot(person, folder)
    finally:
        uploading.release()


@_routes.post("/withdraw")
def withdraw() -> Any:
    """Withdraw a participant's bot from the league."""
    _league().store.withdraw(_person())
    return jsonify(withdrawn=True) if _is_program() else redirect("/me", 303)


# JSON for programs.


@_routes.get("/api/league")
def api_league() -> Response:
    """Return the season, and its number of games."""
    league = _league()
    season, standings = league.store.season(), _standings()
    return jsonify(
        title=league.rules.title,
        season=season.number,
        phase=season.phase,
        games=standings.games,
        table=standings.name,
    )


@_routes.get("/api/tables/<table>")
def api_table(table: str) -> Response:
    """Return everything on a table's page, and the history of its ratings."""
    standings = _standings(table)
    report = standings.report()
    points = [
        {
            "games": at,
            "ratings": {
                game: {name: elo_as_json(elo) for name, elo in rows.items()}
                for game, rows in found.items()
            },
        }
        for at, found in standings.history
    ]
    return jsonify(
        visible_in(
            {"report": None if report is None else report_as_json(report), "history": points}
        )
    )


@_routes.get("/api/tables/<table>/<int:number>")
def api_game(table: str, number: int) -> Response:
    """Return a game's record.

    Args:
        table: the name of the table.
        number: the number of the game, from 1.

    Returns:
        The record, as JSON.
    """
    return jsonify(_game(table, number))


@_routes.get("/api/me")
def api_me() -> Response:
    """Return a participant's bots, with their logs."""
    person = _person()
    bots = [bot._asdict() for bot in _league().store.bots(person=person)]
    return jsonify(visible_in({"name": person.name, "bots": bots}))
