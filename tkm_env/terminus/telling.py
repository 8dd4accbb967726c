"""A `TerminusGame` as a `Story`, and what each action did, in words. Imports `seen`, `svg`, `render.canvas`, `render.story`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from tkm_env.render.canvas import use
from tkm_env.render.story import Moment, Side, Story, title_of
from tkm_env.terminus.deck import DEFAULT_DECK
from tkm_env.terminus.engine.actions import RANKS
from tkm_env.terminus.engine.state import CARD_WIDTH, PLAYERS
from tkm_env.terminus.seen import ERA_NAMES, TERMINUS, Seen, seen_of
from tkm_env.terminus.svg import CANVAS, Scene, parts

if TYPE_CHECKING:
    from tkm_env.terminus.game import TerminusGame

__all__ = ["TITLE", "Ply", "called", "plies", "story_of"]

TITLE: Final = "Terminus"
#: What follows when so many `A` were played.
_APPROACHES: Final = {2: "Terminus is shuffled into the deck", 3: "Terminus counts 0 now"}


class Ply(NamedTuple):
    """An action: what was seen before it, its name, and what was seen after it."""

    before: Seen
    action: str
    after: Seen

    @property
    def told(self) -> tuple[str, ...]:
        """What it did, one clause each."""
        return tuple(_told(self))


def plies(game: TerminusGame) -> Iterator[Ply]:
    """Every action since the start or the given position, oldest first."""
    now = game.start
    after = seen_of(now)
    for action in game.history:
        before = after
        now.play(action)
        after = seen_of(now)
        yield Ply(before, game.action_names[action], after)


def story_of(game: TerminusGame, players: Mapping[str, str] | None = None) -> Story:
    """The story of a game, from its start or its given position on.

    Args:
        game: the game; it stays as it is.
        players: the names of "red" and "blue", as in a game record.

    >>> from tkm_env.terminus.game import TerminusGame
    >>> game = TerminusGame(seed=1)
    >>> game.play("play first at 1")
    >>> story_of(game).moments[-1].told
    ('card 2 lies over era 1', 'card 13 is drawn')
    """
    names = players or {}
    sides = tuple(Side(player, names.get(player, ""), use(f"{player}-shield")) for player in PLAYERS)
    about = ("the project's own deck" if game.config.deck == DEFAULT_DECK else "a deck of its own",)
    result = seen_of(game).situation if game.result is not None else "unfinished"
    return Story(title_of(sides, TITLE), about, sides, CANVAS, tuple(_moments(game)), result.removeprefix("over, "))


def _moments(game: TerminusGame) -> Iterator[Moment]:
    start = seen_of(game.start)
    yield Moment(parts(Scene(start)), start.turn)
    for ply in plies(game):
        before = ply.before
        drawn = parts(Scene(ply.after, ply.action, before))
        yield Moment(drawn, before.turn, PLAYERS.index(before.to_act), ply.action, ply.told)


def _told(ply: Ply) -> Iterator[str]:
    before, after, player = ply.before, ply.after, ply.before.to_act
    verb, *words = ply.action.split(" ")
    hand = [held.card for held in before.hands[player]]
    there = set(hand)
    if verb in ("play", "grow"):
        yield _lies(called(hand[RANKS.index(words[0])]), before, words[-1])
        for number in range(before.approached + 1, after.approached + 1):
            if number in _APPROACHES:
                yield _APPROACHES[number]
    elif verb == "freeze":
        yield f"{called(hand[RANKS.index(words[0])])} is frozen"
    elif verb == "swap":
        other = PLAYERS[1 - PLAYERS.index(player)]
        given, taken = hand[RANKS.index(words[0])], before.hands[other][RANKS.index(words[-1])].card
        there.add(taken)
        yield f"{called(given)} goes to {other}, {called(taken)} to {player}"
    for held in after.hands[player]:
        if held.card not in there:
            yield f"{called(held.card)} is drawn"
    if after.winner is not None:
        yield "visible victories: " + ", ".join(f"{side} {count}" for side, count in after.victories.items())


def called(card: str) -> str:
    """What to call a card, by its name."""
    return "Terminus" if card == TERMINUS else f"card {card}"


def _lies(card: str, before: Seen, place: str) -> str:
    """Where a card was laid, and what that covers."""
    last = before.column(place)
    first = last - CARD_WIDTH + 1
    covered = range(max(first, 1), min(last, len(before.eras)) + 1)
    if not covered:
        return f"{card} lies at the {place} end"
    where = f"eras {covered[0]} to {covered[-1]}" if len(covered) > 1 else f"era {covered[0]}"
    names = [ERA_NAMES[before.eras[number - 1]] for number in covered]
    told = [name for name in names if name != "empty"]
    return f"{card} lies over {where}" + (f", on {', '.join(told)}" if told else "")
