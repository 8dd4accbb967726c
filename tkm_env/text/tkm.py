"""*That Time You Killed Me* in words."""

from collections.abc import Iterator, Sequence
from typing import Final

from tkm_env.core.outcome import Outcome
from tkm_env.core.rulebook_text import RulesSection, applicable_sections
from tkm_env.foundations.message import Message, joined
from tkm_env.games.tkm.engine.actions import ACTIONS
from tkm_env.games.tkm.engine.geometry import ERAS, NUM_SPACES, WIDTH
from tkm_env.games.tkm.engine.state import PLAYERS
from tkm_env.games.tkm.events import Event, Exchanged, Moved, Travelled
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.notation import format_position
from tkm_env.games.tkm.render.text import draw
from tkm_env.games.tkm.rulebook_text import NOTATION, POWERS_AT_ALL, TERMS, in_play_at, sections_for
from tkm_env.games.tkm.symmetries import SYMMETRIES
from tkm_env.games.tkm.view import View, space_name, view_of
from tkm_env.text.options import DEFAULT_OPTIONS, TextOptions
from tkm_env.text.tkm_layout import Layout, layout_of
from tkm_env.text.words import GameImage, GameWords, LogEntry

#: Fields of the position as its notation names them, and what must be in play for them to matter.
_FIELDS: Final = {
    "the statues still to build": "influence",
    "the elephants' hats": "memory",
    "the powers": POWERS_AT_ALL,
}

#: The symmetries of the board alone, without the one that changes nothing.
_IMAGES: Final = tuple(each for each in SYMMETRIES if not (each.colours or each.elephants))[1:]
#: The steps of a turn at which actions that begin with these words may be due.
_STEPS: Final = {"choose": "c", "move": "12", "travel": "12", "focus": "f"}


class TKMWords(GameWords[Game]):
    """The log, the endings and the rules of *That Time You Killed Me*."""

    terms = TERMS

    def ending(self, game: Game) -> str:
        """Why a game ended."""
        if game.outcome is Outcome.DRAWN:
            return Message("Both agreed to a draw.")
        if game.is_truncated:
            return Message(
                "The limit of {count} turn was reached.",
                "The limit of {count} turns was reached.",
                count=game.config.max_turns,
            )
        if game.winner is None:
            return ""
        loser = PLAYERS[1 - PLAYERS.index(game.winner)]
        if game.history and ACTIONS[game.history[-1]] == "concede":
            return Message("{player} conceded.", player=loser.capitalize())
        view = view_of(game)
        held = [era for number, era in enumerate(ERAS) if loser[0] in view.era(number).lower()]
        return (
            Message(
                "{player} has copies only in the {era}.", player=loser.capitalize(), era=held[0]
            )
            if held
            else Message("{player} has no copies left.", player=loser.capitalize())
        )

    def log(self, game: Game, options: TextOptions = DEFAULT_OPTIONS) -> list[LogEntry]:
        """All actions so far, in words that name copy, era and power."""
        layout = layout_of(options)
        focus: dict[str, str] = {}
        entries = []
        for number, ply in enumerate(game.plies()):
            text = joined("; ", (str(layout.event(event)) for event in ply.events))
            verb, _, rest = layout.action(ply.action).partition(" ")
            if verb == "choose":
                era = (
                    focus.get(ply.player)
                    or ERAS[view_of(game.at(number)).focus[PLAYERS.index(ply.player)] or 0]
                )
                text = Message("the copy on {era} {space} acts", era=era, space=rest)
            elif verb == "focus":
                focus[ply.player] = rest
                text = Message("the focus shifts to the {era}", era=rest)
            elif verb == "draft":
                power = view_of(game.at(number)).revealed[int(rest) - 1]
                text = Message("takes {power}", power=power)
            entries.append(
                LogEntry(
                    ply.turn,
                    ply.player,
                    ply.action,
                    text,
                    [*_moves(ply.events)],
                    is_quiet=verb == "choose",
                )
            )
        return entries

    def obstacle(self, game: Game, action: str, options: TextOptions = DEFAULT_OPTIONS) -> str:
        """Why an action may not be played."""
        layout = layout_of(options)
        verb, _, rest = action.partition(" ")
        view = view_of(game)
        has_power = view.powers[view.to_act] is not None  # which may change what is said here
        if view.is_over or view.step not in _STEPS.get(verb, "") or has_power or " " in rest:
            return super().obstacle(game, action, options)
        if verb == "choose":
            return _not_chosen(view, int(rest), layout)
        return (
            f"the focus is on the {rest} already"
            if verb == "focus"
            else _not_entered(view, verb, rest, layout)
        )

    def image(self, game: Game, seed: int) -> GameImage:
        """The image of a game, turned or reflected."""
        symmetry = _IMAGES[seed % len(_IMAGES)]
        actions: list[int] = symmetry.actions().tolist()
        position = format_position(symmetry.states(game.start.state)[0])
        image = Game(game.config, seed=0, position=position)
        for action in game.history:
            image.play(actions[action])
        return GameImage(image, actions)

    def rules_for(self, game: Game) -> list[RulesSection]:
        return sections_for(game.config, in_play_at(game.state[0]))

    def position(self, text: str, options: TextOptions) -> str:
        return layout_of(options).position(text)

    def action(self, name: str, options: TextOptions) -> str:
        return layout_of(options).action(name)

    def drawing(self, game: Game, options: TextOptions) -> str:
        layout = layout_of(options)
        return draw(game, layout.eras, empty=layout.empty)

    def notation_for(
        self, game: Game | None, options: TextOptions = DEFAULT_OPTIONS
    ) -> Sequence[RulesSection]:
        if game is None:
            return NOTATION
        in_play = in_play_at(game.state[0])
        dead = {field for field, needed in _FIELDS.items() if needed not in in_play}
        layout = layout_of(options)
        return [
            section._replace(text=tuple(layout.notation(text, dead) for text in section.text))
            for section in applicable_sections(NOTATION, in_play)
        ]


def spaces_of(event: Event) -> Iterator[str]:
    """The names of the spaces that an event mentions, in order."""
    era = ERAS.index(event.era)
    for keyword in ("space", "to"):
        space = getattr(event, keyword, None)
        if isinstance(space, int):
            yield space_name(era, space - 1)
        elif isinstance(event, Travelled):
            yield space_name(ERAS.index(event.to), event.space - 1)


def _not_chosen(view: View, space: int, layout: Layout) -> str:
    """Why the copy on a space, counted from 1, may not be chosen."""
    era = view.focus[view.to_act]
    assert era is not None
    if view.era(era)[space - 1].upper() != PLAYERS[view.to_act][0].upper():
        told = layout.numbers[space - 1]
        return f"{PLAYERS[view.to_act]} has no copy on space {told} of the {ERAS[era]}"
    return f"another copy in the {ERAS[era]} can act more often than that one"


def _not_entered(view: View, verb: str, direction: str, layout: Layout) -> str:
    """Why the active copy may not move or travel in a direction."""
    assert view.active is not None
    era, space = view.active
    if verb == "move":
        is_wall = {
            "north": space < WIDTH,
            "south": space >= NUM_SPACES - WIDTH,
            "west": space % WIDTH == 0,
            "east": space % WIDTH == WIDTH - 1,
        }[direction]
        return "a wall is in the way" if is_wall else "what stands there cannot be pushed"
    if direction == "backward" and view.supply[view.to_act] == 0:
        return f"{PLAYERS[view.to_act]} has no copy left in supply"
    other = era + (1 if direction == "forward" else -1)
    if not 0 <= other < len(ERAS):
        return f"the {ERAS[era]} is the {'last' if direction == 'forward' else 'first'} era"
    return f"space {layout.numbers[space]} of the {ERAS[other]} is not empty"


def _moves(events: Sequence[Event]) -> Iterator[tuple[str, str]]:
    """The pieces that moved, each from slot to slot."""
    for event in events:
        if isinstance(event, (Moved, Exchanged, Travelled)):
            places = list(spaces_of(event))
            yield places[0], places[1]
            if isinstance(event, Exchanged):
                yield places[1], places[0]


WORDS: Final = TKMWords()
