"""The pages of a league for everyone: overview, tables, players, pairs, games, boards."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from flask import Blueprint, Response, abort, current_app, jsonify, request

from tkm_env.arena.league.casual_games import playable
from tkm_env.arena.league.curves import curves_of, scores_of
from tkm_env.arena.league.serving import (
    content_policy,
    game_of,
    is_of,
    show,
    standings,
    the_league,
    title_of,
)
from tkm_env.arena.league.standings import Standings
from tkm_env.arena.league.store import Season
from tkm_env.arena.playing.live import live_games
from tkm_env.arena.playing.versions import base_of
from tkm_env.arena.rating import Rating
from tkm_env.arena.report.game_replay import replay_with_reports
from tkm_env.arena.report.report import Report, ReportedGame, ReportSection
from tkm_env.core.game import BaseGame
from tkm_env.core.record_files import from_record
from tkm_env.evaluation.score import PairResults
from tkm_env.foundations.untrusted_text import visible_in
from tkm_env.render.canvas import THEMES
from tkm_env.render.replay import replay_page

routes: Final = Blueprint("onlooker_pages", __name__)
#: The number of boards to watch at a time, of leaders and of latest games on the overview, and of
#: games on a page.
_BOARDS, _LEADERS, _LATEST, _GAMES = 4, 5, 8, 40
#: The number of last games among which those for boards are searched.
_SEARCHED: Final = 200
#: The time for which a game must have been played to be shown live, in seconds; the last games are
#: replayed instead of shorter ones.
_SLOW: Final = 3.0
#: The number of rivals whose curves are shown beside a player's.
_RIVALS: Final = 3
#: The number of last games whose results begin a player's page.
_FORM: Final = 10


class ShownGame(NamedTuple):
    """A game as lists show it."""

    game: ReportedGame
    ratings: Mapping[str, float]  # the players' ratings at its time, as far as they had any

    @property
    def sides(self) -> list[tuple[str, str, float]]:
        """Each side, its player and its points."""
        players = self.game.players
        return [(side, name, self.game.points_of(side)) for side, name in players.items()]


def shown(table: Standings, games: Iterable[ReportedGame]) -> list[ShownGame]:
    """Return games as lists show them.

    Args:
        table: the standings of their table.
        games: the games.

    Returns:
        The same games, with the players' ratings at their time.
    """
    return [
        ShownGame(
            game, {name: rows[name].estimate for name in game.players.values() if name in rows}
        )
        for game, rows in table.rated(games)
    ]


@routes.get("/")
def overview() -> str:
    """Show what this is, who leads, what was just played, and what is played now."""
    table = standings()
    report = table.report()
    latest = list(islice(reversed(report.games), _LATEST)) if report is not None else []
    league = the_league()
    return show(
        "overview.html",
        rules=league.rules,
        games=league.games,
        sections=report.sections if report is not None else (),
        leaders=_LEADERS,
        played=len(report.games) if report is not None else 0,
        unread=table.unread,
        latest=shown(table, latest),
        boards=_boards(),
    )


@routes.get("/favicon.ico")
def icon() -> Response:
    """Serve the icon that browsers request by default."""
    return current_app.send_static_file("icon.svg")


@routes.get("/tables")
def tables() -> str:
    """Show the list of all seasons and finals, newest first."""
    found = the_league().games_of(Season(1, "")).parent.glob("season-*.jsonl")
    names = sorted((path.stem for path in found), key=_age)
    return show("tables.html", tables={name: title_of(name) for name in names})


def _age(table: str) -> tuple[int, bool]:
    """Return a key by which the tables of later seasons, and finals, come first."""
    _, number, *final = table.split("-")
    return -int(number), not final


@routes.get("/tables/<table>")
def table(table: str) -> str:
    """Show ratings, head-to-head scores, and all games."""
    return standings(table).page() or show("empty.html")


@routes.get("/tables/<table>/history")
def history(table: str) -> str:
    """Show how ratings developed."""
    found = standings(table)
    report = found.report()
    charts = [
        (section, curves_of(found.history, section.game, _ranked(section)))
        for section in (report.sections if report is not None else ())
    ]
    return show("history.html", charts=charts, name=title_of(table), table=table)


def _ranked(section: ReportSection) -> list[str]:
    return [rating.player for rating in section.whole.ratings.players]


# A player, and two players.


class _Version(NamedTuple):
    """A version of a player in one of the games that are played."""

    section: ReportSection
    rating: Rating
    rank: int
    since: float | None  # when its first game ended, in seconds since 1970, if that is known


class _Result(NamedTuple):
    """How a game ended for a player."""

    number: int  # of the game
    letter: str  # W, D or L
    words: str  # the same, with the name of the opponent


#: What the points of a game are called: by a letter, and in words.
_ENDINGS: Final = {1.0: ("W", "won"), 0.5: ("D", "drew"), 0.0: ("L", "lost")}


class _Standing(NamedTuple):
    """The latest version of a player in one of a league's games, and its last results."""

    version: _Version
    form: Sequence[_Result]


class _Opponent(NamedTuple):
    """How a version of a player did against one of another."""

    player: str
    name: str
    results: PairResults


@routes.get("/tables/<table>/player")
def player(table: str) -> str:
    """Show a player: its versions, curve, opponents, best and worst games, and all games."""
    name, found = request.args.get("name", ""), standings(table)
    games = found.games_of(name)
    report = found.report()
    if report is None or not games:
        abort(404, "No such player has played in this table.")
    versions = _versions(report, name, found)
    charts = []
    for section in report.sections:
        mine = [each.rating.player for each in versions if each.section is section]
        if mine:
            ranked = _ranked(section)
            at = ranked.index(mine[0])
            near = sorted(ranked, key=lambda each: abs(ranked.index(each) - at))
            rivals = [each for each in near if each not in mine][:_RIVALS]
            chart = curves_of(found.history, section.game, [*mine, *rivals], len(mine))
            charts.append((section, chart))
    mine_in = {
        section.game: [each for each in _ranked(section) if is_of(each, name)]
        for section in report.sections
    }
    opponents = [
        _Opponent(one, other, results)
        for section in report.sections
        for other in _ranked(section)
        for one in mine_in[section.game]
        if (results := section.cross.get((one, other))) is not None
    ]
    best, worst = found.extremes(name)
    return show(
        "player.html",
        name=name,
        table=table,
        standing=_standing(report, versions, games, name),
        versions=versions,
        charts=charts,
        opponents=opponents,
        best=shown(found, best),
        worst=shown(found, worst),
        total=len(games),
        opponent=base_of(name)[0] if base_of(name)[0] in _casual_opponents() else "",
        **_one_page(found, games),
    )


def _casual_opponents() -> Iterable[str]:
    """Return the names of those against whom people may play."""
    league = the_league()
    return playable(league) if league.rules.casual_games else ()


def _one_page(table: Standings, games: Sequence[ReportedGame]) -> dict[str, Any]:
    """Return the page of games that is asked for, for a template.

    Args:
        table: the standings of their table.
        games: all games; those that ended last are shown first.

    Returns:
        The games, the number of the page, and the number of pages.
    """
    text = request.args.get("page", "1")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    pages = max(1, -(-len(games) // _GAMES))
    if not 1 <= number <= pages:
        abort(404, "There is no such page.")
    begin = (number - 1) * _GAMES
    chosen = islice(reversed(games), begin, begin + _GAMES)
    return {"games": shown(table, chosen), "number": number, "pages": pages}


def _versions(report: Report, name: str, table: Standings) -> list[_Version]:
    """Return the versions of a player, those that joined last first."""
    found = [
        _Version(
            section, rating, section.whole.ratings.rank(rating.player), table.since(rating.player)
        )
        for section in report.sections
        for rating in section.whole.ratings.players
        if is_of(rating.player, name)
    ]
    return sorted(found, key=lambda each: each.since or 0.0, reverse=True)


def _standing(
    report: Report, versions: Sequence[_Version], games: Sequence[ReportedGame], name: str
) -> list[_Standing]:
    """Return a player's latest version in each game, with the last results of all versions.

    Results are listed newest first.
    """
    found = []
    for section in report.sections:
        mine = [each for each in versions if each.section is section]
        played = (game for game in reversed(games) if game.game == section.game)
        if mine:
            form = [_result(game, name) for game in islice(played, _FORM)]
            found.append(_Standing(mine[0], form))
    return found


def _result(game: ReportedGame, name: str) -> _Result:
    (side, _), (_, other) = sorted(game.players.items(), key=lambda row: not is_of(row[1], name))
    letter, verb = _ENDINGS[game.points_of(side)]
    return _Result(game.number, letter, f"{verb} against {other}")


@routes.get("/tables/<table>/pair")
def pair(table: str) -> str:
    """Show how two players did against each other."""
    one, other = (request.args.get(key, "") for key in ("one", "other"))
    found = standings(table)
    games = found.games_of(one, other)
    report = found.report()
    if report is None or not games or one == other or not other:
        abort(404, "These players have not met in this table.")
    scores = [
        (section, first, second, results, _difference(section, first, second))
        for section in report.sections
        for (first, second), results in section.cross.items()
        if is_of(first, one) and is_of(second, other)
    ]
    return show(
        "pair.html",
        one=one,
        other=other,
        table=table,
        scores=scores,
        games_played=len({section.game for section, *_ in scores}),
        total=len(games),
        **_one_page(found, games),
    )


def _difference(section: ReportSection, one: str, other: str) -> Any:
    return section.whole.ratings.difference(one, other)


# Games.


@routes.get("/tables/<table>/games/<int:number>")
def game(table: str, number: int) -> str:
    """Show a game with its replay, and with both ratings at its time.

    Args:
        table: the name of the table.
        number: the number of the game, from 1.

    Returns:
        The page.
    """
    (found,) = shown(standings(table), [game_of(table, number)])
    last = standings(table).games
    scores = scores_of(found.game.record)
    return show("game.html", shown=found, table=table, number=number, last=last, scores=scores)


@routes.get("/tables/<table>/<int:number>.html")
def replay(table: str, number: int) -> Response:
    """Show the replay of a game, which pages of this league may frame.

    Args:
        table: the name of the table.
        number: the number of the game, from 1.

    Returns:
        The page.
    """
    answer = Response(replay_page(replay_with_reports(game_of(table, number).record)))
    answer.headers["Content-Security-Policy"] = content_policy("'self'")
    return answer


# Watching.


class Board(NamedTuple):
    """A board to watch: a game in progress, or one of the last games, from its start."""

    seed: str  # which may have more digits than a browser's numbers
    players: Mapping[str, str]  # by side
    actions: int  # the number of actions so far
    is_live: bool
    number: int | None  # the number of the game in the table; None while it is played


def _boards() -> list[Board]:
    """Return the boards to watch: games that take their time, then the last ones."""
    table, boards = standings(), list[Board]()
    for each in live_games(the_league().live):
        if not each.is_over and each.at - each.since >= _SLOW and "seed" in each.record:
            record = each.record
            actions = len(record["actions"])
            boards.append(Board(str(record["seed"]), record["players"], actions, True, None))
    report = table.report()
    pairs = {frozenset(board.players.values()) for board in boards}
    for game in islice(reversed(report.games), _SEARCHED) if report is not None else ():
        pair = frozenset(game.players.values())
        if pair not in pairs and game.seed is not None and game.actions:
            pairs.add(pair)  # so that the boards show different players
            boards.append(Board(str(game.seed), game.players, game.actions, False, game.number))
    return boards[:_BOARDS]


@routes.get("/live")
def live() -> str:
    """Show several games at a pace at which they can be watched."""
    return show("live.html", boards=_boards())


@routes.get("/api/live")
def api_live() -> Response:
    """Return the games in progress, and the boards to watch."""
    games = [
        {"record": each.record, "is_over": each.is_over, "since": each.since, "at": each.at}
        for each in live_games(the_league().live)
    ]
    return jsonify(visible_in({"games": games, "boards": [board._asdict() for board in _boards()]}))


@routes.get("/boards/<int:seed>/<int:ply>.svg")
def board(seed: int, ply: int) -> Response:
    """Draw a position of a game that is played or was played.

    Args:
        seed: the seed of the game.
        ply: the number of actions before the position.

    Returns:
        The drawing, in the theme ``theme``.
    """
    played = standings().with_seed(seed)
    record: Any = None if played is None else played.record
    for each in live_games(the_league().live) if record is None else ():
        if each.record.get("seed") == seed:
            record = each.record
    theme = request.args.get("theme", "light")
    if record is None or ply > len(record["actions"]) or theme not in THEMES:
        abort(404, "There is no such position.")
    answer = Response(_after(from_record(record), ply).svg(theme=theme), mimetype="image/svg+xml")
    answer.headers["Cache-Control"] = "private, max-age=3600"  # it never changes
    return answer


def _after(game: BaseGame, ply: int) -> BaseGame:
    """Return a game as it was after the given number of actions."""
    replayed = game.start.copy()
    for action in game.history[:ply]:
        replayed.play(action)
    return replayed
