"""Docstrings have a short summary and describe every parameter, on lines of 100 columns."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "tkm_env"

#: The widest line, and the widest first line of a docstring, in columns.
LINE, SUMMARY = 100, 88

Function = ast.FunctionDef | ast.AsyncFunctionDef

#: A place in a file, and what is wrong with it.
Flaw = tuple[int, str]


def long_lines(source: str) -> Iterator[Flaw]:
    """Lines that are too wide, addresses aside, which cannot be broken."""
    for number, line in enumerate(source.splitlines(), start=1):
        if len(line) > LINE and not re.fullmatch(r"\s*(#:? |- )?<?https?://\S+", line):
            yield number, f"a line of {len(line)} columns, where {LINE} are allowed"


def long_summaries(source: str) -> Iterator[Flaw]:
    """Docstrings whose first line is too wide, or goes on without an empty line below it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | Function):
            text = ast.get_docstring(node)
            summary, _, rest = (text or "").partition("\n")
            body = node.body[0].lineno if text else 0
            if len(summary) > SUMMARY:
                yield body, f"a summary of {len(summary)} columns, where {SUMMARY} are allowed"
            if rest and not rest.startswith("\n"):
                yield body, "a summary of more than one line"


def incomplete_sections(source: str) -> Iterator[Flaw]:
    """Public functions of two parameters or more that leave one, or their result, unexplained."""
    for node, owner in public_functions(ast.parse(source)):
        names = parameters(node, owner)
        if len(names) < 2:
            continue
        text = documentation(node, owner)
        described = re.findall(r"^ {4}\*{0,2}(\w+):", section(text, "Args"), re.M)
        if missing := [name for name in names if name not in described]:
            yield node.lineno, f"{node.name} has no `Args:` that describes {', '.join(missing)}"
        if returns_something(node) and not re.search(r"^(Returns|Yields):", text, re.M):
            yield node.lineno, f"{node.name} has no `Returns:`"


def public_functions(tree: ast.Module) -> Iterator[tuple[Function, ast.ClassDef | None]]:
    """Functions of the module and methods of its classes, each with its class."""
    for outer in tree.body:
        if isinstance(outer, Function) and is_public(outer):
            yield outer, None
        elif isinstance(outer, ast.ClassDef) and not outer.name.startswith("_"):
            for inner in outer.body:
                if isinstance(inner, Function) and is_public(inner):
                    yield inner, outer


def is_public(node: Function) -> bool:
    """Whether others call it, by its name or as `__init__` and `__call__`.

    A subcommand is called by click: its docstring is its help, and each option has its own.
    """
    marks = [ast.unparse(mark).partition("(")[0] for mark in node.decorator_list]
    called_otherwise = any(mark.endswith(("overload", ".command")) for mark in marks)
    special = node.name in ("__init__", "__call__")
    return special or not (node.name.startswith("_") or called_otherwise)


def parameters(node: Function, owner: ast.ClassDef | None) -> list[str]:
    """What callers pass."""
    given = node.args
    names = [argument.arg for argument in (*given.posonlyargs, *given.args)]
    static = any(ast.unparse(mark) == "staticmethod" for mark in node.decorator_list)
    if owner is not None and not static:
        names = names[1:]
    names += [argument.arg for argument in given.kwonlyargs]
    names += [argument.arg for argument in (given.vararg, given.kwarg) if argument is not None]
    return [name for name in names if not name.startswith("_")]


def documentation(node: Function, owner: ast.ClassDef | None) -> str:
    """What explains a function: its docstring, its class's, or that of the method it overrides."""
    text = ast.get_docstring(node) or ""
    if owner is None:
        return text
    if node.name in ("__init__", "__call__"):
        text += "\n" + (ast.get_docstring(owner) or "")
    for base in owner.bases:
        name = ast.unparse(base).partition("[")[0].rpartition(".")[-1]
        for other in classes().get(name, []):
            for method in other.body:
                if isinstance(method, Function) and method.name == node.name and other is not owner:
                    text += "\n" + documentation(method, other)
    return text


@cache
def classes() -> dict[str, list[ast.ClassDef]]:
    """Every class of the package, by its name."""
    found: dict[str, list[ast.ClassDef]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(node)
    return found


def section(text: str, title: str) -> str:
    """The indented lines below every heading with this title."""
    return "\n".join(re.findall(rf"^{title}:\n((?:(?: .*)?\n?)*)", text, re.M))


def returns_something(node: Function) -> bool:
    """Whether it is annotated with a result."""
    return node.returns is not None and ast.unparse(node.returns) not in (
        "None",
        "NoReturn",
        "Never",
    )


CHECKS: list[Callable[[str], Iterator[Flaw]]] = [long_lines, long_summaries, incomplete_sections]


def rooms() -> dict[str, list[Path]]:
    """All files, by their folder."""
    found: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        found.setdefault(path.parent.relative_to(ROOT).as_posix(), []).append(path)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("room", rooms())
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_docstrings_and_lines_have_no_flaws(
    room: str, check: Callable[[str], Iterator[Flaw]]
) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {flaw}"
        for path in rooms()[room]
        for line, flaw in check(path.read_text("utf-8"))
    ]
    assert not found, f"{len(found)} in {room}:\n" + "\n".join(found)


#: A method that overrides `Chance.play` is documented there.
PLANTED = '''
"""A summary that goes on
without an empty line."""

class Dice(Chance):
    def play(self, moment: ChanceState, action: int) -> ChanceState:
        return moment

    def roll(self, dice: int, *, sides: int) -> int:
        """Roll dice, and say in a summary of many words what everyone sees once they all lie still.

        Args:
            dice: how many.
        """
'''


def test_checks_notice_planted_flaws() -> None:
    wide = "x = 1  # " + 92 * "-" + "\n# https://" + 100 * "a"
    assert [*long_lines(wide)] == [(1, "a line of 101 columns, where 100 are allowed")]
    assert [*long_summaries(PLANTED)] == [
        (2, "a summary of more than one line"),
        (10, "a summary of 89 columns, where 88 are allowed"),
    ]
    assert [*incomplete_sections(PLANTED)] == [
        (9, "roll has no `Args:` that describes sides"),
        (9, "roll has no `Returns:`"),
    ]
