"""The pages on which a person plays casual games against the players of a league."""

from typing import Any, Final, NamedTuple

from flask import Blueprint, Response, abort, redirect, request

from tkm_env.arena.league.casual_games import (
    CHOICES,
    CasualGame,
    CasualGames,
    begin_casual_game,
    playable,
    replayed,
)
from tkm_env.arena.league.serving import COOKIE, LIMITS, content_policy, person, show, the_league
from tkm_env.arena.record_results import name_of_settings
from tkm_env.core.game import BaseGame
from tkm_env.core.renderer import Target
from tkm_env.core.settings import changed_settings
from tkm_env.foundations.errors import ConfigError
from tkm_env.render.canvas import THEMES
from tkm_env.render.replay import replay_page
from tkm_env.text.words import WORDS, LogEntry

routes: Final = Blueprint("casual_pages", __name__, url_prefix="/casual")
#: The number of last games, and of last actions, to show.
_GAMES, _ACTIONS = 10, 8


@routes.before_request
def _check_that_it_is_allowed() -> None:
    if not the_league().rules.casual_games:
        abort(404, "In this league people do not play.")


@routes.get("")
def overview() -> str:
    """Show a person's last games, and a form that begins one."""
    league = the_league()
    found = league.store.person(request.cookies.get(COOKIE, ""))
    if found is None:
        return show("sign_in.html", failed=False)
    return show(
        "casual.html",
        games=CasualGames(league.store).of(found, _GAMES),
        opponents=[*playable(league)],
        wanted=request.args.get("opponent"),
        settings={
            each.key: f"{each.spec.title}, {name_of_settings(changed_settings(each.config))}"
            for each in league.settings
        },
        choices=CHOICES,
        rules=league.rules,
    )


@routes.post("")
@LIMITS.limit("30 per minute")
def begin() -> Any:
    """Begin a game against the player ``opponent``."""
    who, given = person(), request.form
    number = begin_casual_game(
        the_league(),
        who,
        given.get("opponent", ""),
        given.get("settings", ""),
        given.get("moves", ""),
    )
    return redirect(f"/casual/{number}", 303)


def _mine(number: int) -> CasualGame:
    """Return a game of the person who asks, which nobody else may see."""
    found = CasualGames(the_league().store).game(number)
    if found is None or found.name != person().name:
        abort(404, "You have no such game.")
    return found


class _Place(NamedTuple):
    """A place on the drawing, to click on, and the actions that lead there."""

    name: str
    style: str  # where it lies, in CSS
    actions: list[str]


def _places(board: BaseGame) -> list[_Place]:
    """Return the places to which the legal actions lead."""
    renderer, leading = board.renderer(), dict[Target, list[str]]()
    canvas = renderer.canvas
    for action, target in renderer.targets(board).items():
        leading.setdefault(target, []).append(action)
    return [
        _Place(
            target.place,
            f"left: {target.x / canvas.width:.2%}; top: {target.y / canvas.height:.2%}; "
            f"width: {target.width / canvas.width:.2%}; "
            f"height: {target.height / canvas.height:.2%}",
            actions,
        )
        for target, actions in leading.items()
    ]


@routes.get("/<int:number>")
def game(number: int) -> str:
    """Show the board of a game, and what the person may play, or may play ``at`` a place.

    Args:
        number: the id of the game.

    Returns:
        The page.
    """
    found = _mine(number)
    board = replayed(the_league(), found)
    is_due = not found.ending and found.waits
    places = _places(board) if is_due else []
    chosen = next((each for each in places if each.name == request.args.get("at")), None)
    legal = board.legal_names() if is_due else []
    return show(
        "casual_game.html",
        game=found,
        board=board,
        players=_players(board, found),
        actions=legal if chosen is None else chosen.actions,
        places=places,
        chosen=chosen,
        # What an action draws from a deck must not be seen before.
        has_previews=not board.hides(),
        can_take_back=is_due and _turn_start(board) < len(found.actions),
        log=_last_actions(board),
        ending=found.ending,
    )


def _players(board: BaseGame, found: CasualGame) -> dict[str, str]:
    return {side: found.name if side == found.side else found.opponent for side in board.players}


def _last_actions(board: BaseGame) -> list[LogEntry]:
    said = [entry for entry in WORDS.of(board.name).log(board) if not entry.is_quiet]
    return said[: -_ACTIONS - 1 : -1]


def _turn_start(board: BaseGame) -> int:
    """Return the number of actions before the present turn."""
    now, start = board.start.copy(), 0
    turn = now.turn_id
    for number, action in enumerate(board.history, 1):
        now.play(action)
        if now.turn_id != turn:
            turn, start = now.turn_id, number
    return start


@routes.post("/<int:number>")
@LIMITS.limit("240 per minute")
def step(number: int) -> Any:
    """Play ``action``, take the actions of this turn ``back``, or ``resign``.

    Args:
        number: the id of the game.

    Returns:
        The way to the board.
    """
    found, given = _mine(number), request.form
    games, league = CasualGames(the_league().store), the_league()
    if "resign" in given:
        games.end(number, "You resigned.")
        return redirect(f"/casual/{number}#board", 303)
    if found.ending:
        raise ConfigError("game", number, "it is over")
    if not found.waits or given.get("ply") != str(len(found.actions)):
        raise ConfigError("ply", given.get("ply"), "the game has gone on; look at the board again")
    board = replayed(league, found)
    actions = list(found.actions)
    if "back" in given:
        del actions[_turn_start(board) :]
    else:
        board.play(given.get("action", ""))
        actions = board.history
    waits = "back" in given or (board.result is None and board.to_act == found.side)
    if not games.move(found, actions, waits=waits):
        raise ConfigError("ply", given.get("ply"), "the game has gone on; look at the board again")
    return redirect(f"/casual/{number}#board", 303)


@routes.get("/<int:number>/<int:ply>.svg")
def drawing(number: int, ply: int) -> Response:
    """Draw the position of a game after some actions, or, with ``action``, after another one.

    Args:
        number: the id of the game.
        ply: the number of actions.

    Returns:
        The drawing, in the theme ``theme``.
    """
    found = _mine(number)
    board = replayed(the_league(), found)
    theme, action = request.args.get("theme", "light"), request.args.get("action")
    if ply > len(found.actions) or theme not in THEMES or (action and board.hides()):
        abort(404, "There is no such position.")
    board = board.at(ply)
    if action:
        board.play(action)
    is_due = not action and not found.ending and found.waits and ply == len(found.actions)
    return Response(board.svg(theme=theme, legal=is_due), mimetype="image/svg+xml")


@routes.get("/<int:number>/replay")
def replay(number: int) -> Response:
    """Show the replay of a game that is over.

    Args:
        number: the id of the game.

    Returns:
        The page.
    """
    found = _mine(number)
    if not found.ending:
        abort(404, "The game is not over.")
    board = replayed(the_league(), found)
    answer = Response(replay_page(board.replay(_players(board, found))))
    answer.headers["Content-Security-Policy"] = content_policy("'self'")
    return answer
