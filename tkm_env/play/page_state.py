"""Everything about a session that the page shows, as JSON types."""

from itertools import pairwise
from typing import Any

from tkm_env.foundations.message import Message
from tkm_env.play.adapter import SessionMatch
from tkm_env.play.lines import thinking_as_json
from tkm_env.play.session import Session
from tkm_env.players.roster import ROSTERS
from tkm_env.players.solvers import SOLVERS


def state_as_json(
    session: Session[Any], version: int, *, is_thinking: bool, with_hints: bool
) -> dict[str, Any]:
    """Return what the page shows of a session.

    Args:
        session: the session, which other threads may be changing: each of its values is read once.
        version: the version of the session that the page is shown.
        is_thinking: whether the session is being changed, such as by an agent.
        with_hints: whether the drawing marks what a person can play.

    Returns:
        The state, with the keys that ``page.js`` uses.
    """
    adapter, game = session.adapter, session.game
    match, clock, thinking = session.match, session.clock, session.thinking
    is_persons_turn, out_of_time = session.waits_for_person, session.out_of_time
    return {
        "version": version,
        "title": session.spec.title,
        "game": session.spec.name,
        "goal": Message(adapter.goal),
        "players": session.players,
        "called": {player: Message(player) for player in session.players},
        "names": {player: Message(name) for player, name in session.names.items()},
        "to_act": game.to_act,
        "waits_for_agent": session.waits_for_agent,
        "is_thinking": is_thinking,
        "next_level": _next_level(session),
        "is_watched": session.is_watched,
        "thinking": None if thinking is None else thinking_as_json(adapter, thinking),
        "can_save": not session.hides,
        "situation": adapter.view(game).situation,
        "turn": game.turn,
        "is_over": session.is_over,
        "ending": adapter.ending(game) if out_of_time is None else _time_is_up(out_of_time),
        "winner": session.winner,
        "parts": adapter.parts(game, hints=is_persons_turn and with_hints),
        "boards": as_json(adapter.boards(game)),
        "sides": as_json(adapter.sides(game)),
        "clock": None if clock is None else clock.left(),
        "runs": None if clock is None else clock.running,
        "match": None if match is None else _match_as_json(match, session),
        "is_kept": session.keep is not None,
        "steps": [] if match is None or game.history else as_json(match.steps()),
        "can_evaluate": SOLVERS.of(session.spec).analyse is not None,
        "can_edit": adapter.editor is not None,
        "choices": as_json(adapter.choices(game)) if is_persons_turn else [],
        "exercise": _exercise_as_json(session, game),
        "next": adapter.what_next(game) if is_persons_turn else "",
        "obvious": adapter.obvious(game) if is_persons_turn else None,
        "can_undo": session.can_undo,
        "can_take_back": session.can_take_back,
        "log": [
            {**as_json(entry), "called": adapter.action_words(entry.action)}
            for entry in adapter.log(game)
        ],
        "position": game.visible_position,
    }


def _next_level(session: Session[Any]) -> dict[str, Any] | None:
    """The level above that of the opponent, for a game that was played from its start.

    None if the opponent is the strongest level, or no level.
    """
    if session.is_opened:
        return None
    levels = ROSTERS.of(session.spec).levels
    above = dict(pairwise(levels))
    own = next((level for level in levels if level.player in session.players.values()), None)
    if own is None or own not in above:
        return None
    return {"name": Message(above[own].name), "player": above[own].player}


def as_json(content: Any) -> Any:
    """Convert named tuples to JSON objects, also those within lists and each other."""
    if hasattr(content, "_asdict"):
        return {name: as_json(value) for name, value in content._asdict().items()}
    return [as_json(part) for part in content] if isinstance(content, (list, tuple)) else content


def _time_is_up(player: str) -> Message:
    return Message("{player} ran out of time.", player=player.capitalize())


def _match_as_json(match: SessionMatch, session: Session[Any]) -> dict[str, Any]:
    status: dict[str, Any] = as_json(match.status(session.match_game))
    name = session.asked["match"]
    return status | {"name": name, "called": Message(name)}


def _exercise_as_json(session: Session[Any], game: Any) -> dict[str, Any] | None:
    if session.exercise is None or session.exercise_place is None:
        return None
    exercise, (name, index) = session.exercise, session.exercise_place
    judgement = exercise.judge(game)
    return {
        "title": Message(exercise.title),
        "grade": Message(exercise.grade),
        "difficulty": exercise.difficulty,
        "text": Message(exercise.text(judgement)),
        "judgement": judgement,
        "set": name,
        "number": index,
    }
