"""The table of ratings that commands show."""

from __future__ import annotations

from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tkm_env.arena.names import short_names
from tkm_env.arena.rating import Ratings
from tkm_env.arena.score import Elo

#: What a table needs besides the players' names.
_BESIDE_NAMES: Final = 56


def show_ratings(console: Console, title: str, ratings: Ratings, anchor: tuple[str, float] | None) -> None:
    """Players from the best to the worst, group by group, and what the games say about the first move and draws."""
    lines = [rating.player for rating in ratings.players]
    short = dict(zip(lines, short_names(lines, max(16, console.width - _BESIDE_NAMES)), strict=True))
    for line, name in short.items():
        if name != line:
            console.print(Text(f"{name} is {line}"), soft_wrap=True)
    anchored = anchor is not None and anchor[0] in lines
    origin = f"{short[anchor[0]]} is {anchor[1]:g}" if anchored and anchor is not None else "the mean is 0"
    table = Table(title=Text(f"{title}: {ratings.games:g} games; {origin}"), title_justify="left", box=SIMPLE_HEAD)
    table.add_column("player")
    for head in ("Elo", "games", "score", "ahead of the next"):
        table.add_column(head, justify="right")
    for group in ratings.groups:
        rows = [rating for rating in ratings.players if rating.player in group]
        for rating, following in zip(rows, [*rows[1:], None], strict=True):
            lead = "" if following is None else _shown(ratings.difference(rating.player, following.player), "+")
            share = f"{rating.points / rating.games:.1%}"
            table.add_row(Text(short[rating.player]), _shown(rating.elo), f"{rating.games:g}", share, lead)
        table.add_section()
    console.print(table)
    console.print(
        f"± is half a 95% interval; first move {_shown(ratings.first_move, '+')} Elo; draws between equals {ratings.draws.share:.1%}"
    )
    if len(ratings.groups) > 1:
        console.print("An empty line divides players whom no games connect: their ratings cannot be compared.")
    if not ratings.converged:
        console.print("The fit did not converge: these ratings are not the most likely ones.")


def _shown(elo: Elo, sign: str = "-") -> str:
    """Elo and half the width of its interval, which is symmetric."""
    return f"{round(elo.estimate):{sign}} ±{elo.high - elo.estimate:.0f}"
