"""Options and fixtures of the whole suite."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from tests.cases import MadeOnce
from tkm_env.compiled.decorators import COMPILES
from tkm_env.core import registry
from tkm_env.core.registry import GameSpec
from tkm_env.isolation import program
from tkm_env.isolation.limits import PROTECTIONS

pytest_plugins = ["tests.browser", "tests.drawn_seeds", "tests.skips"]

_INPUTS: Final = 30
#: What collecting the tests compiles, in halves.
_COMPILING: Final = (
    "from tkm_env import Batch, Game; Batch(2).reset(1); Game().observation()",
    "from tkm_env import Game, TerminusBatch, TerminusGame; "
    "TerminusBatch(2).reset(1); TerminusGame(); "
    "from tkm_env.players import AlphaBetaAgent; AlphaBetaAgent(depth=1).act(Game())",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--games",
        type=int,
        default=100,
        help="random games of each configuration in the simulation (default: 100)",
    )
    parser.addoption(
        "--endgames",
        type=int,
        default=100_000,
        help="positions drawn from the table of three copies a side (default: 100,000)",
    )
    parser.addoption(
        "--inputs",
        type=int,
        help=(
            f"random inputs for each property and each fuzzer (default: {_INPUTS}, "
            "the same each time)"
        ),
    )


@pytest.fixture(scope="session", autouse=True)
def games_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the unfinished games of the tests apart from those of whoever runs them."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


def pytest_configure(config: pytest.Config) -> None:
    """Choose the inputs that Hypothesis tries, and make interrupts work.

    Hypothesis tries the same inputs in every run, or as many others as ``--inputs`` says.
    """
    inputs = config.getoption("--inputs")
    slow = [HealthCheck.too_slow]  # by the clock, so also where other programs run
    settings.register_profile(
        "same", max_examples=_INPUTS, derandomize=True, deadline=None, suppress_health_check=slow
    )
    settings.register_profile(
        "many",
        max_examples=inputs or _INPUTS,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("same" if inputs is None else "many")
    # A shell's background jobs ignore interrupts, and so would what tests start.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a row after what it holds, where pytest would number it, or could not write it."""
    match val:
        case {"id": str(name)} | {"name": str(name)}:
            return name
        case GameSpec():
            return val.name
        case int() if val.bit_length() > 64:
            return f"{val.bit_length()} bits"
    return None


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile what all workers need, in two processes, before workers start.

    Otherwise each worker would compile all of it.
    """
    config = session.config
    if COMPILES and config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        for compiling in [
            subprocess.Popen([sys.executable, "-c", source], cwd=config.rootpath)
            for source in _COMPILING
        ]:
            assert compiling.wait() == 0


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """A folder of the given name, which the first worker that asks for it fills, once.

    The others wait.
    """
    root = tmp_path_factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root

    def folder(name: str, fill: Callable[[Path], object]) -> Path:
        place, is_made = root / name, root / f"{name}.made"
        with (root / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not is_made.exists():
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir()
                fill(place)
                is_made.touch()
        return place

    return folder


@pytest.fixture
def threads_for_few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches have as many threads as they are asked for, even with few games and cores."""
    monkeypatch.setattr("tkm_env.compiled.threads.cores", lambda: 64)
    monkeypatch.setattr("tkm_env.compiled.threads._GAMES_PER_THREAD", 1)
    monkeypatch.setattr("tkm_env.compiled.threads._FEWEST_ITEMS", 8)
    monkeypatch.setattr("tkm_env.compiled.threads._RANGE", 8)


@pytest.fixture
def every_isolation(monkeypatch: pytest.MonkeyPatch) -> None:
    """This system claims to isolate programs at every level.

    It is for tests that read settings and start no program.
    """
    monkeypatch.setattr(
        program, "try_isolation", lambda level: program.Trial(tuple(PROTECTIONS), "")
    )


@pytest.fixture
def tictactoe() -> Iterator[str]:
    """The name of a game that the package does not know, while it is registered."""
    from tests.games.tictactoe import SPEC

    known = dict(registry._SPECS)
    registry.add_games([SPEC])
    yield SPEC.name
    registry._SPECS.clear()
    registry._SPECS.update(known)


@pytest.fixture
def chat_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment holds the key that the tests' chat server is asked with."""
    from tests.text.chat_server import KEY

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


class Hurried:
    """A clock of pygame's that does not wait."""

    def tick(self, framerate: float) -> int:
        return 0


@pytest.fixture
def no_display_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows open, but nowhere, and do not wait from picture to picture."""
    pygame = pytest.importorskip("pygame", reason="needs the extra [render]")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(pygame.time, "Clock", Hurried)
