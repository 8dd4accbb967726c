"""``tkm mcp``: a game as tools for language models."""

from pathlib import Path
from typing import Any

import click

from tkm_env.cli.game_options import PlayersCommand, pop_game
from tkm_env.core.record_files import check_appendable, write_record
from tkm_env.foundations.errors import ConfigError, extra
from tkm_env.foundations.seeds import checked_secret, derived
from tkm_env.play.session import PERSON, RANDOM_SIDE, Session, settings_for_people
from tkm_env.players.roster import ROSTERS
from tkm_env.text.options import DEFAULT_OPTIONS, HISTORY, LEGAL, STYLES, TextOptions


@click.command("mcp", cls=PlayersCommand)
@click.option("--opponent", show_default="the weakest", help="An agent.")
@click.option(
    "--side",
    show_default="the first player",
    help=f"The model's side: one of the game's two players, or {RANDOM_SIDE}.",
)
@click.option("--position", help="The text of a position to start from.")
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="Seeds everything left to chance; drawn from the system by default.",
)
@click.option(
    "--save", type=click.Path(path_type=Path), help="A file to append the record of each game to."
)
@click.option(
    "--legal",
    type=click.Choice(LEGAL),
    default=DEFAULT_OPTIONS.legal,
    show_default=True,
    help="The legal turns.",
)
@click.option(
    "--history",
    type=click.Choice(HISTORY),
    default=DEFAULT_OPTIONS.history,
    show_default=True,
    help="What was played.",
)
@click.option(
    "--style",
    type=click.Choice(STYLES),
    default=DEFAULT_OPTIONS.style,
    show_default=True,
    help="Sentences, or facts only.",
)
@click.option(
    "--rename", type=click.IntRange(0), help="A seed: give pieces and words invented names."
)
@click.option(
    "--turned", type=click.IntRange(0), help="A seed: tell positions turned round or reflected."
)
@click.option("--eras", type=click.IntRange(0), help="A seed: list the eras in another order.")
@click.option("--layout", type=click.IntRange(0), help="A seed: write positions in another form.")
@click.option("--numbers", type=click.IntRange(0), help="A seed: give spaces other numbers.")
@click.option(
    "--trials",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="How many turns the model may try out before each of its turns, with the tool try_out.",
)
@click.option(
    "--name", default=PERSON, show_default=True, help="What records and reports call the model."
)
def command(
    opponent: str | None,
    side: str | None,
    position: str | None,
    seed: int | None,
    save: Path | None,
    trials: int,
    name: str,
    **options: Any,
) -> None:
    """Serve a game to a language model as tools of the Model Context Protocol.

    The client starts this command and speaks to it over standard input and output. The tools are
    new_game, rules, observe, legal_turns, play, resign and, with --trials, try_out. The opponent is
    an agent's name, listed below for each game, FILE.py:NAME or policy:FILE, with options after a
    colon: alphabeta:depth=3.
    """
    told = TextOptions(
        **{
            keyword: options.pop(keyword)
            for keyword in TextOptions.__dataclass_fields__
            if keyword in options
        }
    )
    spec, settings = pop_game(options)
    line = opponent or ROSTERS.of(spec).levels[0].player
    if line == PERSON:
        raise ConfigError("opponent", opponent, "it must be an agent")
    with extra("mcp"):
        from tkm_env.play.tool_server import ToolSession, tool_server
    if save is not None:
        check_appendable(save)
    secret = checked_secret(seed)

    def new_session(number: int) -> Session[Any]:
        game_seed = derived(secret, "game", number)
        given = settings_for_people(spec, settings, line)
        return Session(spec, given, opponent=line, side=side, seed=game_seed, position=position)

    tools = ToolSession(
        new_session,
        told,
        lambda record: None if save is None else write_record(save, record),
        trials,
        name,
    )
    try:
        tool_server(tools, told).run("stdio")
    except Exception as error:  # a group, with the error of each task that failed
        raise _system_error_in(error) or error from None
    finally:
        tools.close()


def _system_error_in(error: BaseException) -> OSError | None:
    """The first system error in a group of exceptions; None if there is none.

    Such an error says, for example, that the client has gone.
    """
    if isinstance(error, OSError):
        return error
    return next(filter(None, map(_system_error_in, getattr(error, "exceptions", ()))), None)
