"""Find out whether a source of figures still does what it did, however it was rewritten.

    python benchmarks/compare_behaviour.py
    python benchmarks/compare_behaviour.py COMMIT NAME [ROW ...]

The first command finds out what the present sources do whose text is new. The second does so for
an earlier commit, the one with which figures were measured; NAME is that of their file in
``benchmarks/figures.toml``. Figures are not older than a source that does what it did then.

`benchmarks/behaviour.py` says what a source does.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.progress import Progress

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.behaviour import Behaviour
from benchmarks.digests import ROOT, Sources, read_table
from benchmarks.figures import Figures
from benchmarks.versions import checked_out

#: No player of these commands ever runs out of time, however busy the machine is.
_ALWAYS: Final = {
    "match": "--seed 1 --processes 1 --turn-seconds 3600 --start-seconds 3600",
    "benchmark": "--processes 1 --turn-seconds 3600 --start-seconds 3600",
    "train": "--seed 1 --ratings 1 --rating-games 2",
}
#: Commands that are programs of their own, which print a digest.
_PROGRAMS: Final = {
    "endgames": ROOT / "benchmarks/endgame_report_sample.py",
    "images": ROOT / "benchmarks/symmetric_images.py",
    "steps": ROOT / "benchmarks/environment_steps.py",
}
#: What is compared of an estimate. Its digits depend on the processor's rounding.
_DIGITS: Final = 6


class Version:
    """A version of the package, and what it does.

    Args:
        package: the folder that contains the package.
        folder: an empty folder, for what commands write.
    """

    def __init__(self, package: Path, folder: Path) -> None:
        self._environment = os.environ | {"PYTHONPATH": str(package)}
        self._folder = folder
        self._outcomes: dict[str, bytes] = {}

    def outcome(self, commands: Iterable[str]) -> str:
        """The digest of what commands lead to; each is run once.

        Args:
            commands: commands of ``tkm``, without its name; or ``endgames``, ``images`` or
                ``steps``, with options of the programs that `_PROGRAMS` names.

        Returns:
            16 hexadecimal digits.

        Raises:
            CalledProcessError: this version does not have such a command, or fails.
        """
        return hashlib.sha256(b"".join(map(self._outcome, commands))).hexdigest()[:16]

    def _outcome(self, command: str) -> bytes:
        if command not in self._outcomes:
            digest = hashlib.sha256()
            for part in self._parts(command):
                digest.update(part)
            self._outcomes[command] = digest.digest()
        return self._outcomes[command]

    def _parts(self, command: str) -> Iterator[bytes]:
        name, *words = shlex.split(command)
        if name in _PROGRAMS:
            yield self._run([str(_PROGRAMS[name]), *words])
            return
        with tempfile.TemporaryDirectory(dir=self._folder) as made:
            games, outcome, network = (
                Path(made, file) for file in ("games.jsonl", "outcome.json", "network.npz")
            )
            files = {
                "match": ["--save", str(games), "--json", str(outcome)],
                "benchmark": ["--json", str(outcome)],
                "train": [str(network)],
            }
            self._run(["-m", "tkm_env", name, *words, *_ALWAYS[name].split(), *files[name]])
            match name:
                case "match":
                    yield from _of_games(games)
                    yield from _of_scores(json.loads(outcome.read_text("utf-8"))["players"])
                case "benchmark":
                    for task in json.loads(outcome.read_text("utf-8"))["tasks"]:
                        yield _written(task["task"])
                        yield from _of_scores([task, *task.get("opponents", [])])
                case "train":
                    yield from _of_weights(network)

    def _run(self, arguments: Sequence[str]) -> bytes:
        """Run Python with this version of the package, and return what it prints."""
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self._folder,  # where no other package can be found first
            env=self._environment,
            check=True,
            capture_output=True,
        ).stdout


def _of_games(file: Path) -> Iterator[bytes]:
    """How each game began, went and ended."""
    for line in file.read_text("utf-8").splitlines():
        record = json.loads(line)
        if "actions" in record:
            yield _written([record.get("position"), record["actions"], record["result"]])


def _of_scores(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """How many pairs ended how, and the score with its interval."""
    for row in rows:
        score = {name: round(value, _DIGITS) for name, value in row["score"].items()}
        yield _written([row.get("pairs"), score])


def _of_weights(file: Path) -> Iterator[bytes]:
    """The weights of a network, bit by bit."""
    import numpy as np

    with np.load(file) as arrays:
        for name in sorted({*arrays.files} - {"card"}):
            yield name.encode()
            yield arrays[name].tobytes()


def _written(content: object) -> bytes:
    return json.dumps(content).encode()


def find_out(package: Path, texts: Mapping[str, str]) -> None:
    """Find out what a version of the package does, and keep it.

    Args:
        package: the folder that contains the package.
        texts: by the names of sources the digests of their versions; those of which it is known are
            passed over.

    Raises:
        CalledProcessError: a command fails.
    """
    behaviour = Behaviour()
    new = [(name, text) for name, text in texts.items() if not behaviour.is_known(name, text)]
    with (
        tempfile.TemporaryDirectory() as folder,
        Progress(disable=not sys.stderr.isatty()) as progress,
    ):
        version = Version(package, Path(folder))
        for source, text in progress.track(new, description="comparing"):
            outcome = version.outcome(behaviour.commands[source])
            earlier = behaviour.texts(source, outcome)
            print(f"{source}: {'the same as an earlier version' if earlier else 'new'}", flush=True)
            behaviour.add(source, text, outcome)


def main() -> None:
    """Run the command."""
    figures, commands = Figures(), Behaviour().commands
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit", nargs="?", help="a revision in git (default: the present state)")
    parser.add_argument("name", nargs="?", choices=figures.files, metavar="NAME")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows of it (default: all)")
    asked = parser.parse_args()
    if asked.commit is None:
        sources = Sources(ROOT, read_table()["sources"])
        find_out(ROOT, {source: sources.digest(source) for source in commands})
        return
    if asked.name is None:
        parser.error("with a commit, NAME says which figures were measured with it")
    measured = figures.measured(asked.name)
    if unknown := {*asked.rows} - measured.keys():
        parser.error(f"nobody knows when {', '.join(sorted(unknown))} was measured")
    then = {
        (source, text)
        for row in asked.rows or measured
        for source, text in measured[row].sources.items()
        if source in commands
    }
    if len(then) > len(texts := dict(then)):
        parser.error(f"rows of {asked.name} were measured with several commits: name the rows")
    with tempfile.TemporaryDirectory() as folder:
        find_out(checked_out(asked.commit, Path(folder)), texts)


if __name__ == "__main__":
    main()
