"""The game on the page: its state, and the actions that people and agents play."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, jsonify, request

from tkm_env.play.request_checks import checked_text, json_body
from tkm_env.play.session import Session
from tkm_env.play.session_holder import RequestError, current_holder

blueprint = Blueprint("game", __name__, url_prefix="/api")


@blueprint.get("/state")
def state() -> Response:
    """Everything that the page shows; nothing if it has this version already."""
    if request.args.get("since") == str(current_holder().version):
        return Response(status=204)
    return state_response()


@blueprint.get("/record")
def record() -> Response:
    """The game record, as a file."""
    session = current_holder().session
    if session.hides:
        message = "the record would reveal what is still hidden from the players; it can be saved once the game is over"
        raise RequestError("HiddenError", 403, message)
    response = jsonify(session.to_record())
    response.headers["Content-Disposition"] = 'attachment; filename="game.json"'
    return response


@blueprint.post("/play")
def play() -> Response:
    """Play a person's action."""
    return _change(lambda session, action: session.play(action), "action")


@blueprint.post("/undo")
def undo() -> Response:
    """Undo an action of the current turn."""
    return _change(Session.undo)


@blueprint.post("/take-back")
def take_back() -> Response:
    """Take back a turn."""
    return _change(Session.take_back)


@blueprint.post("/say")
def say() -> Response:
    """Say something before a game of a match."""
    return _change(lambda session, step: session.say(step), "step")


@blueprint.post("/agent")
def agent() -> Response:
    """Let the agent to act play one action."""
    current_holder().let_agent_play(json_body("version").get("version"))
    return state_response()


def _change(how: Callable[..., None], *keys: str) -> Response:
    """Change the game by a method of its session, which is given the texts of these keys of the request."""
    body = json_body("version", *keys)
    current_holder().change(body.get("version"), lambda session: how(session, *(checked_text(key, body.get(key)) for key in keys)))
    return state_response()


def state_response() -> Response:
    """Everything that the page shows."""
    holder = current_holder()
    version, session, is_changing = holder.version, holder.session, holder.is_changing
    spec, adapter, game, clock, match = session.spec, session.adapter, session.game, session.clock, session.match
    is_persons_turn, out_of_time = session.waits_for_person, session.out_of_time
    return jsonify(
        version=version,
        title=spec.title,
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
        ending=adapter.ending(game) if out_of_time is None else f"{out_of_time.capitalize()} ran out of time.",
        winner=session.winner,
        parts=adapter.parts(game, hints=is_persons_turn and request.args.get("hints") != "0"),
        boards=_as_json(adapter.boards(game)),
        sides=_as_json(adapter.sides(game)),
        icons={player: game.icon(player) for player in game.players},
        clock=None if clock is None else clock.left(),
        runs=None if clock is None else clock.running,
        match=None if match is None else _as_json(match.status(session.counted)),
        is_kept=session.is_kept,
        steps=[] if match is None or game.history else _as_json(match.steps()),
        can_evaluate=spec.analyse is not None,
        can_edit=adapter.editor is not None,
        choices=_as_json(adapter.choices(game)) if is_persons_turn else [],
        can_undo=session.can_undo,
        can_take_back=session.can_take_back,
        log=_as_json(adapter.log(game)),
        position=game.visible_position,
    )


def _as_json(content: Any) -> Any:
    """Named tuples within named tuples, as JSON types."""
    if hasattr(content, "_asdict"):
        return {name: _as_json(value) for name, value in content._asdict().items()}
    return [_as_json(part) for part in content] if isinstance(content, (list, tuple)) else content
