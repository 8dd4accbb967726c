"""The pictures of the paper, from the figures of the pages. Needs matplotlib and ``[render]``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colors, pyplot
from matplotlib.axes import Axes
from pictures import PICTURES

from tkm_env import POWERS
from tkm_env.render.raster import png

DOCS = Path(__file__).parents[1]
_STYLE = {
    "font.family": "serif",
    "font.serif": ["STIXGeneral"],
    "mathtext.fontset": "stix",
    "font.size": 8,
    "axes.titlesize": 8,
    "legend.fontsize": 7,
    "lines.linewidth": 1,
    "lines.markersize": 3,
    "axes.linewidth": 0.6,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "savefig.facecolor": "white",
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,
}
#: The width of a column, in inches.
_COLUMN = 3.24
#: Positions, by the names of their pictures in the paper.
_BOARDS = {"board-start": "start", "board-chapters": "pieces"}


def _read(name: str) -> Any:
    return json.loads((DOCS / name).read_text("utf-8"))


def _settings(figures: dict[str, Any], player: str) -> dict[str, dict[str, Any]]:
    """The figures of a player's games, by chapters."""
    beginning = f"{player} in "
    return {
        name.removeprefix(beginning): found
        for name, found in figures.items()
        if name.startswith(beginning)
    }


def _label(chapters: str) -> str:
    """A set of chapters in letters: G, I and M."""
    return (
        "standard"
        if chapters == "standard"
        else chapters
        if "+" not in chapters
        else "+".join(name[0].upper() for name in chapters.split("+"))
    )


def lengths(axes: Axes) -> None:
    """How long games are: the middle 80% and the median."""
    found = _settings(_read("the_game.json"), "alphabeta:depth=3")
    places = np.arange(len(found))[::-1]
    short, middle, long = np.array([each["turns"] for each in found.values()]).T
    axes.hlines(places, short, long, color="C0", linewidth=4, alpha=0.45)
    axes.plot(middle, places, "o", color="C0")
    for place, each in zip(places, found.values(), strict=True):
        axes.annotate(
            f"{each['undecided']:.0%}",
            (1, place),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="center",
            fontsize=7,
        )
    axes.set_yticks(places, map(_label, found))
    axes.set(xlabel="turns of both sides", xlim=(0, 225))


def first_move(axes: Axes) -> None:
    """White's share of the points, by chapters and player."""
    figures = _read("the_game.json")
    players = dict.fromkeys(name.partition(" in ")[0] for name in figures if " in " in name)
    for number, player in enumerate(players):
        found = _settings(figures, player)
        places = np.arange(len(found))[::-1] + 0.22 * (1 - number)
        share, low, high = 100 * np.array([each["white"] for each in found.values()]).T
        axes.errorbar(
            share,
            places,
            xerr=(share - low, high - share),
            fmt="o",
            color=f"C{number}",
            elinewidth=0.8,
            label=player,
        )
        axes.set_yticks(np.arange(len(found))[::-1], map(_label, found))
    axes.axvline(50, color="0.5", linewidth=0.6)
    axes.set(xlabel="White's share of the points, %")
    axes.legend(
        frameon=False,
        loc="lower center",
        bbox_to_anchor=(0.4, 1),
        ncols=3,
        columnspacing=1,
        handletextpad=0.2,
    )


def endgames(axes: Axes) -> None:
    """How long solved endgames last."""
    turns = _read("the_game.json")["endgames"]["turns"]
    for first, label, color in ((1, "the side to act wins", "C0"), (2, "it loses", "C1")):
        numbers = range(first, len(turns), 2)
        axes.bar(numbers, [turns[number] for number in numbers], color=color, label=label)
    axes.set(xlabel="turns to the end, counted over both sides", ylabel="positions", yscale="log")
    axes.legend(frameon=False)


def from_nothing(axes: Axes) -> None:
    """Scores over the CPU minutes of a training: the mean of the seeds, and their range."""
    for number, found in enumerate(_read("from_nothing.json")["methods"].values()):
        curves = [seed["curve"] for seed in found["seeds"].values()]
        minutes = [point["minutes"] for point in curves[0]]
        scores = 100 * np.array([[point["score"]["share"] for point in curve] for curve in curves])
        axes.plot(minutes, scores.mean(0), "o-", color=f"C{number}", label=found["title"])
        axes.fill_between(
            minutes, scores.min(0), scores.max(0), color=f"C{number}", alpha=0.2, lw=0
        )
    axes.set(xlabel="CPU minutes of training", ylabel="score against the panel, %", xlim=(0, None))
    axes.set(ylim=(0, 100))
    axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.45, 1), ncols=2)


def networks(axes: Axes) -> None:
    """Scores of the package's networks in training, over the games they have played."""
    for number, (name, found) in enumerate(_curves().items()):
        games = [point["games"] / 1000 for point in found]
        last = [point["ratings"][-1] for point in found]
        scores = 100 * np.array([[each["score"], each["low"], each["high"]] for each in last])
        axes.plot(games, scores[:, 0], "o-", color=f"C{number}", label=name)
        axes.fill_between(games, *scores[:, 1:].T, color=f"C{number}", alpha=0.12, lw=0)
    axes.set(xlabel="thousands of games", ylabel="score, %", xlim=(0, None))
    axes.legend(frameon=False, loc="lower right", ncols=2)


def _curves() -> dict[str, list[dict[str, Any]]]:
    return {
        name.removeprefix("curve "): found["curve"]
        for name, found in _read("learning.json").items()
        if name.startswith("curve ")
    }


def powers(axes: Axes) -> None:
    """Each power's share of the points against each other one, strongest first."""
    figures, names = _read("the_game.json"), [power.name for power in POWERS]
    shares = np.full((len(names), len(names)), np.nan)
    for row, one in enumerate(names):
        for column, other in enumerate(names):
            if found := figures.get(f"powers {one} {other}"):
                shares[row, column], shares[column, row] = found[0], 1 - found[0]
    order = np.argsort(-np.nanmean(shares, 1))
    low, high, *_ = pyplot.rcParams["axes.prop_cycle"].by_key()["color"]
    scale = colors.LinearSegmentedColormap.from_list("shares", [high, "white", low])
    image = axes.imshow(100 * shares[np.ix_(order, order)], cmap=scale, vmin=0, vmax=100)
    ordered = [names[number] for number in order]
    axes.set_xticks(range(len(names)), ordered, rotation=90, fontsize=6)
    axes.set_yticks(range(len(names)), ordered, fontsize=6)
    axes.tick_params(length=0)
    axes.figure.colorbar(image, ax=axes, shrink=0.7, label="share of the points, %")


def coverage(axes: Axes) -> None:
    """The lowest and the mean coverage of a score's interval, by the number of pairs."""
    found = {
        int(name.split()[2]): each
        for name, each in _read("intervals.json").items()
        if name.startswith("score of ")
    }
    labels = {"-1": "one-sided starts", "0": "independent games", "1": "both games end alike"}
    for number, (key, label) in enumerate(labels.items()):
        for what, line in (("lowest", "o-"), ("mean", "o:")):
            values = [100 * each[key][what] for each in found.values()]
            axes.plot([*found], values, line, color=f"C{number}", label=label * (what == "lowest"))
    axes.axhline(95, color="0.5", linewidth=0.6)
    axes.set(xlabel="pairs of games", ylabel="coverage, %", xscale="log")
    axes.set_xticks([*found], map(str, found))
    axes.minorticks_off()
    axes.legend(frameon=False, loc="lower right")


#: The drawings, each with its height in inches.
_DRAWINGS: dict[str, tuple[Callable[[Axes], None], float]] = {
    "lengths": (lengths, 1.9),
    "first-move": (first_move, 2.6),
    "endgames": (endgames, 1.7),
    "from-nothing": (from_nothing, 2.7),
    "networks": (networks, 2.1),
    "powers": (powers, 2.9),
    "coverage": (coverage, 2.1),
}


def draw(name: str, folder: Path) -> None:
    """Draw a picture of the paper.

    Args:
        name: the name, as in `names`.
        folder: where the file is written.
    """
    if board := _BOARDS.get(name):
        (folder / f"{name}.png").write_bytes(png(PICTURES[board].draw()))
        return
    drawing, height = _DRAWINGS[name]
    with pyplot.style.context([DOCS / "plots.mplstyle", _STYLE]):
        figure, axes = pyplot.subplots(figsize=(_COLUMN, height))
        drawing(axes)
        figure.savefig(folder / f"{name}.pdf", metadata={"CreationDate": None})
        pyplot.close(figure)


def names() -> list[str]:
    """The names of all pictures that can be drawn."""
    return [*_BOARDS, *_DRAWINGS]
