"""The JSON of a league, for programs; `tkm_env.arena.league.openapi` describes it."""

from collections.abc import Sequence
from typing import Any, Final

from flask import Blueprint, Response, abort, jsonify, request

from tkm_env.arena.league.onlooker_pages import ShownGame, shown
from tkm_env.arena.league.openapi import LARGEST_PAGE, LAST_PAGE, PAGE, description
from tkm_env.arena.league.serving import game_of, person, standings, the_league
from tkm_env.arena.report.json_report import elo_as_json, report_as_json
from tkm_env.arena.report.report import ReportedGame
from tkm_env.foundations.untrusted_text import visible_in

routes: Final = Blueprint("api", __name__, url_prefix="/api")


@routes.get("/openapi.json")
def api_description() -> Response:
    """Return the description of this interface."""
    return jsonify(description(the_league().rules.title))


@routes.get("/league")
def api_league() -> Response:
    """Return the season, and its number of games."""
    league, table = the_league(), standings()
    season = league.store.season()
    return jsonify(
        title=league.rules.title,
        season=season.number,
        phase=season.phase,
        games=table.games,
        table=table.name,
    )


@routes.get("/tables/<table>")
def api_table(table: str) -> Response:
    """Return everything on a table's page, and the history of its ratings."""
    found = standings(table)
    report = found.report()
    points = [
        {
            "games": at,
            "ratings": {
                game: {name: elo_as_json(elo) for name, elo in rows.items()}
                for game, rows in rated.items()
            },
        }
        for at, rated in found.history
    ]
    return jsonify(
        visible_in(
            {"report": None if report is None else report_as_json(report), "history": points}
        )
    )


@routes.get("/tables/<table>/games")
def api_games(table: str) -> Response:
    """Return the games of a player or of two, those that ended last first, page by page."""
    given = request.args
    number, size = _number("page", 1, LAST_PAGE), _number("size", PAGE, LARGEST_PAGE)
    found = standings(table)
    name, other = given.get("player", ""), given.get("opponent", "")
    report = found.report()
    if name or other:
        games: Sequence[ReportedGame] = found.games_of(name or other, other if name else "")
    else:
        games = report.games if report is not None else ()
    begin = len(games) - number * size
    page = games[max(0, begin) : max(0, begin + size)][::-1]
    return jsonify(
        visible_in(
            {
                "games": [_row(each) for each in shown(found, page)],
                "total": len(games),
                "page": number,
                "size": size,
                "pages": -(-len(games) // size),
            }
        )
    )


def _number(key: str, usual: int, most: int) -> int:
    """Return a number of the query, from 1."""
    text = request.args.get(key, str(usual))
    if not (text.isascii() and text.isdigit() and len(text) < 12 and 1 <= int(text) <= most):
        abort(400, f"{key} must be an integer from 1 to {most}.")
    return int(text)


def _row(each: ShownGame) -> dict[str, Any]:
    game = each.game
    return {
        "number": game.number,
        "game": game.game,
        "players": dict(game.players),
        "result": game.result,
        "points": {side: points for side, _, points in each.sides},
        "ratings": {side: each.ratings.get(name) for side, name, _ in each.sides},
        "settings": game.settings,
        "turns": game.turns,
        "fault": None if game.fault is None else game.fault.kind,
        "adjudicated": game.is_adjudicated,
        "ended": game.ended,
    }


@routes.get("/tables/<table>/<int:number>")
def api_game(table: str, number: int) -> Response:
    """Return a game's record.

    Args:
        table: the name of the table.
        number: the number of the game, from 1.

    Returns:
        The record, as JSON.
    """
    return jsonify(game_of(table, number).record)


@routes.get("/me")
def api_me() -> Response:
    """Return a participant's bots, with their logs, and what happened to them, newest first."""
    found, store = person(), the_league().store
    bots = [bot._asdict() for bot in reversed(store.bots(person=found))]
    events = [event._asdict() for event in store.events(found.name)]
    return jsonify(visible_in({"name": found.name, "bots": bots, "events": events}))
