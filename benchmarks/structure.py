"""How heavy the package is: its lines, its circles of imports, and the files that a reader opens to follow a call.

``python benchmarks/structure.py`` prints all three; ``lines``, ``circles`` or ``chains`` prints one.

Lines
    All lines of ``tkm_env/**/*.py``, in total and by room, a room being a child of ``tkm_env``.

Circles
    Sets of modules that all reach each other by imports at run time, those inside functions included; the same for rooms; and apart from
    these, circles that exist for type checkers only. References by name ("module:name" in a game's row) are no imports.

Chains
    The files whose functions run in a call, with compilation disabled; what runs because a module is imported does not count, nor do
    ``HELPERS``, the package's foundations, which nobody opens to follow a call. A file marked ``-`` calls no other.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import grimp

PACKAGE = "tkm_env"

#: Modules whose name says all that a reader of a call needs to know of them: they check values and raise errors.
HELPERS = "foundations/"


def folder() -> Path:
    """The folder of the package that this Python imports."""
    import tkm_env

    return Path(tkm_env.__file__).parent


def print_lines() -> None:
    """Print the number of lines of the package."""
    rooms: Counter[str] = Counter()
    for path in folder().rglob("*.py"):
        rooms[path.relative_to(folder()).parts[0]] += path.read_text("utf-8").count("\n")
    print(f"{sum(rooms.values()):6} lines in the package")
    for room, count in rooms.most_common():
        print(f"{count:6} {room}")


def circles(graph: grimp.ImportGraph) -> list[list[str]]:
    """The largest sets of modules that all reach each other."""
    reached = {module: graph.find_upstream_modules(module) for module in graph.modules}
    found = {
        frozenset({module, *(other for other in reached[module] if module in reached[other])})
        for module in reached
    }
    return sorted(sorted(circle) for circle in found if len(circle) > 1)


def rooms_of(graph: grimp.ImportGraph) -> grimp.ImportGraph:
    """The graph of the package's rooms."""
    for room in graph.find_children(PACKAGE):
        graph.squash_module(room)
    return graph


def print_circles() -> None:
    """Print the circles of imports: at run time, and for type checkers only."""

    def graph(*, at_run_time: bool) -> grimp.ImportGraph:
        return grimp.build_graph(PACKAGE, exclude_type_checking_imports=at_run_time, cache_dir=None)

    def show(kind: str, found: list[list[str]]) -> None:
        print(f"{len(found):6} {kind}")
        for circle in found:
            print(f"       {' '.join(circle)}")

    modules, rooms = circles(graph(at_run_time=True)), circles(rooms_of(graph(at_run_time=True)))
    show("circles of modules", modules)
    show("circles of rooms", rooms)
    show(
        "circles of modules, for type checkers only",
        [row for row in circles(graph(at_run_time=False)) if row not in modules],
    )
    show(
        "circles of rooms, for type checkers only",
        [row for row in circles(rooms_of(graph(at_run_time=False))) if row not in rooms],
    )


def trace(call: Callable[[], object]) -> dict[str, set[str]]:
    """The files of the package whose functions run in a call, helpers left out, each with those that it calls."""
    root, found = f"{folder()}{os.sep}", dict[str, set[str]]()

    def name_of(frame: FrameType) -> str | None:
        name = frame.f_code.co_filename
        return (
            name.removeprefix(root)
            if name.startswith(root) and not name.removeprefix(root).startswith(HELPERS)
            else None
        )

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or (name := name_of(frame)) is None:
            return
        callers, above = [], frame.f_back
        while above is not None:
            if above.f_code.co_filename.startswith("<frozen importlib"):
                return
            callers.append(name_of(above))
            above = above.f_back
        found.setdefault(name, set())
        caller = next(filter(None, callers), name)
        if caller != name:
            found.setdefault(caller, set()).add(name)

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return found


def chains() -> Iterator[tuple[str, Callable[[], object]]]:
    """The calls that are followed."""
    import gymnasium
    import numpy as np

    from tkm_env import tkm_v0
    from tkm_env.arena.match import Match
    from tkm_env.games.registry import TKM
    from tkm_env.play.app import new_app
    from tkm_env.play.session import Session

    draws = np.random.default_rng(1)

    def draw(mask: Any) -> Any:
        return np.where(mask, draws.random(mask.shape), -1).argmax(-1)

    env = tkm_v0.env()
    env.reset(seed=1)

    def play_turn() -> None:
        player = env.agent_selection
        while env.agent_selection == player:
            env.step(int(draw(env.infos[player]["action_mask"])))

    yield "env.step, all steps of a turn", play_turn

    envs = gymnasium.make_vec("tkm_env/TKM-v0", num_envs=4, opponent="random")
    info = envs.reset(seed=1)[1]

    def step_vector() -> None:
        nonlocal info
        for _ in range(10):
            info = envs.step(draw(info["action_mask"]))[-1]

    yield "the step of a vector environment with an opponent, ten times", step_vector
    envs.close()

    def play_match() -> None:
        assert len(list(Match("greedy", "random", games=2, seed=1).play())) == 2

    yield "a match of two games", play_match

    client = new_app(Session(TKM, {}, seed=1)).test_client()
    client.environ_base["HTTP_HOST"] = "127.0.0.1:8000"

    def click(action: str, version: int) -> None:
        assert (
            client.post("/api/play", json={"version": version, "action": action}).status_code == 200
        )

    version = client.get("/api/state").get_json()["version"]
    click("choose 1", version)
    yield "a click on the page", lambda: click("move east", version + 1)


def print_chains() -> None:
    """Print the files that each call leads through."""
    for name, call in chains():
        found = trace(call)
        print(f"{len(found):6} files: {name}")
        for file in sorted(found):
            print(f"     {' ' if found[file] else '-'} {file}")


if __name__ == "__main__":
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    commands = {"lines": print_lines, "circles": print_circles, "chains": print_chains}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "what", nargs="*", default=list(commands), help="lines, circles or chains; by default all"
    )
    for what in parser.parse_args().what:
        commands[what]()
