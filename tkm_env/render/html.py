"""Text, data and colours, escaped for HTML pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any
from unicodedata import category

from tkm_env.extras import extra

if TYPE_CHECKING:
    from jinja2 import Environment


def as_html(text: str) -> str:
    """The text escaped for an HTML document.

    >>> as_html("<b>Bob")
    '&lt;b&gt;Bob'
    """
    return escape(without_controls(text))


def without_controls(text: str) -> str:
    """The text with halves of characters and control characters replaced, as browsers do."""
    return "".join("\N{REPLACEMENT CHARACTER}" if category(character) in ("Cc", "Cs") else character for character in text)


def as_data(content: Any) -> str:
    r"""JSON for a script element.

    Without "<" nothing can end the element or begin a comment; ASCII lets a file hold any text, even half a character.

    >>> as_data(["</script>"])
    '["\\u003c/script>"]'
    """
    return json.dumps(content, separators=(",", ":")).replace("<", "\\u003c")


def as_style(themes: Mapping[str, Mapping[str, str]]) -> str:
    """The themes "light" and "dark" as custom properties: the system's preferred one, unless the reader has chosen another."""
    light, dark = (
        "".join(f"--{name}:{colour};" for name, colour in themes[theme].items()) + f"color-scheme:{theme}"
        for theme in ("light", "dark")
    )
    chosen = ':root[data-theme="dark"]'
    preferred = '@media(prefers-color-scheme:dark){:root:not([data-theme="light"])'
    return f":root{{{light}}}\n{preferred}{{{dark}}}}}\n{chosen}{{{dark}}}\n"


def templates(package: str, folder: str, **options: Any) -> Environment:
    """Jinja's templates in a folder of a package; of HTML, with text as browsers show it, unless the options say otherwise.

    Raises:
        MissingExtraError: without the extra ``[arena]``.
    """
    with extra("arena"):
        from jinja2 import Environment, PackageLoader, StrictUndefined

    def clean(value: Any) -> Any:
        return without_controls(value) if type(value) is str else value

    usual: dict[str, Any] = {"autoescape": True, "finalize": clean, "trim_blocks": True, "lstrip_blocks": True}
    return Environment(loader=PackageLoader(package, folder), undefined=StrictUndefined, **usual | options)  # noqa: S701
