"""Pictures of the site in the colours of the reader's theme.

They are fetched shortly before they show.

Documents name the picture of the light theme, which is all that readers of the repository see. Each
gets a twin in the dark theme: boards are drawn again, and plots get other colours. The build writes
the twins to ``docs/pictures/dark``. The tutorials' plots get twins, too.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any

from docutils import nodes
from palette import darkened
from pictures import PICTURES
from sphinx.application import Sphinx

#: The boards that stand for the tutorials, by the name of their programs, since the gallery would
#: show plots.
THUMBNAILS = {
    "plot_1_first_game": "start",
    "plot_2_a_player": "targets",
    "plot_3_self_play": "chapter-standard",
    "plot_4_a_rating": "chapter-influence",
    "plot_5_a_course": "crowded",
    "plot_6_a_position": "deaths",
    "plot_7_terminus": "terminus",
}


def _write_twins(app: Sphinx) -> None:
    folder = Path(app.srcdir) / "pictures"
    (folder / "dark").mkdir(exist_ok=True)
    for light in folder.glob("*.svg"):
        drawn = PICTURES.get(light.stem)
        dark, content = (
            folder / "dark" / light.name,
            drawn._replace(theme="dark").draw() if drawn else darkened(light.read_text("utf-8")),
        )
        if not dark.exists() or dark.read_text("utf-8") != content:
            dark.write_text(content, "utf-8")


def _dark(uri: PurePosixPath) -> PurePosixPath | None:
    """Where the twin of a picture is, if it has one."""
    if uri.suffix != ".svg" or uri.stem.endswith("-dark"):
        return None
    if uri.parent.name == "pictures":
        return uri.parent / "dark" / uri.name
    return uri.with_stem(f"{uri.stem}-dark") if uri.parent.name == "images" else None


def _sized(image: nodes.image, file: Path) -> None:
    """Say how large a picture is, so that nothing moves once it is fetched."""
    if file.suffix == ".svg" and file.exists():
        opening = re.search("<svg[^>]*>", file.read_text("utf-8"))
        for name, number, unit in re.findall(
            r' (width|height)="([\d.]+)(pt)?"', opening[0] if opening else ""
        ):
            image.setdefault(name, str(round(float(number) * (4 / 3 if unit else 1))))


def _add_twins(app: Sphinx, doctree: nodes.document) -> None:
    """Show a picture or its twin, whichever theme the reader has."""
    for image in list(doctree.findall(nodes.image)):
        if thumbnail := re.search(r"sphx_glr_(\w+)_thumb", image["uri"]):
            image["uri"] = f"/pictures/{THUMBNAILS[thumbnail[1]]}.svg"
        image["loading"] = "lazy"
        _sized(image, Path(app.env.relfn2path(image["uri"], app.env.docname)[1]))
        uri = PurePosixPath(image["uri"])
        if uri.stem in PICTURES:
            image["classes"].append(f"board-{PICTURES[uri.stem].game.name}")
        if (dark := _dark(uri)) and not {"only-light", "only-dark"} & {*image["classes"]}:
            twin = image.deepcopy()
            twin["uri"] = str(dark)
            twin["classes"].append("only-dark")
            image["classes"].append("only-light")
            image.parent.insert(image.parent.index(image) + 1, twin)


def scrape_plots(block: Any, variables: dict[str, Any], gallery: dict[str, Any]) -> str:
    """Save the plots of a block of a tutorial, in both themes.

    Args:
        block: not used; the gallery passes it.
        variables: hold the paths of the plots.
        gallery: the gallery's settings.

    Returns:
        The directives that show the plots.
    """
    from matplotlib import pyplot

    shown = []
    for number, path in zip(pyplot.get_fignums(), variables["image_path_iterator"], strict=False):
        figure, light = pyplot.figure(number), Path(path).with_suffix(".svg")
        figure.savefig(light, metadata={"Date": None}, bbox_inches="tight")
        light.with_stem(f"{light.stem}-dark").write_text(
            darkened(light.read_text("utf-8")), "utf-8"
        )
        axes = figure.axes[0]
        place = light.relative_to(gallery["src_dir"]).as_posix()
        shows = f"A plot: {axes.get_xlabel()}, {axes.get_ylabel() or 'by player'}"
        shown.append(f".. image:: /{place}\n   :alt: {shows}\n")
    pyplot.close("all")
    return "\n".join(shown)


def style_plots(gallery: dict[str, Any], file: str) -> None:
    """Have the gallery draw its plots like the site's others."""
    from matplotlib import pyplot

    pyplot.style.use(Path(__file__).with_name("plots.mplstyle"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx; parallel builds are safe."""
    app.connect("builder-inited", _write_twins, priority=400)
    app.connect("doctree-read", _add_twins, priority=400)  # before Sphinx collects the pictures
    return {"parallel_read_safe": True, "parallel_write_safe": True}
