"""Tries an installed tkm_env outside its source tree, in about a minute.

Call it as ``python smoke.py README.md EMPTY_FOLDER``. Every face plays, players meet in a match, a
bot plays at each level of isolation that the system has, and the programs and commands in the
README run as printed. It imports nothing from the source tree, and needs the extras that the README
installs for its sections.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numba
import numpy as np
import pettingzoo

import tkm_env
from tkm_env import Batch, Game, TerminusBatch, TerminusGame, terminus_v0, tkm_v0
from tkm_env.isolation.program import try_isolation
from tkm_env.players import make_agent

BOT = """
class Bot:
    def act(self, game):
        return game.legal_actions()[0]
"""


def play_games() -> None:
    """A game of each kind, from its record too."""
    for game in (
        Game(),
        Game(chapters=["growth", "influence", "memory"], seed=1),
        TerminusGame(seed=1),
    ):
        agent = make_agent("greedy", game=game.name)
        agent.reset(1)
        while game.result is None:
            game.play(agent.act(game))
        assert type(game).from_record(game.to_record()) == game


def play_batches() -> None:
    """Many games at once, on two threads."""
    for batch in (Batch(64, num_threads=2), TerminusBatch(64, num_threads=2)):
        batch.reset(1)
        observations = batch.new_observations()
        for _ in range(100):
            batch.step(batch.random_actions(), observations)


def play_pettingzoo() -> None:
    """Both games by PettingZoo, by import and by name."""
    named = pettingzoo.make("aec", "tkm_env/tkm-v0")
    for env in (tkm_v0.env(), terminus_v0.env(), named):
        env.reset(seed=1)
        generator = np.random.default_rng(1)
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            done = termination or truncation
            legal = np.flatnonzero(observation["action_mask"])
            env.step(None if done else int(generator.choice(legal)))


def play_gymnasium() -> None:
    """One game against an opponent, and many."""
    for env_id in ("tkm_env/TKM-v0", "tkm_env/Terminus-v0"):
        env = gymnasium.make(env_id, opponent="random", side="random")
        _, info = env.reset(seed=1)
        over = False
        while not over:
            _, _, termination, truncation, info = env.step(int(info["action_mask"].argmax()))
            over = termination or truncation
        envs: Any = gymnasium.make_vec(env_id, num_envs=16, opponent="greedy")
        _, info = envs.reset(seed=1)
        for _ in range(100):
            *_, info = envs.step(info["action_mask"].argmax(1))


def run(line: str) -> str:
    """What a line of shell prints; the smoke ends if it fails."""
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    return done.stdout


def play_match() -> None:
    """Players meet, in two processes, and are rated."""
    run("tkm match greedy random --games 8 --processes 2 --save match.jsonl")
    assert "greedy" in run("tkm rating match.jsonl --anchor random=1000")


def isolate_bots() -> None:
    """A bot plays at each level of isolation that this system has; the others are named."""
    for level in ("process", "restricted", "sandbox"):
        if lacks := try_isolation(level).lacks:
            print(f"  not at the level {level}: {lacks}")
        else:
            run(f"tkm match first_legal.py:Bot random --games 2 --isolation {level}")


def readme_parts(readme: str) -> Iterator[str]:
    """README's programs, as commands, and its commands for users, in order."""
    for_users = readme.partition("## The project")[0]
    found = re.findall(r"```python\n((?s:.*?))```|^    (tkm (?!play).*)$", for_users, re.MULTILINE)
    for number, (program, command) in enumerate(found):
        if program:
            Path(f"readme{number}.py").write_text(program, "utf-8")
            yield f"python readme{number}.py"
        elif command.startswith("tkm course new"):  # which would try its solutions for a minute
            yield f"{command} --no-check"
        elif command.startswith("tkm course grade"):  # for minutes
            yield f"{command} --question q1"
        elif command.startswith("tkm train"):  # for a minute, too
            yield f"{command} --games 1000 --round-games 500 --rating-games 20"
        else:
            yield command


def main(readme: str, folder: str) -> None:
    text = Path(readme).read_text("utf-8")
    os.chdir(folder)
    os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    here = Path(tkm_env.__file__)
    assert "site-packages" in here.parts, f"{here} is a source tree"
    print(
        f"tkm_env {tkm_env.__version__}, Python {platform.python_version()}, numpy "
        f"{np.__version__}, numba {numba.__version__}"
    )
    Path("first_legal.py").write_text(BOT, "utf-8")
    steps: list[tuple[str, Callable[[], object]]] = [
        (check.__name__.replace("_", " "), check)
        for check in (
            play_games,
            play_batches,
            play_pettingzoo,
            play_gymnasium,
            play_match,
            isolate_bots,
        )
    ]
    steps += [(line, lambda line=line: run(line)) for line in readme_parts(text)]
    for what, check in steps:
        begun = time.perf_counter()
        check()
        print(f"  {time.perf_counter() - begun:5.1f} s  {what}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
