"""Value training: the same seed gives the same network.

It does so on any number of threads and after any interruption.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tkm_env import NO_ACTION, Batch, ConfigError
from tkm_env.compiled.network import NO_NETWORK
from tkm_env.foundations.errors import FileError
from tkm_env.learn.regression import new_network
from tkm_env.learn.tkm import VALUES
from tkm_env.learn.value_game import SelfPlayConfig
from tkm_env.learn.value_training import TrainingPlan, ValueTraining, value_game
from tkm_env.players.model_file import read_model

PLAN = TrainingPlan(
    games=120, round_games=40, width=8, narrow=4, batch=64, self_play=SelfPlayConfig(most_turns=30)
)


def training(file: Path, **changes: Any) -> ValueTraining:
    given: dict[str, Any] = {
        "settings": {"chapters": "growth"},
        "plan": PLAN,
        "anchors": ["random"],
        "rating_games": 4,
        "evaluations": 2,
    }
    return ValueTraining(file, **given | changes)


def arrays_of(file: Path) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in read_model(file).arrays.items()}


@pytest.mark.parametrize(("games", "played"), [(100, [40, 80, 100]), (30, [30]), (41, [40, 41])])
def test_exactly_the_games_that_were_asked_for_are_played(
    tmp_path: Path, games: int, played: list[int]
) -> None:
    plan = dataclasses.replace(PLAN, games=games)
    done = training(tmp_path / "net.npz", plan=plan)
    assert [progress.games for progress in done.run()] == played
    assert done.model().card.games == games


@pytest.mark.parametrize("exploration", [0.0, 1.0])
def test_the_actions_of_the_turns_that_were_played_are_counted(exploration: float) -> None:
    batch = Batch(200, chapters="growth")
    batch.set_initial_positions(opening_turns=4)
    batch.reset(seed=1)
    turns = batch.turns()
    lengths = (turns.actions != NO_ACTION).sum(1)
    network = new_network(VALUES.num_inputs, 4, 4, np.random.default_rng(1))
    how = SelfPlayConfig(opening_turns=0, most_turns=1, exploration=exploration)
    streams = np.arange(1, 201, dtype=np.uint64)
    played = VALUES.play(network, how, batch.states.copy(), streams)
    counts = [
        {*lengths[turns.offsets[game] : turns.offsets[game + 1]].tolist()} for game in range(200)
    ]
    assert any(len(possible) > 1 for possible in counts)
    assert len({*played.lengths.tolist()}) > 1
    for length, possible in zip(played.lengths.tolist(), counts, strict=True):
        assert length in possible


def test_the_network_does_not_depend_on_threads(tmp_path: Path) -> None:
    for threads in (1, 3):
        for _ in training(tmp_path / f"{threads}.npz", num_threads=threads).run():
            pass
    assert arrays_of(tmp_path / "1.npz") == arrays_of(tmp_path / "3.npz")


def test_a_stopped_training_resumes_to_the_same_network(tmp_path: Path) -> None:
    whole = list(training(tmp_path / "whole.npz").run())
    parts = []
    for done in range(PLAN.rounds):
        part = training(tmp_path / "parts.npz")
        assert part.rounds_done == done
        for progress in part.run():
            parts.append(progress)
            part.stop()
    assert [progress[:4] for progress in parts] == [progress[:4] for progress in whole]
    assert arrays_of(tmp_path / "parts.npz") == arrays_of(tmp_path / "whole.npz")
    assert len(training(tmp_path / "parts.npz").curve) == 2
    assert list(training(tmp_path / "parts.npz").run()) == []


def test_a_player_to_rate_against_that_does_not_start_is_refused_before_the_first_round(
    tmp_path: Path,
) -> None:
    beginning = training(tmp_path / "net.npz", anchors=["random", "cmd:./nosuch"])
    with pytest.raises(
        ConfigError,
        match=r"anchors='cmd:./nosuch' is invalid: the player does not start: .*No such file",
    ):
        next(beginning.run())
    assert beginning.rounds_done == 0
    assert not [*tmp_path.iterdir()], "nothing was written"


def with_inputs_said(state: Path, inputs: str | None) -> None:
    """Change which inputs the file of a training names; None for none, as in version 1.0."""
    with np.load(state) as kept:
        arrays = dict(kept)
    said = json.loads(arrays["state"].tobytes()) | {"inputs": inputs}
    if inputs is None:
        del said["inputs"]
    arrays["state"] = np.frombuffer(json.dumps(said).encode(), np.uint8)
    with state.open("wb") as written:
        np.savez(written, **arrays)


@pytest.mark.parametrize("is_of_1_0", [True, False])
def test_a_training_goes_on_with_the_inputs_with_which_it_began(
    tmp_path: Path, is_of_1_0: bool
) -> None:
    file, state = tmp_path / "net.npz", tmp_path / "net.npz.training"
    next(training(file, inputs="turns-2").run())
    if is_of_1_0:
        with_inputs_said(state, None)
    with pytest.raises(FileError, match="another plan or other settings"):
        training(file, inputs="turns-3")
    resumed = training(file)
    assert resumed.rounds_done == 1
    assert [*resumed.run()]
    assert read_model(file).card.inputs == "turns-2"


def test_a_training_with_the_inputs_of_a_later_version_is_refused_by_their_name(
    tmp_path: Path,
) -> None:
    file = tmp_path / "net.npz"
    next(training(file).run())
    with_inputs_said(tmp_path / "net.npz.training", "turns-99")
    with pytest.raises(FileError, match="the inputs turns-99, which this version"):
        training(file)


def test_the_file_of_another_training_is_refused(tmp_path: Path) -> None:
    next(iter(training(tmp_path / "net.npz").run()))
    for changes in (
        {"plan": TrainingPlan(games=120, seed=1)},
        {"settings": {}},
        {"settings": None},
    ):
        with pytest.raises(FileError, match="another plan or other settings"):
            training(tmp_path / "net.npz", **changes)


def test_a_damaged_training_is_refused(tmp_path: Path) -> None:
    next(iter(training(tmp_path / "net.npz").run()))
    file = tmp_path / "net.npz.training"
    content = file.read_bytes()
    for damaged in (
        b"",
        b"PK\x03\x04",
        b"not a zip file at all",
        *(content[:size] for size in range(1, len(content), len(content) // 6)),
    ):
        file.write_bytes(damaged)
        with pytest.raises(FileError, match="damaged"):
            training(tmp_path / "net.npz")


def test_invalid_plans_are_named() -> None:
    of_plan = {
        "games": 0,
        "width": 0,
        "narrow": 2000,
        "passes": 0,
        "rate": float("nan"),
        "last_rate": 2,
        "batch": "64",
        "seed": -1,
    }
    for keyword, value in of_plan.items():
        with pytest.raises(ConfigError, match=keyword):
            TrainingPlan(**{keyword: value})
    of_play = {
        "temperature": 0,
        "exploration": 1.5,
        "trace": -0.1,
        "discount": 0,
        "opening_turns": -1,
        "most_turns": 0,
    }
    for keyword, value in of_play.items():
        with pytest.raises(ConfigError, match=keyword):
            TrainingPlan(self_play=SelfPlayConfig()._replace(**{keyword: value}))


def test_a_game_without_value_training_is_refused() -> None:
    with pytest.raises(ConfigError, match="terminus"):
        value_game("terminus")


def test_all_variants_are_learned() -> None:
    configs = VALUES.variants()
    starts = VALUES.starts(configs, np.random.default_rng(1), 400)
    assert set(starts["chapters"].tolist()) == set(range(8))
    assert set(starts["edition"].tolist()) == {0, 1}
    assert 0.3 < (starts["revealed"][:, 0] >= 0).mean() < 0.7
    model = VALUES.model(NO_NETWORK, configs)
    assert model.arrays["learned"].all()


def test_with_a_complexity_factor_each_chapter_more_makes_a_set_as_many_times_as_likely() -> None:
    number = Counter(config.chapters for config in VALUES.variants(3))
    equally = Counter(config.chapters for config in VALUES.variants())
    assert len(number) == 8
    assert number == {chapters: 3 ** len(chapters) * equally[chapters] for chapters in equally}


def test_trainings_with_different_complexity_factors_are_different(tmp_path: Path) -> None:
    file = tmp_path / "net.npz"
    next(training(file, settings={}, all_kinds=True, complexity_factor=2).run())
    with pytest.raises(FileError, match="another plan or other settings"):
        training(file, settings={}, all_kinds=True)


def test_all_kinds_with_settings_are_those_in_which_they_hold(tmp_path: Path) -> None:
    plan = dataclasses.replace(PLAN, games=40)
    done = training(
        tmp_path / "net.npz", settings={"timeline": "draft_powers"}, all_kinds=True, plan=plan
    )
    assert [*done.run()]
    model = read_model(tmp_path / "net.npz")
    assert model.arrays["learned"].tolist() == [[0.0] * 8, [1.0] * 8]
    drafted = "timeline='draft_powers', power_set='random'"
    assert model.card.settings == f"all kinds of games, {drafted}"
    assert model.card.ratings[0].settings == drafted


@pytest.mark.slow
def test_a_short_training_beats_random_play(tmp_path: Path) -> None:
    plan = TrainingPlan(
        games=2000,
        round_games=1000,
        width=16,
        narrow=8,
        rate=3e-3,
        self_play=SelfPlayConfig(most_turns=40),
    )
    for _ in training(
        tmp_path / "net.npz", plan=plan, settings={}, evaluations=1, rating_games=60
    ).run():
        pass
    (rating,) = read_model(tmp_path / "net.npz").card.ratings
    assert rating.score > 0.9
