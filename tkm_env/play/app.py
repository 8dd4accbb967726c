"""The page as a Flask application for one session. Needs Flask, from the extra ``[play]``.

The page in ``page/`` shows what the game's `PlayAdapter` describes, and sends back the names of actions; the session decides whether they
are legal. Every request that changes the game names the version it was made for, so that no click applies to a different position.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from flask import Flask, Response, jsonify
from werkzeug.exceptions import HTTPException

from tkm_env.errors import TKMError
from tkm_env.play import request_checks
from tkm_env.play.reviews import Reviews
from tkm_env.play.routes import analysis, game, new_game, page
from tkm_env.play.session import Session
from tkm_env.play.session_holder import RequestError, SessionHolder

_PAGE: Final = Path(__file__).parent / "page"


def new_app(session: Session[Any] | None, *, remote_name: str | None = None) -> Flask:
    """The application that shows a game and lets people play it.

    Args:
        session: the game; the page may replace it. None if ``extensions["holder"].start`` provides it later.
        remote_name: the name by which other machines may reach the server; None if only this machine may.
    """
    app = Flask("tkm_env.play", static_folder=str(_PAGE), static_url_path="/page")
    app.json.sort_keys = False  # type: ignore[attr-defined]  # the order of players and settings matters
    app.extensions |= {"holder": SessionHolder(session), "reviews": Reviews()}
    request_checks.guard(app, remote_name)
    for routes in (page, game, new_game, analysis):
        app.register_blueprint(routes.blueprint)

    @app.errorhandler(TKMError)
    def refuse(error: TKMError) -> tuple[Response, int]:
        if isinstance(error, RequestError):
            return _error(error.name, str(error), error.status)
        return _error(type(error).__name__, str(error), 400)

    @app.errorhandler(HTTPException)
    def fail(error: HTTPException) -> tuple[Response, int]:
        return _error(error.name, error.description or error.name, error.code or 500)

    return app


def _error(name: str, message: str, status: int) -> tuple[Response, int]:
    return jsonify(error=name, message=message), status
