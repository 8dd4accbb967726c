"""The option that names a player and the rating that this player is to have."""

from __future__ import annotations

from typing import Any, Final

import click


class _Anchor(click.ParamType):  # type: ignore[type-arg] # generic since click 8.2, but not when it runs before that
    """NAME=ELO, where the name may hold equals signs, too."""

    name = "anchor"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:
        if isinstance(value, tuple):
            return value
        name, given, elo = value.rpartition("=")
        try:
            return name, float(elo if given else "")
        except ValueError:
            self.fail(f"{value!r} is not a player's name, an equals sign and a number", param, ctx)


#: Gives a command the option; its value is None, or what `tkm_env.arena.rating.fit` takes.
anchored: Final = click.option(
    "--anchor", type=_Anchor(), metavar="NAME=ELO", help="A player and the rating it is to have; by default the mean is 0."
)
