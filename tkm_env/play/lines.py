"""Lines of play as the page shows them, turn by turn."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from tkm_env.core.turns import played
from tkm_env.foundations.message import Message, joined
from tkm_env.play.adapter import PlayAdapter
from tkm_env.play.explorer import Explorer
from tkm_env.play.session import Thinking

#: The most problems with files of records that are told one by one.
_MOST_PROBLEMS: Final = 5


def turns_in(game: Any, actions: Iterable[int]) -> list[list[str]]:
    """Divide a line into turns.

    Args:
        game: the game before the line.
        actions: the indices of the line's actions.

    Returns:
        The turns, each as the names of its actions.
    """
    game, turn_id = game.copy(), None
    turns: list[list[str]] = []
    for action in actions:
        if game.turn_id != turn_id:
            turn_id = game.turn_id
            turns.append([])
        turns[-1].append(game.action_names[action])
        game.play(action)
    return turns


def line_as_json(
    adapter: PlayAdapter[Any], game: Any, turns: Iterable[Sequence[str]]
) -> list[dict[str, Any]]:
    """Return the turns of a line, each with its player, actions, notation and words.

    Args:
        adapter: how people play the game.
        game: the game before the line. If something in it is hidden, the line ends with its first
            turn, whose end is not told.
        turns: the turns, each as the names of its actions.

    Returns:
        The turns as JSON objects.
    """
    line = []
    for actions in turns:
        hides = game.hides()
        words = _meanings(adapter, game, actions) if hides else adapter.directions(game, actions)
        if not words:
            break
        line.append(
            {
                "player": Message(game.to_act),
                "actions": [*actions],
                "short": joined(", ", map(adapter.action_words, actions))
                if hides
                else adapter.short(game, actions),
                "words": joined(" · ", words),
            }
        )
        if hides:
            break
        game = played(game, actions)
    return line


def _meanings(adapter: PlayAdapter[Any], game: Any, actions: Sequence[str]) -> list[str]:
    """What actions mean, without what they reveal."""
    words = []
    for number, action in enumerate(actions):
        before = played(game, actions[:number])
        choice = adapter.choice(action, adapter.view(before))
        words.append(choice.help or choice.label or adapter.action_words(action))
    return words


def thinking_as_json(adapter: PlayAdapter[Any], thinking: Thinking) -> dict[str, Any]:
    """Return what an agent thought: its lines, and what it makes of each.

    Args:
        adapter: how people play the game.
        thinking: what it thought.

    Returns:
        A JSON object.
    """
    game = thinking.game
    lines = []
    for thought in thinking.thoughts:
        expected, visits, depth = thought.expectation, thought.visits, thought.depth
        told = [
            *(
                []
                if expected is None
                else [Message("{chance:.0%} to win", chance=(expected + 1) / 2)]
            ),
            *(
                []
                if visits is None
                else [Message("{count:,} visit", "{count:,} visits", count=visits)]
            ),
            *(
                []
                if depth is None
                else [Message("{count} turn ahead", "{count} turns ahead", count=depth)]
            ),
        ]
        turns = turns_in(game, thought.actions)
        lines.append({"worth": joined(", ", told), "turns": line_as_json(adapter, game, turns)})
    return {"player": Message(game.to_act), "lines": lines}


def explored_as_json(
    adapter: PlayAdapter[Any], explorer: Explorer, game: Any, *, tells_paths: bool
) -> dict[str, Any]:
    """Return what was played in records from a position.

    Args:
        adapter: how people play the game.
        explorer: the records.
        game: the game at the position.
        tells_paths: whether the paths of files that could not be read may be told.

    Returns:
        A JSON object: the turns, each with how its games ended and who played it, and how far the
        records have been read.
    """
    return {
        "read": explorer.num_read,
        "is_complete": explorer.is_complete,
        "problems": _problems(explorer.problems, tells_paths),
        "turns": [
            line_as_json(adapter, game, [turn.actions])[0]
            | {
                "games": turn.games,
                "won": [turn.results.get(player, 0) for player in game.players],
                "players": [*turn.players],
            }
            for turn in explorer.turns_from(game)
        ],
    }


def _problems(problems: Sequence[str], tells_paths: bool) -> list[str]:
    """The first problems, unless paths may not be told, and how many others there are."""
    told = [*problems[:_MOST_PROBLEMS]] if tells_paths else []
    rest = len(problems) - len(told)
    if rest:
        told.append(
            Message(
                "{count} more file could not be read",
                "{count} more files could not be read",
                count=rest,
            )
            if told
            else Message(
                "{count} file could not be read", "{count} files could not be read", count=rest
            )
        )
    return told
