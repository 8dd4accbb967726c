"""``tkm play``: a person against an agent or another person."""

import json
import webbrowser
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from tkm_env.cli.console import PlainConsole, echo
from tkm_env.cli.game_options import PlayersCommand, pop_game
from tkm_env.core.record_files import check_appendable, read_records, write_record
from tkm_env.core.registry import GameSpec, default_game
from tkm_env.foundations.errors import FileError, extra, repr_of
from tkm_env.play.adapter import ADAPTERS
from tkm_env.play.explorer import Explorer
from tkm_env.play.invitations import Invitation, Seat, link_of
from tkm_env.play.kept_games import KeptGame, KeptGames
from tkm_env.play.match_file import MatchFile
from tkm_env.play.opened_records import session_of_record
from tkm_env.play.session import PERSON, RANDOM_SIDE, Session, settings_for_people
from tkm_env.play.terminal import learn_in_terminal, play_in_terminal
from tkm_env.players.roster import ROSTERS


def _check_host(context: click.Context, parameter: click.Parameter, host: str) -> str:
    """Refuse what is not a host name, and so cannot be looked up."""
    try:
        host.encode("idna")
    except UnicodeError as error:
        raise click.BadParameter(f"{repr_of(host)} is not a host name") from error
    return host


@click.command("play", cls=PlayersCommand)
@click.argument("record", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--line",
    type=click.IntRange(1),
    help="With RECORD: the line of the game, in a file of several.",
)
@click.option(
    "--ply",
    type=click.IntRange(0),
    show_default="all",
    help="With RECORD: how many actions have been played.",
)
@click.option(
    "--continue",
    "continues",
    is_flag=True,
    help="Continue the latest game that was left before its end.",
)
@click.option(
    "--opponent",
    show_default="the weakest",
    help=f"An agent, or {PERSON}: another person at the same screen.",
)
@click.option(
    "--side",
    show_default="the first player",
    help=f"The name of one of the game's two players, or {RANDOM_SIDE}.",
)
@click.option("--position", help="The text of a position to start from.")
@click.option(
    "--clock",
    metavar="TIME",
    help="With --browser: minutes for each player, and seconds added after each turn: 10+5.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="Seeds everything left to chance; drawn from the system by default.",
)
@click.option(
    "--match",
    metavar="NAME",
    help="Several games in a row, if the game has such matches: series or campaign.",
)
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    help=(
        "A file to append the game's record to when you stop; with --match, the file that keeps "
        "the match, to continue it."
    ),
)
@click.option(
    "--learn",
    is_flag=True,
    help="In the terminal: small lessons, and puzzles for every set of chapters.",
)
@click.option("--browser", is_flag=True, help="Play on a page that this machine serves.")
@click.option(
    "--watch",
    metavar="AGENT",
    help="With --browser: an agent in your place, to watch two agents play.",
)
@click.option(
    "--records",
    type=click.Path(exists=True, path_type=Path),
    help="With --browser: a file or folder of game records, to see what was played in a position.",
)
@click.option(
    "--invite",
    is_flag=True,
    help=(
        "With --browser: play with somebody elsewhere. Prints a link for each of you, and one for "
        "spectators; nobody else is let in. The same command continues the game."
    ),
)
@click.option("--no-open", is_flag=True, help="With --browser: only print the page's address.")
@click.option(
    "--host",
    callback=_check_host,
    default="127.0.0.1",
    show_default=True,
    help="With --browser: the address to listen on.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    show_default="8734 or, if that is taken, a free one",
    help="With --browser: the port; 0 for a free one.",
)
@click.option(
    "--allow-remote",
    is_flag=True,
    help=(
        "With --host: let other machines reach the page; anyone who can reach it can play, "
        "unless you --invite."
    ),
)
@click.option(
    "--url",
    metavar="URL",
    help="With --invite: the address by which others reach the page, if a tunnel leads to it.",
)
def command(
    record: Path | None,
    line: int | None,
    ply: int | None,
    continues: bool,
    opponent: str | None,
    match: str | None,
    save: Path | None,
    learn: bool,
    browser: bool,
    watch: str | None,
    records: Path | None,
    invite: bool,
    no_open: bool,
    url: str | None,
    **options: Any,
) -> None:
    """Play in the terminal, or with --browser on a page.

    With RECORD, a file that Save wrote or of a match, the game in it is opened, to play on.

    The opponent is an agent's name, listed below for each game, FILE.py:NAME or policy:FILE, with
    options after a colon: alphabeta:depth=3, mcts:seconds=0.5; or cmd:COMMAND, a program that
    speaks the protocol of docs/protocol.md.
    """
    reach = {keyword: options.pop(keyword) for keyword in ("host", "port", "allow_remote")}
    chosen: dict[str, Any] = {
        keyword: options.pop(keyword) for keyword in ("side", "seed", "position", "clock")
    } | {"match": match, "watch": watch}
    spec, settings = pop_game(options)
    if learn and browser:
        raise click.UsageError("--learn is for the terminal; the page has it as a button")
    if not browser and (watch is not None or records is not None):
        raise click.UsageError("--watch and --records are for the page: add --browser")
    if not browser and (invite or chosen["clock"] is not None):
        raise click.UsageError("--invite and --clock are for the page: add --browser")
    if invite and (opponent, watch, records, record) != (None, None, None, None):
        raise click.UsageError(
            "with --invite two people play from the start: leave --opponent, --watch, --records "
            "and RECORD out"
        )
    if url is not None and not invite:
        raise click.UsageError("--url is for the links of --invite")
    if url is not None:
        with extra("play"):
            from tkm_env.web.request_checks import checked_public_url
        url = checked_public_url(url)
    if learn:
        return learn_in_terminal(spec, PlainConsole())
    kept = KeptGames.of_user()
    given = [value for value in (*settings.values(), *chosen.values()) if value is not None]
    if (record is not None or continues) and (given or (record is not None and continues)):
        raise click.UsageError(
            "RECORD and --continue bring their own settings; only --opponent can be given with them"
        )
    if record is None and (line is not None or ply is not None):
        raise click.UsageError("--line and --ply need RECORD")
    invitation: Invitation | None = None
    new_session: Callable[[], Session[Any]]
    if record is not None:
        new_session = partial(_opened, record, line, ply, opponent)
    elif continues:
        game = _latest(kept, is_invited=invite)
        invitation = kept.invitation(game.id) if browser else None
        new_session = partial(_continued, kept, game, opponent)
    elif invite:
        if match is not None and save is not None:
            raise click.UsageError("an invitation keeps its match by itself: leave --save out")
        invitation, new_session = _invited(kept, spec, settings, chosen)
    elif match is not None and save is not None:
        if (chosen.pop("watch"), chosen.pop("clock")) != (None, None):
            raise click.UsageError(
                "a match in a file needs a person, and has no clock: leave --watch and --clock out"
            )
        new_session = partial(MatchFile(save).session, spec, settings, opponent=opponent, **chosen)
    else:
        opponent = opponent or ROSTERS.of(spec).levels[0].player
        new_session = partial(
            Session,
            spec,
            settings_for_people(spec, settings, opponent),
            opponent=opponent,
            **chosen,
        )
    if save is not None and match is None:
        check_appendable(save)
    session: Session[Any] | None = None
    try:
        if browser:
            with extra("play"):
                from tkm_env.play.server import serve
            ready = partial(_show_page, opens=not no_open)
            if invitation is not None:
                ready = partial(_show_invitation, invitation, url, opens=not no_open)
                reach |= {"invitation": invitation, "public_url": url}
            explorer = None if records is None else Explorer(records)
            if explorer is not None:
                explorer.start()
            session = serve(new_session, ready=ready, kept=kept, explorer=explorer, **reach)
        else:
            session = new_session()
            if kept.is_unused and ADAPTERS.of(session.spec).exercises():
                echo(
                    f"New to the game? {_learn(session.spec)} teaches it in a few small positions."
                )
            session = play_in_terminal(session, PlainConsole(), kept=kept)
        if session is not None and not session.is_over:
            if invitation is not None and not kept.problem:
                echo("the same command continues this game, with the same links")
            elif session.is_begun and not kept.problem:
                echo("tkm play --continue continues this game")
            echo(f"left at: {session.game.visible_position}")
        if match is not None and save is not None and save.exists():
            echo(f"the finished games are kept in {save}; the same command continues the match")
    finally:  # even if the opponent fails, or Ctrl-C is pressed while it thinks
        if save is not None and match is None and session is not None and session.is_begun:
            _save(save, session.to_record())


def _learn(spec: GameSpec) -> str:
    """The command that offers the lessons of a game."""
    return "tkm play --learn" + ("" if spec.name == default_game() else f" --game {spec.name}")


def _opened(file: Path, line: int | None, ply: int | None, opponent: str | None) -> Session[Any]:
    """A session of a game in a file of records."""
    records = dict(read_records(file))
    if not records:
        raise FileError(file, "it has no game")
    if line is None and len(records) > 1:
        raise FileError(file, f"it has {len(records)} games; choose one by --line")
    if line is not None and line not in records:
        raise FileError(file, f"line {line} has no game; the last one is on line {max(records)}")
    record = records[line] if line is not None else next(iter(records.values()))
    return session_of_record(record, ply, opponent=opponent)


def _latest(kept: KeptGames, *, is_invited: bool) -> KeptGame:
    """The latest game that was not finished; if so asked, one over an invitation."""
    for game in kept.all():
        if not is_invited or kept.invitation(game.id) is not None:
            return game
    raise click.UsageError("there is no game to continue")


def _continued(kept: KeptGames, game: KeptGame, opponent: str | None) -> Session[Any]:
    """The session of a game that was not finished."""
    session = kept.session(game.id, () if opponent is None else (opponent,))
    if opponent not in (None, session.asked["opponent"]):
        raise click.UsageError(f"the game to continue is against {session.asked['opponent']}")
    return session


def _invited(
    kept: KeptGames, spec: GameSpec, settings: Mapping[str, Any], chosen: Mapping[str, Any]
) -> tuple[Invitation, Callable[[], Session[Any]]]:
    """The invitation of the game that the same command left, or a new one; and the game."""
    given = {name: value for name, value in {**settings, **chosen}.items() if value is not None}
    asked = {"game": spec.name, **given}
    for game in kept.all():
        invitation = kept.invitation(game.id)
        if invitation is not None and invitation.asked == asked:
            echo(f"continuing a game: {game.label}; its links are the same as before")
            return invitation, partial(kept.session, game.id, {*map(str, given.values())})
    session = partial(
        Session, spec, settings_for_people(spec, settings, PERSON), opponent=PERSON, **chosen
    )
    return Invitation.drawn(asked), session


def _save(save: Path, record: Mapping[str, Any]) -> None:
    """Save a game, or at least print its record."""
    try:
        write_record(save, record)
    except FileError:
        echo("the game cannot be saved; this is its record:", err=True)
        echo(json.dumps(record))
        raise


def _show_page(url: str, *, opens: bool) -> None:
    echo(f"playing at {url} until Ctrl-C is pressed")
    if opens:
        webbrowser.open(url)


def _show_invitation(
    invitation: Invitation, public_url: str | None, url: str, *, opens: bool
) -> None:
    own, there = link_of(url, invitation.codes[Seat.HOST]), public_url or url
    echo(f"playing at {url} until Ctrl-C is pressed")
    echo(f"your link:       {own}")
    echo(f"your opponent's: {link_of(there, invitation.codes[Seat.GUEST])}")
    echo(f"for spectators:  {link_of(there, invitation.codes[Seat.SPECTATOR])}")
    echo("Whoever has a link can take its seat, and nobody else is let in.")
    address = urlsplit(url)
    if public_url is None and address.hostname in ("localhost", "127.0.0.1", "::1"):
        echo(
            "These links work on this machine only. To let others in, add --host ADDRESS "
            "--allow-remote, in a network of your own; or lead a tunnel here, such as "
            f"ssh -R {address.port}:localhost:{address.port} SERVER, and name its address by --url."
        )
    if not there.startswith("https:"):
        echo("The page is plain HTTP: whoever can read the traffic can read the links.")
    if opens:
        webbrowser.open(own)
