"""What all pages of a league share: who asks, which table is meant, how it looks."""

import hashlib
from base64 import b64encode
from functools import cache, partial
from importlib.resources import files
from typing import Any, Final
from urllib.parse import urlencode

from flask import abort, current_app, request
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address

from tkm_env.arena.league.league import League
from tkm_env.arena.league.standings import Standings
from tkm_env.arena.league.store import Person, utc
from tkm_env.arena.playing.versions import base_of
from tkm_env.arena.report.report import ReportedGame
from tkm_env.render.canvas import THEMES
from tkm_env.render.html import as_style, templates

COOKIE: Final = "league"
#: The limit on requests from one address; tokens are too long to be found by trying.
LIMITS: Final = Limiter(
    get_remote_address, default_limits=["600 per minute"], storage_uri="memory://"
)


def the_league() -> League:
    """Return the league that this application serves."""
    league: League = current_app.extensions["league"]
    return league


def standings(table: str | None = None) -> Standings:
    """Return the standings of the table of this name, by default of the current season."""
    league = the_league()
    now = league.games_of(league.store.season())
    path = now if table is None else now.with_name(f"{table}.jsonl")
    known: dict[str, Standings] = current_app.extensions["tables"]
    if path.stem not in known:
        if path != now and path not in now.parent.glob("season-*.jsonl"):
            abort(404, "This table does not exist.")
        title = f"{league.rules.title}, {title_of(path.stem)}"
        known[path.stem] = Standings(
            path, league.anchor, title, links(path.stem), partial(player_address, path.stem)
        )
    return known[path.stem]


def title_of(table: str) -> str:
    """Return a table's name as people read it."""
    return table.replace("season-", "season ").replace("-final", ", final")


def links(table: str) -> dict[str, str]:
    """Return the addresses of the pages that every page links to, by the text of the link."""
    return {
        "Overview": "/",
        "Ratings": f"/tables/{table}",
        "Watch": "/live",
        "Curves": f"/tables/{table}/history",
        "All tables": "/tables",
        **({"Play": "/casual"} if the_league().rules.casual_games else {}),
        "Take part": "/me",
    }


def player_address(table: str, name: str) -> str:
    """Return the address of a player's page.

    Args:
        table: the name of the table.
        name: the player's name.

    Returns:
        The address.
    """
    return f"/tables/{table}/player?{urlencode({'name': name})}"


def pair_address(table: str, one: str, other: str) -> str:
    """Return the address of the page of two players.

    Args:
        table: the name of the table.
        one: the name of a player.
        other: the name of the other player.

    Returns:
        The address.
    """
    return f"/tables/{table}/pair?{urlencode({'one': one, 'other': other})}"


def game_of(table: str, number: int) -> ReportedGame:
    """Return a game of a table.

    Args:
        table: the name of the table.
        number: the number of the game, from 1.

    Returns:
        The game; if there is none, the request ends with the status 404.
    """
    played = standings(table).game(number)
    if played is None:
        abort(404, "This game does not exist.")
    return played


def is_program() -> bool:
    """Whether the request comes from a program, which gets JSON."""
    return "Authorization" in request.headers or request.path.startswith("/api/")


def person() -> Person:
    """Return the person of the request, by the token in the header or in the cookie."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    token = token if kind == "Bearer" else request.cookies.get(COOKIE, "")
    found = the_league().store.person(token.strip())
    if found is None:
        abort(401, "Sign in with the token that the organiser gave you.")
    return found


def organiser() -> Person:
    """Return the organiser of the request, as `person` does."""
    found = person()
    if not the_league().store.is_organiser(found):
        abort(403, "Only an organiser may do this.")
    return found


def is_of(player: str, name: str) -> bool:
    """Whether a player has this name, or is a version of the player of this name.

    Args:
        player: the player.
        name: the name, with or without a version.

    Returns:
        Whether it is.
    """
    return name in (player, base_of(player)[0])


@cache
def content_policy(framed_by: str = "'none'") -> str:
    """Return the policy that allows only the package's scripts, those within pages by digest.

    Args:
        framed_by: the sites whose pages may frame this one.

    Returns:
        The value of the header ``Content-Security-Policy``.
    """
    digests = ""
    for package, name in (("tkm_env.arena", "report.js"), ("tkm_env.render", "replay.js")):
        digest = hashlib.sha256(b"\n" + (files(package) / "page" / name).read_bytes()).digest()
        digests += f" 'sha256-{b64encode(digest).decode()}'"
    return (
        f"default-src 'none'; script-src 'self'{digests}; style-src 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; "
        f"form-action 'self'; frame-ancestors {framed_by}"
    )


def show(page: str, **content: Any) -> str:
    """Render a page of the league.

    Args:
        page: the name of its template.
        **content: what the template shows.

    Returns:
        The page.
    """
    league = the_league()
    season = league.store.season()
    table = league.games_of(season).stem
    style = as_style(THEMES) + (files("tkm_env.arena") / "page" / "report.css").read_text("utf-8")
    environment = templates("tkm_env.arena.league", "page")
    environment.filters["utc"] = utc
    environment.globals |= {
        "player_address": player_address,
        "pair_address": pair_address,
        "is_of": is_of,
    }
    shown = {"table": table, **content}
    return environment.get_template(page).render(
        title=league.rules.title, season=season, style=style, links=links(table), **shown
    )
