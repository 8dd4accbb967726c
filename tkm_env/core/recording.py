"""How a game becomes a record, and how a record is played again, checked action by action."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar

import numpy as np

from tkm_env.core.outcome import Outcome
from tkm_env.core.record_schema import KIND, START, VERSION, check_form, fields_in
from tkm_env.core.settings import changed_settings, make_config, settings_of
from tkm_env.foundations.errors import IllegalActionError, RecordError, TKMError, repr_of
from tkm_env.foundations.files import parsed_json

#: The number of starts of records that are remembered.
_STARTS: Final = 1_024
#: A class that derives from `tkm_env.core.game.BaseGame`, which uses this module.
GameT = TypeVar("GameT", bound=Any)


def record_of(game: Any, **details: Any) -> dict[str, Any]:
    """The record of a game; see `tkm_env.core.game.BaseGame.to_record`.

    Args:
        game: a `tkm_env.core.game.BaseGame`.
        **details: further values by key, which the game itself does not hold; None leaves a key
            out.

    Returns:
        The record, of JSON's types, its keys in the order in which they are written.

    Raises:
        RecordError: naming the key whose value does not fit the game.
    """
    given: dict[str, Any] = {
        "kind": KIND,
        "version": VERSION,
        "game": game.name,
        "config": _changed_settings(game.config),
        "actions": [game.action_names[action] for action in game.history],
        "result": game.result,
    }
    game_class: Any = type(game)
    start = game.start
    if start != _only_start(game_class, game.config):
        given["position"] = start.position
    given |= {key: value for key, value in details.items() if value is not None}
    record = as_json(given)
    check_form(record, game_class)
    record = {field.name: field.kept(record[field.name]) for field in fields_in(record)}
    record["result"] = _result(record, game)
    return record


#: How many different settings are remembered, of games that become records again and again.
_SETTINGS: Final = 256
_changed_settings = lru_cache(_SETTINGS)(changed_settings)


@lru_cache(_SETTINGS)
def _only_start(game_class: Any, config: Any) -> Any:
    """The start that all games under these settings share; None if it is left to chance."""
    return None if config.begins_by_chance else game_class(config, seed=0)


def as_json(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record with all values of JSON's types, as they will be read back.

    Raises:
        RecordError: naming a key that cannot be written.
    """
    try:
        return _read_back(record)
    except (TypeError, ValueError, RecursionError):
        return {key: _as_json(key, value) for key, value in record.items()}  # which of them it was


def _as_json(key: str, value: object) -> Any:
    try:
        return _read_back(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(key, f"{repr_of(value)} cannot be written: {error}") from None


def _read_back(value: object) -> Any:
    return parsed_json(json.dumps(value, allow_nan=False, default=_of_json_type).encode("utf-8"))


def _of_json_type(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (np.ndarray, Sequence)) and not isinstance(value, (bytes, bytearray)):
        return [*value]
    raise TypeError(f"JSON cannot represent {type(value).__name__}")


def play_record(game_class: Callable[..., GameT], record: Mapping[str, Any]) -> GameT:
    """The game that a record describes, played again; see `BaseGame.from_record`.

    Args:
        game_class: the class of the record's game.
        record: the record.

    Returns:
        The game after all of the record's actions.

    Raises:
        RecordError: naming the key that is wrong, or the ply of the first illegal action.
    """
    check_form(record, game_class)  # type: ignore[arg-type]
    game = _start(game_class, record)
    try:
        for action in record["actions"]:
            game.play(action)
    except IllegalActionError as error:
        ply = len(game.history) + 1
        raise RecordError("actions", f"ply {ply}: {error}", ply=ply) from None
    result = _result(record, game)
    if result != record["result"]:
        raise RecordError(
            "result", f"it is {repr_of(record['result'])}, but these actions lead to {result!r}"
        )
    return game


def _start(game_class: Any, record: Mapping[str, Any]) -> Any:
    """The game before the record's first action."""
    try:
        settings = json.dumps(record["config"], sort_keys=True, default=_of_json_type)
    except (TypeError, ValueError) as error:
        raise RecordError("config", f"it must hold JSON: {error}") from None
    return _start_at(game_class, settings, record.get("position")).copy()


@lru_cache(_STARTS)
def _start_at(game_class: Any, settings: str, position: str | None) -> Any:
    """The start of all records with these settings and this position; not to be changed.

    Many games of a tournament begin alike, and most of the time to replay one goes into its start.
    """
    config = _config(type(game_class.default_config), json.loads(settings))
    if position is None and config.begins_by_chance:
        raise RecordError(
            "position", "it is required: under these settings the game begins by chance"
        )
    try:
        # With two seeds: a game that is equal under both does not depend on them.
        game, other = (game_class(config, seed=seed, position=position) for seed in range(2))
    except TKMError as error:
        raise RecordError("position", str(error)) from error
    if game != other:
        raise RecordError("position", "it must be complete, including what the players do not see")
    return game


def _config(config_class: Any, settings: Mapping[str, Any]) -> Any:
    for setting in settings_of(config_class):
        keyword = setting.keyword
        if setting.kind == "file" and isinstance(settings.get(keyword), str):
            raise RecordError(
                "config",
                f"a record holds the {keyword} itself, not the name of a file: "
                f"{repr_of(settings[keyword])}",
            )
    try:
        return make_config(config_class, None, settings)
    except TKMError as error:
        raise RecordError("config", str(error)) from error


def _result(record: Mapping[str, Any], game: Any) -> str | None:
    """The result of a game after all of a record's actions.

    A fault or the referee decides an unfinished one.
    """
    result: str | None = game.result
    if "adjudicated" in record:
        if result is not None or "fault" in record:
            ending = "with a fault" if result is None else f"without it, {result}"
            raise RecordError("adjudicated", f"the game is over {ending}")
        winner = record["adjudicated"]["winner"]
        agreed = Outcome.DRAWN if winner is None else Outcome.won_by(game.players.index(winner))
        if agreed.value not in game.results.values():
            raise RecordError("adjudicated", f"{game.name} has no result {agreed.value}")
        return agreed.value
    if "fault" not in record:
        return result
    fault = record["fault"]
    due = len(game.history) + 1
    if result is not None:
        raise RecordError("fault", f"the game is over without it, {result}")
    if fault["ply"] not in (START, due):
        raise RecordError(
            "fault",
            f"its ply must be {due}, that of the action that is due, or {START}, "
            f"not {fault['ply']!r}",
        )
    if fault["ply"] == START and game.history:
        raise RecordError("fault", f"its ply cannot be {START}, since actions were played")
    if fault["ply"] != START and fault["kind"] != "illegal" and fault["player"] != game.to_act:
        raise RecordError("fault", f"{game.to_act} is to act, not {fault['player']}")
    return Outcome.won_by(1 - game.players.index(fault["player"])).value
