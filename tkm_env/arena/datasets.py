"""Data sets for learning: the decisions of recorded games, with a descriptive card.

They are written as JSON lines and as a Minari data set.
"""

import json
import os
import shutil
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from tkm_env import __version__
from tkm_env.arena.record_results import RecordedGame, Repeats
from tkm_env.core.growing_records import RecordFile
from tkm_env.core.observation_encoder import PLANES, ObservationEncoder
from tkm_env.core.outcome import Outcome
from tkm_env.core.registry import game_spec
from tkm_env.core.settings import changed_settings
from tkm_env.envs.interface import action_space, observation_space
from tkm_env.foundations.errors import ConfigError, FileError, RecordError, extra
from tkm_env.foundations.files import failing_as, write_json
from tkm_env.players.solvers import SOLVERS

#: The kind of a card.
CARD: Final = "tkm_env data set"
#: The keys of a decision, a line of ``decisions.jsonl``, with their meaning: part of each card.
FIELDS: Final = {
    "game": "the index of the game, from 0",
    "ply": "the number of actions before this one in the game",
    "position": "text, as Game(position=...) reads it",
    "legal": "the indices of all legal actions",
    "reward": "the final reward of the side to act: 1, 0 or -1",
    "outcome": (
        "at the beginning of a turn, if a table of solved endgames has the position: in how many "
        "turns of both sides best play decides the game; odd if the side to act wins, even if it "
        "loses, 0 if neither side can win; otherwise null"
    ),
}


def read_games(paths: Sequence[str | os.PathLike[str]]) -> Iterator[RecordedGame]:
    """Yield the finished games in files of records, without repeats.

    Raises:
        FileError: if a line is not a record of the same game under the same settings.
    """
    first: RecordedGame | None = None
    repeats = Repeats()
    for path in paths:
        for line, record, _ in RecordFile(path).read():
            try:
                recorded = RecordedGame.of(record, line)
                first = first or recorded
                if (record["game"], recorded.game.config) != (
                    first.record["game"],
                    first.game.config,
                ):
                    raise RecordError(
                        "config", "its game or settings differ from those of the first record"
                    )
            except RecordError as error:
                raise FileError(path, f"line {line}: {error}") from error
            if recorded.game.result is not None and repeats.is_new(recorded):
                yield recorded


def decisions(
    recorded: RecordedGame, number: int, outcome_of: Callable[[Any], int | None] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield every decision of a game, as ``decisions.jsonl`` holds it.

    Args:
        recorded: the game.
        number: the index of the game in the data set.
        outcome_of: the game's `Solvers.outcome`; None if it has none.

    Yields:
        The decisions, with the keys of `FIELDS` and ``side``, ``player`` and ``action``.
    """
    now: Any = recorded.game.start
    players = recorded.record.get("players") or {}
    turn = -1
    for ply, action in enumerate(recorded.game.history):
        side = now.to_act
        begins, turn = now.turn != turn, now.turn
        yield {
            "game": number,
            "ply": ply,
            "side": side,
            "player": players.get(side),
            "position": now.position,
            "legal": now.legal_actions(),
            "action": action,
            "reward": _reward(recorded.game, side),
            "outcome": outcome_of(now.state) if outcome_of and begins else None,
        }
        now.play(action)


def write_lines(games: Iterable[RecordedGame], folder: str | os.PathLike[str]) -> dict[str, Any]:
    """Write the decisions of games to ``decisions.jsonl``, and then ``card.json``.

    Args:
        games: the games.
        folder: the folder to write to, which is created if necessary.

    Returns:
        The content of the card.

    Raises:
        ConfigError: if there are no finished games.
        FileError: if the folder holds a data set already, or cannot be written.
    """
    target = Path(folder)
    if (target / "card.json").exists():
        raise FileError(folder, "it already holds a data set")
    players: Counter[str] = Counter()
    count, seeds, recorded = {"games": 0, "decisions": 0}, [], None
    with failing_as(folder, "written"):
        target.mkdir(parents=True, exist_ok=True)
        file = (target / "decisions.jsonl").open("w", encoding="utf-8")  # the next line closes it
    with file:
        for recorded in games:
            outcome_of = SOLVERS.of(recorded.record["game"]).outcome
            for decision in decisions(recorded, count["games"], outcome_of):
                file.write(json.dumps(decision) + "\n")
                count["decisions"] += 1
            players.update((recorded.record.get("players") or {}).values())
            seeds.append(recorded.record.get("seed"))
            count["games"] += 1
    if recorded is None:
        raise ConfigError("files", 0, "there must be at least one finished game")
    card = {
        "game": recorded.record["game"],
        "config": changed_settings(recorded.game.config),
        **count,
        "players": dict(players),
        "seeds": seeds,
        "tkm_env": __version__,
        "actions": len(recorded.game.action_names),
        "fields": FIELDS,
    }
    write_json(target / "card.json", CARD, card)
    return card


def write_minari(
    games: Iterable[RecordedGame],
    name: str,
    *,
    observation: str = PLANES,
    author: str | None = None,
) -> int:
    """Write a Minari data set in which each side of each game is an episode.

    The episodes are those of the environment of ``gymnasium.make``. Their ``infos`` hold
    ``action_mask``, of shape (steps + 1, actions), and ``game``, the game's index.

    Args:
        games: the games.
        name: the name of the data set.
        observation: the kind of observations, as in
            `tkm_env.core.observation_encoder.ObservationEncoder`.
        author: the author of the data set; None for none.

    Returns:
        The number of episodes.

    Raises:
        ConfigError: if there are no games, the name is taken, or an argument is invalid.
        MissingExtraError: without the extra ``[data]``.
    """
    with extra("data"):
        import gymnasium
        import minari
        from minari.data_collector import EpisodeBuffer
        from minari.storage import get_dataset_path
    episodes: list[EpisodeBuffer] = []
    recorded, players = None, dict[str, None]()
    for number, recorded in enumerate(games):
        players |= dict.fromkeys((recorded.record.get("players") or {}).values())
        encoder = ObservationEncoder(type(recorded.game), recorded.game.config, observation)
        for side in recorded.game.players:
            episode = _episode(recorded, side, encoder, number)
            if len(episode["actions"]):
                episodes.append(EpisodeBuffer(id=len(episodes), **episode))
    if recorded is None:
        raise ConfigError("files", 0, "there must be at least one finished game")
    spec = game_spec(recorded.record["game"])
    environment = gymnasium.make(
        spec.env_id, observation=observation, **changed_settings(recorded.game.config)
    ).spec
    if get_dataset_path(name).exists():
        raise ConfigError("minari", name, "a data set of this name already exists")
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", ".* is set to None"
            )  # what data that stay at home need not say
            minari.create_dataset_from_buffers(
                name,
                episodes,
                env=environment,
                eval_env=environment,
                observation_space=observation_space(encoder),
                action_space=action_space(spec),
                algorithm_name=", ".join(players),
                author=author,
                description=(
                    f"Both sides' decisions in games of {spec.title} between {', '.join(players)}."
                ),
                requirements=[f"tkm_env=={__version__}"],
                data_format="hdf5",
            )
    except BaseException as error:
        shutil.rmtree(get_dataset_path(name), ignore_errors=True)
        if isinstance(error, ValueError):
            raise ConfigError("minari", name, str(error)) from error
        raise
    return len(episodes)


def _reward(game: Any, side: str) -> float:
    """Return a side's reward at the end, as environments do: 1, 0 or -1."""
    return float(Outcome(game.result).rewards[game.players.index(side)])


def _episode(
    recorded: RecordedGame, side: str, encoder: ObservationEncoder, number: int
) -> dict[str, Any]:
    """Return the episode that one side sees of a game in ``gymnasium.make``."""
    now: Any = recorded.game.start
    observations, masks, actions = [], [], []
    for action in recorded.game.history:
        if now.to_act == side:
            observations.append(encoder.observation(now, side))
            masks.append(encoder.action_mask(now))
            actions.append(action)
        now.play(action)
    observations.append(encoder.observation(now, side))
    masks.append(np.zeros_like(encoder.action_mask(now)))
    last = np.arange(1, len(actions) + 1) == len(actions)
    return {
        "observations": np.array(observations),
        "actions": np.array(actions, np.int64),
        "rewards": _reward(recorded.game, side) * last,
        "terminations": last & (not now.is_truncated),
        "truncations": last & now.is_truncated,
        "infos": {"action_mask": np.array(masks), "game": np.full(len(masks), number)},
    }
