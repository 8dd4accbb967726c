"""What the sources of figures do is known, and told from what they did before."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from benchmarks.behaviour import CHAPTERS, RECORD, Behaviour
from benchmarks.compare_behaviour import Version
from benchmarks.digests import ROOT, Sources, read_table

_COMMAND = "python benchmarks/compare_behaviour.py"


def present() -> dict[str, str]:
    """The digests of the present texts of all sources with a behaviour."""
    sources = Sources(ROOT, read_table()["sources"])
    return {source: sources.digest(source) for source in Behaviour().commands}


def test_what_the_present_sources_do_is_known() -> None:
    behaviour = Behaviour()
    unknown = [name for name, text in present().items() if not behaviour.is_known(name, text)]
    assert not unknown, f"{', '.join(unknown)} changed; find out what they do now: {_COMMAND}"


def test_the_record_names_only_sources_that_have_commands() -> None:
    record = json.loads((ROOT / RECORD).read_text("utf-8"))
    assert record.keys() <= Behaviour().commands.keys()


@pytest.mark.nightly
def test_the_present_sources_do_what_is_known_of_them(tmp_path: Path) -> None:
    behaviour, version = Behaviour(), Version(ROOT, tmp_path)
    for source, text in present().items():
        outcome = version.outcome(behaviour.commands[source])
        assert text in behaviour.texts(source, outcome), (
            f"{source} does something else than {RECORD} says: "
            "has a source changed that figures.toml does not name?"
        )


@pytest.fixture
def behaviour(tmp_path: Path) -> Behaviour:
    """That of a project whose only source plays matches."""
    for folder in ("benchmarks", "docs"):
        (tmp_path / folder).mkdir()
    (tmp_path / RECORD).write_text("{}", "utf-8")
    return with_commands(tmp_path, '"match one two", "match three four --chapters {chapters}"')


def with_commands(project: Path, commands: str) -> Behaviour:
    table = f'[sources]\n[behaviour]\n"the players" = [{commands}]\n'
    (project / "benchmarks/figures.toml").write_text(table, "utf-8")
    return Behaviour(project)


def test_a_command_may_be_for_every_set_of_chapters(behaviour: Behaviour) -> None:
    assert behaviour.commands["the players"] == [
        "match one two",
        *(f"match three four --chapters {chapters}" for chapters in CHAPTERS),
    ]


def test_texts_are_the_same_once_they_are_known_to_lead_to_the_same(
    behaviour: Behaviour, tmp_path: Path
) -> None:
    for text, outcome in [("first", "a"), ("second", "a"), ("third", "b")]:
        assert not behaviour.is_known("the players", text)
        behaviour.add("the players", text, outcome)
    read = Behaviour(tmp_path)
    assert read.is_known("the players", "third")
    assert read.is_same("the players", "first", "second")
    assert not read.is_same("the players", "first", "third")
    assert not read.is_same("the players", "first", "fourth")
    assert not read.is_same("the rules", "first", "second")


def test_other_commands_ask_anew_and_forget_nothing(behaviour: Behaviour, tmp_path: Path) -> None:
    behaviour.add("the players", "first", "a")
    behaviour.add("the players", "second", "a")
    changed = with_commands(tmp_path, '"match one three"')
    assert not changed.is_known("the players", "first")
    assert changed.is_same("the players", "first", "second")
    changed.add("the players", "first", "a")
    changed.add("the players", "third", "a")
    assert Behaviour(tmp_path).is_same("the players", "first", "third")
    assert not Behaviour(tmp_path).is_same("the players", "second", "third")


_MATCH = "match random greedy --games 6"


@pytest.mark.slow
def test_a_player_that_chooses_otherwise_leads_to_something_else(tmp_path: Path) -> None:
    rewritten = tmp_path / "rewritten"
    shutil.copytree(
        ROOT / "tkm_env", rewritten / "tkm_env", ignore=shutil.ignore_patterns("__pycache__")
    )
    player = rewritten / "tkm_env/core/random_agent.py"
    text = player.read_text("utf-8")
    chosen = "game.copy().play_at_random(self._stream, opponent, turns=1)"
    assert chosen in text

    def outcome(package: Path, *commands: str) -> str:
        return Version(package, tmp_path).outcome(commands)

    player.write_text(text.replace(chosen, f"[*{chosen}]"), "utf-8")
    assert outcome(rewritten, _MATCH) == outcome(ROOT, _MATCH)
    player.write_text(text.replace(chosen, "game.legal_actions()[-1:]"), "utf-8")
    assert outcome(rewritten, _MATCH) != outcome(ROOT, _MATCH)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "other"),
    [
        (_MATCH, f"{_MATCH} --chapters growth"),
        ("train --games 30 --round-games 10", "train --games 20 --round-games 10"),
        ("benchmark random --tasks terminus", "benchmark greedy --tasks terminus"),
        ("steps --opponent random", "steps --opponent greedy"),
        ("steps --opponent self", "steps --opponent self --chapters memory"),
    ],
)
def test_the_same_command_leads_to_the_same(command: str, other: str, tmp_path: Path) -> None:
    one, again = (Version(ROOT, tmp_path).outcome([command]) for _ in range(2))
    assert one == again
    assert one != Version(ROOT, tmp_path).outcome([other])
