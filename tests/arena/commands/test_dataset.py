"""Data sets say of every decision what the game says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from click.testing import CliRunner

import tkm_env
from tests.players.tkm.search.test_endgames import WON_IN_9
from tkm_env import Game
from tkm_env.arena.match import Match
from tkm_env.cli.commands import tkm
from tkm_env.core.records import from_record, write_record
from tkm_env.players.tkm.search.endgames import known_outcome

minari = pytest.importorskip("minari", reason="needs the extra [data]")
gymnasium.register_envs(tkm_env)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("games") / "games.jsonl"
    assert list(Match("greedy", "random", 6, seed=1).play(path))
    return path


def run(*arguments: object) -> Any:
    return CliRunner().invoke(tkm, ["dataset", *map(str, arguments)])


def records_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def test_a_line_is_what_a_player_knew_and_how_it_ended(games: Path, tmp_path: Path) -> None:
    result = run(games, "--save", tmp_path / "data")
    assert result.exit_code == 0, result.output
    lines = records_of(tmp_path / "data" / "decisions.jsonl")
    records = records_of(games)
    for line in lines:
        record = records[line["game"]]
        game = from_record(record).at(line["ply"])
        assert (line["position"], line["side"], line["legal"]) == (
            game.position,
            game.to_act,
            game.legal_actions(),
        )
        assert line["player"] == record["players"][line["side"]]
        assert game.action_names[line["action"]] == record["actions"][line["ply"]]
        assert line["reward"] == {("1-0", "white"): 1, ("0-1", "black"): 1}.get(
            (record["result"], line["side"]), -1
        )
    card = json.loads((tmp_path / "data" / "card.json").read_text("utf-8"))
    assert (
        (card["games"], card["decisions"])
        == (6, len(lines))
        == (6, sum(len(record["actions"]) for record in records))
    )
    assert card["players"] == {"greedy": 6, "random": 6}
    assert card["seeds"] == [record["seed"] for record in records]


def test_the_outcome_is_that_of_the_table_at_the_beginning_of_turns(tmp_path: Path) -> None:
    game = Game(position=WON_IN_9.format(9))
    game.play("choose 13")
    while game.result is None:
        game.play(game.legal_actions()[0])
    write_record(tmp_path / "games.jsonl", game.to_record())
    assert run(tmp_path / "games.jsonl", "--save", tmp_path / "data").exit_code == 0
    turns = set()
    for line in records_of(tmp_path / "data" / "decisions.jsonl"):
        now = Game(position=line["position"])
        assert line["outcome"] == (None if now.turn in turns else known_outcome(now.state))
        turns.add(now.turn)
    assert len(turns) > 1


@pytest.mark.parametrize("observation", ["planes", "compact"])
def test_an_episode_is_what_the_environment_would_have_shown(
    observation: str, games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / observation))
    result = run(games, "--minari", "tkm/standard/test-v0", "--observation", observation)
    assert result.exit_code == 0, result.output
    dataset = minari.load_dataset("tkm/standard/test-v0")
    records, env = records_of(games), dataset.recover_environment()
    for number, episode in enumerate(dataset.iterate_episodes()):
        record, side = records[number // 2], ("white", "black")[number % 2]
        actions = iter(from_record(record).history)

        def reply(shown: Any, info: dict[str, Any], actions: Any = actions) -> int:
            return int(next(actions))

        again = gymnasium.make(
            env.spec.id,
            opponent=reply,
            side=side,
            positions=[record["position"]],
            observation=observation,
        )
        seen, info = again.reset(seed=0)
        for step, action in enumerate(episode.actions):
            np.testing.assert_array_equal(episode.observations[step], seen)
            np.testing.assert_array_equal(episode.infos["action_mask"][step], info["action_mask"])
            assert next(actions) == action
            seen, reward, terminated, truncated, info = again.step(int(action))
            assert (
                episode.rewards[step],
                episode.terminations[step],
                episode.truncations[step],
            ) == (reward, terminated, truncated)
        np.testing.assert_array_equal(episode.observations[-1], seen)
        assert episode.terminations[-1]
        assert set(episode.infos["game"]) == {number // 2}


def test_what_cannot_be_a_data_set_is_refused_and_leaves_nothing(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    other = tmp_path / "other.jsonl"
    other.write_text(
        games.read_text("utf-8").replace('"config": {}', '"config": {"max_turns": 300}'), "utf-8"
    )
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    for arguments, told in (
        ((games,), "say where to write"),
        ((games, other, "--minari", "tkm/test-v0"), "line 1: config: its game or settings differ"),
        ((empty, "--minari", "tkm/test-v0"), "there must be at least one finished game"),
        ((games, "--minari", "no name"), "minari='no name' is invalid"),
    ):
        result = run(*arguments)
        assert result.exit_code == 2 or result.exit_code == 1, result.output
        assert told in result.output, result.output
    assert not list((tmp_path / "minari").rglob("*.hdf5"))
    assert run(games, "--save", tmp_path / "data").exit_code == 0
    assert "it already holds a data set" in run(games, "--save", tmp_path / "data").output
    assert run(games, "--minari", "tkm/test-v0").exit_code == 0
    assert "a data set of this name already exists" in run(games, "--minari", "tkm/test-v0").output
