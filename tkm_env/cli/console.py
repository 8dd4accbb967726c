"""What commands print.

No text from elsewhere, such as a player's name or its standard error, steers the terminal or counts
as markup.
"""

from typing import Any

import click
from rich.console import Console
from rich.text import Text

from tkm_env.cli.streams import encodable
from tkm_env.foundations.untrusted_text import visible


class PlainConsole(Console):
    """A console that shows a `str` as it is, in one line.

    A `Text` may have styles and several lines; it is for words of our own.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, highlight=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(encodable(visible(text), self.encoding), **options)


def echo(text: str, *, err: bool = False) -> None:
    """Print a line, however long, to standard output or error."""
    click.echo(visible(text), err=err)
