"""How heavy the package is: its lines, its circles of imports, and how far a call leads.

``python benchmarks/structure.py`` prints all three; ``lines``, ``circles`` or ``chains`` one.

Lines
    All lines of ``tkm_env/**/*.py``, in total and by room, a room being a child of ``tkm_env``.

Circles
    Sets of modules that all reach each other by imports at run time, those inside functions
    included; the same for rooms; and apart from these, circles that exist for type checkers only.
    References by name ("module:name" in a game's row) are no imports.

Chains
    What a reader goes through to follow a call. Each call is made once, with compilation disabled.

    *Stations* are the different files of the package in which a function runs during the call. A
    file counts once, however often the call comes back to it. Two things do not count: ``HELPERS``,
    the package's foundations, which nobody opens to follow a call, and what runs because a module
    is imported. A file marked ``-`` calls no other.

    *Climbs* are the different pairs of files such that a function of the first one calls a function
    of the second, and the first stands on a lower floor. Helpers and other libraries in between are
    looked through: what a library calls is called by the file that called the library. A pair
    counts once, however often it climbs; a return is no climb. The floors are those of all
    contracts of the type "layers" in ``pyproject.toml``: a file is lower than another one if one of
    these contracts puts it, or a package that holds it, on a lower layer. Files that no contract
    compares do not climb. A climb is thus a call for which the caller would not be allowed to
    import what it calls: it goes by an object or a function that was handed down, or by a method
    that a subclass overrides.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import grimp
from importlinter.api import read_configuration
from importlinter.contracts.layers import LayerField

PACKAGE = "tkm_env"

#: Modules whose name says all that a reader of a call needs to know of them: they check values and
#: raise errors.
HELPERS = "foundations/"

#: The contracts that say which file stands on which floor.
CONTRACTS = Path(__file__).parents[1] / "pyproject.toml"


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


class Floors:
    """Which files stand below which, by the "layers" contracts of a ``pyproject.toml``.

    Files are given by their paths in the package, such as ``core/game.py``.
    """

    def __init__(self, contracts: Path, package: str = PACKAGE) -> None:
        self._package = package
        #: Of each contract, and of each of its containers, the floor of each module, 0 the highest.
        self._orders: list[dict[str, int]] = []
        for contract in read_configuration(str(contracts))["contracts_options"]:
            if contract["type"] == "layers":
                layers = [LayerField().parse(layer).module_tails for layer in contract["layers"]]
                for container in contract.get("containers", [""]):
                    prefix = f"{container}." if container else ""
                    self._orders.append(
                        {
                            prefix + module.name: floor
                            for floor, modules in enumerate(layers)
                            for module in modules
                        }
                    )

    def is_below(self, lower: str, higher: str) -> bool:
        """Whether a contract puts one file on a lower floor than the other."""
        for order in self._orders:
            floors = [self._floor(file, order) for file in (lower, higher)]
            if None not in floors and floors[0] > floors[1]:
                return True
        return False

    def _floor(self, file: str, order: dict[str, int]) -> int | None:
        """The floor of a file, or of the package that holds it; None if it stands on none."""
        module = ".".join((self._package, *Path(file).with_suffix("").parts))
        while module and module not in order:
            module = module.rpartition(".")[0]
        return order.get(module)


class Chain(NamedTuple):
    """The files through which a call leads, by their paths in the package."""

    calls: dict[str, set[str]]  # each file whose functions run, with the files that it calls

    @property
    def stations(self) -> list[str]:
        """The different files."""
        return sorted(self.calls)

    @property
    def rooms(self) -> set[str]:
        """The children of the package that hold the files."""
        return {Path(file).parts[0] for file in self.calls}

    def climbs(self, floors: Floors) -> list[tuple[str, str]]:
        """The pairs of a file and one on a higher floor that it calls."""
        return sorted(
            (caller, called)
            for caller, files in self.calls.items()
            for called in files
            if floors.is_below(caller, called)
        )


def trace(call: Callable[[], object], package: Path | None = None, helpers: str = HELPERS) -> Chain:
    """Make a call and follow it through the files of a package, helpers left out.

    Args:
        call: what is followed.
        package: the folder of the package; by default that of ``tkm_env``.
        helpers: how the paths in the package of files begin that do not count.
    """
    root, calls = f"{package or folder()}{os.sep}", dict[str, set[str]]()

    def file_of(frame: FrameType) -> str | None:
        file = frame.f_code.co_filename
        path = file.removeprefix(root)
        return None if path == file or path.startswith(helpers) else path

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or (file := file_of(frame)) is None:
            return
        callers, below = [], frame.f_back
        while below is not None:
            if below.f_code.co_filename.startswith("<frozen importlib"):
                return
            callers.append(file_of(below))
            below = below.f_back
        calls.setdefault(file, set())
        caller = next(filter(None, callers), file)
        if caller != file:
            calls.setdefault(caller, set()).add(file)

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return Chain(calls)


def chains() -> Iterator[tuple[str, Callable[[], object]]]:
    """The calls that are followed."""
    import gymnasium
    import numpy as np

    from tkm_env import tkm_v0
    from tkm_env.arena.match import Match
    from tkm_env.arena.playing.scheduled_game import Players, play_scheduled_game
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

    for names, whose in ((("random", "random"), "none thinks"), (("greedy", "random"), "one does")):
        match = Match(*names, games=2, seed=1)
        players = Players(match.conditions)
        first, second = islice(match.fixtures(), 2)
        play_scheduled_game(first, players)
        # The second one, since what is done once per match is done by then.
        yield (
            f"one scheduled game of a match of players of which {whose}",
            partial(play_scheduled_game, second, players),
        )
        players.close()

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
    """Print the stations and the climbs of each call."""
    floors = Floors(CONTRACTS)
    for name, call in chains():
        chain = trace(call)
        climbs = chain.climbs(floors)
        print(
            f"{len(chain.stations):6} stations in {len(chain.rooms)} rooms, "
            f"{len(climbs)} climbs: {name}"
        )
        for file in chain.stations:
            print(f"     {' ' if chain.calls[file] else '-'} {file}")
        for caller, called in climbs:
            print(f"     ^ {caller} climbs to {called}")


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
