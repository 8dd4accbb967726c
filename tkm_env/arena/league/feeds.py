"""The latest games of a league as feeds: Atom, and JSON Feed."""

import time
from itertools import islice
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

from flask import Blueprint, Response, current_app, jsonify, request

from tkm_env.arena.league.serving import standings, the_league
from tkm_env.arena.report.report import ReportedGame
from tkm_env.foundations.untrusted_text import visible, visible_in

routes: Final = Blueprint("feeds", __name__)
#: The number of games in a feed.
_MOST: Final = 100
_ATOM: Final = "http://www.w3.org/2005/Atom"


def _home() -> str:
    """Return the address of the league, with a slash at the end."""
    address: str = current_app.extensions["public_url"] or request.host_url
    return f"{address.rstrip('/')}/"


def _latest() -> list[ReportedGame]:
    report = standings().report()
    return list(islice(reversed(report.games), _MOST)) if report is not None else []


def _addresses() -> str:
    """Return the address of the latest table's games, to which their numbers are added."""
    return f"{_home()}tables/{standings().name}/games/"


def _words(game: ReportedGame) -> str:
    """Describe a game in a line."""
    first, second = game.players.values()
    how = f"{game.turns} turns" if game.fault is None else game.fault.kind
    how += ", adjudicated" if game.is_adjudicated else ""
    result = {"1/2": "½-½", "*": "cut off"}.get(game.result, game.result)
    return visible(f"{first} {result} {second} ({how})")


def _time_of(game: ReportedGame) -> str:
    """Return when a game ended, as both kinds of feeds write it; records may not tell."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(game.ended or 0))


@routes.get("/feed.atom")
def atom() -> Response:
    """Return the latest games as an Atom feed."""
    games, addresses = _latest(), _addresses()
    feed = Element("feed", xmlns=_ATOM)
    SubElement(feed, "title").text = visible(the_league().rules.title)
    SubElement(feed, "id").text = _home()
    SubElement(feed, "link", href=_home())
    SubElement(feed, "link", rel="self", href=f"{_home()}feed.atom")
    SubElement(feed, "updated").text = max(map(_time_of, games), default="1970-01-01T00:00:00Z")
    SubElement(SubElement(feed, "author"), "name").text = visible(the_league().rules.title)
    for game in games:
        entry = SubElement(feed, "entry")
        SubElement(entry, "title").text = _words(game)
        SubElement(entry, "id").text = f"{addresses}{game.number}"
        SubElement(entry, "link", href=f"{addresses}{game.number}")
        SubElement(entry, "updated").text = _time_of(game)
        SubElement(entry, "summary").text = f"{_words(game)}, {game.settings}"
    content = tostring(feed, encoding="utf-8", xml_declaration=True)
    return Response(content, mimetype="application/atom+xml")


@routes.get("/feed.json")
def json_feed() -> Response:
    """Return the latest games as a JSON Feed."""
    addresses = _addresses()
    items = [
        {
            "id": f"{addresses}{game.number}",
            "url": f"{addresses}{game.number}",
            "title": _words(game),
            "content_text": f"{_words(game)}, {game.settings}",
            "date_published": _time_of(game),
        }
        for game in _latest()
    ]
    answer = jsonify(
        visible_in(
            {
                "version": "https://jsonfeed.org/version/1.1",
                "title": the_league().rules.title,
                "home_page_url": _home(),
                "feed_url": f"{_home()}feed.json",
                "items": items,
            }
        )
    )
    answer.mimetype = "application/feed+json"
    return answer
