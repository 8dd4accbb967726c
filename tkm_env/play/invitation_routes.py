"""The routes of an invitation: taking a seat, who is here, links, resigning; and rights.

A link leads to ``/join/CODE``, which moves the code into a cookie, so that it stays neither in the
address nor in what scripts can read.
"""

import re
import time
from collections.abc import Callable
from typing import Final

from flask import (
    Blueprint,
    Flask,
    Response,
    current_app,
    g,
    jsonify,
    render_template_string,
    request,
)

from tkm_env.foundations.message import Message
from tkm_env.play.invitations import RIGHTS, Invitation, Right, Seat, lacks, link_of
from tkm_env.play.languages import best_language, in_language
from tkm_env.play.shared_session import RequestError, SharedSession
from tkm_env.web.request_checks import json_body

#: How long a browser keeps its seat, in seconds.
_COOKIE_SECONDS: Final = 90 * 24 * 3600
#: A page asks every second, so whoever has not asked for this long is not here.
_HERE_SECONDS: Final = 10.0
_PAGE: Final = """<!doctype html>
<html lang="{{ language }}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
{% if leads_on %}<meta http-equiv="refresh" content="0;url=/">
{% endif %}<title>{{ title }}</title>
<main>
<h1>{{ title }}</h1>
<p>{{ words }}</p>
</main>
"""
_routes: Final = Blueprint("invitation", __name__)


class Presence:
    """Who has asked for something recently.

    Args:
        now: returns the current time, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._asked: dict[Seat, float] = {}

    def note(self, seat: Seat) -> None:
        """Note that somebody in a seat has asked for something now."""
        self._asked[seat] = self._now()

    def is_here(self, seat: Seat) -> bool:
        """Return whether somebody in a seat has asked for something recently."""
        return seat in self._asked and self._now() - self._asked[seat] < _HERE_SECONDS


def add_invitation(app: Flask) -> None:
    """Make an application answer only those who have a seat of its session's invitation.

    Args:
        app: the application, all of whose other routes are there.
    """
    presence = Presence()
    app.extensions["presence"] = presence

    @app.before_request
    def check_seat() -> Response | None:
        g.seat = _invitation().seat_of(request.cookies.get(_cookie_name(), ""))
        if g.seat is not None:
            presence.note(g.seat)
        right = right_of(request.endpoint)
        is_over = right is Right.ANALYST and _holder().session.is_over
        if not lacks(right, g.seat, is_over=is_over):
            return None
        if g.seat is None and not request.path.startswith("/api/"):
            return _refusal()
        raise RequestError("SeatError", 403, (right if g.seat else Right.SEAT).value)

    app.register_blueprint(_routes)


def right_of(endpoint: str | None) -> Right:
    """Return the right that a request needs, by Flask's name for what answers it.

    >>> right_of("page.state").name, right_of("page.something_new").name
    ('SEAT', 'NOBODY')
    """
    return RIGHTS.get((endpoint or "").rpartition(".")[2], Right.NOBODY)


def _holder() -> SharedSession:
    holder: SharedSession = current_app.extensions["holder"]
    return holder


def _invitation() -> Invitation:
    invitation = _holder().invitation
    assert invitation is not None
    return invitation


def _cookie_name() -> str:
    """The name of the cookie, which differs by port: browsers do not tell ports apart."""
    port = re.search(r":(\d+)$", request.host)
    return f"tkm-seat-{port[1] if port else ''}"


def _page(words: Message, *, leads_on: bool = False) -> Response:
    language = best_language(request.accept_languages)
    said = in_language({"title": Message("By invitation"), "words": words}, language)
    content = render_template_string(_PAGE, language=language, leads_on=leads_on, **said)
    return Response(content, mimetype="text/html")


def _refusal() -> Response:
    response = _page(Right.SEAT.value)
    response.status_code = 403
    return response


@_routes.get("/join/<code>")
def join(code: str) -> Response:
    """Take the seat that a code opens.

    The page leads on by itself, instead of an answer that redirects: a browser that comes from
    another site sends a strict cookie only once it has arrived at this one.
    """
    if _invitation().seat_of(code) is None:
        return _refusal()
    response = _page(Message("Taking your seat…"), leads_on=True)
    url = current_app.extensions["url"] or ""
    response.set_cookie(
        _cookie_name(),
        code,
        max_age=_COOKIE_SECONDS,
        httponly=True,
        samesite="Strict",
        secure=url.rstrip("/") == f"https://{request.host}",
    )
    return response


@_routes.get("/api/here")
def who_is_here() -> Response:
    """Which players are on the page now, and whether anybody watches."""
    presence: Presence = current_app.extensions["presence"]
    session = _holder().session
    return jsonify(
        players={session.side_of(seat): presence.is_here(seat) for seat in (Seat.HOST, Seat.GUEST)},
        is_watched=presence.is_here(Seat.SPECTATOR),
    )


@_routes.get("/api/links")
def links() -> Response:
    """The links for the others."""
    codes, url = _invitation().codes, current_app.extensions["url"] or request.host_url
    return jsonify(
        opponent=link_of(url, codes[Seat.GUEST]),
        spectators=link_of(url, codes[Seat.SPECTATOR]),
        is_local=not current_app.extensions["is_remote"],
    )


@_routes.post("/api/links")
def renew_links() -> Response:
    """Make new links for the others, whose old ones work no more."""
    json_body()
    _holder().renew_links()
    return links()


@_routes.post("/api/resign")
def resign() -> Response:
    """Give up the game, whoever is to act."""
    holder, asked = _holder(), json_body("session").get("session")
    if asked != holder.session.id:
        raise RequestError("StaleError", 409, Message("that game is over"))
    side = holder.session.side_of(g.seat)
    assert side is not None
    holder.change(holder.version, lambda session: session.resign(side))
    return jsonify()
