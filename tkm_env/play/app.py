"""The page as a Flask application for one session: its addresses. Needs Flask, from the extra ``[play]``.

The page in ``page/`` shows what the game's `PlayAdapter` describes, and sends back the names of actions; the session decides whether they
are legal. Every request that changes the game names the version it was made for, so that no click applies to a different position.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from flask import Blueprint, Flask, Response, current_app, jsonify, request
from werkzeug.exceptions import HTTPException

from tkm_env.compiled.decorators import is_compiling
from tkm_env.core.registry import game_spec, registered_games
from tkm_env.foundations.checks import checked_choice, checked_instance, checked_integer
from tkm_env.foundations.errors import ConfigError, PositionError, TKMError
from tkm_env.foundations.files import json_text
from tkm_env.foundations.untrusted_text import visible
from tkm_env.play.match_file import MATCH_KIND
from tkm_env.play.page_settings import (
    check_opponent,
    game_settings,
    session_settings,
    setting_as_json,
)
from tkm_env.play.reviews import Reviews, picture_of
from tkm_env.play.session import Session, settings_for_people
from tkm_env.play.shared_session import RequestError, SharedSession
from tkm_env.play.tasks import Task
from tkm_env.players.roster import ROSTERS
from tkm_env.players.solvers import SOLVERS
from tkm_env.render.replay import replay_page
from tkm_env.web.request_checks import INLINE_POLICY, guard, json_body

_PAGE: Final = Path(__file__).parent / "page"
_routes: Final = Blueprint("page", __name__)


def new_app(session: Session[Any] | None, *, remote_name: str | None = None) -> Flask:
    """The application that shows a game, which ``extensions["holder"].start`` provides later if None is given, and lets people play it.
    ``remote_name`` is the name by which other machines may reach the server; None if only this machine may.
    """
    app = Flask("tkm_env.play", static_folder=str(_PAGE), static_url_path="/page")
    app.json.sort_keys = False  # type: ignore[attr-defined]  # the order of players and settings matters
    app.extensions |= {"holder": SharedSession(session), "reviews": Reviews()}
    guard(app, remote_name)
    app.register_blueprint(_routes)
    return app


@_routes.app_errorhandler(TKMError)
def _refuse(error: TKMError) -> tuple[Response, int]:
    if isinstance(error, RequestError):
        return _error(error.name, str(error), error.status)
    if isinstance(error, (ConfigError, PositionError)):
        setting = error.keyword if isinstance(error, ConfigError) else "position"
        return _error(
            type(error).__name__, str(error), 400, setting=setting, reason=visible(error.reason)
        )
    return _error(type(error).__name__, str(error), 400)


@_routes.app_errorhandler(HTTPException)
def _fail(error: HTTPException) -> tuple[Response, int]:
    return _error(error.name, error.description or error.name, error.code or 500)


def _error(name: str, message: str, status: int, **more: str) -> tuple[Response, int]:
    return jsonify(error=name, message=visible(message), **more), status


def _holder() -> SharedSession:
    holder: SharedSession = current_app.extensions["holder"]
    return holder


# What the page loads once.


@_routes.get("/")
def index() -> Response:
    """The page."""
    return current_app.send_static_file("index.html")


@_routes.get("/replay")
def replay() -> Response:
    """The game so far as a page of its own."""
    session = _holder().session
    response = Response(replay_page(session.game.replay(session.players)))
    response.headers["Content-Security-Policy"] = INLINE_POLICY
    return response


@_routes.get("/api/canvas")
def canvas() -> Response:
    """What all drawings of the game have in common, the players' symbols, and the titles of all games."""
    session = _holder().session
    game, games = session.game, {name: spec.title for name, spec in registered_games().items()}
    canvas, icons = game.canvas, {player: game.icon(player) for player in game.players}
    drawing = {
        "glyphs": canvas.glyphs,
        "background": canvas.background,
        "slots": [*canvas.slots.items()],
        "themes": canvas.themes,
    }
    return jsonify(**drawing, icons=icons, game=session.spec.name, games=games)


@_routes.get("/api/help")
def rules() -> Response:
    """The rules in play, or with ``?whole`` all of them, with their pictures, and the marks of the drawing."""
    session = _holder().session
    adapter, game_class = session.adapter, session.spec.game_class
    whole, in_play = session.spec.rules_for(), adapter.rules_for(session.game)
    found = whole if "whole" in request.args else in_play
    sections = [
        {"group": section.group, "title": section.title, "text": section.text}
        | {
            "pictures": [
                {"words": one.words, "parts": adapter.parts(one.played(game_class), hints=False)}
                for one in section.examples
            ]
        }
        for section in found
    ]
    return jsonify(
        rules=adapter.rules,
        sections=sections,
        is_whole=len(found) == len(whole),
        marks=_as_json(adapter.marks),
    )


@_routes.get("/api/compiling")
def compiling() -> Response:
    """Whether the page waits for the compiler."""
    return jsonify(is_compiling=is_compiling())


# The game: its state, and the actions that people and agents play.


@_routes.get("/api/state")
def state() -> Response:
    """Everything that the page shows; nothing if it has this version already."""
    if request.args.get("since") == str(_holder().version):
        return Response(status=204)
    return _state()


@_routes.get("/api/record")
def record() -> Response:
    """The game record, as a file."""
    session = _holder().session
    if session.hides:
        message = "the record would reveal what is still hidden from the players; it can be saved once the game is over"
        raise RequestError("HiddenError", 403, message)
    response = jsonify(session.to_record())
    response.headers["Content-Disposition"] = 'attachment; filename="game.json"'
    return response


@_routes.get("/api/match")
def match() -> Response:
    """The finished games of the match, as the file that `tkm play --match NAME --save FILE` keeps and continues."""
    session = _holder().session
    if session.match is None:
        raise ConfigError("match", None, "this is a single game")
    content = session.match_content(session.match, session.match_game)
    response = Response(json_text(MATCH_KIND, content), mimetype="application/json")
    response.headers["Content-Disposition"] = (
        f'attachment; filename="{session.asked["match"]}.json"'
    )
    return response


@_routes.post("/api/agent")
def agent() -> Response:
    """Let the agent to act play one action."""
    _holder().let_agent_play(json_body("version").get("version"))
    return _state()


def _change(method: str, *keys: str) -> Response:
    """Change the game by a method of its session, which is given the texts of these keys of the request."""
    body = json_body("version", *keys)
    _holder().change(
        body.get("version"),
        lambda session: getattr(session, method)(
            *(checked_instance(key, body.get(key), str) for key in keys)
        ),
    )
    return _state()


for _method, *_keys in (("play", "action"), ("undo",), ("take_back",), ("say", "step")):
    _address = _method.replace("_", "-")
    _routes.add_url_rule(
        f"/api/{_address}", _address, partial(_change, _method, *_keys), methods=["POST"]
    )


def _state() -> Response:
    holder = _holder()
    version, session, is_changing = holder.version, holder.session, holder.is_changing
    spec, adapter, game, clock, match = (
        session.spec,
        session.adapter,
        session.game,
        session.clock,
        session.match,
    )
    is_persons_turn, out_of_time = session.waits_for_person, session.out_of_time
    return jsonify(
        version=version,
        title=spec.title,
        goal=adapter.goal,
        players=session.players,
        names=session.names,
        to_act=game.to_act,
        waits_for_agent=session.waits_for_agent,
        is_thinking=is_changing,
        can_save=not session.hides,
        situation=adapter.view(game).situation,
        turn=game.turn,
        is_over=session.is_over,
        ending=adapter.ending(game)
        if out_of_time is None
        else f"{out_of_time.capitalize()} ran out of time.",
        winner=session.winner,
        parts=adapter.parts(game, hints=is_persons_turn and request.args.get("hints") != "0"),
        boards=_as_json(adapter.boards(game)),
        sides=_as_json(adapter.sides(game)),
        clock=None if clock is None else clock.left(),
        runs=None if clock is None else clock.running,
        match=None
        if match is None
        else _as_json(match.status(session.match_game)) | {"name": session.asked["match"]},
        is_kept=session.keep is not None,
        steps=[] if match is None or game.history else _as_json(match.steps()),
        can_evaluate=SOLVERS.of(spec).analyse is not None,
        can_edit=adapter.editor is not None,
        choices=_as_json(adapter.choices(game)) if is_persons_turn else [],
        task=None if session.task is None else _task_as_json(session.task, game),
        next=adapter.what_next(game) if is_persons_turn else "",
        obvious=adapter.obvious(game) if is_persons_turn else None,
        can_undo=session.can_undo,
        can_take_back=session.can_take_back,
        log=_as_json(adapter.log(game)),
        position=game.visible_position,
    )


def _task_as_json(task: Task, game: Any) -> dict[str, str]:
    judgement = task.judge(game)
    return {
        "title": task.title,
        "grade": task.grade,
        "text": task.text(judgement),
        "judgement": judgement,
    }


def _as_json(content: Any) -> Any:
    """Named tuples within named tuples, as JSON types."""
    if hasattr(content, "_asdict"):
        return {name: _as_json(value) for name, value in content._asdict().items()}
    return [_as_json(part) for part in content] if isinstance(content, (list, tuple)) else content


# Another game: settings, positions put together by hand, the next game of a match.


@_routes.get("/api/settings")
def settings() -> Response:
    """The settings of a new game, in groups, with the values given last."""
    session = _holder().session
    groups = {"You": session_settings(session.spec), "The game": game_settings(session.spec)}
    return jsonify(
        {
            name: [setting_as_json(row, session.asked.get(row.keyword)) for row in rows]
            for name, rows in groups.items()
            if rows
        }
    )


@_routes.post("/api/new")
def new() -> Response:
    """Begin a game with other settings."""
    holder = _holder()
    spec, before = holder.session.spec, holder.session.asked
    own = [setting.keyword for setting in session_settings(spec)]
    body = json_body(*own, *(setting.keyword for setting in game_settings(spec)))
    if "opponent" in body:
        check_opponent(spec, body["opponent"], holder.named)
    if "position" in body:
        checked_instance("position", body["position"], str)
    chosen = {"opponent": ROSTERS.of(spec).levels[0].player} | {
        keyword: body.pop(keyword) for keyword in own if keyword in body
    }
    # Files are read only if the command named them, and stay for further games.
    files = {
        setting.keyword: before.get(setting.keyword)
        for setting in spec.settings
        if setting.kind == "file"
    }
    holder.begin(
        Session(spec, settings_for_people(spec, files | body, chosen["opponent"]), **chosen)
    )
    return _state()


@_routes.post("/api/switch")
def switch() -> Response:
    """Begin a game of another kind, with its usual settings."""
    spec = game_spec(json_body("game").get("game"))
    opponent = ROSTERS.of(spec).levels[0].player
    _holder().begin(Session(spec, settings_for_people(spec, {}, opponent), opponent=opponent))
    return _state()


@_routes.get("/api/tasks")
def tasks() -> Response:
    """How many lessons and puzzles there are in each set."""
    return jsonify({name: len(found) for name, found in _holder().session.adapter.tasks().items()})


@_routes.post("/api/task")
def task() -> Response:
    """Begin a lesson or a puzzle."""
    body = json_body("set", "number")
    spec, found = _holder().session.spec, _holder().session.adapter.tasks()
    name = checked_choice("set", body.get("set"), tuple(found))
    number = checked_integer("number", body.get("number"), 0, len(found[name]) - 1)
    _holder().begin(Session.of_task(spec, found[name][number]))
    return _state()


def _begin(following: Callable[[Session[Any]], Session[Any]]) -> Response:
    """Begin the game that follows the current one."""
    json_body()
    _holder().begin(following(_holder().session))
    return _state()


_routes.add_url_rule("/api/rematch", "rematch", partial(_begin, Session.rematch), methods=["POST"])
_routes.add_url_rule("/api/next", "next", partial(_begin, Session.next_in_match), methods=["POST"])


@_routes.post("/api/edit")
def edit() -> Response:
    """Make one change to a position that is being put together."""
    session = _holder().session
    editor = session.adapter.editor
    if editor is None:
        raise ConfigError("game", session.spec.name, "its positions are not put together by hand")
    body = json_body("position", "field", "value")
    change = [
        checked_instance(key, body.get(key, ""), str) for key in ("position", "field", "value")
    ]
    return jsonify(_as_json(editor.edit(*change, config=session.game.config)))


# What positions are worth.


@_routes.post("/api/advice")
def advice() -> Response:
    """The best lines of play."""
    return _think(_advice)


def _advice(session: Session[Any], reviews: Reviews) -> list[dict[str, Any]]:
    """The lines, each with a picture of its first turn."""
    adapter, game = session.adapter, session.game
    return [
        line._asdict() | {"picture": picture_of(adapter, game, line.turns[0])}
        for line in adapter.advice(game)
    ]


@_routes.post("/api/evaluation")
def evaluation() -> Response:
    """The value of the position."""
    return _think(
        lambda session, reviews: _as_json(reviews.evaluation(session.adapter, session.game))
    )


@_routes.post("/api/review")
def review() -> Response:
    """The values of the positions so far; some more of them with every request."""
    return _think(lambda session, reviews: reviews.review(session))


def _think(answer: Callable[[Session[Any], Reviews], Any]) -> Response:
    json_body()
    holder = _holder()
    session = holder.session
    with holder.thinking():
        return jsonify(answer(session, current_app.extensions["reviews"]))
