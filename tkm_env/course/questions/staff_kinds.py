"""Questions of the staff's own: classes in files beside the assignment, or installed."""

import copyreg
import dataclasses
import hashlib
import importlib
import inspect
import os
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

from tkm_env.course.questions.match_question import MatchQuestion
from tkm_env.course.questions.question import Question
from tkm_env.course.submission import IGNORED
from tkm_env.foundations.errors import ConfigError, repr_of
from tkm_env.foundations.files import failing_as, split_python_file
from tkm_env.players.python_file import load_file

#: The attribute of a class that holds the path of its file; only classes from files have it.
_FILE: Final = "staff_file"
#: Folders that hold no code that questions import: what calibration tries.
_TRIED: Final = ("levels", "solution")


def staff_kind(reference: str, folder: str) -> type[Question]:
    """Return the class of a question of the staff's own.

    Args:
        reference: ``FILE.py:CLASS``, or ``MODULE:CLASS`` for an installed module.
        folder: the folder to which the path of the file is relative.

    Returns:
        The class, whose fields are the keys of its table.

    Raises:
        ConfigError: if there is no such class, or the file raises an error.
    """
    found = split_python_file(os.path.join(folder, reference))
    if found is not None:
        path, name = found
        if not os.path.isfile(path):
            raise ConfigError("kind", reference, f"there is no file {repr_of(path)}")
        return _kind_in(os.path.abspath(path), name)
    module_name, _, name = reference.partition(":")
    if not all(part.isidentifier() for part in module_name.split(".")):
        raise ConfigError("kind", reference, "it must be FILE.py:CLASS, or MODULE:CLASS")
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        what = " ".join(traceback.format_exception_only(error)[-1].split())
        raise ConfigError("kind", reference, f"it cannot be imported: {what}") from error
    return _checked(module, name, reference)


@cache
def _kind_in(path: str, name: str) -> type[Question]:
    reference = f"{os.path.basename(path)}:{name}"

    def refuse(reason: str) -> ConfigError:
        return ConfigError("kind", reference, reason)

    with _importing_from(Path(path).parent):
        kind = _checked(load_file(Path(path), refuse), name, reference)
    setattr(kind, _FILE, path)
    # Another process, which grades too, loads the file before it can use the question.
    copyreg.pickle(kind, _reduced)
    return kind


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """Let a file import its neighbours."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _checked(module: Any, name: str, reference: str) -> type[Question]:
    """Return a class of a module, as a dataclass, once it is known to be a question."""
    kind = getattr(module, name, None)
    if not isinstance(kind, type) or not issubclass(kind, Question):
        raise ConfigError(
            "kind", reference, f"{repr_of(name)} must be a class that is derived from StaffQuestion"
        )
    try:
        _make_dataclasses(kind)
    except (TypeError, ValueError) as error:
        raise ConfigError("kind", reference, f"its attributes cannot be keys: {error}") from error
    if missing := sorted(kind.__abstractmethods__):
        raise ConfigError("kind", reference, f"it lacks {', '.join(missing)}")
    if "kind" not in vars(kind):
        kind.kind = name
    if not getattr(kind, "meaning", ""):
        kind.meaning = (kind.__doc__ or name).strip().splitlines()[0].rstrip(".")
    return kind


def _make_dataclasses(kind: type[Question]) -> None:
    """Make a class and its bases below `Question` dataclasses, so that annotations are keys."""
    below = kind.__mro__[: kind.__mro__.index(Question)]
    for each in reversed(below):
        is_meant = issubclass(each, Question) or bool(inspect.get_annotations(each))
        if is_meant and "__dataclass_fields__" not in vars(each):
            dataclasses.dataclass(frozen=True, kw_only=True)(each)


def _reduced(question: Question) -> tuple[Any, ...]:
    fields = {field.name: getattr(question, field.name) for field in dataclasses.fields(question)}
    return _restored, (getattr(question, _FILE), type(question).__name__, fields)


def _restored(path: str, name: str, fields: dict[str, Any]) -> Question:
    return _kind_in(path, name)(**fields)


def code_files(questions: Iterable[Question], folder: str) -> list[Path]:
    """List the staff's own code that an assignment needs.

    Args:
        questions: the questions of the assignment.
        folder: the folder of the assignment's file.

    Returns:
        The Python files of questions and opponents, and those beside and below them, which they may
            import, in order. Installed modules are not among them, nor are hidden folders, caches,
            and what calibration tries.
    """
    named = [getattr(question, _FILE, "") for question in questions]
    named += [
        os.path.join(folder, question.own_opponent)
        for question in questions
        if isinstance(question, MatchQuestion) and question.own_opponent
    ]
    places = {Path(os.path.realpath(path)).parent for path in named if path}
    return sorted({path for place in places for path in _code_below(place)})


def _code_below(place: Path) -> Iterator[Path]:
    with failing_as(place, "read"):
        for path in place.rglob("*.py"):
            folders = path.relative_to(place).parts[:-1]
            if not any(each.startswith(".") or each in (*IGNORED, *_TRIED) for each in folders):
                yield path


def code_digest(questions: Iterable[Question], folder: str) -> str:
    """Compute a digest of the `code_files` of an assignment.

    Args:
        questions: the questions of the assignment.
        folder: the folder of the assignment's file.

    Returns:
        The digest; empty if the staff has no code of its own.

    Raises:
        FileError: if a file cannot be read.
    """
    digest = hashlib.sha256()
    paths = code_files(questions, folder)
    for path in paths:
        with failing_as(path, "read"):
            content = path.read_bytes()
        name = os.path.relpath(path, os.path.realpath(folder))
        digest.update(f"{name}\0{len(content)}\0".encode("utf-8", "surrogateescape"))
        digest.update(content)
    return digest.hexdigest() if paths else ""
