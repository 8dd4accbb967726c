"""Text, data and colours, escaped for HTML pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from tkm_env.foundations.errors import extra
from tkm_env.foundations.untrusted_text import visible, visible_in

if TYPE_CHECKING:
    from jinja2 import Environment


def as_html(text: str) -> str:
    """Escape text for an HTML document."""
    return escape(visible(text))


def as_data(content: Any) -> str:
    """Write JSON for a script element, in ASCII, with all strings `visible`.

    Without "<", nothing can end the element or begin a comment.
    """
    return json.dumps(visible_in(content), separators=(",", ":")).replace("<", "\\u003c")


def as_style(themes: Mapping[str, Mapping[str, str]]) -> str:
    """Write the themes "light" and "dark" as custom properties.

    The system's preferred theme applies, unless the reader has chosen the other.
    """
    light, dark = (
        "".join(f"--{name}:{colour};" for name, colour in themes[theme].items())
        + f"color-scheme:{theme}"
        for theme in ("light", "dark")
    )
    chosen = ':root[data-theme="dark"]'
    preferred = '@media(prefers-color-scheme:dark){:root:not([data-theme="light"])'
    return f":root{{{light}}}\n{preferred}{{{dark}}}}}\n{chosen}{{{dark}}}\n"


@cache  # also keeps the compiled templates
def templates(package: str, folder: str, **options: Any) -> Environment:
    """Return Jinja's templates in a folder of a package; needs the extra ``[arena]``.

    Args:
        package: the name of the package.
        folder: the folder in it.
        **options: those of `jinja2.Environment`. Unless they say otherwise, text is escaped and
            `visible`.

    Returns:
        The environment.

    Raises:
        MissingExtraError: without the extra ``[arena]``.
    """
    with extra("arena"):
        from jinja2 import Environment, PackageLoader, StrictUndefined

    def clean(value: Any) -> Any:
        return visible(value) if type(value) is str else value

    usual: dict[str, Any] = {
        "autoescape": True,
        "finalize": clean,
        "trim_blocks": True,
        "lstrip_blocks": True,
    }
    return Environment(  # noqa: S701
        loader=PackageLoader(package, folder), undefined=StrictUndefined, **usual | options
    )
