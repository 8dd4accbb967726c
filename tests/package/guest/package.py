"""What the guest's entry points name."""

from __future__ import annotations

import dataclasses
from typing import Any

import click

from tests.games.tictactoe import SPEC as GAME
from tests.games.tictactoe import TicTacToe
from tkm_env.players.player_spec import PlayerKind, PlayerRequest
from tkm_env.players.roster import Level, Roster, random_agent
from tkm_env.text.words import GameWords

__all__ = ["FIRST", "GAME", "IMPOSTOR", "ROSTER", "WORDS", "wave"]

#: A game that calls itself as one of the package's own.
IMPOSTOR = dataclasses.replace(GAME, name="tkm")


class Centre:
    """Takes the centre, or else the first space that is free."""

    name = "centre"

    def reset(self, seed: Any = None) -> None:
        """There is nothing to draw."""

    def act(self, game: TicTacToe) -> int:
        legal = game.legal_actions()
        return 4 if 4 in legal else legal[0]


ROSTER = Roster(
    agents={"random": random_agent, "centre": lambda: Centre},
    ladder=("random", "centre"),
    levels=(Level("easy", "random"), Level("hard", "centre")),
)


class _Words(GameWords[TicTacToe]):
    """Tic-tac-toe in words."""

    rules = ("Three in a row win.",)

    def ending(self, game: TicTacToe) -> str:
        return "" if game.winner is None else f"{game.winner.capitalize()} has three in a row."


WORDS = _Words()


class _First(PlayerKind):
    """Players described by ``first:N``: they play the legal action of this index."""

    form = "N"

    def make(self, request: PlayerRequest) -> Any:
        if not request.spec.subject.isdecimal():
            raise request.refuse("an index must follow")
        index = int(request.spec.subject)

        class Player:
            name = request.line

            def reset(self, seed: Any = None) -> None:
                """There is nothing to draw."""

            def act(self, game: Any) -> int:
                legal: list[int] = game.legal_actions()
                return legal[min(index, len(legal) - 1)]

        return Player()


FIRST = _First()


@click.command("wave")
def wave() -> None:
    """Wave."""
    click.echo("hello")
