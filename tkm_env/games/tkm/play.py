"""*That Time You Killed Me* as people play it."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType
from typing import Any, Final

from tkm_env.core.rules import Section, those_that_matter
from tkm_env.games.tkm.engine.actions import ACTIONS, GROUPS
from tkm_env.games.tkm.engine.geometry import ERAS, NUM_SPACES
from tkm_env.games.tkm.engine.powers import POWER_NAMES, POWERS
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.render.svg import box_of, place_of
from tkm_env.games.tkm.rules import SECTIONS, in_play_at
from tkm_env.games.tkm.search.analysis import analyse
from tkm_env.games.tkm.view import SPACE_NAMES, View, view_of
from tkm_env.play.adapter import Advice, LogEntry, PlayAdapter

__all__ = ["ADAPTER", "TKMAdapter"]

#: The headings under which actions are listed, by the first word of their names.
_HEADINGS: Final = {
    "choose": "Choose a copy",
    "move": "Move",
    "travel": "Travel in time",
    "plant": "Plant a seed",
    "remove": "Remove a seed",
    "build": "Build your statue",
    "train": "Train an elephant",
    "command": "Command an elephant",
    "exchange": "Change places",
    "overtime": "One more action",
    "focus": "Shift your focus",
    "draft": "Take a power",
    "go": "Decide who goes first",
    "concede": "Talk",
    "offer": "Talk",
    "accept": "Talk",
    "decline": "Talk",
}
#: Offers, answers and drafts cannot be undone.
_OFFERED_AND_DECLINED: Final = ("offer draw", "decline draw")
_FINAL: Final = ("draft", "go", "offer", "accept", "decline")
_MEANINGS: Final = {name: group.meaning.replace("`", "") for group in GROUPS for name in group.names}
_RULES: Final = (
    "Two time travellers hunt each other over three boards: the past, the present and the future.",
    "A turn: choose one of your copies in the era of your focus (the watch), act twice with it, then shift the focus to another era.",
    "A move pushes what stands in the way. A copy pushed against a wall dies; two copies of one colour pushed together both vanish.",
    "A copy travels forward to the same space of the next era, or backward to the previous one, leaving a new copy behind.",
    "You win when, at the end of your turn, your opponent has copies in one era at most.",
    "Growth adds seeds, which are shrubs an era later and trees in the future. Influence adds statues, whose steps happen again in later "
    "eras. Memory adds elephants, which obey whoever trained them.",
)
#: A letter that stands for a piece, on the boards and in the legend.
_PIECE: Final = r"(?m)(?<=[\s\[])[{}](?=[\s\]wb]|$)"
_STYLES: Final = MappingProxyType(
    {
        "^turn .*": "bold",
        _PIECE.format("."): "dim",
        _PIECE.format("WwI"): "bold cyan",
        _PIECE.format("BbE"): "bold magenta",
        _PIECE.format(r"*#T^>v<"): "green",
        _PIECE.format("O"): "yellow",
        _PIECE.format("DL"): "blue",
        r"\[.\]": "reverse",
    }
)
_ANALYSIS_SECONDS: Final = 1.0


class TKMAdapter(PlayAdapter[Game]):
    """*That Time You Killed Me* as people play it.

    >>> ADAPTER.choices(Game(chapters="growth"))
    [Choice(name='choose 1', group='Choose a copy', help='the own copy on that space of the focus era becomes active', place='P1')]
    """

    rules = _RULES
    styles = _STYLES

    def view(self, game: Game) -> View:
        return view_of(game)

    def heading(self, action: str, view: View) -> str:
        return _HEADINGS[action.split(" ")[0]]

    def help(self, action: str, view: View) -> str:
        verb, _, number = action.partition(" ")
        if verb != "draft":
            return _MEANINGS[action]
        power = POWERS[POWER_NAMES.index(view.revealed[int(number) - 1])]
        return f"{power.name}: {power.effect}"

    def place(self, action: str, view: View) -> str | None:
        return place_of(action, view)

    def box(self, place: str, view: View) -> tuple[float, float, float, float]:
        return box_of(place)

    def label(self, place: str) -> str:
        """What to call a place: "past 7" for "P7"."""
        if place in SPACE_NAMES:
            era, space = divmod(SPACE_NAMES.index(place), NUM_SPACES)
            return f"{ERAS[era]} {space + 1}"
        return f"power {place}" if place.isdigit() else place

    def log(self, game: Game) -> list[LogEntry]:
        return [LogEntry(ply.turn, ply.player, ply.action, "; ".join(map(str, ply.events))) for ply in game.plies()]

    def rules_for(self, game: Game) -> list[Section]:
        return those_that_matter(SECTIONS, in_play_at(game.state[0]), {"edition": game.config.edition})

    def settings_between(self, persons: int) -> dict[str, Any]:
        """People can concede; two of them can agree to a draw."""
        return {"concede": True, "draws": persons > 1}

    def asked_of_agent(self, game: Game) -> Game:
        """The same game without conceding and offers of draws: those are for people, and random play would use them at once."""
        config = game.config
        if game.step_text == "a" or not (config.concede or config.draws):
            return game
        quiet = dataclasses.replace(config, concede=False, draws=False)
        start = game.start
        if start.step_text == "a":
            return Game(quiet, position=game.position)
        asked = Game(quiet, position=start.position)
        for action in game.history:
            if ACTIONS[action] not in _OFFERED_AND_DECLINED:
                asked.play(action)
        return asked

    def is_final(self, game: Game) -> bool:
        return ACTIONS[game.history[-1]].split(" ")[0] in _FINAL

    def advice(self, game: Game) -> list[Advice]:
        if game.result is not None:
            return []
        return [Advice(line.worth, line.turns) for line in analyse(game.state, seconds=_ANALYSIS_SECONDS)]


ADAPTER: Final = TKMAdapter()
