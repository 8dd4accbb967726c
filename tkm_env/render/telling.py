"""A `Game` as a `Story`: what it looked like after each action, and what that did. Imports `story`, `canvas`, `svg`, `text`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from tkm_env.engine.state import PLAYERS
from tkm_env.render.canvas import use
from tkm_env.render.story import Moment, Side, Story, title_of
from tkm_env.render.svg import CANVAS, Scene, parts
from tkm_env.render.text import situation

if TYPE_CHECKING:
    from tkm_env.game import Game

__all__ = ["TITLE", "story_of"]

TITLE: Final = "That Time You Killed Me"


def story_of(game: Game, players: Mapping[str, str] | None = None) -> Story:
    """The story of a game, from its start or its given position on.

    Args:
        game: the game; it stays as it is.
        players: the names of "white" and "black", as in a game record.

    >>> from tkm_env import Game
    >>> game = Game()
    >>> for action in ("choose 1", "move east"):
    ...     game.play(action)
    >>> story_of(game).moments[-1].told
    ('the white copy walked from past 1 to 2',)
    """
    names = players or {}
    sides = tuple(Side(player, names.get(player, ""), use(f"{player}-copy")) for player in PLAYERS)
    _, _, to_act, step, *_ = game.position.split(" ")
    result = situation(to_act, step) if game.result is not None else "unfinished"
    return Story(title_of(sides, TITLE), tuple(_about(game)), sides, CANVAS, tuple(_moments(game)), result.removeprefix("over, "))


def _about(game: Game) -> Iterator[str]:
    """What was chosen or drawn for this game."""
    told = game.about()
    yield " + ".join(told["chapters"]) or "standard game"
    for player, power in zip(PLAYERS, told["powers"], strict=True):
        if power is not None:
            yield f"{player}: {power}"
    yield f"edition {game.config.edition}"


def _moments(game: Game) -> Iterator[Moment]:
    now = game.start
    yield Moment(parts(Scene(now.position)), now.turn)
    for ply in game.plies():
        focus_before = now.position.split(" ")[4]
        now.play(ply.action)
        drawn = parts(Scene(now.position, ply.action, ply.events, focus_before))
        yield Moment(drawn, ply.turn, PLAYERS.index(ply.player), ply.action, tuple(map(str, ply.events)))
