"""A game record opened to look at or to play on, from any of its actions."""

from collections.abc import Mapping
from typing import Any

from tkm_env.core.record_files import from_record
from tkm_env.core.registry import game_spec
from tkm_env.foundations.checks import checked_integer
from tkm_env.play.session import PERSON, Session
from tkm_env.players.roster import ROSTERS


def session_of_record(
    record: Mapping[str, Any], ply: int | None = None, *, opponent: str | None = None
) -> Session[Any]:
    """Return a session of the game that a record describes, to play on from there.

    The person plays the side of the person in the record or, without one, the first.

    Args:
        record: the record.
        ply: the number of actions to play again; None for all.
        opponent: the other player, as for a `Session`. None for the one in the record, if the
            record is of a game between a person and one of the levels, else for another person.

    Returns:
        The session.

    Raises:
        RecordError: if it does not describe a game.
        ConfigError: if there are fewer actions, or naming what else is invalid.
    """
    game = from_record(record)
    spec = game_spec(game.name)
    actions = record["actions"]
    most = len(actions)
    count = most if ply is None else checked_integer("ply", ply, 0, most)
    players = record.get("players") or {}
    own = [player for player, line in players.items() if line == PERSON]
    if opponent is None:
        agents = [line for line in players.values() if line in ROSTERS.of(spec).offered]
        opponent = agents[0] if len(own) == len(agents) == 1 else PERSON
    side = own[0] if len(own) == 1 else None
    session: Session[Any] = Session(spec, record["config"], opponent=opponent, side=side)
    session.resume(
        actions[:count], start=record.get("position"), seconds=(record.get("seconds") or ())[:count]
    )
    session.is_opened = True
    return session
