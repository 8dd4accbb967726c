"""The page as a Flask application for one session; needs the extra ``[play]``.

The page in ``page/`` shows what the game's `PlayAdapter` describes, and sends back the names of
actions; the session decides whether they are legal. Each request that changes the game names the
version that it was made for, so that no click applies to a different position.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from flask import Blueprint, Flask, Response, current_app, g, jsonify, request
from flask.json.provider import DefaultJSONProvider
from werkzeug.exceptions import HTTPException

from tkm_env.compiled.decorators import is_compiling
from tkm_env.core.registry import GameSpec, game_spec, registered_games
from tkm_env.core.rulebook_text import RulesSection
from tkm_env.core.settings import Setting
from tkm_env.core.turns import played
from tkm_env.foundations.checks import checked_instance, checked_integer
from tkm_env.foundations.errors import ConfigError, PositionError, TKMError
from tkm_env.foundations.files import json_text
from tkm_env.foundations.message import Message
from tkm_env.foundations.untrusted_text import visible
from tkm_env.play.explorer import Explorer
from tkm_env.play.invitation_routes import add_invitation, right_of
from tkm_env.play.invitations import Invitation, Right, Seat
from tkm_env.play.kept_games import KeptGames
from tkm_env.play.languages import best_language, in_language, languages, page_words
from tkm_env.play.lines import explored_as_json, line_as_json
from tkm_env.play.match_file import MATCH_KIND
from tkm_env.play.opened_records import session_of_record
from tkm_env.play.page_settings import (
    check_opponent,
    game_settings,
    session_settings,
    setting_as_json,
)
from tkm_env.play.page_state import as_json, state_as_json
from tkm_env.play.reviews import Reviews, picture_of
from tkm_env.play.session import PERSON, Session, settings_for_people
from tkm_env.play.shared_session import RequestError, SharedSession
from tkm_env.players.roster import ROSTERS
from tkm_env.render.replay import replay_page
from tkm_env.web.request_checks import INLINE_POLICY, guard, json_body

#: The most bytes of a request with a game record.
MAX_RECORD_BYTES: Final = 1 << 18
_PAGE: Final = Path(__file__).parent / "page"
_routes: Final = Blueprint("page", __name__)


def new_app(
    session: Session[Any] | None,
    *,
    remote_name: str | None = None,
    kept: KeptGames | None = None,
    explorer: Explorer | None = None,
    invitation: Invitation | None = None,
    public_url: str | None = None,
) -> Flask:
    """Make the application that shows a game and lets people play it.

    Args:
        session: the game; None if ``extensions["holder"].start`` is to provide it later.
        remote_name: the name by which other machines may reach the server; None if they may not.
            Then the list of games that can be continued is empty; whoever knows the id of one can.
        kept: keeps unfinished games; None keeps none.
        explorer: the records to look up what was played in; None for none.
        invitation: the seats and their codes, without which nothing is answered; None if whoever
            reaches the page may play.
        public_url: the address of the page, if a tunnel passes requests on; None if not.

    Returns:
        The application.
    """
    app = Flask("tkm_env.play", static_folder=str(_PAGE), static_url_path="/page")
    # The order of players and settings matters.
    app.json = _Translated(app)
    app.json.sort_keys = False
    app.extensions |= {
        "holder": SharedSession(session, kept, invitation),
        "reviews": Reviews(),
        "explorer": explorer,
        "is_remote": remote_name is not None or public_url is not None,
        "url": public_url,
    }
    guard(app, remote_name, public_url)
    app.register_blueprint(_routes)
    if invitation is not None:
        add_invitation(app)
    return app


class _Translated(DefaultJSONProvider):
    """Answers in the language that a request asks for."""

    def response(self, *args: Any, **kwargs: Any) -> Any:
        language = best_language(request.accept_languages)
        return super().response(*in_language(args, language), **in_language(kwargs, language))


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


@_routes.get("/page/words/languages.json")
def known_languages() -> Response:
    """The codes of the page's languages, English first."""
    return jsonify(languages())


@_routes.get("/page/words/<language>.json")
def words(language: str) -> Response:
    """The page's own words in a language."""
    return jsonify(page_words(language))


@_routes.get("/replay")
def replay() -> Response:
    """The game so far as a page of its own."""
    session = _holder().session
    response = Response(replay_page(session.game.replay(session.players)))
    response.headers["Content-Security-Policy"] = INLINE_POLICY
    return response


@_routes.get("/api/canvas")
def canvas() -> Response:
    """What all drawings of the game share, the players' symbols, and the titles of all games."""
    session = _holder().session
    renderer = session.game.renderer()
    drawn = renderer.canvas
    return jsonify(
        glyphs=drawn.glyphs,
        background=drawn.background,
        slots=[*drawn.slots.items()],
        themes=drawn.themes,
        icons={player: renderer.icon(player) for player in session.game.players},
        game=session.spec.name,
        games={name: spec.title for name, spec in registered_games().items()},
    )


@_routes.get("/api/help")
def rules() -> Response:
    """The rules in play, with their pictures, and the marks of the drawing.

    With ``?whole``, the rules are complete.
    """
    session = _holder().session
    adapter, whole = session.adapter, session.spec.rules_for()
    shown = whole if "whole" in request.args else adapter.rules_for(session.game)
    return jsonify(
        rules=[Message(rule) for rule in adapter.rules],
        sections=[_section_as_json(section, session) for section in shown],
        is_whole=len(shown) == len(whole),
        marks=as_json(adapter.marks),
    )


def _section_as_json(section: RulesSection, session: Session[Any]) -> dict[str, Any]:
    game_class, parts = session.spec.game_class, session.adapter.parts
    return {
        "group": Message(section.group),
        "title": Message(section.title),
        "text": [Message(paragraph) for paragraph in section.text],
        "pictures": [
            {
                "words": Message(example.words),
                "parts": parts(example.played(game_class), hints=False),
            }
            for example in section.examples
        ],
    }


@_routes.get("/api/compiling")
def compiling() -> Response:
    """Whether the page is waiting for the compiler."""
    return jsonify(is_compiling=is_compiling())


# The game: its state, and the actions that people and agents play.


@_routes.get("/api/state")
def state() -> Response:
    """Everything that the page shows; nothing if it has this version already."""
    holder = _holder()
    if request.args.get("since") == str(holder.version) and _is_of_this_game(request.args):
        return Response(status=204)
    return _state()


@_routes.get("/api/record")
def record() -> Response:
    """The game record, as a file."""
    session = _holder().session
    if session.hides:
        message = Message(
            "the record would reveal what is still hidden from the players; "
            "it can be saved once the game is over"
        )
        raise RequestError("HiddenError", 403, message)
    response = jsonify(session.to_record())
    response.headers["Content-Disposition"] = 'attachment; filename="game.json"'
    return response


@_routes.get("/api/match")
def match() -> Response:
    """The finished games of the match, as a file.

    `tkm play --match NAME --save FILE` saves such a file and continues the match from it.
    """
    session = _holder().session
    if session.match is None:
        raise ConfigError("match", None, Message("this is a single game"))
    content = session.match_content(session.match, session.match_game)
    response = Response(json_text(MATCH_KIND, content), mimetype="application/json")
    response.headers["Content-Disposition"] = (
        f'attachment; filename="{session.asked["match"]}.json"'
    )
    return response


@_routes.post("/api/agent")
def agent() -> Response:
    """Let the agent whose turn it is play one action."""
    body = json_body("session", "server", "version")
    _holder().let_agent_play(_version_in(body))
    return _state()


@_routes.post("/api/play")
def play() -> Response:
    """Play a person's action."""
    body = json_body("session", "server", "version", "action")
    return _change(body, lambda session: session.play(_text_in(body, "action")))


@_routes.post("/api/undo")
def undo() -> Response:
    """Undo the last action."""
    return _change(json_body("session", "server", "version"), lambda session: session.undo())


@_routes.post("/api/take-back")
def take_back() -> Response:
    """Go back to the start of a person's turn."""
    return _change(json_body("session", "server", "version"), lambda session: session.take_back())


@_routes.post("/api/say")
def say() -> Response:
    """Say something before a game of a match."""
    body = json_body("session", "server", "version", "step")
    return _change(body, lambda session: session.say(_text_in(body, "step")))


def _change(body: dict[str, Any], how: Callable[[Session[Any]], None]) -> Response:
    """Change the game, if it still has the version that the request names."""
    seat = _seat() if right_of(request.endpoint) is Right.TURN else None
    _holder().change(_version_in(body), how, seat)
    return _state()


def _version_in(body: dict[str, Any]) -> object:
    """The version that a request names; None, which is never right, if it names another game.

    A server that continues a game counts its versions anew.
    """
    return body.get("version") if _is_of_this_game(body) else None


def _is_of_this_game(named: Mapping[str, Any]) -> bool:
    """Whether what a request names, if anything, is this game on this server."""
    here = {"session": _holder().session.id, "server": _holder().token}
    return all(named.get(name, value) == value for name, value in here.items())


def _seat() -> Seat | None:
    """The seat whose page asks; None if people play at one screen."""
    seat: Seat | None = g.get("seat")
    return seat


def _text_in(body: dict[str, Any], key: str) -> str:
    return checked_instance(key, body.get(key), str)


def _state() -> Response:
    holder = _holder()
    version, session, is_changing = holder.version, holder.session, holder.is_changing
    with_hints = request.args.get("hints") != "0"
    state = state_as_json(
        session, version, is_thinking=is_changing, with_hints=with_hints, seat=_seat()
    )
    has_records = current_app.extensions["explorer"] is not None
    return jsonify(
        state | {"session": session.id, "server": holder.token, "has_records": has_records}
    )


# Another game: settings, edited positions, the next game of a match.


@_routes.get("/api/settings")
def settings() -> Response:
    """The settings of a new game, in groups, with the most recent values."""
    session = _holder().session
    groups = {"You": _session_settings(session.spec), "The game": game_settings(session.spec)}
    return jsonify(
        {
            name: [setting_as_json(row, session.asked.get(row.keyword)) for row in rows]
            for name, rows in groups.items()
            if rows
        }
    )


def _session_settings(spec: GameSpec) -> list[Setting]:
    """The settings of a session; over an invitation, who plays is settled."""
    settled = () if _seat() is None else ("opponent", "watch")
    return [setting for setting in session_settings(spec) if setting.keyword not in settled]


@_routes.post("/api/new")
def new() -> Response:
    """Begin a game with other settings."""
    holder = _holder()
    spec, before = holder.session.spec, holder.session.asked
    of_session = [setting.keyword for setting in _session_settings(spec)]
    of_game = [setting.keyword for setting in game_settings(spec)]
    body = json_body(*of_session, *of_game)
    for keyword in ("opponent", "watch"):
        if keyword in body:
            check_opponent(spec, body[keyword], holder.named, keyword)
    if "position" in body:
        checked_instance("position", body["position"], str)
    other = ROSTERS.of(spec).levels[0].player if _seat() is None else PERSON
    chosen: dict[str, Any] = {"opponent": other}
    chosen |= {keyword: body.pop(keyword) for keyword in of_session if keyword in body}
    # Only files that the command named are read; later games keep using them.
    files = {
        setting.keyword: before.get(setting.keyword)
        for setting in spec.settings
        if setting.kind == "file"
    }
    given = settings_for_people(spec, files | body, chosen["opponent"])
    holder.begin(Session(spec, given, **chosen))
    return _state()


@_routes.post("/api/switch")
def switch() -> Response:
    """Begin a game of another kind, with its usual settings."""
    spec = game_spec(json_body("game").get("game"))
    opponent = ROSTERS.of(spec).levels[0].player
    _holder().begin(Session(spec, settings_for_people(spec, {}, opponent), opponent=opponent))
    return _state()


@_routes.get("/api/exercises")
def exercises() -> Response:
    """The sets of lessons and puzzles: what they are called, of what kind, and how many."""
    sets = {}
    for name, found in _holder().session.adapter.exercises().items():
        kind, _, title = name.rpartition(": ")
        sets[name] = {"kind": Message(kind), "title": Message(title), "count": len(found)}
    return jsonify(sets)


@_routes.post("/api/exercise")
def exercise() -> Response:
    """Begin a lesson or a puzzle."""
    body = json_body("set", "number")
    spec, number = _holder().session.spec, checked_instance("number", body.get("number"), int)
    _holder().begin(Session.of_exercise(spec, _text_in(body, "set"), number))
    return _state()


@_routes.get("/api/kept")
def kept_games() -> Response:
    """The unfinished games that can be continued, but the current one, the latest first."""
    holder = _holder()
    is_remote, problem = current_app.extensions["is_remote"], holder.kept.problem
    games = [] if is_remote else holder.kept.all()
    return jsonify(
        games=[as_json(game) for game in games if game.id != holder.session.id],
        is_keeping=holder.kept.is_keeping,
        problem=Message("the server cannot write them") if is_remote and problem else problem,
    )


@_routes.post("/api/continue")
def continue_game() -> Response:
    """Continue an unfinished game."""
    holder = _holder()
    session_id = _text_in(json_body("id"), "id")
    session = holder.kept.session(session_id, {*holder.named, *holder.files})
    for line in {*session.players.values()}:
        check_opponent(session.spec, line, holder.named)
    session.keep = holder.keep_of(session)
    holder.begin(session)
    return _state()


@_routes.post("/api/forget")
def forget_game() -> Response:
    """Forget an unfinished game other than the current one."""
    session_id = _text_in(json_body("id"), "id")
    if session_id != _holder().session.id:
        _holder().kept.forget(session_id)
    return kept_games()


@_routes.post("/api/open")
def open_record() -> Response:
    """Open a game record, after all of its actions or after the first few."""
    request.max_content_length = MAX_RECORD_BYTES
    body = json_body("record", "ply")
    record = checked_instance("record", body.get("record"), dict)
    _holder().begin(session_of_record(record, body.get("ply")))
    return _state()


@_routes.post("/api/rematch")
def rematch() -> Response:
    """Begin the same game with sides swapped, or against another opponent."""
    body, holder = json_body(*(["opponent"] if _seat() is None else [])), _holder()
    session = holder.session
    if "opponent" in body:
        check_opponent(session.spec, body["opponent"], holder.named)
    holder.begin(session.rematch(body.get("opponent")))
    return _state()


@_routes.post("/api/next")
def next_in_match() -> Response:
    """Begin the next game of the match."""
    json_body()
    _holder().begin(_holder().session.next_in_match())
    return _state()


@_routes.post("/api/edit")
def edit() -> Response:
    """Make one change to a position that is being edited."""
    session = _holder().session
    editor = session.adapter.editor
    if editor is None:
        raise ConfigError("game", session.spec.name, Message("its positions cannot be edited"))
    body = json_body("position", "field", "value")
    change = [
        checked_instance(key, body.get(key, ""), str) for key in ("position", "field", "value")
    ]
    edited = editor.edit(*change, config=session.game.config)
    fields = [
        {
            **field._asdict(),
            "label": Message(field.name),
            "words": [Message(choice) for choice in field.choices],
        }
        for field in edited.fields
    ]
    return jsonify(as_json(edited) | {"fields": fields})


# Study: positions of the game, and those that lines lead to.


@_routes.post("/api/look")
def look() -> Response:
    """A position of the game, or one after a line from there, and what is known of it.

    ``ply`` is the number of the game's actions before it, ``actions`` are the line's.
    """
    session, game = _looked_at()
    adapter, explorer = session.adapter, current_app.extensions["explorer"]
    tells_paths = not current_app.extensions["is_remote"]
    return jsonify(
        parts=adapter.parts(game, hints=False),
        boards=as_json(adapter.boards(game)),
        situation=game.situation,
        turn=game.turn,
        position=game.visible_position,
        verdict=adapter.verdict(game),
        records=None
        if explorer is None
        else explored_as_json(adapter, explorer, game, tells_paths=tells_paths),
    )


@_routes.post("/api/lines")
def lines() -> Response:
    """The best lines from a position that `look` shows."""
    session, game = _looked_at()
    adapter = session.adapter
    with _holder().thinking():
        found = adapter.advice(game)
    return jsonify(
        [
            {"worth": line.worth, "why": line.why, "turns": line_as_json(adapter, game, line.turns)}
            for line in found
        ]
    )


def _looked_at() -> tuple[Session[Any], Any]:
    """The session, and its game at the position that the request names."""
    body, session = json_body("ply", "actions"), _holder().session
    game = session.game
    ply = checked_integer("ply", body.get("ply"), 0, len(game.history))
    actions = checked_instance("actions", body.get("actions", []), list)
    for action in actions:
        checked_instance("actions", action, str)
    if actions and session.hides:
        raise RequestError("HiddenError", 403, Message("a line would reveal what is still hidden"))
    return session, played(game.at(ply), actions)


# The values of positions.


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
        lambda session, reviews: as_json(reviews.evaluation(session.adapter, session.game))
    )


@_routes.post("/api/review")
def review() -> Response:
    """The values of the positions so far; each request evaluates some more."""
    return _think(lambda session, reviews: reviews.review(session))


def _think(answer: Callable[[Session[Any], Reviews], Any]) -> Response:
    json_body()
    holder = _holder()
    session = holder.session
    with holder.thinking():
        return jsonify(answer(session, current_app.extensions["reviews"]))
