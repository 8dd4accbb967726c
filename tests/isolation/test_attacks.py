"""Attacks: what comes of each is what its file says, at every level of isolation.

Whatever comes of it, nothing stays behind.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

from tests.isolation.attack_list import SUBJECTS, attacks, read
from tests.isolation.attack_outcomes import COMPILER, as_stated, build, run, runnable
from tests.isolation.programs import NO_RESTRICTED, NO_SANDBOX

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")

_restricted = pytest.mark.skipif(bool(NO_RESTRICTED), reason=NO_RESTRICTED)
_sandbox = pytest.mark.skipif(bool(NO_SANDBOX), reason=NO_SANDBOX)
#: Levels, and whether the program has a user of its own there; a process always has the judge's.
LEVELS = [
    pytest.param("process", True, id="process"),
    *(
        pytest.param(level, own_user, marks=mark, id=f"{level}-{user}")
        for level, mark in (("restricted", _restricted), ("sandbox", _sandbox))
        for own_user, user in ((True, "own user"), (False, "the judge's user"))
    ),
]
#: The whole bench is slow in the sandbox; what confines less, or differs by its user alone, waits
#: for the night.
BENCH = [
    pytest.param(*level.values, marks=[*level.marks, getattr(pytest.mark, tier)], id=level.id)
    for level, tier in zip(
        LEVELS, ("nightly", "nightly", "nightly", "slow", "nightly"), strict=True
    )
]
#: The most telling attacks, which the quick tests run, too.
TELLING = (
    *(
        "files/setxattrat_access_list.py",
        "files/open_truncating.py",
        "files/library_attribute.py",
        "sockets/pair_to_path.py",
    ),
    *("queues/shared_write.py", "memory/secret.py", "scratch/many_files.py", "kernel/unreviewed.c"),
)


def folder_for_all(factory: pytest.TempPathFactory) -> Path:
    """A folder that every user may enter."""
    folder = factory.mktemp("attacks")
    shared = Path(tempfile.gettempdir())
    for own in (
        folder,
        *(above for above in folder.parents if above.is_relative_to(shared) and above != shared),
    ):
        own.chmod(0o755)
    return folder


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the attacks in C, as SUBJECT/NAME."""
    folder = folder_for_all(tmp_path_factory)
    build(runnable(), folder)
    return folder


@pytest.mark.parametrize(("level", "own_user"), BENCH)
@pytest.mark.parametrize("subject", SUBJECTS)
def test_what_comes_of_an_attack_is_what_it_says(
    built: Path, subject: str, level: str, own_user: bool
) -> None:
    chosen = [attack for attack in runnable() if attack.subject == subject]
    failures = [
        as_stated(attack, level, run(attack, level, built, own_user=own_user)) for attack in chosen
    ]
    assert not any(failures), "\n".join(filter(None, failures))
    if left_out := len(attacks(subject)) - len(chosen):
        pytest.skip(f"needs cc for {left_out} attacks in C; the others came out as stated")


@_sandbox
def test_the_most_telling_attacks_fail_in_the_sandbox(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = folder_for_all(tmp_path_factory)
    chosen = [attack for attack in runnable() if str(attack) in TELLING]
    assert len(chosen) >= len(TELLING) - (COMPILER is None)
    build(chosen, folder)
    failures = [
        as_stated(attack, "sandbox", run(attack, "sandbox", folder, own_user=True))
        for attack in chosen
    ]
    assert not any(failures), "\n".join(filter(None, failures))


def test_no_attack_reaches_anything_in_the_sandbox_without_saying_why_it_may() -> None:
    for subject in SUBJECTS:
        for attack in attacks(subject):
            for levels, _, outcome in attack.statements:
                unexplained = (
                    "reached" in outcome.allowed
                    and {"sandbox", "all"} & {*levels}
                    and not outcome.why
                )
                assert not unexplained, f"{attack} must say in parentheses why that is harmless"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("# Removes the results.\nimport os", "its first two lines"),
        (
            "# Removes the results.\n# sandbox: harmless",
            "'sandbox: harmless' is not of the form LEVELS: OUTCOME",
        ),
    ],
    ids=str,
)
def test_a_file_that_does_not_say_what_comes_of_it_is_refused(
    tmp_path: Path, lines: str, message: str
) -> None:
    (tmp_path / "attack.py").write_text(lines, "utf-8")
    with pytest.raises(ValueError, match=message):
        read(tmp_path / "attack.py")
