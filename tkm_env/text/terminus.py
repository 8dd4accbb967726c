"""*Terminus* in words."""

from collections.abc import Sequence
from typing import Final

from tkm_env.core.rulebook_text import RulesSection
from tkm_env.foundations.message import Message, joined
from tkm_env.games.terminus.engine.actions import RANKS
from tkm_env.games.terminus.engine.state import PLAYERS
from tkm_env.games.terminus.game import TerminusGame
from tkm_env.games.terminus.rulebook_text import TERMS, notation_for
from tkm_env.games.terminus.view import ERA_NAMES, PublicView, card_name, over, plies, view_of
from tkm_env.text.options import DEFAULT_OPTIONS, TextOptions
from tkm_env.text.words import GameWords, LogEntry

#: The headings of actions that place a card, by their verbs and whether it is flipped.
_PLACING: Final = {
    ("play", False): "Play {card}: {eras}",
    ("play", True): "Play {card} flipped: {eras}",
    ("grow", False): "Grow {card}: {eras}",
    ("grow", True): "Grow {card} flipped: {eras}",
}


class TerminusWords(GameWords[TerminusGame]):
    """The log, the endings and the notation of *Terminus*."""

    terms = TERMS

    def ending(self, game: TerminusGame) -> str:
        """Why a game ended: how many victories each player has."""
        view = view_of(game)
        if view.winner is None:
            return ""
        ending = Message("Terminus was played. Visible victories: {counts}.", counts=view.counts)
        if len({*view.victories.values()}) > 1:
            return ending
        return joined(" ", [ending, Message("On a tie, whoever played Terminus loses.")])

    def notation_for(
        self, game: TerminusGame | None, options: TextOptions = DEFAULT_OPTIONS
    ) -> Sequence[RulesSection]:
        return notation_for(TerminusGame.default_config if game is None else game.config)

    def log(self, game: TerminusGame, options: TextOptions = DEFAULT_OPTIONS) -> list[LogEntry]:
        """All actions so far, labelled like their buttons."""
        entries = []
        for ply in plies(game):
            label = label_of(ply.action, ply.before)
            entries.append(
                LogEntry(
                    ply.before.turn,
                    ply.before.to_act,
                    ply.action,
                    joined("; ", ply.consequences),
                    label=label,
                )
            )
        return entries


def label_of(action: str, view: PublicView) -> Message:
    """What the log calls an action, such as "card 7, flipped, over eras 3 to 5".

    Args:
        action: the action's name.
        view: the position before it.

    Returns:
        The label.
    """
    verb, *words = action.split(" ")
    if verb == "done":
        return Message("go on")
    card = card_name(view.hands[view.to_act][RANKS.index(words[0])].card)
    if verb in ("play", "grow"):
        form = "{card}, flipped, {where}" if "flipped" in words else "{card} {where}"
        return Message(form, card=card, where=over(view, words[-1]))
    if verb == "swap":
        return Message("swap {cards}", cards=effect_of(action, view)[1])
    return Message("freeze {card}", card=card)


def effect_of(name: str, view: PublicView) -> tuple[Message, Message]:
    """The heading under which an action is listed, and what the action does.

    Args:
        name: the action's name.
        view: the position before it.

    Returns:
        The heading and the effect.
    """
    verb, *words = name.split(" ")
    if verb == "done":
        return Message("Go on"), Message("skip the remaining events, and draw")
    held = view.hands[view.to_act][RANKS.index(words[0])]
    card = card_name(held.card)
    if verb == "freeze":
        return Message("Freeze a card"), Message("{card} can be played at any time", card=card)
    if verb == "swap":
        other = PLAYERS[1 - PLAYERS.index(view.to_act)]
        taken = card_name(view.hands[other][RANKS.index(words[-1])].card)
        return Message("Swap cards"), Message("{card} for {taken}", card=card, taken=taken)
    is_flipped = "flipped" in words
    shown = joined(
        ", ", (ERA_NAMES[letter] for letter in (held.eras[::-1] if is_flipped else held.eras))
    )
    return (
        Message(_PLACING[verb, is_flipped], card=card, eras=shown),
        Message("{card} as {eras}", card=card, eras=shown),
    )


WORDS: Final = TerminusWords()
