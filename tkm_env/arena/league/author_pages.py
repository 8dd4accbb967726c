"""The pages for those who take part in a league: their bots, and how these do."""

from operator import attrgetter
from typing import Any, Final

from flask import Blueprint, abort, current_app, jsonify, redirect, request

from tkm_env.arena.league.serving import (
    COOKIE,
    LIMITS,
    is_of,
    is_program,
    person,
    show,
    standings,
    the_league,
)
from tkm_env.arena.league.store import Person
from tkm_env.arena.playing.versions import base_of
from tkm_env.foundations.errors import ConfigError

routes: Final = Blueprint("author_pages", __name__)
_COOKIE_SECONDS: Final = 30 * 86_400
#: The time for which an upload waits for others, in seconds.
_PATIENCE: Final = 1.0
#: The number of slowest turns to show.
_SLOWEST: Final = 10
#: The number of events to show.
_EVENTS: Final = 50


@routes.get("/me")
def me() -> Any:
    """Show a participant's rank and bots, with logs, faults and slowest turns; or a form."""
    token = request.cookies.get(COOKIE, "")
    league, table = the_league(), standings()
    found = league.store.person(token)
    if found is None:
        return show("sign_in.html", failed=token != "")
    report, bots = table.report(), league.store.bots(person=found)[::-1]
    times = [
        turn
        for section in (report.sections if report is not None else ())
        for player, turns in section.slowest_of.items()
        if is_of(player, found.name)
        for turn in turns
    ]
    return show(
        "me.html",
        person=found,
        bots=bots,
        ban=league.store.ban_of(found),
        is_organiser=league.store.is_organiser(found),
        events=league.store.events(found.name, last=_EVENTS),
        rules=league.rules,
        table=table.name,
        sections=report.sections if report is not None else (),
        opponents=[each for each in league.opponents() if each != found.name],
        has_played=table.has_played(found.name),
        mine=lambda section: sorted(
            (each for each in section.whole.ratings.players if is_of(each.player, found.name)),
            key=lambda each: base_of(each.player),
            reverse=True,
        ),
        is_mine=lambda player: is_of(player, found.name),
        slowest=sorted(times, key=attrgetter("seconds"), reverse=True)[:_SLOWEST],
    )


@routes.post("/sign-in")
@LIMITS.limit("10 per minute")
def sign_in() -> Any:
    """Keep the token in a cookie that scripts cannot read and other sites cannot send."""
    token = request.form.get("token", "").strip()
    if the_league().store.person(token) is None:
        return show("sign_in.html", failed=True), 401
    answer = redirect("/me", 303)
    is_secure = current_app.extensions["is_secure"]
    answer.set_cookie(
        COOKIE, token, max_age=_COOKIE_SECONDS, secure=is_secure, httponly=True, samesite="Strict"
    )
    return answer


@routes.post("/sign-out")
def sign_out() -> Any:
    """Delete the cookie with the token."""
    answer = redirect("/", 303)
    answer.delete_cookie(COOKIE)
    return answer


@routes.post("/bots")
@LIMITS.limit("30 per minute")
def upload() -> Any:
    """Accept a bot, uploaded as the file ``file``."""
    league, author = the_league(), person()
    request.max_content_length = (league.rules.upload_mib << 20) + (1 << 16)
    league.store.check_quota(author, league.rules.uploads_per_day)
    given = request.files.get("file")
    if given is None:
        abort(400, "The file is missing.")
    folder = league.receive(given.stream, given.filename or "")
    try:
        number = _add_bot(author, folder)
    except BaseException:
        league.discard(folder)
        raise
    return (jsonify(bot=number), 201) if is_program() else redirect("/me", 303)


def _add_bot(author: Person, folder: str) -> int:
    """Add an uploaded bot, one at a time, so that uploads at the same time both count."""
    store, uploading = the_league().store, current_app.extensions["uploading"]
    if not uploading.acquire(timeout=_PATIENCE):
        abort(503, "Too many bots are being uploaded. Try again in a moment.")
    try:
        store.check_quota(author, the_league().rules.uploads_per_day)
        return store.add_bot(author, folder)
    finally:
        uploading.release()


@routes.post("/requests")
@LIMITS.limit("30 per minute")
def request_games() -> Any:
    """Request a pair of games against the player ``opponent``."""
    league, author = the_league(), person()
    opponent = request.form.get("opponent", "").strip()
    if opponent not in league.opponents():
        raise ConfigError("opponent", opponent, "no such player plays now")
    if league.store.season().phase == "final":
        raise ConfigError("opponent", opponent, "in the final, everyone meets everyone anyway")
    met = len(standings().games_of(author.name, opponent)) // 2
    left = league.store.request_games(author, opponent, met, league.rules.requests_per_day)
    return (jsonify(left=left), 201) if is_program() else redirect("/me", 303)


@routes.post("/withdraw")
def withdraw() -> Any:
    """Withdraw a participant's bot from the league."""
    the_league().store.withdraw(person())
    return jsonify(withdrawn=True) if is_program() else redirect("/me", 303)
