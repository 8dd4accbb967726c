"""The examples that learn with PyTorch alone run, and learn from what happened.

They are left out, with a note, if torch is not installed.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra [train]")

from tkm_env import ACTIONS, Batch, Game, GameConfig, ObservationEncoder  # noqa: E402
from tkm_env.arena.datasets import read_games, write_minari  # noqa: E402
from tkm_env.arena.match import Match  # noqa: E402
from tkm_env.compiled.decorators import COMPILES  # noqa: E402
from tkm_env.games.tkm.symmetries import SYMMETRIES  # noqa: E402
from tkm_env.players import make_agent  # noqa: E402

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def _beside_each_other(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let examples find each other, as when they are run; undo what they set for all of torch."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    monkeypatch.syspath_prepend(EXAMPLES)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def alphazero() -> Any:
    return importlib.import_module("alphazero")


def assert_learns_and_evaluates(
    example: Any, line: str, monkeypatch: Any, capsys: Any, **sizes: int
) -> None:
    """It prints such a line for each of two updates, then the scores against two players."""
    monkeypatch.setattr(
        sys, "argv", ["example", *(f"--{name}={size}" for name, size in sizes.items())]
    )
    example.main()
    output = capsys.readouterr().out
    scores = [
        rf"    [\d.]+% \([\d.]+% to [\d.]+%\) of the points against {opponent}: .*\n"
        for opponent in ("random", "greedy")
    ]
    assert re.fullmatch(rf"({line}.*\n){{2}}" + "".join(scores), output), output


@pytest.mark.skipif(not COMPILES, reason="takes long uncompiled")
def test_ppo_learns_a_little_and_evaluates(monkeypatch: Any, capsys: Any) -> None:
    sizes = {"steps": 1024, "envs": 16, "rollout": 32, "games": 4, "evaluations": 1}
    line = r" +[\d,]+ steps: [\d,]+ a CPU second, [\d.]+% of it in the environment; "
    assert_learns_and_evaluates(
        importlib.import_module("ppo_selfplay"), line, monkeypatch, capsys, **sizes
    )


@pytest.mark.skipif(not COMPILES, reason="takes long uncompiled")
def test_alphazero_learns_a_little_and_evaluates(
    alphazero: Any, monkeypatch: Any, capsys: Any
) -> None:
    sizes = {
        "updates": 2,
        "envs": 4,
        "actions": 60,
        "full": 3,
        "fast": 1,
        "batch": 16,
        "width": 8,
        "games": 2,
        "evaluations": 1,
    }
    line = r"update +\d: +\d+ games, +\d+ positions to learn from, "
    assert_learns_and_evaluates(alphazero, line, monkeypatch, capsys, **sizes)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("games_on", ["cuda", "cpu"])
def test_ppo_runs_with_its_network_on_a_gpu(games_on: str, monkeypatch: Any, capsys: Any) -> None:
    if games_on == "cuda":
        pytest.importorskip("cupy", reason="needs the extra [cuda]")
    monkeypatch.setattr(
        sys,
        "argv",
        [
            "example",
            "--games-on",
            games_on,
            "--envs=64",
            "--rollout=8",
            "--updates=3",
            "--width=16",
        ],
    )
    importlib.import_module("ppo_cuda").main()
    speeds = "".join(
        rf"{what}: [\d.]+ million steps a second\n" for what in ("playing", "learning", "both")
    )
    output = capsys.readouterr().out
    assert re.fullmatch(rf"{speeds}score against random play: [\d.]+%\n", output), output


def compact() -> ObservationEncoder:
    return ObservationEncoder(Game, GameConfig(), "compact")


def test_alphazero_learns_the_shares_of_visits_and_the_results_for_the_player_to_act(
    alphazero: Any,
) -> None:
    torch.manual_seed(1)
    settings = argparse.Namespace(envs=1, seed=1, full=3, fast=1, exploration=1.0, share=1.0)
    encoder = compact()
    network, memory = (
        alphazero.Network(encoder, len(ACTIONS), 8),
        alphazero.Memory(1000, len(encoder.high), len(ACTIONS)),
    )
    self_play = alphazero.SelfPlay(settings, network, memory, np.random.default_rng(1))
    while not self_play.play(1):
        assert not memory.added
    seen, policies, results = (
        memory.seen[: memory.added],
        memory.policies[: memory.added],
        memory.results[: memory.added],
    )
    white = seen[:, next(row.start for row in encoder.rows if row.name == "white")] == 1
    assert 0 < white.sum() < len(white)
    for_white = results * np.where(white, 1, -1)
    assert abs(for_white[0]) == 1
    assert (for_white == for_white[0]).all()
    np.testing.assert_allclose(policies.sum(1), 1, rtol=1e-6)
    assert ((policies > 0).sum(1) <= settings.full).all()


def test_alphazero_forgets_the_oldest_positions_first(alphazero: Any) -> None:
    memory = alphazero.Memory(3, 1, 1)
    for number in range(5):
        memory.add(np.zeros(1), np.zeros(1), number)
    assert set(memory.draw(100, np.random.default_rng(1))[2].tolist()) == {2, 3, 4}


def test_alphazero_sees_the_images_that_the_rules_have(alphazero: Any) -> None:
    """A table of indices does to observations and masks what the symmetry does to positions."""
    encoder = compact()
    batch = Batch(20)
    batch.reset(seed=1)
    for _ in range(15):
        batch.play(batch.random_actions())
    seen = batch.new_observations(encoder)
    batch.observe(seen, encoder=encoder)
    spatial = [
        symmetry for symmetry in SYMMETRIES if not symmetry.colours and not symmetry.elephants
    ]
    tables = alphazero.symmetry_tables(encoder)
    assert len(tables) == len(spatial) == 8
    for symmetry, (elements, actions) in zip(spatial, tables, strict=True):
        image = Batch.from_states(symmetry.states(batch.states), batch.config)
        expected = image.new_observations(encoder)
        image.observe(expected, encoder=encoder)
        np.testing.assert_array_equal(seen[:, elements], expected)
        np.testing.assert_array_equal(batch.masks[:, actions], image.masks)


@pytest.fixture
def turn_ppo() -> Any:
    return importlib.import_module("turn_ppo")


def turn_ppo_options(monkeypatch: Any, *options: str) -> None:
    """Give the program its options, with less to play between updates."""
    monkeypatch.setattr(sys, "argv", ["example", "--games=8", "--turns=4", *options])


@pytest.mark.slow
@pytest.mark.skipif(not COMPILES, reason="takes long uncompiled")
def test_turn_ppo_saves_what_plays_on_without_torch(
    turn_ppo: Any, monkeypatch: Any, capsys: Any, tmp_path: Path
) -> None:
    options = (
        "--cpu-minutes=1",
        "--checkpoint-minutes=0.5",
        "--evaluation=4",
        f"--save={tmp_path / 'turns.npz'}",
    )
    turn_ppo_options(monkeypatch, *options)
    half_minutes = SimpleNamespace(process_time=iter((0, 30, 60)).__next__)
    monkeypatch.setattr(importlib.import_module("budget"), "time", half_minutes)
    turn_ppo.main()
    score = r"[\d.]+% \([\d.]+% to [\d.]+%\) of the points against greedy; \S+turns\.npz\n"
    assert re.fullmatch(score, capsys.readouterr().out)
    assert (tmp_path / "turns-0.5.npz").exists()
    played = json.loads((tmp_path / "turns.played.json").read_text("utf-8"))
    assert played["actions"] >= 2 * 8 * 4
    line = f"{EXAMPLES / 'turn_players.py'}:TurnPolicy:file={tmp_path / 'turns.npz'}"
    program = (
        "import sys; sys.modules['torch'] = None; from tkm_env.evaluation import evaluate; "
        f"print(evaluate({line!r}, games=2).games)"
    )
    match = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert match.stdout == "2\n", match.stderr


def test_turn_ppo_saves_when_it_is_interrupted(
    turn_ppo: Any, monkeypatch: Any, tmp_path: Path
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(turn_ppo, "learn", interrupt)
    minutes = f"--cpu-minutes={time.process_time() / 60 + 10}"
    options = f"--save={tmp_path / 'turns.npz'}", minutes, "--evaluation=0"
    turn_ppo_options(monkeypatch, *options)
    turn_ppo.main()
    game, player = Game(), turn_ppo.TurnPolicy(str(tmp_path / "turns.npz"))
    assert player.act(game) in game.legal_actions()
    assert -1 < player.expectation < 1


def test_turn_policies_expect_to_win_where_they_win_at_once(
    turn_ppo: Any, monkeypatch: Any, tmp_path: Path
) -> None:
    turn_ppo_options(
        monkeypatch, "--cpu-minutes=0", "--evaluation=0", f"--save={tmp_path / 'turns.npz'}"
    )
    turn_ppo.main()
    player = turn_ppo.TurnPolicy(str(tmp_path / "turns.npz"))
    eras = "..../..../..../....|..../..../..../WB..|W.../..../..../...."
    game = Game(position=f"{eras} - w c NF - 0/0 - ---/--- -/- 9")
    while game.result is None:
        game.play(player.act(game))
    assert (str(game.result), player.expectation) == ("1-0", 1.0)
    player.reset(1)
    assert player.expectation is None


@pytest.fixture
def network(turn_ppo: Any) -> Any:
    """A batch, the weights of a network for it, and a generator."""
    batch = Batch(200, chapters="growth")
    batch.set_initial_positions(opening_turns=4)
    batch.reset(seed=1)
    generator = np.random.default_rng(1)
    return (
        batch,
        turn_ppo.random_weights(len(turn_ppo.Eyes(batch.config).columns), 128, generator),
        generator,
    )


def test_turn_ppo_sees_a_position_under_a_symmetry_as_its_image(
    turn_ppo: Any, network: Any
) -> None:
    batch, weights, _ = network
    eyes = turn_ppo.Eyes(batch.config)
    seen = batch.observations_of(np.arange(200), 1 - batch.to_act, eyes.encoder)
    tensors = turn_ppo.Weights(*map(torch.from_numpy, weights))
    answers = []
    for symmetry, image in zip(eyes.encoder.symmetries, eyes.images(), strict=True):
        answers.append(weights.of_arrays(symmetry.transform_observations(seen)[:, eyes.columns]))
        turned = turn_ppo.forward(
            tensors, torch.from_numpy(seen[:, eyes.columns]), torch.from_numpy(image)
        )
        np.testing.assert_allclose(np.array(turned), answers[-1], rtol=1e-3, atol=1e-6)
    assert len(answers) == 8
    assert np.std(answers, axis=0).max() > 1e-3


def test_turn_ppo_makes_turns_with_an_advantage_more_probable(
    turn_ppo: Any, network: Any, monkeypatch: Any
) -> None:
    batch, weights, generator = network
    eyes, turns = turn_ppo.Eyes(batch.config), batch.turns()
    ends = eyes.after(batch, turns)
    monkeypatch.setattr(
        sys, "argv", ["example", "--turns=1", "--least=1e-30", "--epochs=8", "--batch=50"]
    )
    args = turn_ppo.arguments()
    found = turn_ppo.play(args, batch, weights.of_arrays, eyes, generator)
    advantages = np.where(np.arange(200) % 2, 1, -1).astype(np.float32)
    tensors = turn_ppo.Weights(
        *(torch.from_numpy(array).requires_grad_() for array in weights)
    )  # in the same memory
    optimizer = torch.optim.Adam(tensors, lr=1e-3)
    image = torch.arange(len(eyes.columns))
    found = found._replace(advantages=advantages)
    turn_ppo.learn(args, tensors, image, optimizer, found, 0, generator)
    scores = turn_ppo.scores_of(weights.of_arrays, ends, args.trust)
    after = turn_ppo.log_softmax(scores, turns)
    changes = after[turns.offsets[:-1] + found.chosen] - found.chances
    assert changes[advantages > 0].mean() > 0.01 > -0.01 > changes[advantages < 0].mean(), changes


def test_turn_scores_are_those_of_the_policy_that_learned(tmp_path: Path) -> None:
    """The player that is saved takes the turns that the model predicts."""
    pytest.importorskip("sb3_contrib", reason="needs the extra [train]")
    example = importlib.import_module("sb3_turn_selfplay")
    players = importlib.import_module("turn_players")
    envs = example.CountingEnvs(example.ID, num_envs=8, max_choices=example.MAX_CHOICES)
    model = example.MaskablePPO(example.TurnPolicy, envs, n_steps=4, batch_size=16, seed=1)
    model.learn(32)
    assert envs.played.games <= 2
    assert 32 <= envs.played.actions <= 32 * 6
    players.write_layers(tmp_path / "turns.npz", example.layers_of(model))
    player = players.TurnScores(str(tmp_path / "turns.npz"))
    vector = gymnasium.make_vec(example.ID, 40, opponent="random", opening_turns=2)
    seen, info = vector.reset(seed=1)
    ends = seen["ends"][:, : example.MAX_CHOICES]
    shown = {"position": seen["position"], "ends": ends}
    masks = info["action_mask"][:, : example.MAX_CHOICES]
    predicted, _ = model.predict(shown, action_masks=masks, deterministic=True)
    batch = vector.unwrapped.batch
    turns = batch.turns()
    scores = player.scores(batch, turns)
    best = np.maximum.reduceat(scores, turns.offsets[:-1])
    np.testing.assert_allclose(scores[turns.offsets[:-1] + predicted], best, rtol=1e-4, atol=1e-5)


@pytest.mark.skipif(not COMPILES, reason="takes long uncompiled")
@pytest.mark.parametrize("name", ["behaviour_cloning", "offline_rl"])
def test_what_learns_from_data_learns_a_little_and_evaluates(
    name: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    pytest.importorskip("minari", reason="needs the extra [data]")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    games = tmp_path / "games.jsonl"
    assert list(Match("greedy", "random", 20, seed=1).play(games))
    write_minari(read_games([games]), "tkm/test-v0", observation="compact")
    saved = tmp_path / "policy.npz"
    arguments = {"epochs": 2, "width": 8, "batch": 16, "games": 4, "save": saved}
    monkeypatch.setattr(
        sys,
        "argv",
        ["example", "tkm/test-v0", *(f"--{key}={value}" for key, value in arguments.items())],
    )
    importlib.import_module(name).main()
    output = capsys.readouterr().out
    assert (
        len(
            re.findall(
                r"epoch  \d: loss [\d.]+, [\d.]+% of the actions of other games guessed", output
            )
        )
        == 2
    )
    assert len(re.findall(r"of the points against (random|greedy)", output)) == 2
    assert make_agent(f"policy:{saved}").act(Game()) in Game().legal_actions()
