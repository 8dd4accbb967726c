"""The page with which organisers change a league, each step after a question."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from flask import Blueprint, abort, redirect, request

from tkm_env.arena.league.casual_games import CasualGames
from tkm_env.arena.league.database import BENCHED, PLAYING, WAITING
from tkm_env.arena.league.serving import organiser, show, the_league
from tkm_env.arena.league.store import Store
from tkm_env.arena.playing.live import live_games

routes: Final = Blueprint("organiser_pages", __name__)
#: The number of events to show.
_EVENTS: Final = 100


class _Step(NamedTuple):
    """Something that an organiser can do."""

    words: str  # what will happen; {name} stands for the person
    do: Callable[[Store, str, str], object]  # does it, given the person and the reason


#: What an organiser can do, by its name in forms.
_STEPS: Final = {
    "ban": _Step("{name} is banned, and their bot stops playing.", Store.ban),
    "unban": _Step("{name} may upload again.", lambda store, name, _: store.lift_ban(name)),
    "remove": _Step("The bot of {name} plays no more.", Store.remove),
    "readmit": _Step("The bot of {name} plays again.", lambda store, name, _: store.readmit(name)),
    "freeze": _Step(
        "No more bots are accepted; games go on.", lambda store, *_: store.move_on("frozen")
    ),
    "final": _Step(
        "The bots that still play meet in a final.", lambda store, *_: store.move_on("final")
    ),
    "new": _Step(
        "The next season begins, with empty tables.", lambda store, *_: store.move_on("open")
    ),
    "back": _Step(
        "The last step of the season is taken back.", lambda store, *_: store.move_back()
    ),
}


@routes.get("/organiser")
def overview() -> str:
    """Show people, bots, workers, and what happened last."""
    organiser()
    league = the_league()
    return show(
        "organiser.html",
        members=league.store.members(),
        bots=league.store.bots(WAITING, PLAYING, BENCHED),
        workers=live_games(league.live),
        casual_games=CasualGames(league.store).going(),
        events=league.store.events(last=_EVENTS),
    )


@routes.post("/organiser")
def step() -> Any:
    """Do what a form asks for; without ``confirmed``, ask first."""
    organiser()
    what, name, why = (request.form.get(key, "").strip() for key in ("what", "name", "why"))
    if what not in _STEPS:
        abort(400, "There is no such step.")
    if request.form.get("confirmed") != "yes":
        words = _STEPS[what].words.format(name=name)
        return show("question.html", what=what, name=name, why=why, words=words)
    _STEPS[what].do(the_league().store, name, why)
    return redirect("/organiser", 303)
