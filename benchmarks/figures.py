"""When figures were measured, with what, and whether that has changed since.

    python benchmarks/figures.py

The command lists the figures that are older than what they depend on, each with the command that
measures it again. With ``--keep`` it takes note that figures have just been measured; only those
that ``tkm`` measures need that.

``benchmarks/figures.toml`` says what each file of figures depends on. ``docs/figures.json`` holds
the date and the digests of these sources from when it was measured; every benchmark that writes
figures adds them. `docs/generate.py` writes the sentences of the pages.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.behaviour import Behaviour
from benchmarks.digests import ROOT, Sources, read_table
from benchmarks.speed.rules import SPEED, age_of, read_record
from tkm_env.foundations.files import write_file

RECORD: Final = "docs/figures.json"
_WIDTH: Final = 140


class Measured(NamedTuple):
    """When and with what figures were measured.

    Attributes:
        date: the day, as 2026-11-25.
        sources: the digest of each source on which the figures depend.
    """

    date: str
    sources: dict[str, str]


class FileOfFigures(NamedTuple):
    """A row of ``benchmarks/figures.toml``, where the fields are described."""

    file: str
    command: str
    pages: list[str]
    shows: str
    sources: list[str]
    rows: dict[str, list[str]] | None = None
    what: str = "These figures were measured"
    again: str = "measures them again"
    takes: str = ""


class Age(NamedTuple):
    """How old figures are.

    Attributes:
        dates: when they were measured; of those that are older, if some are.
        changed: the sources that have changed since.
        only_some: whether others are not older.
        speed_has_moved: whether the rules or the search have changed, too little to count.
        is_rewritten: whether another source has changed that still does the same.
    """

    dates: list[str]
    changed: list[str]
    only_some: bool = False
    speed_has_moved: bool = False
    is_rewritten: bool = False


class Figures:
    """All files of figures in a checkout of the project.

    Args:
        root: the folder of the checkout.
    """

    def __init__(self, root: Path = ROOT) -> None:
        table = read_table(root)
        self._root = root
        self._sources = Sources(root, table["sources"])
        self._speeds = read_record(root)
        self._behaviour = Behaviour(root)
        self._record = _read(root / RECORD)
        self._bundles: dict[str, list[str]] = table["bundles"]
        #: The files by name.
        self.files = {name: FileOfFigures(**row) for name, row in table["figures"].items()}

    def rows(self, name: str) -> list[str]:
        """The rows of a file that are measured one by one; an empty name for the whole file."""
        row = self.files[name]
        file = self._root / row.file
        if row.rows is None:
            return [""]
        if file.is_dir():
            return sorted(path.name for path in file.glob("*.json"))
        content = _read(file)
        return [*content.get("methods", content)]

    def now(self, name: str, row: str = "") -> Measured:
        """What is to be kept of figures that are measured now.

        Args:
            name: the name of their file.
            row: the name of their row in it.

        Returns:
            The date and the digests.
        """
        digests = {source: self._sources.digest(source) for source in self._depends_on(name, row)}
        return Measured(datetime.now(UTC).date().isoformat(), digests)

    def keep(self, name: str, measured: Mapping[str, Measured]) -> None:
        """Write down when and with what figures were measured.

        Args:
            name: the name of their file, which holds them already.
            measured: by row; other rows stay as they are while the file has them. Without any,
                nothing is written.
        """
        if not measured:
            return
        known = self.measured(name) | dict(measured)
        runs: dict[str, dict[str, Any]] = {}
        for row in self.rows(name):
            if row in known:
                run = known[row]._asdict()
                rows = runs.setdefault(json.dumps(run), run | {"rows": []})["rows"]
                rows.append(row)
        self._record[name] = [*runs.values()]
        path = self._root / RECORD
        path.write_text(json.dumps(dict(sorted(self._record.items())), indent=1) + "\n", "utf-8")

    def measured(self, name: str) -> dict[str, Measured]:
        """What was kept of the figures of a file, by row."""
        return {
            row: Measured(run["date"], run["sources"])
            for run in self._record.get(name, ())
            for row in run["rows"]
        }

    def age(self, name: str) -> Age:
        """How old the figures of a file are.

        Raises:
            KeyError: nothing was kept of one of its rows.
        """
        measured, changed = self.measured(name), dict[str, list[str]]()
        for row in self.rows(name):
            if row not in measured:
                file = self.files[name]
                raise KeyError(f"nobody knows when {file.file} was measured: {file.command}")
            changed[row] = [
                source
                for source in self._depends_on(name, row)
                if self._has_changed(source, measured[row].sources.get(source))
            ]
        old = [row for row, sources in changed.items() if sources]
        return Age(
            sorted({measured[row].date for row in old or changed}),
            [*dict.fromkeys(source for row in old for source in changed[row])],
            0 < len(old) < len(changed),
            any(self._has_other_text(SPEED, measured[row]) for row in changed),
            any(
                self._has_other_text(source, measured[row])
                for row in changed
                for source in self._depends_on(name, row)
                if source != SPEED
            ),
        )

    def when(self, name: str) -> str:
        """The day, or the first and the last, on which the figures of a file were measured."""
        dates = {measured.date for measured in self.measured(name).values()}
        if not dates:
            return "not yet"
        return _on(sorted(dates)).removeprefix("on ")

    def sentence(self, name: str) -> str:
        """What a page says under the figures of a file, in lines of a document."""
        file, age = self.files[name], self.age(name)
        if not age.dates:
            said = f"Nothing has been measured here yet; `{file.command}` does so."
        elif age.changed:
            changed = dict.fromkeys(source.partition(":")[0] for source in age.changed)
            some = f"Some of {file.what[0].lower()}{file.what[1:]}" if age.only_some else file.what
            said = (
                f"{some} {_on(age.dates)} and are older than what they depend on "
                f"({', '.join(changed)}); `{file.command}` {file.again}."
            )
        else:
            clauses = [
                "altered a sample of the games" if age.is_rewritten else "",
                "moved the speed of the rules or the search by more than a tenth"
                if age.speed_has_moved
                else "",
            ]
            kept = " or ".join(filter(None, clauses))
            since = f"; since then, no change has {kept}" if kept else ""
            said = f"{file.what} {_on(age.dates)}{since}."
        return _in_lines(said)

    def _depends_on(self, name: str, row: str) -> list[str]:
        file = self.files[name]
        named = [
            *file.sources,
            *(
                source
                for beginning, sources in (file.rows or {}).items()
                if row.startswith(beginning)
                for source in sources
            ),
        ]
        return [*dict.fromkeys(s for name in named for s in self._bundles.get(name, [name]))]

    def _has_other_text(self, source: str, measured: Measured) -> bool:
        now = self._sources.digest(source)
        return measured.sources.get(source, now) != now

    def _has_changed(self, source: str, then: str | None) -> bool:
        now = self._sources.digest(source)
        if then is None or then == now:
            return then != now
        if source == SPEED:
            return age_of([then], now, self._speeds).is_old
        return not self._behaviour.is_same(source, then, now)


def begun(folder: Path, name: str, row: str = "") -> None:
    """Note in a benchmark's folder when and with what it begins to measure something.

    A run that goes on later, from the same folder, keeps the note of its beginning.

    Args:
        folder: where the benchmark keeps what it has measured.
        name: the name of the file of figures.
        row: the row that it is about to measure.
    """
    path = folder / "measured.json"
    notes = _read(path)
    if row not in notes.setdefault(name, {}):
        notes[name][row] = Figures().now(name, row)._asdict()
        write_file(path, f"{json.dumps(notes, indent=1)}\n".encode())


def keep(folder: Path, name: str) -> None:
    """Write down when and with what the figures in a file were measured.

    Args:
        folder: the benchmark's, with the notes of `begun`.
        name: the name of the file of figures.
    """
    notes = _read(folder / "measured.json").get(name, {})
    Figures().keep(name, {row: Measured(**note) for row, note in notes.items()})


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return content


def _on(dates: list[str]) -> str:
    """The first and the last day, in words."""
    first, last = (date.fromisoformat(each) for each in (dates[0], dates[-1]))
    if first == last:
        return f"on {last.day} {last:%B %Y}"
    month = "" if (first.year, first.month) == (last.year, last.month) else f" {first:%B %Y}"
    return f"between {first.day}{month} and {last.day} {last:%B %Y}"


def _in_lines(said: str) -> str:
    """A sentence in lines, none of which ends within code."""
    joined = re.sub(r"`[^`]*`", lambda code: code[0].replace(" ", "\0"), said)
    lines = textwrap.wrap(joined, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def main() -> None:
    """Run the command."""
    figures = Figures()
    parser = argparse.ArgumentParser(
        description="List the figures that are older than what they depend on."
    )
    parser.add_argument("--keep", choices=figures.files, metavar="NAME", help="was just measured")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows of it (default: all)")
    asked = parser.parse_args()
    if asked.keep is not None:
        rows = asked.rows or figures.rows(asked.keep)
        if unknown := {*rows} - {*figures.rows(asked.keep)}:
            parser.error(f"{figures.files[asked.keep].file} has no {', '.join(sorted(unknown))}")
        figures.keep(asked.keep, {row: figures.now(asked.keep, row) for row in rows})
        return
    for name, file in figures.files.items():
        if changed := figures.age(name).changed:
            print(f"{file.command}\n    as {file.file} is older than {', '.join(changed)}")


if __name__ == "__main__":
    main()
