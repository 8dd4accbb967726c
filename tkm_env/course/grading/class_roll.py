"""Who is in a class, what they handed in, and what the staff decided about them."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Final

from tkm_env.course.assignment import Assignment
from tkm_env.course.grading.adjustments import Adjustment, read_adjustments
from tkm_env.course.grading.attribution import Attribution, attribute
from tkm_env.course.grading.class_list import ClassList
from tkm_env.course.grading.class_results import Lateness, free_used_before
from tkm_env.course.grading.class_tables import Fate
from tkm_env.course.grading.handed_in import handed_in
from tkm_env.foundations.errors import ConfigError, FileError, did_you_mean

_GRADED: Final = "graded"


class ClassRoll:
    """Who is in a class, what they handed in, and what the staff decided about them.

    Args:
        submissions: a folder, or an archive of one, as learning platforms export them.
        unpacked: the folder to unpack and gather files in; its previous content is removed.
        assignment: the assignment.
        roster: a CSV table of the students; None for none.
        groups: a CSV table with the group of each student on the roster; None for none.
        adjustments: a CSV table with the decisions of the staff; None for none.

    Attributes:
        roster: the students; None without a roster.
        paths: the submissions that can be graded and count for somebody, by name.

    Raises:
        ConfigError: if there are no submissions.
        FileError: if something cannot be read, or the staff decided about somebody who is not
            there.
    """

    def __init__(
        self,
        submissions: str | os.PathLike[str],
        unpacked: Path,
        assignment: Assignment,
        roster: ClassList | None = None,
        groups: ClassList | None = None,
        adjustments: str | os.PathLike[str] | None = None,
    ) -> None:
        self.roster = roster
        self._late = assignment.late
        self._free = free_used_before(assignment.late.earlier)
        self._found = handed_in(submissions, unpacked)
        if all(entry.is_left_out for entry in self._found.values()):
            raise ConfigError(
                "submissions", os.fspath(submissions), "it must be a folder that holds submissions"
            )
        self._attribution = (
            Attribution() if roster is None else attribute(self._found, roster, groups)
        )
        self.paths = {
            name: entry.path
            for name, entry in self._found.items()
            if entry.path is not None and not self.problem(name) and name not in self.replaced
        }
        self._decisions: dict[int | str, list[Adjustment]] = {}
        if adjustments is not None:
            ids = [question.id for question in assignment.questions]
            for decision in read_adjustments(adjustments, ids):
                try:
                    self._decisions.setdefault(self._named(decision.student), []).append(decision)
                except ConfigError as error:
                    raise FileError(adjustments, f"line {decision.line}: {error}") from None

    def _named(self, name: str) -> int | str:
        """Return the index of the student, or the submission, of a name.

        Raises:
            ConfigError: if nobody has it, or several have.
        """
        number = None if self.roster is None else self.roster.student([name])
        if number is not None:
            return number
        if name in self._found:
            return name
        known = [*self._found, *(self.roster.names if self.roster else ())]
        near = did_you_mean(name, known)
        raise ConfigError("student", name, f"no student and no submission has this name{near}")

    def submission_of(self, who: str) -> str:
        """Return the submission of a student, or of that name.

        Raises:
            ConfigError: if there is none that can be graded.
        """
        named = self._named(who)
        for name in self.paths:
            if named == name or named in self._attribution.students.get(name, ()):
                return name
        raise ConfigError("student", who, "nothing that can be graded was handed in")

    def everybody(self) -> list[tuple[str, int | None]]:
        """Return everybody who needs a row: each submission with each of its students.

        Submissions that can be graded come first, then the others, except those that do not
        count, then students on the roster who handed in nothing.

        Returns:
            The name of the submission, empty if nothing was handed in; and the student's index,
                None if it belongs to nobody on the roster.
        """
        students = self._attribution.students
        aside = {*self.replaced, *self.left_out}
        names = [*self.paths, *(name for name in self._found if name not in self.paths)]
        found: list[tuple[str, int | None]] = []
        for name in names:
            numbers: tuple[int | None, ...] = students.get(name, (None,))
            found += [] if name in aside else [(name, number) for number in numbers]
        owned = {number for _, number in found}
        count = len(self.roster.names) if self.roster else 0
        return found + [("", number) for number in range(count) if number not in owned]

    def problem(self, name: str) -> str:
        """Return why a submission cannot be graded, and what must be done; empty if it can."""
        return self._attribution.problems.get(name) or self._found[name].problem

    def note(self, name: str) -> str:
        """Return what else there is to know about a submission; empty for nothing."""
        return self._found[name].note if name else ""

    @property
    def strangers(self) -> list[str]:
        """The submissions that belong to nobody on the roster; none without one."""
        known = {*self._attribution.students, *self.replaced, *self.left_out}
        return [name for name in self._found if self.roster is not None and name not in known]

    @property
    def replaced(self) -> list[str]:
        """The submissions that do not count, since there are newer ones."""
        return [*self._attribution.replaced]

    @property
    def left_out(self) -> list[str]:
        """What looks like no submission, and is nobody's only one."""
        return [
            name
            for name, entry in self._found.items()
            if entry.is_left_out and name not in self._attribution.students
        ]

    def decisions(self, name: str, number: int | None) -> tuple[Adjustment, ...]:
        """Return what the staff decided about a student, or about the submission.

        Args:
            name: the name of the submission; empty for none.
            number: the student's index; None for a submission of a stranger.

        Returns:
            The decisions, in the order of the file.
        """
        whose: tuple[int | str, ...] = (name,) if number is None else (name, number)
        found = (each for who in whose for each in self._decisions.get(who, ()))
        return tuple(sorted(found, key=lambda decision: decision.line))

    def extra_seconds(self, name: str) -> float:
        """Return the seconds that the staff added to each question for a submission."""
        students = self._attribution.students.get(name, (None,))
        return max(
            sum(each.extra_seconds for each in self.decisions(name, number)) for number in students
        )

    def lateness(self, name: str, number: int | None) -> Lateness:
        """Return how late a student's submission is, and what that costs.

        Args:
            name: the name of the submission; empty for none.
            number: the student's index; None for a submission of a stranger.

        Returns:
            The lateness.
        """
        if not name:
            return Lateness()
        entry, decisions = self._found[name], self.decisions(name, number)
        submitted, told, keys = entry.submitted, None, [("name", name)]
        if self.roster is not None and number is not None:
            submitted = submitted or self.roster.submitted(number)
            told = self.roster.lateness(number)
            keys = [("id", self.roster.ids[number]), ("name", self.roster.names[number])]
        if decided := [each.late for each in decisions if each.late is not None]:
            submitted, told = None, decided[-1]
        extension = sum((each.extension for each in decisions), timedelta())
        by = self._late.lateness(submitted, told, extension)
        left = max(0, self._late.free - sum(self._free[key] for key in keys))
        return Lateness(by, entry.is_late, self._late.cost(by or timedelta(), left))

    def fates(self) -> list[Fate]:
        """Return what became of each file and folder that was handed in."""
        found = []
        for name, entry in self._found.items():
            replaced = dict(entry.replaced)
            newer = self._attribution.replaced.get(name)
            if name in self.left_out:
                fate = f"left out: {entry.problem}"
            elif newer:
                fate = f"does not count: {newer} is newer"
            else:
                problem = self.problem(name)
                fate = f"not graded: {problem}" if problem else _GRADED
            for file in entry.files or (name,):
                is_old = file in replaced
                words = f"does not count: {replaced[file]} is newer" if is_old else fate
                found.append(Fate(file, name, words))
        return sorted(found)
