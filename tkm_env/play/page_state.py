"""Everything about a session that the page shows, as JSON types."""

from itertools import pairwise
from typing import Any

from tkm_env.foundations.message import Message
from tkm_env.play.adapter import SessionMatch
from tkm_env.play.invitations import Right, Seat, lacks
from tkm_env.play.lines import thinking_as_json
from tkm_env.play.session import Session
from tkm_env.players.roster import ROSTERS
from tkm_env.players.solvers import SOLVERS


def state_as_json(
    session: Session[Any],
    version: int,
    *,
    is_thinking: bool,
    with_hints: bool,
    seat: Seat | None = None,
) -> dict[str, Any]:
    """Return what the page shows of a session.

    Args:
        session: the session, which other threads may be changing: each of its values is read once.
        version: the version of the session that the page is shown.
        is_thinking: whether the session is being changed, such as by an agent.
        with_hints: whether the drawing marks what a person can play.
        seat: the seat of the invitation whose page it is; None if people play at one screen.

    Returns:
        The state, with the keys that ``page.js`` uses.
    """
    adapter, game = session.adapter, session.game
    match, clock, thinking = session.match, session.clock, session.thinking
    side = None if seat is None else session.side_of(seat)
    is_persons_turn = session.waits_for_person and (seat is None or side == game.to_act)
    return {
        "version": version,
        "title": session.spec.title,
        "game": session.spec.name,
        "goal": Message(adapter.goal),
        "players": session.players,
        "called": {player: Message(player) for player in session.players},
        "names": {player: Message(name) for player, name in _names(session, side).items()},
        "seat": None if seat is None else _seat_as_json(session, seat, side),
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
        "ending": _ending(session) or adapter.ending(game),
        "winner": session.winner,
        "parts": adapter.parts(game, hints=is_persons_turn and with_hints),
        "boards": as_json(adapter.boards(game)),
        "sides": as_json(adapter.sides(game)),
        "clock": None if clock is None else clock.left(),
        "runs": None if clock is None else clock.running,
        "match": None if match is None else _match_as_json(match, session),
        "is_kept": session.keep is not None,
        "steps": as_json(match.steps())
        if match is not None and not game.history and _may(Right.PLAYER, session, seat)
        else [],
        "can_evaluate": SOLVERS.of(session.spec).analyse is not None
        and _may(Right.ANALYST, session, seat),
        "can_edit": seat is None and adapter.editor is not None,
        "choices": _choices(session, game, seat) if is_persons_turn else [],
        "earlier": _earlier_choices(session, seat) if is_persons_turn else [],
        "exercise": _exercise_as_json(session, game),
        "next": adapter.what_next(game) if is_persons_turn else "",
        "obvious": adapter.obvious(game) if is_persons_turn else None,
        "can_undo": session.can_undo and is_persons_turn,
        "can_take_back": seat is None and session.can_take_back,
        "log": [
            {**as_json(entry), "called": adapter.action_words(entry.action)}
            for entry in adapter.log(game)
        ],
        "position": game.visible_position,
    }


def _may(right: Right, session: Session[Any], seat: Seat | None) -> bool:
    return seat is None or not lacks(right, seat, is_over=session.is_over)


def _names(session: Session[Any], side: str | None) -> dict[str, str]:
    """What the players are called, on the page of this side; None for that of no player."""
    if side is None:
        return session.names
    return {
        player: Message("you") if player == side else Message("your opponent")
        for player in session.names
    }


def _seat_as_json(session: Session[Any], seat: Seat, side: str | None) -> dict[str, Any]:
    return {
        "side": side,
        "is_host": seat is Seat.HOST,
        "can_resign": side is not None and session.can_resign(side),
    }


def _choices(session: Session[Any], game: Any, seat: Seat | None) -> list[Any]:
    """The choices; a seat resigns, whoever is to act, instead of conceding."""
    conceding = None if seat is None else session.concession
    choices = session.adapter.choices(game)
    return [as_json(choice) for choice in choices if choice.name != conceding]


def _earlier_choices(session: Session[Any], seat: Seat | None) -> list[Any]:
    """What could be said before the obvious action, such as a draw offer, and cannot any more."""
    before = session.before_obvious
    if before is None:
        return []
    now = session.game.legal_names()
    choices = _choices(session, before, seat)
    return [choice for choice in choices if choice["question"] and choice["name"] not in now]


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


def _ending(session: Session[Any]) -> Message | None:
    """How the game ended outside the rules; None if it did not."""
    if session.resigned is not None:
        return Message("{player} resigned.", player=session.resigned.capitalize())
    if session.out_of_time is not None:
        return Message("{player} ran out of time.", player=session.out_of_time.capitalize())
    return None


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
