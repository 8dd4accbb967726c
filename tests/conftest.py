"""Options and fixtures of the whole suite."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings

from tkm_env.compiled.decorators import COMPILES
from tkm_env.games.tkm.engine.state import CHAPTERS, EDITIONS

pytest_plugins = ["tests.play.browser"]

_INPUTS: Final = 30
#: What takes longest, in seconds of one core from most to least; the site and what is not compiled leave time to compile for the others.
_LONGEST: Final = (
    "tests/test_site.py",
    "tests/test_plain_python.py",
    "tests/play/test_browser.py",
    "tests/games/tkm/test_agents.py",
    "tests/arena/test_tournament.py",
    "tests/render/test_replay.py",
    "tests/test_docs.py",
    "tests/batch/test_initial_positions.py",
    "tests/test_style.py",
    "tests/arena/test_faults.py",
    "tests/arena/test_hostile.py",
    "tests/fuzz/test_calls.py",
    "tests/course/test_documents.py",
    "tests/cli/test_tournament_command.py",
    "tests/test_printed_commands.py",
    "tests/course/test_bundles.py",
    "tests/compiled/test_decorators.py",
    "tests/test_try_it.py",
)
#: What collecting the tests compiles, in halves.
_COMPILING: Final = (
    "from tkm_env import Batch, Game; Batch(2).reset(1); Game().observation()",
    "from tkm_env import Game, TerminusBatch, TerminusGame; TerminusBatch(2).reset(1); TerminusGame(); "
    "from tkm_env.agents import AlphaBetaAgent; AlphaBetaAgent(depth=1).act(Game())",
)

#: Every set of chapters: none, one, two, all three.
CHAPTER_SETS = [chapters for size in range(len(CHAPTERS) + 1) for chapters in itertools.combinations(CHAPTERS, size)]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--games", type=int, default=100, help="random games of each configuration in the simulation (default: 100)")
    parser.addoption(
        "--inputs", type=int, help=f"random inputs for each property and each fuzzer (default: {_INPUTS}, the same each time)"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Have Hypothesis try the same inputs in every run, or as many others as are asked for; have interrupts work."""
    inputs = config.getoption("--inputs")
    slow = [HealthCheck.too_slow]  # by the clock, so also where other programs run
    settings.register_profile("same", max_examples=_INPUTS, derandomize=True, deadline=None, suppress_health_check=slow)
    settings.register_profile("many", max_examples=inputs or _INPUTS, deadline=None, suppress_health_check=list(HealthCheck))
    settings.load_profile("same" if inputs is None else "many")
    if (
        signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    ):  # as for a shell's background jobs: what tests start could not be interrupted
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before workers start, each of which would compile all of it, what they all need is compiled by two processes."""
    config = session.config
    if COMPILES and config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        for compiling in [subprocess.Popen([sys.executable, "-c", source], cwd=config.rootpath) for source in _COMPILING]:
            assert compiling.wait() == 0


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file's tests run in one process, in order: what they share is made, and compiled, once."""
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False
    return LoadFileScheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first, so that no process waits for another at the end."""
    places = {file: place for place, file in enumerate(_LONGEST)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(places)))


@pytest.fixture(params=EDITIONS)
def edition(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=CHAPTER_SETS, ids=lambda chapters: "+".join(chapters) or "standard")
def chapters(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return request.param


@pytest.fixture
def threads_for_few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches have as many threads as they are asked for, however few games and cores there are."""
    monkeypatch.setattr("tkm_env.compiled.threads.cores", lambda: 64)
    monkeypatch.setattr("tkm_env.compiled.threads._GAMES_PER_THREAD", 1)


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
