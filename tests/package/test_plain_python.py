"""The engine's tests also pass without compilation, as plain Python for debugging and coverage."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tkm_env.compiled.decorators import COMPILES

ROOT = Path(__file__).parents[2]
#: What compiles engines and runs them in threads, which is not compiled itself, and networks, which
#: no engine asks.
NOT_OF_ENGINES = (
    *(
        "atomics_intrinsics.py",
        "cache.py",
        "decorators.py",
        "linking.py",
        "numba_backend.py",
        "threads.py",
        "xla.py",
    ),
    *("network.py", "vector_instructions.py"),
)
#: What engines share, as far as it is compiled.
SHARED_CODE = ",".join(
    f"tkm_env/compiled/{path.name}"
    for path in sorted((ROOT / "tkm_env/compiled").glob("*.py"))
    if path.name not in NOT_OF_ENGINES
)
#: By engine, what between them runs every line of it: every example of the rules, and few of the
#: tests that play at random, since without compilation a game takes a second.
TESTS = {
    f"tkm_env/games/tkm/engine/*,{SHARED_CODE}": [
        "tests/games/tkm/test_scenarios.py",
        "tests/games/tkm/test_events.py::test_events_are_the_difference_of_positions",
        "tests/games/tkm/test_events.py::test_events_tell_who_died_where_and_how",
        (
            "tests/core/test_compact_observation.py::test_compact_observations_are_the_scaled_"
            "planes_that_vary"
        ),
        (
            "tests/core/test_compact_observation.py::test_canonical_batches_show_what_"
            "canonical_games_show"
        ),
        *(
            f"tests/games/tkm/test_batch.py::test_{name}"
            for name in (
                "play_goes_as_in_single_games",
                "step_goes_as_in_single_games_and_restarts_those_that_end",
                "play_leaves_games_without_an_action_and_restarts_those_asked_to",
                "play_at_random_stops_where_the_given_player_is_to_act",
                "an_illegal_action_loses_at_every_step_of_a_turn",
                "a_reset_of_some_games_leaves_the_others",
            )
        ),
        "tests/envs/test_aec.py::test_masks_in_observations_and_infos_are_those_of_the_game[env]",
        (
            "tests/core/test_initial_positions.py::test_starts_depend_on_each_games_seed_"
            "alone[standard]"
        ),
        "tests/core/test_play_from.py::test_games_are_played_on_in_other_rows[tkm]",
        "tests/core/test_play_from.py::test_equal_games_have_equal_keys_and_others_do_not[tkm]",
        *("tests/compiled/test_bits.py", "tests/compiled/test_threads.py"),
        *(f"tests/games/tkm/engine/test_{name}.py" for name in ("hashing", "turns")),
        *(
            f"tests/players/tkm/search/test_alphabeta.py::test_{name}"
            for name in (
                "alphabeta_near_the_turn_limit_does_not_hope_for_more_turns",
                "a_search_in_pieces_finds_what_it_finds_at_once",
            )
        ),
    ],
    "tkm_env/games/terminus/engine/*": [
        *(f"tests/games/terminus/test_{name}.py" for name in ("scenarios", "deck")),
        (
            "tests/games/terminus/engine/test_observation.py::test_an_observation_shows_what_"
            "the_rules_say_is_seen"
        ),
        (
            "tests/games/terminus/engine/test_observation.py::test_shuffling_what_is_hidden_"
            "gives_every_order"
        ),
        (
            "tests/core/test_compact_observation.py::test_compact_observations_are_the_scaled_"
            "features_that_vary"
        ),
        *(
            f"tests/games/terminus/test_random_play.py::test_{name}"
            for name in (
                "invariants_hold_in_random_games",
                "a_batch_steps_through_the_same_games_as_single_ones[1]",
                "an_illegal_action_loses_a_game_of_a_batch",
            )
        ),
        "tests/games/terminus/test_faces.py::test_the_aec_face_reports_what_the_game_reports",
        (
            "tests/core/test_initial_positions.py::test_starts_depend_on_each_games_seed_"
            "alone[terminus]"
        ),
        "tests/core/test_play_from.py::test_games_are_played_on_in_other_rows[terminus]",
        *("--games", "3"),
    ],
}


@pytest.mark.nightly
@pytest.mark.skipif(not COMPILES, reason="this is the run without compilation")
@pytest.mark.parametrize("engine", TESTS)
def test_the_engine_is_covered_by_tests_that_pass_without_compilation(
    engine: str, tmp_path: Path
) -> None:
    environment = os.environ | {
        "NUMBA_DISABLE_JIT": "1",
        "COVERAGE_FILE": str(tmp_path / "coverage"),
    }
    # Not a worker of the run that this test belongs to.
    environment = {
        name: value for name, value in environment.items() if not name.startswith("PYTEST_")
    }
    run = [sys.executable, "-m", "coverage", "run", f"--include={engine}", "-m", "pytest", "-q"]
    result = subprocess.run(
        [*run, "-p", "no:cacheprovider", *TESTS[engine]],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]
    (tmp_path / "settings").write_text(
        "[report]\nexclude_also = @c_(entry|function)\n"
    )  # what XLA calls only where it is compiled
    report = [
        sys.executable,
        "-m",
        "coverage",
        "report",
        f"--rcfile={tmp_path / 'settings'}",
        "--fail-under",
        "98",
        "--show-missing",
    ]
    covered = subprocess.run(report, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert covered.returncode == 0, covered.stdout


WITHOUT_NUMBA = """
import sys

sys.modules["numba"] = sys.modules["llvmlite"] = None
import gymnasium
import tkm_env
from tkm_env.players import make_agent

for game in (
    tkm_env.Game(chapters=["growth", "influence", "memory"]),
    tkm_env.TerminusGame(seed=1),
):
    agent = make_agent("random")
    agent.reset(1)
    while game.result is None:
        game.play(agent.act(game))
    print(type(game).from_record(game.to_record()) == game)
games = gymnasium.make_vec("tkm_env/TKM-v0", num_envs=2, opponent="greedy")
observations, info = games.reset(seed=1)
games.step(info["action_mask"].argmax(1))
"""


@pytest.mark.slow
def test_games_and_environments_need_no_numba(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMBA], cwd=tmp_path, capture_output=True, text=True
    )
    assert (result.returncode, result.stdout) == (0, "True\nTrue\n"), result.stderr[-2000:]
