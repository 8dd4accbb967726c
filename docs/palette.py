"""The colours of the site and its plots: those of the play page and the drawings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tkm_env.render.canvas import THEMES

_PAGE = Path(__file__).parents[1] / "tkm_env" / "play" / "page" / "page.css"


def _of_page() -> dict[str, dict[str, str]]:
    """The variables of the page, in its light and its dark theme."""
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#\w+)", block))
        for block in re.findall(r":root[^{]*\{(.*?)\}", _PAGE.read_text("utf-8"), re.S)[:2]
    )
    return {"light": light, "dark": dark}


#: The colours by name, in each theme.
PALETTE: Mapping[str, Mapping[str, str]] = {
    theme: {**THEMES[theme], **colours} for theme, colours in _of_page().items()
}
#: The colours of a plot's series, in this order: names whose colours differ between the themes, and
#: that colour-blind readers can tell apart.
SERIES = ("target", "active", "mark", "leaf", "faint")

#: The variables of the theme of the site, and the colours that they get.
_VARIABLES = {
    "ground": ("background-primary", "background-hover--transparent"),
    "panel": (
        "background-secondary",
        "background-item",
        "card-background",
        "code-background",
        "inline-code-background",
        "admonition-background",
    ),
    "rule": ("background-border", "foreground-border", "card-border", "background-hover"),
    "ink": ("foreground-primary", "code-foreground"),
    "faint": ("foreground-secondary", "foreground-muted"),
    "target": ("brand-primary",),
    "mark": ("problematic",),
}


def site_variables(theme: str) -> dict[str, str]:
    """The variables of the site's theme, which are CSS."""
    colours = PALETTE[theme]
    # Small text needs more contrast.
    link = f"color-mix(in srgb, {colours['target']} 85%, {colours['ink']})"
    return {
        **{
            f"color-{variable}": colours[name]
            for name, variables in _VARIABLES.items()
            for variable in variables
        },
        **dict.fromkeys(("color-brand-content", "color-brand-visited"), link),
        "font-stack": "system-ui, sans-serif",
    }


def darkened(svg: str) -> str:
    """A plot in the colours of the dark theme."""
    dark = {
        PALETTE["light"][name]: PALETTE["dark"][name]
        for name in ("ground", "panel", "ink", "faint", "rule", *SERIES)
    }
    return re.sub(r"#[0-9a-f]{6}\b", lambda found: dark.get(found[0], found[0]), svg)


def plot_style() -> str:
    """``docs/plots.mplstyle``: how matplotlib draws in the light theme."""
    colours = {name: colour.removeprefix("#") for name, colour in PALETTE["light"].items()}
    inked = ("text.color", "axes.labelcolor", "xtick.color", "ytick.color", "axes.edgecolor")
    lines = {
        **dict.fromkeys(inked, colours["ink"]),
        **dict.fromkeys(
            ("figure.facecolor", "axes.facecolor", "savefig.facecolor"), colours["ground"]
        ),
        "legend.facecolor": colours["panel"],
        "legend.edgecolor": colours["rule"],
        "grid.color": colours["rule"],
        "axes.prop_cycle": f"cycler('color', {[colours[name] for name in SERIES]})",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "svg.hashsalt": "tkm_env",
    }
    return "# Written by `python docs/generate.py` from `docs/palette.py`.\n" + "".join(
        f"{name}: {value}\n" for name, value in lines.items()
    )
