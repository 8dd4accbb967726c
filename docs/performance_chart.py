"""``docs/pictures/performance.svg``: the speed of this package and of others."""

from __future__ import annotations

import json
import math
import statistics
from html import escape

from palette import PALETTE
from performance_page import FIGURES, short

#: The rows that are shown, by group, each with its label; labels of this package say "this game".
ROWS = {
    "Many games at once": {
        "batch/standard": "this game, one core",
        "batch/three-chapters-powers": "this game, all chapters and powers, one core",
        "pgx/connect_four/1024": "pgx: Connect Four, as many cores as XLA takes",
        "pgx/animal_shogi/1024": "pgx: Animal Shogi, as many cores as XLA takes",
    },
    "Gymnasium, many games, one core": {
        "vector/random": "this game, with an opponent who answers",
        "sync/nothing/4096": "SyncVectorEnv over environments that do nothing",
    },
    "PettingZoo, one game": {
        "aec/raw": "this game",
        "pettingzoo/tictactoe/raw": "tic-tac-toe",
        "pettingzoo/connect_four/raw": "Connect Four",
        "pettingzoo/chess/raw": "chess",
    },
}
_WIDTH, _LEFT, _RIGHT = 620, 14, 606
_DECADES = range(3, 8)  # from 1,000 to 10 million


def _x(figure: float) -> float:
    share = (math.log10(figure) - _DECADES[0]) / (_DECADES[-1] - _DECADES[0])
    return _LEFT + share * (_RIGHT - _LEFT)


def performance_chart() -> str:
    """The chart in the light theme: the median of each row as a dot, its range as a line."""
    rounds = {row["name"]: row["rounds"] for row in json.loads(FIGURES.read_text("utf-8"))["rows"]}
    colours, drawn, y = PALETTE["light"], [], 0

    def write(words: str, x: float, style: str = "", colour: str = "ink") -> None:
        drawn.append(
            f'<text x="{x:.4g}" y="{y}" fill="{colours[colour]}"{style}>{escape(words)}</text>'
        )

    for group, rows in ROWS.items():
        y += 34
        write(group, _LEFT, ' font-weight="700"')
        for name, called in rows.items():
            figures, colour = rounds[name], "target" if called.startswith("this game") else "active"
            y += 24
            write(called, _LEFT)
            write(
                f"{short(statistics.median(figures))}/s",
                _RIGHT,
                ' text-anchor="end" font-weight="600"',
            )
            y += 11
            line = f'<path d="M{_LEFT} {y}H{_RIGHT}" stroke="{colours["rule"]}"/>'
            begin, end, middle = (
                f"{_x(figure):.4g}"
                for figure in (min(figures), max(figures), statistics.median(figures))
            )
            stroke = colours[colour]
            span = f'<path d="M{begin} {y}H{end}" stroke="{stroke}" stroke-width="5"/>'
            dot = f'<circle cx="{middle}" cy="{y}" r="6" fill="{stroke}"/>'
            drawn += [line, span, dot]
    grid = "".join(f'<path d="M{_x(10**decade):.4g} 44V{y + 8}"/>' for decade in _DECADES)
    y += 26
    for decade in _DECADES:
        anchor = {_DECADES[0]: "start", _DECADES[-1]: "end"}.get(decade, "middle")
        write(
            f"{short(10**decade)}".replace(".00", "").replace(".0", ""),
            _x(10**decade),
            f' text-anchor="{anchor}" font-size="13"',
            "faint",
        )
    y += 20
    write("steps per second, each mark ten times the last", _LEFT, ' font-size="13"', "faint")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y + 14}" '
        f'width="{_WIDTH}" height="{y + 14}" '
        f'font-family="system-ui, sans-serif" font-size="15" fill="none" stroke-linecap="round">'
        f'<rect width="{_WIDTH}" height="{y + 14}" rx="12" fill="{colours["ground"]}"/>'
        f'<g stroke="{colours["rule"]}" stroke-dasharray="1 5">{grid}</g>{"".join(drawn)}</svg>\n'
    )
