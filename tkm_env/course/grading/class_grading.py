"""Grading a class, several submissions at a time, so that it can be stopped and resumed."""

import dataclasses
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from tkm_env.arena.playing.process_pool import ProcessPool
from tkm_env.arena.playing.retries import Retries, machine_fault
from tkm_env.course.assignment import Assignment
from tkm_env.course.grading.appeal import Appeal, hear
from tkm_env.course.grading.class_list import ClassList
from tkm_env.course.grading.class_results import KEPT, NOTHING, UNFINISHED, Result
from tkm_env.course.grading.class_roll import ClassRoll
from tkm_env.course.grading.class_tables import EXCUSED, Written, write_class_tables
from tkm_env.course.grading.feedback import FEEDBACK, write_feedback
from tkm_env.course.grading.grading import grade_submission
from tkm_env.course.grading.handed_in import check_apart
from tkm_env.course.grading.mark_files import MarkFile, MarkKey, counted_mark, key_of, under
from tkm_env.course.grading.pseudonyms import pseudonym, pseudonyms
from tkm_env.course.questions.marks import GRADE, Grade, Mark
from tkm_env.course.questions.question import QuestionError
from tkm_env.course.submission import digest_of, remove_leftover_copies
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import ConfigError, FileError, TKMError, extra, repr_of
from tkm_env.foundations.files import checked_path, failing_as, json_text, read_file, write_file
from tkm_env.foundations.line_file import LineFile
from tkm_env.foundations.untrusted_text import file_name
from tkm_env.isolation.program import check_isolation

#: The folders in the folder of results: a folder for each submission's page, a file for each
#: submission's marks, what was unpacked, and the class's league.
_PAGES, _MARKS, _UNPACKED, _LADDER = "feedback", "marks", "handed-in", "ladder"
_APPEALS: Final = "appeals"
#: Locked while grading runs; it is removed afterwards.
_LOCK: Final = ".grading"


class Failure(NamedTuple):
    """Why a submission could not be graded.

    Attributes:
        reason: the reason, in a sentence.
        is_temporary: whether trying again can help, since the machine failed.
    """

    reason: str
    is_temporary: bool


class _Marks(NamedTuple):
    """The marks of a submission.

    Attributes:
        marks: the mark of each question that counts; None for one that is not graded yet.
        outdated: the ids of questions whose mark is from before something changed.
        kept: the ids of questions whose earlier mark counts, since only a timeout lowered it.
    """

    marks: list[Mark | None]
    outdated: list[str]
    kept: list[str]


class _Outcome(NamedTuple):
    """What came of grading a submission.

    Attributes:
        failure: why it could not be graded; None if it could.
        failed: why questions failed themselves, in a sentence each.
    """

    failure: Failure | None = None
    failed: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Selection:
    """What to grade in a run; by default everything whose mark is missing or outdated.

    Attributes:
        only: the submissions or students; empty for all.
        questions: the ids of the questions; empty for all.
        force: whether to give again marks that are not outdated.
    """

    only: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    force: bool = False


class ClassGrading:
    """Grades all submissions of a class.

    Each mark is saved at once, so that grading can resume after any interruption. A question is
    asked again if anything that decides its mark has changed: the question, the submission's files,
    the rules or the grader.

    Args:
        submissions: a folder, or an archive of one, as learning platforms export them.
        assignment: what is graded, and how.
        out: the folder for the results, which is created if necessary.
        processes: the number of submissions to grade at a time, from 1 to 1024.
        roster: a CSV table of the students in the class; None for none.
        groups: a CSV table with the group of each student on the roster; None for none.
        adjustments: a CSV table with the decisions of the staff; None for none.
        column: the column of the roster for the points; None for the usual one.
        selection: what to grade in this run.

    Attributes:
        roll: who is in the class, what they handed in, and what the staff decided.
        points: the points of the assignment.
        names: the names of the submissions that can be graded.
        waiting: the names of those that this run has still to grade.
        failures: why submissions could not be graded in this run, by name.
        failed_questions: the names of the submissions whose mark is missing since a question itself
            failed in this run, by the reason.

    Raises:
        ConfigError: if there are no submissions, results would replace them, this system cannot
            run them as the assignment says, or somebody who is named is not there.
        FileError: if something cannot be read or written.
    """

    def __init__(
        self,
        submissions: str | os.PathLike[str],
        assignment: Assignment,
        out: str | os.PathLike[str],
        processes: int = 1,
        roster: str | os.PathLike[str] | None = None,
        *,
        groups: str | os.PathLike[str] | None = None,
        adjustments: str | os.PathLike[str] | None = None,
        column: str | None = None,
        selection: Selection | None = None,
    ) -> None:
        students = None if roster is None else ClassList(roster)
        for keyword, given in (("groups", groups), ("column", column)):
            if given is not None and students is None:
                raise ConfigError(keyword, os.fspath(given), "it needs a roster, too")
        if students is not None and column is not None:
            students.check_column(column)
        self._column = column
        members = None if groups is None else ClassList(groups)
        selection = selection or Selection()
        assignment.with_questions(selection.questions)  # which checks them
        check_isolation(assignment.conditions.limits)
        self._assignment = assignment
        self._processes = checked_integer("processes", processes, 1, 1024)
        self._out = checked_path(out)
        check_apart(submissions, self._out, _UNPACKED)
        with failing_as(out, "written"):
            (self._out / _MARKS).mkdir(parents=True, exist_ok=True)
        remove_leftover_copies()
        with LineFile(self._out / _LOCK):
            self.roll = ClassRoll(
                submissions, self._out / _UNPACKED, assignment, students, members, adjustments
            )
        self.points = assignment.points
        self.names = (*self.roll.paths,)
        self._digests = {name: _digest(path) for name, path in self.roll.paths.items()}
        self._stored = {name: self._marks_of(name).read() for name in self.names}
        self._asked = self._questions_to_ask(selection)
        self.waiting = (*(name for name in self.names if self._asked[name]),)
        self.failures: dict[str, Failure] = {}
        self.failed_questions: dict[str, list[str]] = {}
        self._is_stopping = False

    def _assignment_for(self, name: str) -> Assignment:
        """Return the assignment, with the seconds that the staff added for a submission."""
        seconds = self.roll.extra_seconds(name)
        return self._assignment.with_extra_seconds(seconds) if seconds else self._assignment

    def _marks_of(self, name: str) -> MarkFile:
        return MarkFile(self._out / _MARKS / f"{file_name(name)}.jsonl")

    def _questions_to_ask(self, selection: Selection) -> dict[str, tuple[str, ...]]:
        """Return the ids of the questions to ask in this run, by the submission's name."""
        chosen = {*map(self.roll.submission_of, selection.only)} or {*self.names}
        asked = {}
        for name in self.names:
            keys = self._keys(name)
            given = {stored.key for stored in self._stored[name]}
            asked[name] = tuple(
                question
                for question, key in keys.items()
                if name in chosen
                and (not selection.questions or question in selection.questions)
                and (selection.force or key.key not in given)
            )
        return asked

    def _keys(self, name: str) -> dict[str, MarkKey]:
        """Return what decides each of a submission's marks, by the id of the question."""
        digest = self._digests[name]
        questions = self._assignment_for(name).questions
        return {
            question.id: key_of(question, self._assignment, digest or "") for question in questions
        }

    def _marks(self, name: str) -> _Marks:
        """Return a submission's marks; one that is outdated counts until it is given again."""
        keys, stored = self._keys(name), self._stored[name]
        found = _Marks([], [], [])
        for question in self._assignment.questions:
            key = keys[question.id]
            given = [each for each in stored if each.mark.question == question.id]
            counted, is_kept = counted_mark(given, key)
            found.marks.append(None if counted is None else under(counted.mark, question))
            found.kept.extend([question.id] if is_kept else [])
            is_outdated = counted is not None and not is_kept and counted.key != key.key
            found.outdated.extend([question.id] if is_outdated else [])
        return found

    def stop(self) -> None:
        """Let `run` finish the submissions in progress and begin no others.

        It may be called from a signal handler or any thread.
        """
        self._is_stopping = True

    def run(self) -> Iterator[str]:
        """Grade the submissions that wait.

        Yields:
            The name of each submission, as soon as its marks are saved.

        Raises:
            FileError: if the results cannot be written, or another grader is writing there.
        """
        with LineFile(self._out / _LOCK):
            for name, (failure, failed) in self._grade_all([*self.waiting]):
                self._stored[name] = self._marks_of(name).read()
                if failure is not None:
                    self.failures[name] = failure
                for reason in failed:
                    self.failed_questions.setdefault(reason, []).append(name)
                self.waiting = (*(each for each in self.waiting if each != name),)
                yield name

    def _grade_all(self, waiting: list[str]) -> Iterator[tuple[str, _Outcome]]:
        """Yield the name of each submission when it is graded, with what came of that.

        With ``processes`` 1, this process grades them one by one; otherwise a pool grades them in
        parallel.
        """
        jobs = {
            name: _Job(
                self.roll.paths[name],
                name,
                self._assignment_for(name).with_questions(self._asked[name]),
                self._keys(name),
                self._marks_of(name),
            )
            for name in waiting
        }
        if self._processes == 1:
            for name, job in jobs.items():
                if self._is_stopping:
                    return
                yield name, _grade(job)
            return
        running, retries = 0, Retries()
        with closing(ProcessPool(self._processes, _grade)) as pool:
            while waiting or running:
                while waiting and running < self._processes and not self._is_stopping:
                    name = waiting.pop(0)
                    pool.submit(name, jobs[name])
                    running += 1
                if not running:
                    return
                for name, outcome in pool.wait():
                    if isinstance(outcome, Exception):  # its process was killed
                        try:
                            retries.pause(f"grading {repr_of(name)}", outcome)
                        except TKMError as error:
                            outcome = _Outcome(_failure(error))
                        else:
                            pool.submit(name, jobs[name])
                            continue
                    running -= 1
                    yield name, outcome

    def results(self) -> list[Result]:
        """Return what came of everybody.

        There is a result for each student on the roster, and for each submission that belongs to
        nobody on it; without a roster, for each submission. Submissions that were handed in but do
        not count are not among them, unless it is unclear whose they are.
        """
        credit = self._credit()
        called_of = pseudonyms(self.names, self._assignment.seed)
        found = []
        for name, number in self.roll.everybody():
            called = called_of.get(name) or (pseudonym(name, self._assignment.seed) if name else "")
            found.append(self._result(name, number, called, credit.get(called, 0.0)))
        return found

    def _result(self, name: str, number: int | None, called: str, credit: float) -> Result:
        """Return what came of a submission for a student, either of which may be missing."""
        student, section, identity = "", "", ""
        if number is not None and (roster := self.roll.roster) is not None:
            student, section = roster.names[number], roster.sections[number]
            identity = roster.ids[number]
        marks, outdated, kept = self._marks(name) if name in self.roll.paths else ([], [], [])
        notes = [self.roll.note(name), *(f"{question}: {KEPT}" for question in kept)]
        failure = self._problem(name, marks)
        page = Path(_PAGES) / file_name(name) / FEEDBACK
        return Result(
            name,
            number,
            student,
            section,
            called,
            page.as_posix() if name and (self._out / page).exists() else None,
            self._assignment.points,
            tuple(marks) if failure is None or failure.reason == UNFINISHED else (),
            tuple(outdated),
            credit,
            self.roll.decisions(name, number),
            self.roll.lateness(name, number),
            "" if failure is None else failure.reason,
            failure is not None and failure.is_temporary,
            "; ".join(filter(None, notes)),
            identity,
            tuple(kept),
        )

    def _problem(self, name: str, marks: list[Mark | None]) -> Failure | None:
        """Return why a submission is not graded; None if it is."""
        if not name:
            return Failure(NOTHING, is_temporary=False)
        if name in self.failures:
            return self.failures[name]
        if problem := self.roll.problem(name):
            return Failure(problem, is_temporary=False)
        return Failure(UNFINISHED, is_temporary=False) if None in marks else None

    @property
    def points_elsewhere(self) -> float | None:
        """The maximum points that the roster has for the assignment, if they are others."""
        if (roster := self.roll.roster) is None:
            return None
        most = roster.most(self._assignment.title, self._column)
        return None if most == self.points else most

    def write_tables(self) -> Written:
        """Write the tables, and the feedback of everybody for whom something changed.

        Returns:
            The tables, and what changed since they were written the last time.

        Raises:
            FileError: if something cannot be written.
        """
        results = self.results()
        for name in self.names:
            self._write_feedback(name, [each for each in results if each.submission == name])
        results = self.results()  # which now link to all pages
        written = write_class_tables(self._out, self._assignment, results, self.roll.fates())
        if (roster := self.roll.roster) is not None:
            points: list[float | str | None] = [None] * len(roster.names)
            for each in results:
                if each.number is not None:
                    points[each.number] = EXCUSED if each.is_excused else each.total
            most = self._assignment.points
            name, content = roster.table(self._assignment.title, points, most, self._column)
            write_file(self._out / name, content.encode())
            written.files.append(self._out / name)
        return written

    def _write_feedback(self, name: str, results: list[Result]) -> None:
        """Write a submission's page and grade, if all questions are graded and something changed.

        Members of a group see what the staff decided only if it is the same for all of them.
        """
        marks = [mark for mark in self._marks(name).marks if mark is not None]
        if len(marks) < len(self._assignment.questions):
            return
        grade = Grade(
            self._assignment.title,
            self._assignment.spec.name,
            name,
            results[0].pseudonym,
            tuple(marks),
            len(marks),
            self._assignment.points,
        )
        is_same = len({(each.total, *each.comments) for each in results}) == 1
        are_shown = all(mark.is_visible for mark in marks)
        comments = results[0].comments if are_shown else results[0].comments_without_points
        comments = comments if is_same else []
        total = results[0].total if is_same and results[0].total != grade.score else None
        folder = self._out / _PAGES / file_name(name)
        content = {**grade.as_json(), "total": total, "comments": comments}
        text = json_text(GRADE, content).encode("utf-8")
        file = self._out / _MARKS / f"{file_name(name)}.json"  # it holds marks that are not shown
        if (folder / FEEDBACK).exists() and file.exists() and read_file(file) == text:
            return
        write_feedback(
            folder,
            grade,
            self._assignment.spec,
            self._assignment.config,
            comments=comments,
            total=total,
        )
        write_file(file, text)

    def hear_appeal(self, who: str) -> tuple[Path, list[Appeal]]:
        """Ask a student's submission all questions again, without changing any mark.

        Args:
            who: the student, or the name of the submission.

        Returns:
            The folder with the log and the page, and the marks of each question.

        Raises:
            ConfigError: if nothing of that student can be graded.
            FileError: if something cannot be read or written.
            MachineError: if the machine keeps failing.
        """
        name = self.roll.submission_of(who)
        folder = self._out / _APPEALS / file_name(name)
        marks = self._marks(name).marks
        return folder, hear(self.roll.paths[name], name, self._assignment_for(name), marks, folder)

    def enter_ladder(self) -> Path:
        """Enter all submissions in the class ladder, a league, and return its folder.

        Raises:
            FileError: if something cannot be written.
            MissingExtraError: without the extra ``[league]``.
        """
        with extra("league"):
            from tkm_env.course.grading.ladder import enter_ladder
        enter_ladder(self._out / _LADDER, self._assignment, self.roll.paths)
        return self._out / _LADDER

    def _credit(self) -> dict[str, float]:
        if not self._assignment.credit or not (self._out / _LADDER).exists():
            return {}
        with extra("league"):
            from tkm_env.course.grading.ladder import extra_credit
        return extra_credit(self._out / _LADDER, self._assignment)


class _Job(NamedTuple):
    """What a process needs to grade a submission: the assignment has the questions to ask."""

    path: Path
    name: str
    assignment: Assignment
    keys: dict[str, MarkKey]
    marks: MarkFile


def _grade(job: _Job) -> _Outcome:
    """Grade a submission, in any process, and save each mark."""
    failed: list[QuestionError] = []
    failure = None
    try:
        for grade in grade_submission(job.path, job.assignment, job.name, failed):
            for mark in grade.marks[-1:]:
                job.marks.append(job.keys[mark.question], mark)
    except Exception as error:  # one submission must not cost the others their grades
        failure = _failure(error)
    return _Outcome(failure, (*map(str, failed),))


def _failure(error: Exception) -> Failure:
    """Return why a submission cannot be graded."""
    if machine_fault(error) is not None:
        return Failure(f"not graded, because the machine failed: {error}", is_temporary=True)
    reason = str(error) if isinstance(error, TKMError) else f"{type(error).__name__}: {error}"
    return Failure(reason, is_temporary=False)


def _digest(path: Path) -> str | None:
    """Return a submission's digest; None if it cannot be read, which grading reports later."""
    try:
        return digest_of(path)
    except FileError:
        return None
