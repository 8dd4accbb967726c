"""Digests of what figures depend on, which change when a number could change.

``benchmarks/figures.toml`` names the sources. Of Python only the statements count, wherever they
stand: not imports, annotations, docstrings, comments, layout, errors' arguments and texts of
several words, nor in which file of a source something is. Of C the comments do not count, of JSON
only the numbers do, and of all other files every byte.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
TABLE: Final = "benchmarks/figures.toml"

#: In text of several words, what a program may read.
_READ = re.compile(r"--|[=\\\n]")
_C = re.compile(r'("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|//[^\n]*|/\*.*?\*/', re.DOTALL)


class SourceFile(NamedTuple):
    """A file of a source.

    Attributes:
        path: where it is.
        names: the definitions of it that count; all of them if there are none.
    """

    path: Path
    names: tuple[str, ...] = ()


class Sources:
    """What figures depend on, by name, in a checkout of the project.

    Args:
        root: the folder of the checkout.
        places: by the name of a source, where it is: files and folders. Before a path, ``!`` leaves
            it out; behind one, ``: a, b`` picks definitions of a file.
    """

    def __init__(self, root: Path, places: Mapping[str, Sequence[str]]) -> None:
        self._root = root
        self._places = places
        self._digests: dict[str, str] = {}

    def files(self, name: str) -> Iterator[SourceFile]:
        """The files of a source.

        Raises:
            FileNotFoundError: there is nothing at one of its places.
        """
        places = self._places[name]
        left_out = {path for place in places if place[0] == "!" for path in self._at(place[1:])}
        for place in places:
            if place[0] != "!":
                path, _, names = place.partition(": ")
                picked = tuple(names.split(", ")) if names else ()
                for found in self._at(path):
                    if found not in left_out:
                        yield SourceFile(found, picked)

    def digest(self, name: str) -> str:
        """The digest of a source.

        Raises:
            FileNotFoundError: there is nothing at one of its places.
            ValueError: a file does not hold a definition that is to count.
        """
        if name not in self._digests:
            self._digests[name] = digest_of(
                (file.path.name, file.path.read_bytes(), file.names) for file in self.files(name)
            )
        return self._digests[name]

    def _at(self, path: str) -> list[Path]:
        found = self._root / path
        if not found.exists():
            raise FileNotFoundError(f"{TABLE} names {path}, which does not exist")
        if found.is_file():
            return [found]
        return [
            file
            for file in found.rglob("*")
            if file.is_file() and "__pycache__" not in file.parts and file.suffix != ".pyi"
        ]


def read_table(root: Path = ROOT) -> dict[str, Any]:
    """``benchmarks/figures.toml``, which describes itself."""
    return tomllib.loads((root / TABLE).read_text("utf-8"))


def digest_of(files: Iterable[tuple[str, bytes, Sequence[str]]]) -> str:
    """The digest of files.

    Args:
        files: of each the name, by whose ending it is read, the content, and the definitions that
            count; all of them if there are none.

    Returns:
        16 hexadecimal digits, whatever the files are called and in which order they come.

    Raises:
        ValueError: a file does not hold a definition that is to count.
    """
    parts = [
        hashlib.sha256(part).digest()
        for name, content, picked in files
        for part in _parts(name, content, picked)
    ]
    return hashlib.sha256(b"".join(sorted(parts))).hexdigest()[:16]


def _parts(name: str, content: bytes, picked: Sequence[str]) -> Iterator[bytes]:
    """What counts of a file, in parts that may as well be in another file."""
    match Path(name).suffix:
        case ".py":
            yield from _statements(name, content.decode(), picked)
        case ".json":
            yield json.dumps([*_numbers(json.loads(content))]).encode()
        case ".c" | ".h":
            yield " ".join(_C.sub(r"\1", content.decode()).split()).encode()
        case _:
            yield content


def _statements(name: str, text: str, picked: Sequence[str]) -> Iterator[bytes]:
    """The statements of a module."""
    module = _Bare().visit(ast.parse(text))
    missing = {*picked}
    for statement in module.body:
        names = _defined(statement)
        if not picked or names & {*picked}:
            missing -= names
            yield _written(statement).encode()
    if missing:
        raise ValueError(f"{name} does not define {', '.join(sorted(missing))}, as {TABLE} says")


def _defined(statement: ast.stmt) -> set[str]:
    """The names that a statement defines."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {statement.name}
        case ast.Assign():
            return {
                part.id
                for target in statement.targets
                for part in ast.walk(target)
                if isinstance(part, ast.Name)
            }
    return set()


class _Bare(ast.NodeTransformer):
    """Takes away what does not decide what a program does."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.returns = None
        return node

    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def visit_Pass(self, node: ast.Pass) -> None:
        return None

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """Docstrings and the like say something, and do nothing."""
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return None
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        """What is written for people may be said in other words."""
        match node.value:
            case str(text) if " " in text.strip() and not _READ.search(text):
                return ast.Constant("")
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        self.generic_visit(node)
        node.values = [piece for piece in node.values if not _is_said(piece)]
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """The fields of a class stay, in their order, whatever their types."""
        node.body = [
            ast.Expr(each.target) if isinstance(each, ast.AnnAssign) and not each.value else each
            for each in node.body
        ]
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None or _written(node.annotation) == _written(ast.Name("TypeAlias")):
            return None
        return self.generic_visit(ast.Assign([node.target], node.value))

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """Which error it is counts, not what it says."""
        error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return self.generic_visit(ast.Raise(error, None))

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return self.generic_visit(ast.Assert(node.test, None))


def _is_said(piece: ast.expr) -> bool:
    """Whether a piece of a formatted text is a part of a sentence, or empty as in Python 3.12."""
    match piece:
        case ast.Constant(value=str(text)):
            return not text or (" " in text and not _READ.search(text))
    return False


def _written(node: Any) -> str:
    """A syntax tree as text, without what is empty: every version of Python writes the same."""
    if isinstance(node, list):
        return f"[{', '.join(map(_written, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = (
        f"{name}={_written(value)}"
        for name, value in ast.iter_fields(node)
        if value is not None and value != [] and name != "ctx"
    )
    return f"{type(node).__name__}({', '.join(fields)})"


def _numbers(value: Any) -> Iterator[float | bool | None]:
    """All that is no text in a value of JSON."""
    match value:
        case dict():
            for each in value.values():
                yield from _numbers(each)
        case list():
            for each in value:
                yield from _numbers(each)
        case str():
            pass
        case _:
            yield value
