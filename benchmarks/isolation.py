"""What isolation costs a decision: ``python benchmarks/isolation.py``.

A bot that answers at once, always the first legal action, plays games on one side; a decision's cost is the median over all of its own.
Where gcc is there, the bot is in C, else in Python.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tkm_env.agents.command import CommandAgent
from tkm_env.game.registry import game_spec
from tkm_env.isolation.limits import Limits
from tkm_env.isolation.program import try_isolation

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
    if line.startswith("go"): print("play", line.partition("legal=")[2].partition(" ")[0].partition(",")[0], flush=True)
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
    """Seconds of so many decisions, game after game."""
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


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = idle_bot(Path(folder))
        for isolation in [level for level in ("process", "restricted", "sandbox") if not try_isolation(level).lacks]:
            for game in ("tkm", "terminus"):
                agent = CommandAgent(command, limits=Limits(isolation, readable=(folder,)))
                costs(agent, game, 200)
                found = sorted(costs(agent, game, 3000))
                agent.close()
                middle, slow = statistics.median(found), found[len(found) * 99 // 100]
                print(f"{isolation:8} {game:9} median {1e6 * middle:6.1f} µs   99% below {1e6 * slow:7.1f} µs")


if __name__ == "__main__":
    main()
