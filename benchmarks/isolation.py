"""What isolation costs a decision and a start: ``python benchmarks/isolation.py``.

A bot that answers at once with the first legal action plays games on one side. The cost of a
decision is the median over all of its decisions. The bot is in C if gcc is installed, otherwise in
Python. For comparison, the program also shows the time for a line through two pipes to the bot and
back without any isolation. A start is measured up to the first line of a Python program, relative
to Python's own start; the kinds of starts take turns. At the end stands the CPU time of all
processes for a game between two Python files with random actions, whose programs keep running, and
for a start.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.schedule import Entrant, pair_of_games
from tkm_env.arena.playing.scheduled_game import Players, play_scheduled_game
from tkm_env.core.registry import game_spec
from tkm_env.evaluation.starts import Settings
from tkm_env.isolation.limits import Limits
from tkm_env.isolation.program import Program, try_isolation
from tkm_env.players.command_agent import CommandAgent

IN_C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    size_t room = 0;
    char *line = NULL;
    while (getline(&line, &room, stdin) > 0) {
        if (!strncmp(line, "tkm", 3)) puts("tkm 1 name=idle");
        if (!strncmp(line, "go", 2)) printf("play %d\n", atoi(strstr(line, "legal=") + 6));
        fflush(stdout);
    }
}
"""
IN_PYTHON = """
import sys
for line in sys.stdin:
    if line.startswith("tkm"): print("tkm 1 name=idle", flush=True)
    if line.startswith("go"):
        print("play", line.partition("legal=")[2].split(" ")[0].split(",")[0], flush=True)
"""
IN_PYTHON_WITH_THE_PACKAGE = """
import numpy as np
class Bot:
    def reset(self, seed):
        self.generator = np.random.default_rng(seed)
    def act(self, game):
        return int(self.generator.choice(game.legal_actions()))
"""


def idle_bot(folder: Path) -> list[str]:
    """The command of a bot that does not think."""
    if gcc := shutil.which("gcc"):
        (folder / "idle.c").write_text(IN_C, "utf-8")
        subprocess.run([gcc, "-O2", "-o", str(folder / "idle"), str(folder / "idle.c")], check=True)
        return [str(folder / "idle")]
    (folder / "idle.py").write_text(IN_PYTHON, "utf-8")
    return [sys.executable, "-I", "-S", str(folder / "idle.py")]


def costs(agent: CommandAgent, game: str, decisions: int) -> list[float]:
    """Seconds of the given number of decisions, game after game."""
    found: list[float] = []
    kind = game_spec(game).game_class
    while len(found) < decisions:
        agent.reset(len(found))
        playing = kind(seed=len(found))
        while playing.result is None:
            if playing.to_act != kind.players[0]:
                playing.play(playing.legal_actions()[0])
                continue
            began = time.perf_counter()
            action = agent.act(playing)
            found.append(time.perf_counter() - began)
            playing.play(action)
    return found


def bare_pipes(command: list[str], exchanges: int) -> list[float]:
    """Seconds of each of the given number of lines to the bot and back."""
    found = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bot:
        assert bot.stdin is not None
        assert bot.stdout is not None
        for _ in range(exchanges):
            began = time.perf_counter()
            os.write(bot.stdin.fileno(), b"go legal=0 | x |\n")
            os.read(bot.stdout.fileno(), 1 << 16)
            found.append(time.perf_counter() - began)
    return found


def starts(levels: list[str], rounds: int) -> dict[str, list[float]]:
    """Seconds from the start of a Python program to its first line, also without isolation.

    Args:
        levels: the levels of isolation.
        rounds: how many starts of each kind.

    Returns:
        The seconds of each start, by level, and for Python alone.
    """
    command = [sys.executable, "-I", "-S", "-c", "print('ready', flush=True); input()"]
    found: dict[str, list[float]] = {level: [] for level in ("python", *levels)}
    for _ in range(rounds):
        for level, seconds in found.items():
            began = time.perf_counter()
            if level == "python":
                with subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
                ) as python:
                    assert python.stdout is not None
                    python.stdout.readline()
                    seconds.append(time.perf_counter() - began)
                    python.kill()
            else:
                program = Program(command, "the bot", Limits(level))
                program.read_line(time.monotonic() + 20)
                seconds.append(time.perf_counter() - began)
                program.kill()
    return found


def whole_games(folder: Path, pairs: int) -> float:
    """CPU seconds of all processes for pairs of games between two Python files."""
    entrants = []
    for name in ("ann", "bob"):
        (folder / f"{name}.py").write_text(IN_PYTHON_WITH_THE_PACKAGE, "utf-8")
        entrants.append(Entrant(name, f"{folder / name}.py:Bot"))
    settings, players = Settings(), Players(Conditions(limits=Limits("process")))
    began = cpu_seconds()
    for number in range(pairs):
        for fixture in pair_of_games(settings, 2, number, (entrants[0], entrants[1])):
            play_scheduled_game(fixture, players)
    players.close()
    return cpu_seconds() - began


def cpu_seconds() -> float:
    """Of this process and of all that have ended of those that it started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main() -> None:
    levels = [
        level for level in ("process", "restricted", "sandbox") if not try_isolation(level).lacks
    ]
    with tempfile.TemporaryDirectory() as folder:
        command = idle_bot(Path(folder))
        print_times("pipes", "", bare_pipes(command, 3000))
        for isolation in levels:
            for game in ("tkm", "terminus"):
                agent = CommandAgent(command, limits=Limits(isolation, readable=(folder,)))
                costs(agent, game, 200)
                found = costs(agent, game, 3000)
                agent.close()
                print_times(isolation, game, found)
    by_level = starts(levels, 20)
    own = statistics.median(by_level.pop("python"))
    for level, seconds in by_level.items():
        lower, middle, upper = statistics.quantiles([1e3 * (each - own) for each in seconds])
        print(
            f"{level:10} start     median {middle:6.1f} ms over Python's {1e3 * own:.1f} ms; "
            f"half of them {lower:.1f} to {upper:.1f} ms"
        )
    with tempfile.TemporaryDirectory() as folder:
        whole_games(Path(folder), 1)  # which compiles here
        few, many = (
            statistics.median(whole_games(Path(folder), pairs) for _ in range(3))
            for pairs in (1, 51)
        )
    game = (many - few) / 100
    print(f"Python files: {1e3 * game:.0f} ms of CPU a game, {few / 2 - game:.2f} s a start")


def print_times(level: str, game: str, found: list[float]) -> None:
    """Print a row of microseconds."""
    middle, slow = statistics.median(found), sorted(found)[len(found) * 99 // 100]
    print(f"{level:10} {game:9} median {1e6 * middle:6.1f} µs   99% below {1e6 * slow:7.1f} µs")


if __name__ == "__main__":
    main()
