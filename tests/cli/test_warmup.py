"""``tkm warmup`` leaves nothing to compile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tkm_env.compiled.decorators import COMPILES

pytestmark = [pytest.mark.nightly, pytest.mark.skipif(not COMPILES, reason="nothing is compiled")]

#: Plays with every agent and steps every face; prints which functions of the package were compiled
#: for it.
EVERYTHING = """
import json
from numba.core import event
import gymnasium, numpy as np, pettingzoo
import tkm_env
from tkm_env.players import make_agent
from tkm_env.core.registry import game_names, game_spec
quick = {name: f"{name}:iterations=5" for name in ("mcts", "ismcts", "gumbel")}
quick["alphabeta"] = "alphabeta:depth=1,net=shipped"
with event.install_recorder("numba:compile") as recorder:
    for spec in map(game_spec, game_names()):
        for name in ROSTERS.of(spec).agents:
            game, agent = spec.game_class(seed=2), make_agent(quick.get(name, name), game=spec.name)
            while game.result is None and game.turn < 4:
                game.play(agent.act(game))
            env = gymnasium.make(spec.env_id, opponent=quick.get(name, name))
            env.reset(seed=2)
            for observation in ("planes", "compact"):
                envs = gymnasium.make_vec(
                    spec.env_id,
                    8,
                    opponent=quick.get(name, name),
                    observation=observation,
                    opening_turns=1,
                    num_threads=2,
                )
                _, info = envs.reset(seed=2)
                for _ in range(5):
                    info = envs.step(info["action_mask"].argmax(1))[-1]
        env = pettingzoo.make("aec", spec.env_id.lower())
        env.reset(seed=2)
        env.step(int(env.last()[0]["action_mask"].argmax()))
        spec.game_class(seed=2).turns()
    batch = tkm_env.Batch(8, chapters="growth")
    batch.play_turns(turns := batch.turns(), turns.offsets[:-1])
compiled = {
    f"{entry.data['dispatcher'].py_func.__module__}"
    for _, entry in recorder.buffer
    if entry.is_start
}
print(json.dumps(sorted(name for name in compiled if name.startswith("tkm_env"))))
"""


def test_everything_is_compiled_beforehand(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}

    def run(*command: str) -> str:
        return subprocess.run(
            [sys.executable, *command], env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert "functions in " in run("-m", "tkm_env", "warmup", "--processes", "2")
    assert json.loads(run("-c", EVERYTHING)) == []
    assert run("-m", "tkm_env", "warmup", "--processes", "1").startswith(
        "nothing was left to compile"
    )
