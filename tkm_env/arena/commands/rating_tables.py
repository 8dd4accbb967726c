"""Tables of results that several commands print: standings, ratings and faults."""

from collections.abc import Iterable
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.table import Table

from tkm_env.arena.event_table import EventTable
from tkm_env.arena.match import Standing
from tkm_env.arena.rating import Ratings
from tkm_env.arena.report.report import Conduct
from tkm_env.arena.report.short_names import short_names
from tkm_env.cli.console import PlainConsole

#: The width of a table of ratings without the players' names.
_BESIDE_NAMES: Final = 60
#: The width of a table of standings without the two players' names.
_BESIDE_TWO: Final = 30


def print_ratings(
    console: PlainConsole, title: str, ratings: Ratings, anchor: tuple[str, float] | None
) -> None:
    """Print ratings, from the best player to the worst, group by group.

    Args:
        console: where to print them.
        title: what was rated.
        ratings: the ratings.
        anchor: the player whose rating is fixed, and that rating; None if the mean is 0.
    """
    players = [rating.player for rating in ratings.players]
    short = print_short_names(console, players, max(16, console.width - _BESIDE_NAMES))
    title = f"{title}: {ratings.games:g} games"
    is_anchored = anchor is not None and anchor[0] in short
    if anchor is not None and is_anchored:
        title += f"; {short[anchor[0]]} is {anchor[1]:g}"
    elif not ratings.origin:
        title += "; the mean is 0"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("", justify="right")
    table.add_column("player")
    for head in ("Elo", "games", "score", "ahead of the next"):
        table.add_column(head, justify="right")
    parts = ratings.parts
    for part, below in zip(parts, [*parts[1:], None], strict=True):
        rows = part.ratings
        for rating, following in zip(rows, [*rows[1:], None], strict=True):
            if following is not None:
                lead = ratings.difference(rating.player, following.player).with_margin("+")
            else:
                gap = None if below is None else below.gap
                lead = "" if gap is None else f"at least {gap:+.0f}"
            share = f"{rating.points / rating.games:.1%}"
            table.add_row(
                f"{ratings.rank(rating.player)}",
                short[rating.player],
                rating.elo.with_margin(),
                f"{rating.games:g}",
                share,
                lead,
            )
        table.add_section()
    console.print(table)
    first_move, draws = ratings.first_move.with_margin("+"), f"{ratings.draws.share:.1%}"
    console.print(
        f"± is half a 95% interval; first move {first_move} Elo; draws between equals {draws}"
    )
    if not is_anchored and ratings.origin:
        console.print(ratings.origin)
    for part in parts[1:]:
        console.print(f"Above {short[part.ratings[0].player]}: {part.why}", soft_wrap=True)
    if not ratings.converged:
        console.print("The fit did not converge: these ratings are not the most likely ones.")


def print_event(console: PlainConsole, event: EventTable) -> None:
    """Print the table of a tournament in rounds, in the order of that event.

    Args:
        console: where to print it.
        event: the table.
    """
    short = print_short_names(
        console, [row.player for row in event.rows], max(16, console.width - _BESIDE_NAMES)
    )
    title = "the tournament" if event.is_over else "the tournament so far"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("", justify="right")
    for head in ("player", *event.columns):
        table.add_column(head)
    for rank, player, cells in event.rows:
        table.add_row(f"{rank}", short[player], *cells)
    console.print(table)
    console.print(event.how, soft_wrap=True)


def show_standings(console: PlainConsole, rows: tuple[Standing, Standing]) -> None:
    """Print the standings of a match: a column for each player, then faults.

    Args:
        console: where to print them.
        rows: the standings of both players.
    """
    lines = [row.player for row in rows]
    if lines[0] == lines[1]:
        lines = [
            f"{line} ({which})" for line, which in zip(lines, ("first", "second"), strict=True)
        ]
    names = print_short_names(console, lines, max(24, (console.width - _BESIDE_TWO) // 2)).values()
    first = rows[0]
    title = f"{first.games} games, {first.turns:.1f} turns each on average"
    if unfinished := sum(first.pairs.single):
        title += f"; {unfinished} of them without their pair"
    table = Table("", title=title, title_justify="left")
    for name in names:
        table.add_column(name, justify="right")
    counts = [
        {**row.by_side, "all": tuple(map(sum, zip(*row.by_side.values(), strict=True)))}
        for row in rows
    ]
    for side in counts[0]:
        table.add_row(
            side if side == "all" else f"as {side}",
            *("+{} ={} −{}".format(*each[side]) for each in counts),
        )
    table.add_row("score (95% interval)", *(str(row.score) for row in rows))
    table.add_row("Elo (95% interval)", *(str(row.pairs.elo) for row in rows))
    table.add_row("ms per decision", *(f"{1000 * row.seconds:.3f}" for row in rows))
    console.print(table)
    if first.repeated:
        console.print(
            "Games that repeat earlier ones, and so are no new evidence, are not counted: "
            f"{first.repeated}.",
            soft_wrap=True,
        )
    for line in filter(None, map(describe_faults, rows)):
        console.print(line, soft_wrap=True)


def print_short_names(console: PlainConsole, players: list[str], width: int) -> dict[str, str]:
    """Shorten names for a table, and print what the short ones stand for.

    Args:
        console: where to print.
        players: the players' lines.
        width: the most characters of a name.

    Returns:
        The names, by player.
    """
    short = dict(zip(players, short_names(players, width), strict=True))
    for player, name in short.items():
        if name != player:
            console.print(f"{name} is {player}", soft_wrap=True)
    return short


def describe_faults(row: Standing | Conduct) -> str:
    """Describe a player's faults in a sentence; empty if there are none."""
    parts = [f"{count} by {kind}" for kind, count in sorted(row.faults.items())]
    if row.failed_starts:
        parts.append(f"{row.failed_starts} without having started")
    return f"{row.player} lost {', '.join(parts)}" if parts else ""


def print_growing(console: PlainConsole, paths: Iterable[str]) -> None:
    """Print which files have an incomplete last line, which was skipped.

    Args:
        console: where to print.
        paths: the files.
    """
    for path in paths:
        console.print(
            f"{path}: its last line is still being written and was skipped", soft_wrap=True
        )
