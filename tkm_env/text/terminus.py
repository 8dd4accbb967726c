"""*Terminus* in words."""

from collections.abc import Sequence
from typing import Final

from tkm_env.core.rulebook_text import RulesSection
from tkm_env.games.terminus.engine.actions import RANKS
from tkm_env.games.terminus.engine.state import PLAYERS
from tkm_env.games.terminus.game import TerminusGame
from tkm_env.games.terminus.rulebook_text import TERMS, notation_for
from tkm_env.games.terminus.view import ERA_NAMES, PublicView, card_name, over, plies, view_of
from tkm_env.text.options import DEFAULT_OPTIONS, TextOptions
from tkm_env.text.words import GameWords, LogEntry


class TerminusWords(GameWords[TerminusGame]):
    """The log, the endings and the notation of *Terminus*."""

    terms = TERMS

    def ending(self, game: TerminusGame) -> str:
        """Why a game ended: how many victories each player has."""
        view = view_of(game)
        if view.winner is None:
            return ""
        counts = ", ".join(f"{player} {count}" for player, count in view.victories.items())
        tie = (
            " On a tie, whoever played Terminus loses."
            if len({*view.victories.values()}) == 1
            else ""
        )
        return f"Terminus was played. Visible victories: {counts}.{tie}"

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
                    "; ".join(ply.consequences),
                    label=label,
                )
            )
        return entries


def label_of(action: str, view: PublicView) -> str:
    """What the log calls an action, such as "card 7, flipped, over eras 3 to 5".

    Args:
        action: the action's name.
        view: the position before it.

    Returns:
        The label.
    """
    verb, *words = action.split(" ")
    if verb == "done":
        return "go on"
    card = card_name(view.hands[view.to_act][RANKS.index(words[0])].card)
    if verb in ("play", "grow"):
        return f"{card}{', flipped,' if 'flipped' in words else ''} {over(view, words[-1])}"
    return f"{verb} {effect_of(action, view)[1]}" if verb == "swap" else f"freeze {card}"


def effect_of(name: str, view: PublicView) -> tuple[str, str]:
    """The heading under which an action is listed, and what the action does.

    Args:
        name: the action's name.
        view: the position before it.

    Returns:
        The heading and the effect.
    """
    verb, *words = name.split(" ")
    if verb == "done":
        return "Go on", "skip the remaining events, and draw"
    held = view.hands[view.to_act][RANKS.index(words[0])]
    card = card_name(held.card)
    if verb == "freeze":
        return "Freeze a card", f"{card} can be played at any time"
    if verb == "swap":
        other = PLAYERS[1 - PLAYERS.index(view.to_act)]
        return (
            "Swap cards",
            f"{card} for {card_name(view.hands[other][RANKS.index(words[-1])].card)}",
        )
    is_flipped = "flipped" in words
    shown = ", ".join(
        ERA_NAMES[letter] for letter in (held.eras[::-1] if is_flipped else held.eras)
    )
    return (
        f"{verb.capitalize()} {card}{' flipped' if is_flipped else ''}: {shown}",
        f"{card} as {shown}",
    )


WORDS: Final = TerminusWords()
