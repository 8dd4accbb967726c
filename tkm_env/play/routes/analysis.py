"""What positions are worth, for the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, current_app, jsonify

from tkm_env.play.request_checks import json_body
from tkm_env.play.reviews import Reviews
from tkm_env.play.session import Session
from tkm_env.play.session_holder import current_holder

blueprint = Blueprint("analysis", __name__, url_prefix="/api")


@blueprint.post("/advice")
def advice() -> Response:
    """The best lines of play."""
    return _think(lambda session: [line._asdict() for line in session.adapter.advice(session.game)])


@blueprint.post("/evaluation")
def evaluation() -> Response:
    """The value of the position."""
    return _think(lambda session: _reviews().evaluation(session.adapter, session.game))


@blueprint.post("/review")
def review() -> Response:
    """The values of the positions so far; some more of them with every request."""
    return _think(lambda session: _reviews().review(session))


def _think(answer: Callable[[Session[Any]], Any]) -> Response:
    json_body()
    holder = current_holder()
    session = holder.session
    with holder.thinking():
        return jsonify(answer(session))


def _reviews() -> Reviews:
    reviews: Reviews = current_app.extensions["reviews"]
    return reviews
