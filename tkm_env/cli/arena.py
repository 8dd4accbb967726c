"""``tkm arena``: for those who write bots and those who let them play."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.group("arena")
def command() -> None:
    """For those who write bots, and those who let them play."""
