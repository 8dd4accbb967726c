"""A league's pages and its JSON, as a Flask application. Needs the extra ``[league]``."""

import threading
from pathlib import Path
from typing import Final

from flask import Blueprint, Flask, Response, jsonify
from sqlalchemy.exc import DBAPIError
from werkzeug.exceptions import HTTPException

from tkm_env.arena.league import (
    api,
    author_pages,
    casual_pages,
    feeds,
    metrics,
    onlooker_pages,
    organiser_pages,
)
from tkm_env.arena.league.league import League
from tkm_env.arena.league.refusals import Refusal, of_database, of_storage, without_places
from tkm_env.arena.league.serving import LIMITS, content_policy, is_program, show, the_league
from tkm_env.arena.league.store import QuotaError
from tkm_env.foundations.errors import ConfigError, FileError, MachineError, TKMError
from tkm_env.foundations.untrusted_text import visible
from tkm_env.web.request_checks import HEADERS, guard

_PAGE: Final = Path(__file__).parent / "page"
#: What all pages share, however they fail.
_failures: Final = Blueprint("failures", __name__)


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
    app.extensions |= {
        "league": league,
        "tables": {},
        "uploading": threading.Lock(),
        "is_secure": (public_url or "").startswith("https:"),
        "public_url": public_url,
    }
    own = {"Content-Security-Policy": content_policy(), "Referrer-Policy": "same-origin"}
    guard(app, remote_name, public_url, HEADERS | own)
    LIMITS.init_app(app)
    pages = onlooker_pages, feeds, author_pages, casual_pages, organiser_pages
    for module in (*pages, api, metrics):
        app.register_blueprint(module.routes)
    app.register_blueprint(_failures)
    return app


@_failures.app_errorhandler(TKMError)
def _refuse(error: TKMError) -> tuple[Response, int]:
    if (refusal := of_storage(error)) is not None:
        return _fail_with(refusal)
    if isinstance(error, MachineError):
        return _fail_with(Refusal(type(error).__name__, "The server is too busy. Try again.", 503))
    reason = error.reason if isinstance(error, (ConfigError, FileError)) else str(error)
    status = 429 if isinstance(error, QuotaError) else 400
    return _fail_with(Refusal(type(error).__name__, reason, status))


@_failures.app_errorhandler(OSError)
def _refuse_full(error: OSError) -> tuple[Response, int]:
    """Refuse requests while the disk is full or cannot be written."""
    if (refusal := of_storage(error)) is None:
        raise error
    return _fail_with(refusal)


@_failures.app_errorhandler(DBAPIError)
def _wait(error: DBAPIError) -> tuple[Response, int]:
    """Refuse requests while the database is down, busy or full."""
    if (refusal := of_storage(error) or of_database(error)) is None:
        raise error
    if is_program():
        return _fail_with(refusal)
    # Plain text, since every page would ask the database for the season.
    return Response(refusal.message, mimetype="text/plain"), refusal.status


@_failures.app_errorhandler(HTTPException)
def _fail(error: HTTPException) -> tuple[Response, int]:
    return _fail_with(Refusal(error.name, error.description or error.name, error.code or 500))


def _fail_with(refusal: Refusal) -> tuple[Response, int]:
    name, message, status = refusal
    if is_program():
        return jsonify(error=name, message=visible(message)), status
    return Response(show("refusal.html", name=name, message=message)), status


@_failures.after_app_request
def _hide_places(response: Response) -> Response:
    """Hide the server's paths in all text, since messages of bots and of the system name them."""
    if response.mimetype in ("text/html", "application/json") and not response.is_streamed:
        response.set_data(without_places(response.get_data(as_text=True), the_league().folder))
    return response
