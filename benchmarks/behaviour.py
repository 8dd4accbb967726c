"""What the sources of figures do, so that figures outlive changes that only rewrite a source.

A source does what its commands of ``tkm`` lead to: ``[behaviour]`` in ``benchmarks/figures.toml``
lists games, trainings and benchmarks that it decides, move by move and bit by bit.
``docs/behaviour.json`` holds, for each source, a digest of the commands, by which stand digests of
what they led to, by which stand digests of the versions of the source that did so.
`benchmarks/compare_behaviour.py` writes it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.digests import ROOT, read_table

RECORD: Final = "docs/behaviour.json"
#: What ``{chapters}`` stands for in a command, in turn.
CHAPTERS: Final = (
    "standard",
    "growth",
    "influence",
    "memory",
    "growth+influence",
    "growth+memory",
    "influence+memory",
    "growth+influence+memory",
)


class Behaviour:
    """What the versions of sources are known to do.

    Args:
        root: the folder of a checkout of the project.
    """

    def __init__(self, root: Path = ROOT) -> None:
        commands: Mapping[str, Sequence[str]] = read_table(root).get("behaviour", {})
        #: By the name of a source, the commands that show what it does.
        self.commands = {source: _expanded(each) for source, each in commands.items()}
        self._path = root / RECORD
        self._known: dict[str, dict[str, dict[str, list[str]]]] = json.loads(
            self._path.read_text("utf-8")
        )

    def is_known(self, source: str, text: str) -> bool:
        """Whether it is known what the present commands lead to with a version of a source."""
        return any(text in texts for texts in self._outcomes(source).values())

    def is_same(self, source: str, one: str, other: str) -> bool:
        """Whether two versions of a source led to the same, by present or earlier commands.

        Args:
            source: the name of the source.
            one: the digest of a version, by `Sources`.
            other: that of another one.
        """
        return any(
            {one, other} <= {*texts}
            for outcomes in self._known.get(source, {}).values()
            for texts in outcomes.values()
        )

    def texts(self, source: str, outcome: str) -> list[str]:
        """The digests of the versions with which the present commands had an outcome."""
        return self._outcomes(source).get(outcome, [])

    def add(self, source: str, text: str, outcome: str) -> None:
        """Keep what the present commands led to with a version of a source."""
        outcomes = self._known.setdefault(source, {}).setdefault(self._commands(source), {})
        texts = outcomes.setdefault(outcome, [])
        if text not in texts:
            texts.append(text)
        written = json.dumps(self._known, indent=1, sort_keys=True)
        self._path.write_text(f"{written}\n", "utf-8")

    def _outcomes(self, source: str) -> dict[str, list[str]]:
        return self._known.get(source, {}).get(self._commands(source), {})

    def _commands(self, source: str) -> str:
        return hashlib.sha256("\n".join(self.commands[source]).encode()).hexdigest()[:16]


def _expanded(commands: Sequence[str]) -> list[str]:
    """The same commands, one for each set of chapters where so asked."""
    return [
        command.replace("{chapters}", chapters)
        for command in commands
        for chapters in (CHAPTERS if "{chapters}" in command else CHAPTERS[:1])
    ]
