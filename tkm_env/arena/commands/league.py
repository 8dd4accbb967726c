"""``tkm league``: a league that runs by itself, with pages for its participants."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from tkm_env.arena.commands.match_options import (
    pop_workers,
    say_what_is_unprotected,
    workers_options,
)
from tkm_env.arena.playing.process_pool import ProcessPool
from tkm_env.arena.playing.workers import Workers
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.cli.console import echo
from tkm_env.cli.options import FILE, INPUT, with_options
from tkm_env.cli.progress import progress_bar
from tkm_env.foundations.errors import ConfigError, extra

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
def token_command(folder: Path, names: tuple[str, ...], database: str | None) -> None:
    """Print a token for each of NAMES, with which the person of that name takes part.

    A new token replaces the previous one.
    """
    league = _leagues()(folder, database)
    for name in names:
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
        f"season {before.number} is {before.phase}; then season {after.number} is {after.phase}: "
        f"{words}"
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
def restore_command(file: Path, folder: Path, database: str | None) -> None:
    """Restore the league in FILE, a backup, to a new FOLDER.

    If a database is named, its present content is replaced.
    """
    _leagues().restore(file, folder, database)
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
        _keep_playing(folder, database, options)
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
        from tkm_env.web.request_checks import check_address
        from tkm_env.web.web_server import WebServer
    is_remote = check_address(host, allow_remote=allow_remote or url is not None)
    app = new_app(league, remote_name=host if is_remote and url is None else None, public_url=url)
    # The proxy's header says where a request comes from.
    proxy = (
        {} if url is None else {"trusted_proxy": "*", "trusted_proxy_headers": {"x-forwarded-for"}}
    )
    server = WebServer(app, host, port, 120.0, (league.rules.upload_mib + 1) << 20, **proxy)
    if not no_play:
        say_what_is_unprotected(league.conditions.limits)
        threading.Thread(
            target=_keep_playing, args=(folder, database, options), daemon=True
        ).start()
    echo(f"the league is at {url or server.url} (press Ctrl-C to stop)")
    try:
        server.run()
    finally:
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


def _keep_playing(*what: Any) -> NoReturn:
    """Play in a separate process, and start another one whenever it ends."""
    pool = ProcessPool(1, _play)
    while True:
        pool.submit(None, *what)
        for _, outcome in pool.wait():
            echo(f"playing restarts in {_PAUSE:g} s: {outcome}", err=True)
        time.sleep(_PAUSE)
