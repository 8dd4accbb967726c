"""The play page as a part of the site.

If ``PYODIDE`` names a distribution, drawings of positions link to the page.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from urllib.parse import urlencode

from browser.build import check_distribution, write_page
from docutils import nodes
from pictures import PICTURES, Picture
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

from tkm_env.core.registry import default_game
from tkm_env.foundations import errors

#: Where the page lies in the site.
PAGE = "play/index.html"


def _query(picture: Picture) -> str:
    """Return the query of a link that opens the position from which a picture was made."""
    asked = {"opponent": "person", **picture.settings}
    if picture.game.name != default_game():
        asked["game"] = picture.game.name
    if picture.position is not None:
        asked["position"] = picture.position
    return urlencode(asked)


def _check(app: Sphinx, config: Config) -> None:
    """Check the distribution before the build, and show the content for sites with the page."""
    if not config.pyodide:
        return
    try:
        check_distribution(Path(config.pyodide))
    except errors.ConfigError as error:
        raise ConfigError(str(error)) from None
    app.tags.add("play_page")


def _link(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Add a link below each drawing of a position, one for both themes.

    Thumbnails in tables get none.
    """
    if not app.config.pyodide or app.builder.format != "html":
        return
    for image in list(doctree.findall(nodes.image)):
        picture = PICTURES.get(PurePosixPath(image["uri"]).stem)
        if (
            picture is None
            or "only-dark" in image["classes"]
            or isinstance(image.parent.parent, nodes.entry)
        ):
            continue
        block = image.parent if isinstance(image.parent, nodes.paragraph) else image
        address = f"{'../' * page.count('/')}{PAGE}?{_query(picture)}"
        link = nodes.reference("", "Try it", refuri=address, reftitle=image["alt"], internal=False)
        row = nodes.paragraph("", "", link, classes=["try-it"])
        block.parent.insert(block.parent.index(block) + 1, row)


def _write(app: Sphinx, failure: Exception | None) -> None:
    if failure is None and app.config.pyodide and app.builder.format == "html":
        write_page(Path(app.config.pyodide), Path(app.outdir) / PurePosixPath(PAGE).parent)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx; parallel builds are safe."""
    app.add_config_value("pyodide", "", "html", str)
    app.connect("config-inited", _check)
    app.connect("doctree-resolved", _link)
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
