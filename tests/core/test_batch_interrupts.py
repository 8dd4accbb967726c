"""Ctrl-C at random moments of threaded steps.

The process lives, no helper writes late, and every game is in a legal position.
"""

from __future__ import annotations

import select
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tkm_env.compiled.decorators import COMPILES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILES, reason="uncompiled, one thread does it all"),
    pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX"),
]

#: Steps until it is interrupted, again and again; writes a point when it is about to begin, and an
#: exclamation mark at the end.
STEPPING = """
import os, sys, time
from tkm_env import Batch, Game
from tkm_env.compiled import threads

threads.cores = lambda: 4
interrupts, games, threads = map(int, sys.argv[1:])
settings = {"chapters": "convergence", "max_turns": 30}
batch = Batch(games, num_threads=threads, **settings)
room = batch.new_observations()
batch.step(batch.random_actions(), room)
for number in range(interrupts):
    try:
        os.write(1, b".")
        while True:
            batch.step(batch.random_actions(), room)
    except KeyboardInterrupt:
        pass
    arrays = (room, batch.states, batch.masks, batch.results, batch.illegal, batch.streams)
    left = [array.tobytes() for array in arrays]
    time.sleep(3e-4)
    assert left == [array.tobytes() for array in arrays], f"a helper wrote after interrupt {number}"
    game = Game.from_state(batch.states[number % games])
    masks = game.action_mask().tolist(), batch.masks[number % games].tolist()
    assert masks[0] == masks[1], f"game {number % games} after interrupt {number}"
one, many = Batch(games, **settings), batch
rooms = [other.new_observations() for other in (one, many)]
for other in (one, many):
    other.reset(seed=5)
for step in range(10):
    for other, seen in zip((one, many), rooms):
        other.step(other.random_actions(), seen)
    assert one.states.tobytes() == many.states.tobytes(), f"step {step} after a reset"
    assert rooms[0].tobytes() == rooms[1].tobytes(), f"step {step} after a reset"
os.write(1, b"!")
"""


@pytest.mark.parametrize(("games", "threads"), [(600, 2), (16_384, 4)])
def test_an_interrupted_batch_is_whole(
    games: int, threads: int, request: pytest.FixtureRequest
) -> None:
    interrupts = request.config.getoption("--inputs") or 40
    generator = np.random.default_rng(games)
    command = [sys.executable, "-c", STEPPING, str(interrupts), str(games), str(threads)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            sent = 0
            while select.select([process.stdout], [], [], 120)[0]:
                written = process.stdout.read(1)
                if written != b".":
                    break
                time.sleep(0.01 * generator.random() ** 2)
                process.send_signal(signal.SIGINT)
                sent += 1
            else:
                pytest.fail(f"the process hangs after {sent} interrupts")
            assert written == b"!", f"after {sent} interrupts: {process.stderr.read().decode()}"
            assert process.wait(60) == 0
        finally:
            process.kill()
    assert sent == interrupts
