"""Reporting what was measured: cells of tables, and a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from tkm_env.bench.table import GROUPS, Group

#: The headings of a row's name and of its `cells`.
HEAD: Final = ("what", "figure", "compared with", "target")

_NOTE: Final = "<!-- Made from the figures of `tkm bench`, see below; edit `tkm_env/bench/` instead. -->"

_DIRECTION: Final = {"steps/s": "at least", "s": "at most"}


def short(figure: float) -> str:
    """A figure with three significant digits.

    >>> short(5_812_345), short(48_010), short(0.2345), short(12)
    ('5.81 M', '48.0 k', '0.234', '12.0')
    """
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if figure >= size:
            return f"{_three_digits(figure / size)}{letter}"
    return _three_digits(figure)


def _three_digits(figure: float) -> str:
    for least, digits in ((100, 0), (10, 1), (1, 2)):
        if figure >= least:
            return f"{figure:.{digits}f}"
    return f"{figure:.3f}"


def spread(figures: dict[str, Any], unit: str = "") -> str:
    """A median with its range."""
    return f"{short(figures['median'])}{unit} ({short(figures['least'])} to {short(figures['most'])})"


def cells(row: dict[str, Any]) -> tuple[str, list[str], list[str]]:
    """A row's figure, its ratios to other rows, and its targets, each with whether it is met."""
    unit = f" {row['unit']}"
    beside = [f"{spread(ratio)} times {other}" for other, ratio in row["beside"].items()]
    targets = []
    if row["target"] is not None:
        met = row["median"] >= row["target"] if row["unit"] == "steps/s" else row["median"] <= row["target"]
        targets.append(f"{_DIRECTION[row['unit']]} {short(row['target'])}: {_met(met)}")
    targets += [
        f"at least {short(ratio['target'])} times {other}: {_met(ratio['median'] >= ratio['target'])}"
        for other, ratio in row["beside"].items()
        if ratio["target"] is not None
    ]
    return spread(row, unit), beside, targets


def _met(met: bool) -> str:
    return "reached" if met else "not reached"


def grouped(outcome: dict[str, Any]) -> Iterator[tuple[Group, list[dict[str, Any]]]]:
    """The groups of the table with the rows that were measured; groups without any are left out."""
    measured = {row["name"]: row for row in outcome["measurements"]}
    for group in GROUPS:
        rows = [measured[one.name] for one in group.measurements if one.name in measured]
        if rows:
            yield group, rows


def machine_line(outcome: dict[str, Any]) -> str:
    """The machine and the versions that were measured, in a line."""
    return ", ".join(f"{name} {value}" for name, value in outcome["machine"].items() if value is not None)


def memory_rows(outcome: dict[str, Any]) -> list[tuple[str, str]]:
    """Bytes per game of a batch, and their sum."""
    memory = outcome["memory"]
    return [(name, f"{size:,}") for name, size in [*memory.items(), ("total", sum(memory.values()))]]


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ("---",) * len(head), *rows])


def markdown(outcome: dict[str, Any]) -> str:
    """The report of an outcome."""
    settings = outcome["settings"]
    rounds = f"{settings['rounds']} rounds of {settings['seconds']} s"
    sections = []
    for group, rows in grouped(outcome):
        lines = []
        for row in rows:
            figure, beside, targets = cells(row)
            lines.append((f"`{row['name']}`: {row['what']}", figure, "<br>".join(beside), "<br>".join(targets)))
        sections.append(f"## {group.title}\n\n{group.text}\n\n{_table(HEAD, lines)}")
    missing = "\n".join(f"- `{name}`: {reason}" for name, reason in outcome["missing"].items())
    return f"""{_NOTE}

# Performance

All figures come from one run of `tkm bench` on one machine; another machine gives other figures, and a busy one lower ones, so compare
figures only within a run. All rows were measured in turn, in {rounds} each. Each figure is the median, with the range in
brackets; the ratios under *compared with* are to the named row's figure in the same round.

{machine_line(outcome)}

To reproduce the figures, including those of other libraries (`tkm bench` lists the ones that are not installed):

```sh
python -m pip install -e '.[bench]'
tkm bench --json docs/performance.json
python docs/generate.py
```

`tkm bench --list` lists the rows, `--only PATTERN` selects some, and `--rounds` and `--seconds` set how long to measure. The JSON file
holds the figures of each round; `--markdown FILE` writes a page like this one to a file of your choice.

{(chr(10) * 2).join(sections)}

## Memory

Bytes per game of a `Batch`:

{_table(("what", "bytes"), memory_rows(outcome))}
{f"{chr(10)}## Not measured{chr(10) * 2}{missing}{chr(10)}" if missing else ""}"""
