"""Files of assignments: a refusal names the key, what was given and what is allowed."""

from __future__ import annotations

import ast
import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

import tkm_env
from tkm_env.core.registry import game_names
from tkm_env.course.assignment import KINDS, parse_assignment, read_assignment
from tkm_env.course.questions.question import KEYS
from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.plugins import installed
from tkm_env.players.roster import ROSTERS

COUNT = {"id": "q1", "kind": "count", "points": 2, "depth": 3}
MATCH = {"id": "q1", "kind": "match", "points": 2, "opponent": "random"}


def changed(**changes: Any) -> dict[str, Any]:
    return {"questions": [{**COUNT, **changes}]}


#: Invalid files, with what the refusal says.
INVALID: list[tuple[dict[str, Any], str]] = [
    ({}, "at least one"),
    ({"question": []}, "question=.*valid keys: title, game"),
    ({"game": "chess"}, "game='chess'.*'tkm'"),
    ({"questions": 3}, "questions=3.*list of tables"),
    (changed(kind="essay"), "kind='essay'.*'q1'.*'count'"),
    (changed(colour="red"), "colour='red'.*question 'q1'.*valid keys: id"),
    (changed(id="q 1"), "id='q 1'"),
    (changed(points=-1), "points=-1.*number from 0"),
    (changed(depth="deep"), "depth='deep'.*integer from 1 to 64"),
    (changed(positions=["nowhere"]), "positions='nowhere'"),
    (changed(positions=[]), "positions=.*it must be an integer, or a list"),
    (changed(positions=0), "positions=0.*from 1 to 200"),
    (changed(visibility="secret"), "visibility='secret'.*'after_due_date'"),
    (changed(thresholds=[{"share": 0.5, "points": 1}]), "thresholds=.*rising"),
    (changed(thresholds=[[1, 2], [0.5, 1]]), "thresholds=.*rising"),
    (
        {"questions": [{"id": "q", "kind": "function", "points": 1, "function": ["update"]}]},
        "function=.*'draw_chances'",
    ),
    ({"questions": [COUNT, COUNT]}, "id='q1'.*another question"),
    ({"questions": [{**MATCH, "opponent": "alice"}]}, "opponent='alice'.*'greedy'"),
    ({"questions": [{**MATCH, "opponent": "cmd:sh"}]}, "opponent='cmd:sh'"),
    (
        {"questions": [{**MATCH, "player": "staff/agent.py:Bot"}]},
        "player='staff/agent.py:Bot'.*policy:FILE",
    ),
    ({"questions": [COUNT], "seed": -1}, "seed=-1"),
    ({"questions": [COUNT], "anchors": ["nobody"]}, "anchors='nobody'"),
    ({"questions": [COUNT], "conditions": {"walls": 2}}, r"walls=2.*\[conditions\].*isolation"),
    ({"questions": [COUNT], "settings": {"chapter": "growth"}}, "chapter='growth'"),
    (
        {
            "game": "terminus",
            "questions": [{"id": "q", "kind": "tactics", "points": 1, "turns": 2}],
        },
        "turns=2.*it must be 1",
    ),
]


def test_what_is_invalid_is_named() -> None:
    for content, message in INVALID:
        with pytest.raises(ConfigError) as refusal:
            parse_assignment(content)
        assert re.search(message, str(refusal.value)), (content, message)


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_of_a_question_is_explained(kind: str) -> None:
    fields = {field.name for field in dataclasses.fields(KINDS[kind])}
    assert fields | {"kind"} == {*KEYS, *KINDS[kind].keys}


def test_a_file_that_is_not_toml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "grading.toml"
    path.write_text("[[questions", "utf-8")
    with pytest.raises(FileError, match=r"grading\.toml: it is not TOML"):
        read_assignment(path)


def test_the_digest_covers_what_all_marks_depend_on_but_not_titles_or_questions() -> None:
    digest = parse_assignment({"questions": [COUNT]}).digest
    assert parse_assignment({"questions": [COUNT], "title": "Other"}).digest == digest
    assert parse_assignment({"questions": [COUNT], "seed": 2}).digest != digest
    assert parse_assignment({"questions": [COUNT], "conditions": {"turn_seconds": 5}}).digest != (
        digest
    )
    assert parse_assignment(changed(points=3)).digest == digest


def test_ids_of_questions_differ_in_more_than_case() -> None:
    with pytest.raises(ConfigError, match=r"id='Q1'.*another question has it; case is ignored"):
        parse_assignment({"questions": [COUNT, COUNT | {"id": "Q1"}]})


#: What plays but knows nothing that a submission is asked for: random moves, others' functions, its
#: own networks.
HARMLESS = {
    *(f"tkm_env.players.{name}" for name in ("policy", "factory")),
    *(f"tkm_env.core.{name}" for name in ("agent", "function_agent", "random_agent")),
    "tkm_env.envs.opponents",
}


def test_a_submission_imports_nothing_that_plays_searches_or_solves() -> None:
    rules = parse_assignment({"questions": [COUNT]}).conditions.limits.import_rules
    package = Path(tkm_env.__file__).parent
    groups = ("rosters", "solvers", "value_games", "teaching_materials")
    telling = {each.module for group in groups for each in installed(f"tkm_env.{group}").values()}
    telling |= {
        load().__module__ for game in game_names() for load in ROSTERS.of(game).agents.values()
    }
    for path in package.rglob("*.py"):
        module = ".".join(("tkm_env", *path.relative_to(package).with_suffix("").parts))
        classes = [
            node
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.ClassDef)
        ]
        if any(
            isinstance(part, ast.FunctionDef) and part.name == "act"
            for each in classes
            for part in each.body
        ):
            telling.add(module)
    assert len(telling) > 15
    assert {*filter(rules.allow, telling)} == HARMLESS & telling
