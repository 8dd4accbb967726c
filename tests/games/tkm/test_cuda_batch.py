"""Games on a GPU are the same as games on CPUs.

They run on a GPU if there is one, or else in numba's simulator, in a process of its own.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import tkm_env
from tkm_env import ACTIONS, Batch, Game
from tkm_env.compiled.cuda import SIMULATED
from tkm_env.core.observation_encoder import ObservationEncoder
from tkm_env.foundations.errors import ArrayError, ConfigError, MissingExtraError

ROOT = Path(__file__).parents[3]
try:
    CudaBatch: Any = tkm_env.CudaBatch
    CudaBatch(1)
except (MissingExtraError, ConfigError) as error:
    CudaBatch, WHY = None, str(error)
else:
    WHY = ""

with_device = pytest.mark.skipif(CudaBatch is None, reason=f"run in the simulator instead: {WHY}")

#: Games side by side, and how many steps: the simulator plays some hundreds a second.
GAMES, STEPS = (3, 40) if SIMULATED else (2000, 200)
EVERYTHING = ("growth", "influence", "memory")
SETTINGS = (
    {},
    {"chapters": "convergence", "max_turns": 9},
    {"timeline": "draft_powers", "draws": True},
    {
        "chapters": EVERYTHING,
        "powers": ("ripple", "kinship"),
        "edition": "2022",
        "concede": True,
        "max_turns": 7,
    },
    {"chapters": "growth", "powers": ("green-thumb", "brushwood")},
)


def host(array: Any) -> Any:
    return array.get() if hasattr(array, "get") else array


def pair(games: int = GAMES, **settings: Any) -> tuple[Batch, Any]:
    """The same games on processors and on the device."""
    ours, theirs = Batch(games, **settings), CudaBatch(games, **settings)
    ours.reset(seed=5)
    theirs.reset(seed=5)
    return ours, theirs


@with_device
def test_turns_are_listed_on_processors() -> None:
    ours, theirs = pair(2)
    with pytest.raises(ConfigError, match="to_batch"):
        theirs.turns()
    assert (theirs.to_batch().turns().keys == ours.turns().keys).all()


def assert_alike(ours: Batch, theirs: Any) -> None:
    for name in (
        "masks",
        "results",
        "illegal",
        "to_act",
        "streams",
        "keys",
        "rewards",
        "truncated",
        "over",
    ):
        np.testing.assert_array_equal(
            getattr(ours, name), host(getattr(theirs, name)), err_msg=name
        )


@pytest.mark.nightly
@pytest.mark.skipif(
    SIMULATED or CudaBatch is not None, reason="this is the simulator's run, or there is a GPU"
)
def test_these_tests_pass_in_the_simulator() -> None:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")
    }
    environment |= {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]
    assert " passed" in result.stdout


@pytest.mark.skipif(CudaBatch is not None, reason="there is a device")
def test_without_a_device_the_error_says_what_is_missing() -> None:
    assert "'.[cuda]'" in WHY or "no GPU" in WHY


@with_device
@pytest.mark.parametrize("settings", SETTINGS)
def test_the_same_seed_gives_the_same_games_as_on_processors(settings: dict[str, Any]) -> None:
    ours, theirs = pair(**settings)
    seen, seen_there = ours.new_observations(), theirs.new_observations()
    for _ in range(STEPS):
        actions = ours.random_actions()
        np.testing.assert_array_equal(actions, host(theirs.random_actions()))
        ours.step(actions, seen)
        theirs.step(actions, seen_there)
        np.testing.assert_array_equal(seen, host(seen_there))
    assert_alike(ours, theirs)


@with_device
@pytest.mark.parametrize(
    "starts", [{"opening_turns": 2}, {"positions": 2}, {"opening_turns": 1, "positions": 2}]
)
def test_games_begin_where_they_begin_on_processors(starts: dict[str, Any]) -> None:
    ours, theirs = pair(chapters="convergence", max_turns=9)
    if "positions" in starts:
        starts = starts | {
            "positions": [
                Game(chapters="convergence", seed=seed).position
                for seed in range(starts["positions"])
            ]
        }
    for batch in (ours, theirs):
        batch.set_initial_positions(**starts)
        batch.reset(seed=3)
        for _ in range(STEPS // 2):
            batch.step(batch.random_actions(), batch.new_observations())
    assert_alike(ours, theirs)


@with_device
def test_games_that_never_last_are_refused_and_change_nothing() -> None:
    _, batch = pair(2)
    before = batch.keys
    end = (
        "W.../..../..../....|..../..../..../....|..../..../..../...B - w f PF - 4/4 - ---/--- -/- 1"
    )
    with pytest.raises(ConfigError, match="opening_turns"):
        batch.set_initial_positions(1, [end])
    batch.reset(seed=5)
    assert (host(batch.keys) == host(before)).all()


@with_device
def test_illegal_actions_and_numbers_of_none_lose_the_game() -> None:
    ours, theirs = pair(2)
    focus = np.full(2, ACTIONS.index("focus past"))
    ours.play(focus)
    theirs.play(focus)
    assert host(theirs.illegal).all()
    assert_alike(ours, theirs)
    with pytest.raises(ArrayError, match="actions"):
        theirs.play(np.full(3, 0))
    with pytest.raises(ArrayError, match="numbers from"):
        theirs.play(np.full(2, len(ACTIONS)))


@with_device
def test_games_move_between_devices_and_go_on_identically() -> None:
    ours, theirs = pair(chapters="convergence")
    for batch in (ours, theirs):
        batch.set_initial_positions(1)
        for _ in range(10):
            batch.play(batch.random_actions())
    theirs.reset(seed=8)
    moved = {
        "to processors": theirs.to_batch(),
        "and back": CudaBatch.from_batch(theirs.to_batch()),
    }
    moved |= {"copied": theirs.copy(), "pickled": pickle.loads(pickle.dumps(theirs))}
    for batch in (theirs, *moved.values()):
        for _ in range(STEPS // 2):
            batch.step(batch.random_actions(), batch.new_observations())
    for name, batch in moved.items():
        np.testing.assert_array_equal(host(batch.keys), host(theirs.keys), err_msg=name)


@with_device
def test_single_games_are_taken_out_and_put_in() -> None:
    ours, theirs = pair(chapters="growth")
    game = Game(chapters="growth")
    for action in ("choose 1", "plant here"):
        game.play(action)
    for batch in (ours, theirs):
        batch.set_game(1, game)
    assert theirs.game(1) == game
    assert theirs.game(0).position == Game(chapters="growth").position
    assert theirs.results_of([0]).tolist() == [None]
    assert_alike(ours, theirs)


@with_device
def test_copies_are_played_into_rows_and_the_last_of_equal_targets_counts() -> None:
    ours, theirs = pair()
    for batch in (ours, theirs):
        legal = host(batch.random_actions())
        batch.play_from([0, 1, 1], [legal[0], legal[1], tkm_env.NO_ACTION], [2, 0, 0])
    assert_alike(ours, theirs)


@with_device
def test_opponents_play_at_random_and_numbers_are_drawn_as_on_processors() -> None:
    ours, theirs = pair(max_turns=9)
    mask = np.arange(GAMES) % 2 == 0
    np.testing.assert_array_equal(ours.draw(mask, 1000), host(theirs.draw(mask, 1000)))
    for batch in (ours, theirs):
        batch.play(batch.random_actions())
        batch.play_at_random(np.ones(GAMES, np.int64))
    assert_alike(ours, theirs)


@with_device
@pytest.mark.parametrize("canonical", [False, True])
@pytest.mark.parametrize("observation", ["planes", "compact"])
def test_games_are_shown_as_on_processors(observation: str, canonical: bool) -> None:
    ours, theirs = pair()
    for batch in (ours, theirs):
        for _ in range(5):
            batch.play(batch.random_actions())
    encoder = ObservationEncoder(Game, ours.config, observation, canonical)
    shown = []
    for batch in (ours, theirs):
        observations = batch.new_observations(encoder)
        batch.observe(observations, encoder=encoder)
        shown.append(host(observations))
        shown.append(host(batch.observations_of([1, 0], [1, 0], encoder)))
    np.testing.assert_array_equal(shown[0], shown[2])
    np.testing.assert_array_equal(shown[1], shown[3])


@with_device
@pytest.mark.parametrize(
    "keywords",
    [
        {"opponent": "self"},
        {"opponent": "random", "side": "random"},
        {"opponent": "self", "observation": "compact", "chapters": "growth", "opening_turns": 2},
    ],
)
def test_the_vector_environment_plays_the_games_of_that_on_processors(
    keywords: dict[str, Any],
) -> None:
    made: dict[str, Any] = {"num_envs": GAMES, "max_turns": 9}
    envs = [
        gymnasium.make_vec("tkm_env/TKM-v0", **made, **keywords, device=device)
        for device in ("cpu", "cuda")
    ]
    shown: list[Any] = [env.reset(seed=3) for env in envs]
    generator, ended = np.random.default_rng(0), 0
    for _ in range(STEPS):
        (mine, info), (theirs, info_there) = ((seen[0], seen[-1]) for seen in shown)
        np.testing.assert_array_equal(mine, host(theirs))
        np.testing.assert_array_equal(info["action_mask"], host(info_there["action_mask"]))
        actions = (info["action_mask"] * generator.random(info["action_mask"].shape)).argmax(1)
        shown = [env.step(actions) for env in envs]
        for one, other in zip(shown[0][1:4], shown[1][1:4], strict=True):
            np.testing.assert_array_equal(one, host(other))
        ended += int((shown[0][2] | shown[0][3]).sum())
    assert ended > 0


@with_device
def test_a_vector_environment_on_a_gpu_refuses_other_opponents() -> None:
    with pytest.raises(ConfigError, match="opponent"):
        gymnasium.make_vec("tkm_env/TKM-v0", num_envs=2, device="cuda", opponent="greedy")


def test_other_devices_are_refused() -> None:
    with pytest.raises(ConfigError, match="device"):
        gymnasium.make_vec("tkm_env/TKM-v0", num_envs=2, device="tpu")


#: What compiles every kernel without a GPU: numba asks the device only for its generation.
COMPILING = """
import sys
from types import ModuleType, SimpleNamespace

import numba.cuda.dispatcher
from numba import cuda, from_dtype, types

numba.cuda.dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=(9, 0))
sys.modules.setdefault("cupy", ModuleType("cupy"))
from tkm_env.compiled import cuda as shared
from tkm_env.games.tkm.engine import cuda_kernels as engine
from tkm_env.games.tkm.engine.state import STATE

whole = types.int64
kinds = from_dtype(STATE), whole, types.uint64, types.boolean, types.int8
states, numbers, streams, flags, bytes_ = (types.Array(kind, 1, "C") for kind in kinds)
masks, words = types.Array(types.int8, 2, "C"), types.Array(types.uint64, 2, "C")
floats, float_rows = types.Array(types.float32, 1, "C"), types.Array(types.float32, 2, "C")
work = (
    whole, states, states, numbers, numbers, masks, bytes_, flags, words, numbers, states, numbers,
    whole, whole, whole, numbers,
)
kernels = {
    "work": (engine.work, work),
    "observe": (engine.observe, (states, numbers, words)),
    "pick": (shared.pick, (masks, streams, numbers)),
    "draw_some": (shared.draw_some, (streams, numbers, whole, numbers)),
    "gather_some": (shared.gather_some, (masks, numbers, words, floats, float_rows)),
    "write_keys": (shared.write_keys, (words, streams)),
}
items = [item for module in (engine, shared) for item in vars(module).items()]
listed = {name for name, value in items if type(value).__name__ == "CUDADispatcher"}
assert listed == set(kernels), listed
for name, (kernel, signature) in kernels.items():
    ptx, _ = cuda.compile_ptx(kernel.py_func, signature, cc=(9, 0))
    open(f"{sys.argv[1]}/{name}.ptx", "w").write(ptx)
"""


@pytest.mark.slow
def test_every_kernel_compiles_without_a_gpu_and_spills_nothing_where_that_is_known(
    tmp_path: Path,
) -> None:
    pytest.importorskip("numba_cuda", reason="needs numba-cuda")
    from cuda.pathfinder import find_nvidia_binary_utility

    script = tmp_path / "compiling.py"
    script.write_text(COMPILING)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, script, tmp_path],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    assembler = find_nvidia_binary_utility("ptxas")
    for ptx in tmp_path.glob("*.ptx"):
        if assembler is None:
            continue
        command = [assembler, "-v", "-arch=sm_90", "-o", os.devnull, ptx]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        assert "spill stores" in said
        assert all(
            "0 bytes spill stores" in line for line in said.splitlines() if "spill stores" in line
        ), said


#: The same for one kernel with the compiler that is to follow numba-cuda.
SUCCESSOR = """
import sys
from types import ModuleType

from numba_cuda_mlir import cuda, types

sys.modules.setdefault("cupy", ModuleType("cupy"))
from tkm_env.compiled.cuda import write_keys

signature = types.Array(types.uint64, 2, "C"), types.Array(types.uint64, 1, "C")
assert cuda.compile_ptx(write_keys.py_func, signature, cc=(9, 0))[0]
"""


@pytest.mark.slow
def test_the_successor_of_numba_cuda_may_compile_kernels_too(tmp_path: Path) -> None:
    pytest.importorskip("numba_cuda_mlir", reason="needs numba-cuda-mlir")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-c", SUCCESSOR], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if result.returncode:
        pytest.xfail(result.stderr.strip()[-400:])
