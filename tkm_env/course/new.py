"""Writing a new assignment: what students get, what the staff keeps, and the tests for both, from the templates beside this file."""

from __future__ import annotations

import json
import os
import secrets
import shlex
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tkm_env.arena.toml_file import parse_toml
from tkm_env.checks import checked_integer
from tkm_env.course.assignment import assignment_of
from tkm_env.course.submission import AGENT, PROGRAM, STUDENT
from tkm_env.course.teaching import Teaching, teaching_of
from tkm_env.errors import ConfigError, FileError
from tkm_env.extras import extra
from tkm_env.files import checked_path, failing_as, write_file
from tkm_env.game.base import BaseGame
from tkm_env.game.registry import GameSpec, default_game
from tkm_env.game.settings import changed_settings

if TYPE_CHECKING:
    from jinja2 import Environment

#: The assignments that there are, with what they are about.
ASSIGNMENTS: Final = {
    "search": "counting lines, evaluation, minimax, alpha-beta, tactics, matches",
    "learning": "a value network, trained by the student's own script",
}
#: What students write in.
LANGUAGES: Final = {"python": AGENT, "program": PROGRAM}
#: The other folders of an assignment, and the file in which it says what is graded.
PUBLIC, STAFF, SPEC = "public_tests", "staff", "grading.toml"

_FOLDER: Final = files("tkm_env.course") / "templates"
_SUFFIX: Final = ".jinja"
_TRAINED: Final = "value.npz"
_TITLES: Final = {"search": "Looking ahead", "learning": "Learning to play"}
#: By assignment: what its templates are filled in with.
_VALUES: Final[Mapping[str, Mapping[str, Any]]] = {
    "search": {"turn_seconds": 5, "trained": ""},
    "learning": {"turn_seconds": 5, "trained": _TRAINED, "training_games": 8_000, "training_time": "half a minute"},
}


def write_assignment(
    folder: str | os.PathLike[str],
    spec: GameSpec,
    config: Any,
    *,
    assignment: str = "search",
    language: str = "python",
    title: str | None = None,
    seed: int | None = None,
) -> list[Path]:
    """Write an assignment into a folder, and return the files.

    Args:
        folder: is made; it must not be there, or be empty.
        spec: the game.
        config: its settings.
        assignment: one of `ASSIGNMENTS`.
        language: one of `LANGUAGES`.
        title: what people read; by default the assignment's and the game's.
        seed: of the tests that count, kept in the staff's folder; None draws one from the system. Those that everybody sees have another.

    Raises:
        ConfigError: naming the argument that is invalid.
        FileError: if the folder holds something, or cannot be written.
        MissingExtraError: without the extra ``[arena]``.
    """
    if assignment not in ASSIGNMENTS:
        raise ConfigError("assignment", assignment, f"it must be {' or '.join(map(repr, ASSIGNMENTS))}")
    if language not in LANGUAGES:
        raise ConfigError("language", language, f"it must be {' or '.join(map(repr, LANGUAGES))}")
    teaching = teaching_of(spec)
    if assignment == "learning" and not teaching.trained:
        raise ConfigError("assignment", assignment, f"it must be 'search': tkm train does not learn {spec.title}")
    if assignment == "learning" and language != "python":
        raise ConfigError("language", language, "it must be 'python' where a script of the student's trains")
    drawn = secrets.randbits(62) if seed is None else checked_integer("seed", seed, 0, 2**62)
    given = changed_settings(config)
    target = checked_path(folder)
    with failing_as(folder, "written"):
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise FileError(folder, "it is there already: choose a new folder")
    values = {
        **_VALUES[assignment],
        "assignment": assignment,
        "depth": teaching.depth,
        "language": language,
        "title": title or f"{_TITLES[assignment]}: {spec.title}",
        "game": spec.name,
        "game_title": spec.title,
        "class_name": spec.game_class.__name__,
        "proves": spec.analyse is not None,
        "hides": spec.game_class.determinize is not BaseGame.determinize,
        "first": spec.players[0],
        "second": spec.players[1],
        "settings": repr(given),
        "flags": _flags(spec, given),
        "variants": ", ".join(f"`--{one.keyword} {one.choices[1]}`" for one in spec.settings[:1] if len(one.choices) > 1),
        "rules": teaching.text("rules.md"),
        "evaluation": teaching.text("evaluation.py.txt").rstrip("\n"),
        "edited": "train.py" if assignment == "learning" else LANGUAGES[language],
        "player": _player(assignment, language),
        "anchors": json.dumps([*spec.ladder[:2]]),
    }
    written = _rendered(assignment, language, values, spec, given, drawn)
    written |= {f"{STUDENT}/pictures/{name}": drawing for name, drawing in _pictures(spec, teaching).items()}
    paths = []
    for name, text in sorted(written.items()):
        path = target / name
        with failing_as(path, "written"):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, text.encode("utf-8"))
        if path.name == PROGRAM:
            path.chmod(0o755)
        paths.append(path)
    return paths


def _rendered(
    assignment: str, language: str, values: Mapping[str, Any], spec: GameSpec, settings: Mapping[str, Any], seed: int
) -> dict[str, str]:
    """The files, by where they belong."""
    environment = _environment()
    # Nobody comes from the one to the other.
    seeds = {PUBLIC: int.from_bytes(blake2b(str(seed).encode(), digest_size=3).digest(), "big"), STAFF: seed}
    texts: dict[str, str] = {}
    specs = [
        name for name in environment.list_templates() if name.startswith(f"{assignment}/") and name.endswith(f"{SPEC}{_SUFFIX}")
    ]
    for name in specs:
        inner = name.removeprefix(f"{assignment}/").removesuffix(_SUFFIX)
        more = {"toml_title": json.dumps(values["title"]), "seed": seeds[inner.partition("/")[0]], "toml_settings": _toml(settings)}
        texts[inner] = environment.get_template(name).render(values, **more)
    questions = assignment_of(parse_toml(texts[f"{STAFF}/{SPEC}"].encode(), SPEC)).questions
    more = {**values, "questions": questions, "points": sum(question.points for question in questions)}
    for name in environment.list_templates():
        inner = name.removeprefix(f"{assignment}/").removesuffix(_SUFFIX)
        if name.startswith(f"{assignment}/") and name.endswith(_SUFFIX) and name not in specs:
            texts[inner] = environment.get_template(name).render(more)
    if language == "program":
        del texts[f"{STUDENT}/{AGENT}"]
        texts[f"{STUDENT}/{PROGRAM}"] = (_FOLDER / "program" / PROGRAM).read_text("utf-8")
    return texts


@cache
def _environment() -> Environment:
    with extra("arena"):
        from jinja2 import Environment, PackageLoader, StrictUndefined
    return Environment(
        loader=PackageLoader("tkm_env.course"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 what it writes is Markdown, TOML and Python
    )


def _toml(settings: Mapping[str, Any]) -> list[str]:
    """The settings as lines of TOML, which writes numbers, texts and lists of them as JSON does."""
    return [f"{name} = {json.dumps(value)}" for name, value in settings.items()]


def _flags(spec: GameSpec, settings: Mapping[str, Any]) -> str:
    """The settings as options of the commands."""
    kinds = {setting.keyword: setting.kind for setting in spec.settings}
    words = [] if spec.name == default_game() else ["--game", spec.name]
    for name, value in settings.items():
        text = ("," if kinds[name] == "pair" else "+").join(map(str, value)) if isinstance(value, list) else str(value)
        words += [f"--{name.replace('_', '-')}"] + ([] if value is True else [text])
    return "".join(f" {word}" for word in map(shlex.quote, words))


def _player(assignment: str, language: str) -> str:
    if assignment == "learning":
        return f"net:file={STUDENT}/{_TRAINED}"
    return f"{STUDENT}/{AGENT}:Bot" if language == "python" else f"cmd:{STUDENT}/{PROGRAM}"


def _pictures(spec: GameSpec, teaching: Teaching) -> dict[str, str]:
    """The drawings for the rules, in the standard game."""
    drawn = {}
    for name, picture in teaching.pictures.items():
        game = spec.game_class(seed=1, position=picture.position)
        for action in picture.actions:
            game.play(action)
        drawn[name] = game.svg(size=700, legal=picture.legal) + "\n"
    return drawn
