"""*That Time You Killed Me* as people play it. Imports `kind`, `settings`, `agents`, `search.analysis`, `render` and `game`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tkm_env.agents.specs import LADDER, agent_of
from tkm_env.engine.actions import ACTIONS, GROUPS
from tkm_env.engine.geometry import ERAS
from tkm_env.engine.powers import POWER_NAMES, POWERS
from tkm_env.engine.state import PLAYERS
from tkm_env.game import Game
from tkm_env.notation import FIELDS
from tkm_env.play.kind import Advice, Choice, GameKind, Picture, Place, Told
from tkm_env.render.story import Story
from tkm_env.render.svg import box_of, place_of
from tkm_env.render.text import situation
from tkm_env.search.analysis import analyse
from tkm_env.settings import SETTINGS, Setting, config_of

__all__ = ["KILLED_ME", "KilledMe"]

#: The headings under which actions stand, by the first word of their names.
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
#: What is said and drafted stays.
_FINAL: Final = ("draft", "go", "offer", "accept", "decline")
_MEANINGS: Final = {name: group.meaning.replace("`", "") for group in GROUPS for name in group.names}
_RULES: Final = (
    "Two time travellers hunt each other over three boards: the past, the present and the future.",
    "A turn: choose a copy of yours in the era of your focus (the watch), take two actions with it, then shift the focus to another era.",
    "A move pushes what stands in the way. A copy pushed against a wall dies; two copies of one colour pushed together both vanish.",
    "A copy travels forward to the same space of the next era, or backward to the era before, and then leaves a new copy behind.",
    "You win when, at the end of your turn, your opponent has copies in one era at most.",
    "Growth adds seeds, which are shrubs an era later and trees in the future. Influence adds statues, whose steps happen again in later "
    "eras. Memory adds elephants, which obey whoever trained them.",
)
_ANALYSIS_SECONDS: Final = 1.0
_ERA_LETTERS: Final = "PNF"


class KilledMe:
    """The `GameKind` of this package's first game.

    >>> game = KILLED_ME.new_game({"chapters": "growth"}, seed=1)
    >>> KILLED_ME.choices(game)
    [Choice(name='choose 1', group='Choose a copy', help='the own copy on that space of the focus era becomes active', place='P1')]
    """

    title = "That Time You Killed Me"
    rules: tuple[str, ...] = _RULES
    players: tuple[str, str] = (PLAYERS[0], PLAYERS[1])
    opponents: tuple[str, ...] = LADDER
    settings: tuple[Setting, ...] = SETTINGS

    def new_game(self, settings: Mapping[str, Any], *, seed: int, position: str | None = None) -> Game:
        return Game(config_of(settings), seed=seed, position=position)

    def agent(self, line: str, player: str) -> Any:
        return agent_of(line, player)

    def position(self, game: Game) -> str:
        return game.position

    def situation(self, game: Game) -> str:
        fields = dict(zip(FIELDS, game.position.split(" "), strict=True))
        return situation(fields["to act"], fields["step"])

    def choices(self, game: Game) -> list[Choice]:
        position = game.position
        found = [
            Choice(name, _HEADINGS[name.split(" ")[0]], self._help(name, game), place_of(name, position))
            for name in game.legal_names()
        ]
        headings = list(dict.fromkeys(choice.group for choice in found))
        return sorted(found, key=lambda choice: headings.index(choice.group))

    def _help(self, name: str, game: Game) -> str:
        verb, _, number = name.partition(" ")
        if verb != "draft":
            return _MEANINGS[name]
        power = POWERS[POWER_NAMES.index(game.about()["revealed"][int(number) - 1])]
        return f"{power.name}: {power.effect}"

    def picture(self, game: Game, *, theme: str, hints: bool) -> Picture:
        places = dict.fromkeys(choice.place for choice in self.choices(game))
        return Picture(
            game.svg(theme=theme, legal=hints), [Place(name, _label(name), *box_of(name)) for name in places if name is not None]
        )

    def told(self, game: Game) -> list[Told]:
        return [Told(ply.turn, ply.player, ply.action, "; ".join(map(str, ply.events))) for ply in game.plies()]

    def story(self, game: Game, players: Mapping[str, str]) -> Story:
        return game.story(players)

    def is_final(self, game: Game) -> bool:
        return ACTIONS[game.history[-1]].split(" ")[0] in _FINAL

    def advice(self, game: Game) -> list[Advice]:
        if game.result is not None:
            return []
        return [Advice(line.worth, line.turns) for line in analyse(game.state, seconds=_ANALYSIS_SECONDS)]


def _label(place: str) -> str:
    """What to call a place: "past 7" for "P7"."""
    if place[0] in _ERA_LETTERS:
        return f"{ERAS[_ERA_LETTERS.index(place[0])]} {place[1:]}"
    return f"power {place}" if place.isdigit() else place


KILLED_ME: Final[GameKind[Game]] = KilledMe()
