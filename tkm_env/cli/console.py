"""How commands print.

Text from elsewhere, such as a player's name or its standard error, can neither control the terminal
nor act as markup.
"""

from typing import Any

import click
from rich.console import Console
from rich.text import Text

from tkm_env.cli.streams import encodable
from tkm_env.foundations.untrusted_text import visible


class PlainConsole(Console):
    """A console that shows a `str` as it is, on one line.

    A `Text` may have styles and several lines; it is for the package's own messages.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, highlight=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Render a string without markup.

        Args:
            text: what to show; control characters are made visible.
            **options: keywords of `rich.console.Console.render_str`.

        Returns:
            The text, in characters that the console's encoding has.
        """
        return super().render_str(encodable(visible(text), self.encoding), **options)


def echo(text: str, *, err: bool = False) -> None:
    """Print a line, however long.

    Args:
        text: the line; control characters are made visible.
        err: whether it goes to standard error instead of standard output.
    """
    click.echo(visible(text), err=err)
