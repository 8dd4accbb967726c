"""``tkm league``: a league that runs by itself, with pages for its participants."""

from __future__ import annotations

import functools
import shlex
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.box import SIMPLE_HEAD
from rich.table import Table

from tkm_env.arena.commands.match_options import (
    pop_workers,
    say_what_is_unprotected,
    workers_options,
)
from tkm_env.arena.playing.live import live_games
from tkm_env.arena.playing.process_pool import ProcessPool
from tkm_env.arena.playing.workers import Workers
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.cli.console import PlainConsole, echo
from tkm_env.cli.options import FILE, INPUT, with_options
from tkm_env.cli.progress import progress_bar
from tkm_env.core.record_files import from_record
from tkm_env.foundations.errors import ConfigError, extra
from tkm_env.foundations.untrusted_text import visible

if TYPE_CHECKING:
    from tkm_env.arena.league.league import League

#: The pause before playing restarts after an error, in seconds.
_PAUSE: Final = 5.0
#: The pause between two tries to reach the database, in seconds.
_RETRY: Final = 1.0

_folder: Final = click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
_database: Final = click.option(
    "--database",
    envvar="TKM_LEAGUE_DATABASE",
    show_default="SQLite, in FOLDER",
    metavar="URL",
    help=(
        "The database of participants: postgresql+psycopg://USER:PASSWORD@HOST/NAME; or set "
        "TKM_LEAGUE_DATABASE."
    ),
)
_yes: Final = click.option("--yes", is_flag=True, help="Do not ask.")
_dry_run: Final = click.option(
    "--dry-run", is_flag=True, help="Say what would happen, and change nothing."
)
#: Gives a command the options for `_step`.
_step_options: Final = with_options(
    click.option("--why", default="", help="The reason, which the person can read."),
    click.option("--back", is_flag=True, help="Take it back."),
    _yes,
    _dry_run,
)
#: Gives a command the options for `_serve`.
_serve_options: Final = with_options(
    click.option(
        "--host", default="127.0.0.1", show_default=True, help="The address to listen on."
    ),
    click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=8080,
        show_default=True,
        help="The port; 0 for a free one.",
    ),
    click.option(
        "--allow-remote",
        is_flag=True,
        help="With --host: let other machines reach the pages, without encryption.",
    ),
    click.option(
        "--url",
        metavar="URL",
        help="The public address, https://..., of a proxy that passes requests on to this server.",
    ),
    click.option(
        "--no-play",
        is_flag=True,
        help="Do not play games; tkm league play does, here or elsewhere.",
    ),
    workers_options,
)


@click.group("league")
def command() -> None:
    """Run a league: people upload bots, games are played, and pages show the ratings.

    See docs/league.md.
    """


def _may(what: str, *, yes: bool, dry_run: bool) -> bool:
    """Say what is about to happen, and ask whether it may; without an answer, it may not."""
    echo(what)
    if not dry_run and not yes:
        click.confirm("Go on?", abort=True)
    return not dry_run


def _table(*heads: str) -> Table:
    table = Table(box=SIMPLE_HEAD)
    for head in heads:
        table.add_column(head)
    return table


def _leagues() -> type[League]:
    with extra("league"):
        from tkm_env.arena.league.league import League
    return League


@command.command("new")
@_folder
@click.option("--title", default="League", show_default=True, help="The league's title.")
def new_command(folder: Path, title: str) -> None:
    """Write the file of a new league, with four players of the package, to FOLDER."""
    _leagues().new(folder, title)
    echo(f"next: read {folder / 'league.toml'}; then tkm league serve {folder}")


@command.command("token")
@_folder
@click.argument("names", nargs=-1, required=True)
@_database
@click.option("--organiser", is_flag=True, help="Let these people change the league by its page.")
def token_command(
    folder: Path, names: tuple[str, ...], database: str | None, *, organiser: bool
) -> None:
    """Print a token for each of NAMES, with which the person of that name takes part.

    A new token replaces the previous one.
    """
    league = _leagues()(folder, database)
    for name in names:
        if organiser:
            league.store.appoint(name)
        echo(f"{league.token(name)}  {name}")


@command.command("season")
@_folder
@click.argument("phase", type=click.Choice(["freeze", "final", "new", "back"]))
@_database
@_yes
@_dry_run
def season_command(
    folder: Path, phase: str, database: str | None, *, yes: bool, dry_run: bool
) -> None:
    """Move the season on to its next phase, after a question.

    After freeze, no more bots are accepted. In the final, the bots that still play meet in a round
    robin. new begins the next season. back takes the last of these steps back.
    """
    store = _leagues()(folder, database).store
    to = {"freeze": "frozen", "final": "final", "new": "open"}.get(phase)
    step = store.move_back if to is None else functools.partial(store.move_on, to)
    before, after = store.season(), step(dry_run=True)
    words = {
        "open": "bots are accepted",
        "frozen": "no more bots are accepted; games go on",
        "final": "the bots that still play meet in a round robin",
    }[after.phase]
    what = (
        f"season {before.number} is {before.phase}; after this step, season {after.number} is "
        f"{after.phase}: {words}"
    )
    if _may(what, yes=yes, dry_run=dry_run):
        step()
        echo(f"season {after.number} is {after.phase}")
        if to is not None:
            echo(f"to take it back: tkm league season {folder} back")


@command.command("unfreeze")
@_folder
@_database
def unfreeze_command(folder: Path, database: str | None) -> None:
    """Accept bots again in a frozen season."""
    store = _leagues()(folder, database).store
    season = store.season()
    if season.phase != "frozen":
        raise ConfigError("season", season.number, f"it is {season.phase}, not frozen")
    store.move_back()
    echo(f"season {season.number} is open")


@command.command("people")
@_folder
@_database
def people_command(folder: Path, database: str | None) -> None:
    """List everyone who takes part, with their uploads and bans."""
    store = _leagues()(folder, database).store
    from tkm_env.arena.league.store import utc

    table = _table("name", "uploads", "last upload", "")
    for member in store.members():
        notes = ["organiser"] if member.is_organiser else []
        notes += [f"banned: {member.banned}"] if member.banned else []
        when = "" if member.last_upload is None else utc(member.last_upload)
        table.add_row(visible(member.name), f"{member.bots}", when, visible(", ".join(notes)))
    if table.row_count:
        PlainConsole().print(table)
    else:
        echo(f"nobody has a token yet: tkm league token {folder} NAME")


@command.command("bots")
@_folder
@_database
@click.option("--all", "every", is_flag=True, help="List replaced and withdrawn bots, too.")
def bots_command(folder: Path, database: str | None, *, every: bool) -> None:
    """List the bots with their states, newest first."""
    league = _leagues()(folder, database)
    from tkm_env.arena.league.database import BENCHED, PLAYING, REFUSED, STATES, WAITING
    from tkm_env.arena.league.store import utc

    table = _table("bot", "of", "state", "uploaded", "folder")
    states = STATES if every else (WAITING, PLAYING, BENCHED, REFUSED)
    for bot in reversed(league.store.bots(*states)):
        table.add_row(f"{bot.id}", visible(bot.name), bot.state, utc(bot.uploaded), bot.folder)
    if table.row_count:
        PlainConsole().print(table)
    else:
        echo("there are no bots yet")


@command.command("ban")
@_folder
@click.argument("name")
@_database
@_step_options
def ban_command(folder: Path, name: str, database: str | None, **options: Any) -> None:
    """Ban the person NAME: their bot stops playing, and they may upload no other.

    Their games stay.
    """
    store = _leagues()(folder, database).store
    _step(
        folder,
        "ban",
        store.named(name).name,
        (f"{name} is banned, and their bot stops playing", store.ban),
        (f"{name} may upload again", store.lift_ban),
        **options,
    )


@command.command("remove")
@_folder
@click.argument("name")
@_database
@_step_options
def remove_command(folder: Path, name: str, database: str | None, **options: Any) -> None:
    """Take the bot of the person NAME out; its games stay, and they may upload another."""
    store = _leagues()(folder, database).store
    _step(
        folder,
        "remove",
        store.named(name).name,
        (f"the bot of {name} plays no more", store.remove),
        (f"the latest bot of {name} plays again", store.readmit),
        **options,
    )


def _step(
    folder: Path,
    what: str,
    name: str,
    step: tuple[str, Callable[[str, str], object]],
    step_back: tuple[str, Callable[[str], object]],
    *,
    why: str,
    back: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Do something to a person for a reason, after a question, or take it back."""
    if back:
        if _may(step_back[0], yes=True, dry_run=dry_run):
            step_back[1](name)
    elif _may(step[0], yes=yes, dry_run=dry_run):
        step[1](name, why)
        echo(f"to take it back: tkm league {what} {folder} {shlex.quote(name)} --back")


@command.command("log")
@_folder
@click.argument("name", required=False)
@_database
@click.option("--last", type=click.IntRange(1), default=50, show_default=True, help="How many.")
def log_command(folder: Path, name: str | None, database: str | None, last: int) -> None:
    """Show what happened, or what concerns the person NAME, newest first."""
    store = _leagues()(folder, database).store
    if name is not None:
        store.named(name)
    from tkm_env.arena.league.store import utc

    for event in store.events(name, last=last):
        who = f"{event.who} " if event.who else ""
        echo(f"{utc(event.at)}  {visible(who + event.what)}")


@command.command("workers")
@_folder
@_database
def workers_command(folder: Path, database: str | None) -> None:
    """Show what each process that plays does now, and what was seen of it last."""
    league = _leagues()(folder, database)
    from tkm_env.arena.league.casual_games import CasualGames
    from tkm_env.arena.league.database import WAITING
    from tkm_env.arena.league.store import utc

    for game in live_games(league.live):
        players = " against ".join(game.record["players"].values())
        turn = f"turn {from_record(game.record).turn}{', over' if game.is_over else ''}"
        ago = f"{max(0.0, time.time() - game.at):.0f} s ago"
        echo(visible(f"{game.worker}: {players}, {turn}, begun {utc(game.since)}, seen {ago}"))
    for casual in CasualGames(league.store).going():
        player = casual.name if casual.waits else casual.opponent
        about = f"{casual.name} against {casual.opponent}, begun {utc(casual.began)}"
        echo(visible(f"casual game {casual.id}: {about}, {player} to play"))
    waiting = league.store.bots(WAITING)
    echo(f"bots that wait for their check: {len(waiting)}")


@command.command("backup")
@_folder
@click.argument("file", type=FILE)
@_database
def backup_command(folder: Path, file: Path, database: str | None) -> None:
    """Back up the league in FOLDER to FILE, a zip archive, even while it runs."""
    _leagues()(folder, database).back_up(file)
    echo(f"wrote {file}")


@command.command("restore")
@click.argument("file", type=INPUT)
@_folder
@_database
@_yes
@_dry_run
def restore_command(
    file: Path, folder: Path, database: str | None, *, yes: bool, dry_run: bool
) -> None:
    """Restore the league in FILE, a backup, to a new FOLDER.

    If a database is named, its present content is replaced, after a question if there is any.
    """
    leagues = _leagues()
    if database is not None:
        from tkm_env.arena.league.store import Store

        store = Store(database)
        store.check()
        found = len(store.members())
        what = f"the league in this database, with {found} people, is replaced"
        if not _may(what, yes=yes or not found, dry_run=dry_run):
            return
    elif not _may(f"{folder} becomes the league in {file}", yes=True, dry_run=dry_run):
        return
    leagues.restore(file, folder, database)
    echo(f"next: tkm league serve {folder}")


@command.command("play")
@_folder
@_database
@click.option("--once", is_flag=True, help="Stop once all bots are checked and no game is due.")
@workers_options
def play_command(folder: Path, database: str | None, once: bool, **options: Any) -> None:
    """Check bots and play games until interrupted; run it only once per league."""
    league = _leagues()(folder, database, waits=True)
    say_what_is_unprotected(league.conditions.limits)
    if not once:
        _keep_playing(threading.Event(), folder, database, options)
    with progress_bar() as progress:
        task = progress.add_task("playing", total=None)
        for _ in _games(league, options, once=True):
            progress.advance(task)
    echo(f"next: tkm report {league.games_of(league.store.season())}")


def _games(
    league: League, options: dict[str, Any], *, once: bool = False
) -> Iterator[dict[str, Any]]:
    from tkm_env.arena.league.playing import play

    _wait_for_database(league)

    def workers_for(tournament: Tournament, save: Path) -> Callable[[], Workers]:
        return pop_workers(
            {**options}, tournament.conditions, save, tournament.games, 2 * tournament.block
        )[0]

    yield from play(league, workers_for, once=once)


def _wait_for_database(league: League) -> None:
    """Wait until the database answers, since it may be started after the league."""
    said = False
    while True:
        try:
            league.store.check()
        except ConfigError as error:
            if not said:
                echo(f"waiting for the database: {error}", err=True)
                said = True
            time.sleep(_RETRY)
        else:
            return


def _play(folder: Path, database: str | None, options: dict[str, Any]) -> None:
    for _ in _games(_leagues()(folder, database, waits=True), options):
        pass


@command.command("serve")
@_folder
@_database
@_serve_options
def serve_command(
    folder: Path,
    database: str | None,
    host: str,
    port: int,
    allow_remote: bool,
    url: str | None,
    no_play: bool,
    **options: Any,
) -> None:
    """Serve the pages of the league in FOLDER, check bots and play games, until Ctrl-C.

    However it is ended, the same command resumes it; nothing is lost or played twice.
    """
    league = _leagues()(folder, database, waits=True)
    with extra("league"):
        from tkm_env.arena.league.app import new_app
        from tkm_env.web.request_checks import check_address, checked_public_url
        from tkm_env.web.web_server import WebServer
    url = None if url is None else checked_public_url(url)
    is_remote = check_address(host, allow_remote=allow_remote or url is not None)
    app = new_app(league, remote_name=host if is_remote and url is None else None, public_url=url)
    # The proxy's header says where a request comes from.
    proxy = (
        {} if url is None else {"trusted_proxy": "*", "trusted_proxy_headers": {"x-forwarded-for"}}
    )
    stopped = threading.Event()
    server = WebServer(app, host, port, 120.0, (league.rules.upload_mib + 1) << 20, **proxy)
    if not no_play:
        say_what_is_unprotected(league.conditions.limits)
        threading.Thread(
            target=_keep_playing, args=(stopped, folder, database, options), daemon=True
        ).start()
    echo(f"the league is at {url or server.url} (press Ctrl-C to stop)")
    try:
        server.run()
    finally:
        stopped.set()
        server.close()


@command.command("demo")
@_folder
@_serve_options
@click.pass_context
def demo_command(context: click.Context, /, folder: Path, **options: Any) -> None:
    """Make a new league of four players in FOLDER, and serve it."""
    _leagues().new(folder, "A league of four bots")
    echo(f"to take part, as ann: {_leagues()(folder, None).token('ann')}")
    context.invoke(serve_command, folder=folder, database=None, **options)


def _keep_playing(stopped: threading.Event, *what: Any) -> None:
    """Play in a separate process, and start another one whenever it ends, until it is stopped."""
    pool = ProcessPool(1, _play)
    while not stopped.is_set():
        pool.submit(None, *what)
        for _, outcome in pool.wait():
            if not stopped.is_set():
                echo(f"playing restarts in {_PAUSE:g} s: {outcome}", err=True)
        stopped.wait(_PAUSE)
