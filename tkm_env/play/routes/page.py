"""The page itself, and what it loads once."""

from __future__ import annotations

from flask import Blueprint, Response, current_app, jsonify

from tkm_env.compiled.decorators import is_compiling
from tkm_env.play.request_checks import INLINE_POLICY
from tkm_env.play.session_holder import current_holder
from tkm_env.render.replay import replay_page

blueprint = Blueprint("page", __name__)


@blueprint.get("/")
def index() -> Response:
    """The page."""
    return current_app.send_static_file("index.html")


@blueprint.get("/replay")
def replay() -> Response:
    """The game so far as a page of its own."""
    session = current_holder().session
    response = Response(replay_page(session.game.replay(session.players)))
    response.headers["Content-Security-Policy"] = INLINE_POLICY
    return response


@blueprint.get("/api/canvas")
def canvas() -> Response:
    """What all drawings of the game have in common."""
    canvas = current_holder().session.game.canvas
    return jsonify(glyphs=canvas.glyphs, background=canvas.background, slots=[*canvas.slots.items()], themes=canvas.themes)


@blueprint.get("/api/help")
def rules() -> Response:
    """The rules in play, and the marks of the drawing."""
    session = current_holder().session
    adapter = session.adapter
    return jsonify(
        rules=adapter.rules,
        sections=[{"title": section.title, "text": section.text} for section in adapter.rules_for(session.game)],
        marks=[mark._asdict() for mark in adapter.marks],
    )


@blueprint.get("/api/compiling")
def compiling() -> Response:
    """Whether the page waits for the compiler."""
    return jsonify(is_compiling=is_compiling())
