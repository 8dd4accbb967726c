"""Beginning a game on the page: its settings, positions put together by hand, the next game of a match."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from tkm_env.errors import ConfigError
from tkm_env.play.page_settings import check_opponent, game_settings, session_settings, setting_as_json
from tkm_env.play.request_checks import checked_text, json_body
from tkm_env.play.routes.game import state_response
from tkm_env.play.session import Session, settings_for_people
from tkm_env.play.session_holder import current_holder

blueprint = Blueprint("new_game", __name__, url_prefix="/api")


@blueprint.get("/settings")
def settings() -> Response:
    """The settings of a new game, in groups, with the values given last."""
    session = current_holder().session
    groups = {"You": session_settings(session.spec), "The game": game_settings(session.spec)}
    return jsonify(
        {name: [setting_as_json(row, session.asked.get(row.keyword)) for row in rows] for name, rows in groups.items() if rows}
    )


@blueprint.post("/new")
def new() -> Response:
    """Begin a game with other settings."""
    holder = current_holder()
    spec, before = holder.session.spec, holder.session.asked
    own = [setting.keyword for setting in session_settings(spec)]
    body = json_body(*own, *(setting.keyword for setting in game_settings(spec)))
    if "opponent" in body:
        check_opponent(spec, body["opponent"], holder.named)
    if "position" in body:
        checked_text("position", body["position"])
    chosen = {"opponent": spec.levels[0].player} | {keyword: body.pop(keyword) for keyword in own if keyword in body}
    # Files are read only if the command named them, and stay for further games.
    files = {setting.keyword: before.get(setting.keyword) for setting in spec.settings if setting.kind == "file"}
    holder.begin(Session(spec, settings_for_people(spec, files | body, chosen["opponent"]), **chosen))
    return state_response()


@blueprint.post("/rematch")
def rematch() -> Response:
    """Begin the same game with sides changed."""
    json_body()
    holder = current_holder()
    holder.begin(holder.session.rematch())
    return state_response()


@blueprint.post("/next")
def next_game() -> Response:
    """Begin the next game of the match."""
    json_body()
    holder = current_holder()
    holder.begin(holder.session.next_in_match())
    return state_response()


@blueprint.post("/edit")
def edit() -> Response:
    """Make one change to a position that is being put together."""
    session = current_holder().session
    editor = session.adapter.editor
    if editor is None:
        raise ConfigError("game", session.spec.name, "its positions are not put together by hand")
    body = json_body("position", "field", "value")
    change = [checked_text(key, body.get(key, "")) for key in ("position", "field", "value")]
    edited = editor.edited(*change, config=session.game.config)
    return jsonify(
        edited._asdict()
        | {"tools": [tool._asdict() for tool in edited.tools], "fields": [field._asdict() for field in edited.fields]}
    )
