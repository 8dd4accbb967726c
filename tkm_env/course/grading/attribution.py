"""Which students each submission belongs to: one, a group, or nobody on the roster.

A submission that is unclear costs nobody else anything. Of several submissions of the same student,
the newest counts.
"""

import dataclasses
from collections.abc import Mapping
from typing import Final

from tkm_env.course.grading.class_list import ClassList
from tkm_env.course.grading.handed_in import HandedIn
from tkm_env.foundations.errors import ConfigError

_UNTIMED: Final = 0.0


@dataclasses.dataclass(frozen=True)
class Attribution:
    """Which students each submission belongs to.

    Attributes:
        students: the indices of the students for whom a submission counts, by its name; not there
            for a submission that belongs to nobody on the roster.
        replaced: the name of the newer submission, by the name of each that no longer counts.
        problems: why it is unclear whose a submission is, by its name.
    """

    students: Mapping[str, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    replaced: Mapping[str, str] = dataclasses.field(default_factory=dict)
    problems: Mapping[str, str] = dataclasses.field(default_factory=dict)


def attribute(
    found: Mapping[str, HandedIn], roster: ClassList, groups: ClassList | None = None
) -> Attribution:
    """Find the students of each submission.

    Args:
        found: the submissions, by name.
        roster: the students.
        groups: the table of the class's groups; None if students hand in alone, or the platform
            names all members of a group.

    Returns:
        The students of each submission.

    Raises:
        FileError: if the table of groups has no column for them.
        ConfigError: if a row of it could belong to several students.
    """
    members = {} if groups is None else roster.groups_in(groups)
    owners: dict[str, set[int]] = {}
    problems: dict[str, str] = {}
    for name, entry in found.items():
        try:
            owners[name] = _owners(name, entry, roster, members)
        except ConfigError as error:
            problems[name] = (
                f"it is not clear whose it is: {error.reason}; name it after an id on the roster"
            )
    newest: dict[int, str] = {}
    for name in sorted(owners, key=lambda name: _age(found[name]), reverse=True):
        for number in owners[name]:
            newest.setdefault(number, name)
    students = {
        name: tuple(sorted(number for number in numbers if newest[number] == name))
        for name, numbers in owners.items()
        if numbers
    }
    return Attribution(
        {name: numbers for name, numbers in students.items() if numbers},
        {name: newest[min(owners[name])] for name, numbers in students.items() if not numbers},
        problems,
    )


def _owners(
    name: str, entry: HandedIn, roster: ClassList, members: Mapping[str, set[int]]
) -> set[int]:
    """Return the students who handed something in, with all members of their groups.

    Raises:
        ConfigError: if a name or id is that of several students.
    """
    found: set[int] = set()
    for words in entry.students or ((),):
        if authors := roster.authors((*words, name)):
            found |= authors
        elif (number := roster.student((*words, name))) is not None:
            found.add(number)
        else:  # it may be named after a group
            named = {group.casefold(): numbers for group, numbers in members.items()}
            found |= next(
                (named[word.casefold()] for word in (*words, name) if word.casefold() in named),
                set(),
            )
    for numbers in members.values():
        if found & numbers:
            found |= numbers
    return found


def _age(entry: HandedIn) -> tuple[bool, float, int, float]:
    """Return what grows from a student's attempt to the next; what is left out comes first."""
    moment = _UNTIMED if entry.submitted is None else entry.submitted.timestamp()
    return (not entry.is_left_out, moment, *entry.order)
