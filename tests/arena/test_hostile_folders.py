"""Tournaments with hostile folders among the submissions, which change no other game.

``python -m tests.arena.test_hostile_folders 20`` plays 20 of each kind.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest

from tests.isolation.programs import NO_SANDBOX, open_descriptors, processes_of
from tkm_env import GameConfig
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.tournament.submissions import entrants_in
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.arena.tournament.tournament_plan import KINDS
from tkm_env.evaluation.starts import Settings
from tkm_env.foundations.archives import MAX_BYTES
from tkm_env.isolation.limits import Limits

pytestmark = pytest.mark.skipif(bool(NO_SANDBOX), reason=NO_SANDBOX)

#: Plays the first legal action; CODE runs before its first answer.
_PROGRAM: Final = """#!{python} -ISu
import os, sys, time
def start(work):
    if os.fork() == 0:
        while True:
            work()
for line in sys.stdin:
    if line.startswith("tkm"):
        print("tkm 1 name=hostile", flush=True)
    elif line.startswith("go"):
        answer = "play " + line.partition("legal=")[2].partition(" ")[0].partition(",")[0]
{code}
        print(answer, flush=True)
"""
#: What programs do before each answer.
PROGRAMS: Final = {
    "takes its errors back": """
def take():
    try:
        os.read(errors, 1)
    except BlockingIOError:
        pass
try:
    errors = os.open("/proc/self/fd/2", os.O_RDONLY | os.O_NONBLOCK)
except OSError:  # where it is another user's
    pass
else:
    start(lambda: os.write(2, b"x"))
    for _ in range(3):
        start(take)
taken = bytearray(300 << 20)
time.sleep(2)
""",
    "works in children while others think": """
if os.fork() == 0:
    for _ in range(40):
        if os.fork() == 0:
            end = time.monotonic() + 0.05
            while time.monotonic() < end:
                pass
            os._exit(0)
        os.wait()
    os._exit(0)
""",
    "closes its input before its last answer": "try:\n    os.close(0)\nexcept OSError:\n    pass",
    "writes bytes behind a flood of errors": """
os.write(2, b"x" * (1 << 20))
end = time.monotonic() + 0.3
while time.monotonic() < end:
    os.write(2, b"x")
    time.sleep(0.0005)
""",
    "writes 200,000 remarks": "print('info x\\n' * 200_000, end='')",
}


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)


def _bytecode(folder: Path) -> None:
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__/run.cpython-311.pyc").write_bytes(b"no bytecode")


#: What is put into a folder beside an honest program; or a name that nobody can have. None of these
#: plays, except as said.
FOLDERS: Final[dict[str, Callable[[Path], object]]] = {
    "a link to a clock": lambda folder: (folder / "data").symlink_to("/proc/uptime"),
    "a link to the results": lambda folder: (folder / "data").symlink_to("../../games.jsonl"),
    "a link to memory": lambda folder: (folder / "data").symlink_to("/proc/self/pagemap"),
    "a link to another": lambda folder: (folder / "data").symlink_to("../ann/run"),
    "holes": lambda folder: _sparse(folder / "data"),
    "a pipe": lambda folder: os.mkfifo(folder / "data"),
    "eve@2": lambda folder: None,
    "not UTF-8 \udcff": lambda folder: None,
}
#: These play as any other.
ODD: Final[dict[str, Callable[[Path], object]]] = {
    "x:y": lambda folder: None,
    "a.py:b": lambda folder: None,
    "n" * 200: lambda folder: (folder / "data").touch(),
    "bytecode": _bytecode,
}
#: Whose games are compared.
HONEST_NAMES: Final = ("ann", "bob", *ODD)


def _program(folder: Path, code: str) -> Path:
    folder.mkdir(parents=True)
    body = "\n".join(f"        {line}" for line in code.strip("\n").splitlines())
    (folder / "run").write_text(_PROGRAM.format(python=sys.executable, code=body), "utf-8")
    (folder / "run").chmod(0o755)
    return folder


def submissions(place: Path, *, hostile: bool) -> Path:
    """A folder of honest players, and of hostile ones, if so."""
    folder = place / "submissions"
    for name in ("ann", "bob", "eve", *ODD):
        _program(folder / name, "")
    for name, put in ODD.items():
        put(folder / name)
    if hostile:
        for name, code in PROGRAMS.items():
            _program(folder / name, code)
        for name, put in FOLDERS.items():
            put(_program(folder / name, ""))
    return folder


@contextmanager
def exchanging(folder: Path) -> Iterator[None]:
    """Keep exchanging the files of *eve*: for others, a link, a pipe, holes, nothing."""
    own, ended = folder / "eve", threading.Event()
    honest = (own / "run").read_text("utf-8")
    kinds: list[Callable[[], object]] = [
        lambda: (own / "run").write_text(honest + f"# {time.time()}\n", "utf-8"),
        lambda: (own / "data").symlink_to(folder / "ann/run"),
        lambda: os.mkfifo(own / "data"),
        lambda: _sparse(own / "data"),
        lambda: (own / "run").unlink(),
        lambda: ((own / "run").write_text(honest, "utf-8"), (own / "run").chmod(0o755)),
    ]

    def work() -> None:
        while not ended.is_set():
            for kind in kinds:
                with suppress(OSError):
                    kind()
                time.sleep(0.003)
                with suppress(OSError):
                    (own / "data").unlink()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def tournament(folder: Path, kind: str) -> Tournament:
    """A short tournament of this kind between all players in a folder."""
    more: dict[str, Any] = {
        "gauntlet": {"challengers": ("ann", "bob")},
        "continuous": {"newcomers": lambda: entrants_in(folder), "games_per_player": 6},
    }.get(kind, {})
    conditions = Conditions(
        limits=Limits("sandbox", memory_mib=200, processes=24), turn_seconds=2.0
    )
    settings = (Settings(config=GameConfig(max_turns=4)),)
    return Tournament(
        entrants_in(folder), settings, kind, pairs=1, seed=3, conditions=conditions, **more
    )


def played(place: Path, kind: str, *, hostile: bool) -> dict[int, Any]:
    """The games between honest players, by seed; they ended without a fault."""
    place.mkdir()
    folder = submissions(place, hostile=hostile)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        plan = tournament(folder, kind)
        if hostile:
            with exchanging(folder):
                records = [*plan.play(place / "games.jsonl")]
        else:
            records = [*plan.play(place / "games.jsonl")]
    faults = {
        (record["players"][record["fault"]["player"]], record["fault"]["kind"])
        for record in records
        if "fault" in record
    }
    attackers = {"takes its errors back", "writes 200,000 remarks"}
    assert not hostile or attackers <= {name for name, _ in faults}, f"who lost, and why: {faults}"
    honest = [record for record in records if {*record["players"].values()} <= {*HONEST_NAMES}]
    assert honest
    assert not [record["fault"] for record in honest if "fault" in record]
    names = {name for record in records for name in record["players"].values()}
    assert {*HONEST_NAMES} <= names, "all honest players play, whatever they are called"
    assert names.isdisjoint(FOLDERS), "what is not a player does not play"
    assert not [*place.glob(".games.jsonl.players-*")]
    return {
        record["seed"]: (record["players"], record["actions"], record["result"])
        for record in honest
    }


def check(place: Path, kind: str) -> None:
    """Play with and without hostile folders, and compare the games of the others."""
    before = open_descriptors()
    without, among = (
        played(place / str(hostile), kind, hostile=hostile) for hostile in (False, True)
    )
    if kind in ("round robin", "gauntlet"):  # elsewhere who meets whom depends on results
        assert without.keys() == among.keys()
    assert {seed: among[seed] for seed in without.keys() & among.keys()} == {
        seed: without[seed] for seed in without.keys() & among.keys()
    }
    assert not processes_of(str(place))
    assert open_descriptors() == before


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=pytest.mark.slow if kind == "gauntlet" else pytest.mark.nightly)
        for kind in KINDS
    ],
)
def test_honest_players_play_the_same_games_among_hostile_folders(
    kind: str, tmp_path: Path
) -> None:
    check(tmp_path, kind)


if __name__ == "__main__":
    for number in range(int(sys.argv[1])):
        for each in KINDS:
            with tempfile.TemporaryDirectory() as made:
                began = time.monotonic()
                check(Path(made), each)
                print(
                    f"{number + 1} {each}: as without them, in {time.monotonic() - began:.0f} s",
                    flush=True,
                )
