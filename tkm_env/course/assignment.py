"""Assignments: what is graded and how, as TOML tables."""

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any, Final

from tkm_env.arena.tournament.tournament_file import KEYS as TOURNAMENT_KEYS
from tkm_env.arena.tournament.tournament_file import conditions_of
from tkm_env.core.registry import default_game, game_spec
from tkm_env.core.settings import changed_settings
from tkm_env.course.late_policy import LatePolicy, parse_late_policy
from tkm_env.course.questions.function_questions import FunctionQuestion, TrainingQuestion
from tkm_env.course.questions.match_question import MatchQuestion
from tkm_env.course.questions.position_questions import POSITION_QUESTIONS
from tkm_env.course.questions.question import Question, QuestionContext
from tkm_env.course.questions.staff_kinds import staff_kind
from tkm_env.foundations.checks import checked_number
from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.seeds import checked_secret
from tkm_env.foundations.toml_file import (
    check_table,
    checked_text,
    listed_texts,
    read_toml,
    tables_in,
)
from tkm_env.foundations.untrusted_text import folded_name
from tkm_env.players.factory import make_agent
from tkm_env.players.roster import ROSTERS

#: The form of a file that describes an assignment.
FORM: Final = "tkm_env assignment"
#: The keys of the file, with their meaning. ``docs/grading.md`` is generated from it.
KEYS: Final[Mapping[str, str]] = {
    "title": "shown to people",
    "game": "the name of the game",
    "seed": (
        "a secret number below 2¹²⁸; the same seed gives the same positions, games and marks, and "
        "students could guess a small one"
    ),
    "anchors": "the package's players on the class ladder",
    "credit": (
        "a table: for some of the anchors, the extra points earned by entries that are ahead of "
        "that anchor on the ladder by more than the 95% interval"
    ),
    "late": (
        "a table: when submissions are due and what lateness costs; see [Late "
        "submissions](grading.md#late-submissions)"
    ),
    "settings": "a table: the settings of the game, such as `chapters`",
    "conditions": (
        "a table: where submissions run, with the keys of [a "
        "tournament's](tournaments.md#the-file); by default in the `sandbox`, where "
        "`importable` names only the modules needed to answer, and none that play, search, learn "
        "or teach"
    ),
    "questions": "a list of tables, see below",
}
#: The kinds of questions, by name.
KINDS: Final[Mapping[str, type[Question]]] = {
    kind.kind: kind
    for kind in (*POSITION_QUESTIONS, FunctionQuestion, MatchQuestion, TrainingQuestion)
}
#: The parts of this package that a submission can see and import besides the environment: those
#: that run it. Solutions, players, searches and trainings are not among them.
_IMPORTABLE: Final = (
    "tkm_env.course.python_runner",
    "tkm_env.course.question_protocol",
    "tkm_env.course.student_nodes",
)


@dataclasses.dataclass(frozen=True)
class Assignment(QuestionContext):
    """What is graded, and how.

    Attributes:
        title: shown to people.
        questions: the questions, in order.
        anchors: the package's players on the class ladder.
        credit: the extra points for being ahead of an anchor, by the anchor's line.
        late: when submissions are due, and what lateness costs.
        digest: a digest of everything that the marks of all questions depend on.
    """

    title: str
    questions: tuple[Question, ...]
    anchors: tuple[str, ...]
    credit: Mapping[str, float]
    late: LatePolicy
    digest: str

    @property
    def points(self) -> float:
        return sum(question.points for question in self.questions)

    def with_questions(self, ids: tuple[str, ...]) -> "Assignment":
        """Return a copy with only these questions.

        Raises:
            ConfigError: if no question has one of these ids.
        """
        known = [question.id for question in self.questions]
        for wanted in ids:
            if wanted not in known:
                raise ConfigError(
                    "question", wanted, f"it must be one of {', '.join(map(repr, known))}"
                )
        return dataclasses.replace(
            self, questions=tuple(question for question in self.questions if question.id in ids)
        )

    def with_extra_seconds(self, seconds: float) -> "Assignment":
        """Return a copy whose questions have this many seconds more."""
        questions = (
            dataclasses.replace(question, seconds=question.seconds + seconds)
            for question in self.questions
        )
        return dataclasses.replace(self, questions=tuple(questions))

    def with_isolation(self, isolation: str, container: tuple[str, ...] = ()) -> "Assignment":
        """Return a copy whose submissions run in this isolation.

        Args:
            isolation: where they run, one of `tkm_env.isolation.limits.ISOLATIONS`.
            container: the words of the command that runs a program in a container; empty for none.

        Returns:
            The copy.
        """
        limits = dataclasses.replace(
            self.conditions.limits, isolation=isolation, container=container
        )
        return dataclasses.replace(
            self, conditions=dataclasses.replace(self.conditions, limits=limits)
        )


def read_assignment(path: str | os.PathLike[str]) -> Assignment:
    """Read the assignment in a TOML file.

    Raises:
        FileError: if it cannot be read, is not TOML, or is not a valid assignment.
    """
    content = read_toml(path, FORM)
    try:
        return parse_assignment(content, os.path.dirname(os.fspath(path)))
    except ConfigError as error:
        raise FileError(path, str(error)) from error


def parse_assignment(content: Mapping[str, Any], folder: str = "") -> Assignment:
    """Parse an assignment.

    Args:
        content: the tables of the file, with the keys of `KEYS`.
        folder: the folder of the file, to which paths are relative.

    Returns:
        The assignment.

    Raises:
        ConfigError: naming the key.
    """
    check_table("", content, KEYS)
    spec = game_spec(checked_text("game", content.get("game", default_game())))
    settings, conditions = content.get("settings", {}), content.get("conditions", {})
    check_table("settings", settings, None)
    check_table("conditions", conditions, TOURNAMENT_KEYS["conditions"])
    config = spec.config_from_text(settings)
    context = QuestionContext(
        spec=spec,
        config=config,
        seed=checked_secret(content.get("seed", 0)),
        conditions=conditions_of(
            {"isolation": "sandbox", "importable": [*_IMPORTABLE], **conditions}, folder
        ),
        folder=folder,
    )
    questions = [
        _parse_question(table, context) for table in tables_in(content, "questions", [], None)
    ]
    if not questions:
        raise ConfigError("questions", [], "there must be at least one [[questions]]")
    ids = [folded_name(question.id) for question in questions]
    for number, question in enumerate(questions):
        if ids[number] in ids[:number]:
            reason = "another question has it; case is ignored, since files are named after ids"
            raise ConfigError("id", question.id, reason)
    anchors = listed_texts("anchors", content.get("anchors", ROSTERS.of(spec).ladder[:2]))
    for anchor in anchors:
        make_agent(anchor, "anchors", spec.name)
    credit = content.get("credit", {})
    check_table("credit", credit, anchors)
    for anchor, points in credit.items():
        checked_number(anchor, points, 0, 1e6)
    late = parse_late_policy(content.get("late", {}))
    earlier = tuple(os.path.join(folder, path) for path in late.earlier)
    marking = {key: content.get(key) for key in ("seed", "conditions")}
    digest = hashlib.sha256(
        json.dumps(
            [spec.name, changed_settings(config), marking], sort_keys=True, default=str
        ).encode()
    )
    return Assignment(
        **{
            field.name: getattr(context, field.name)
            for field in dataclasses.fields(QuestionContext)
        },
        title=checked_text("title", content.get("title", f"{spec.title}: an assignment")),
        questions=tuple(questions),
        anchors=tuple(anchors),
        credit=credit,
        late=dataclasses.replace(late, earlier=earlier),
        digest=digest.hexdigest(),
    )


def _parse_question(table: Mapping[str, Any], context: QuestionContext) -> Question:
    name, given_kind = table.get("id"), table.get("kind")
    kind = KINDS.get(given_kind) if isinstance(given_kind, str) else None
    if kind is None and isinstance(given_kind, str) and ":" in given_kind:
        kind = staff_kind(given_kind, context.folder)
    if kind is None:
        raise ConfigError(
            "kind",
            given_kind,
            f"for question {name!r} it must be one of {', '.join(map(repr, KINDS))}, "
            "or FILE.py:CLASS, a question of your own",
        )
    fields = dataclasses.fields(kind)
    others = (field.name for field in fields if field.name != "id")
    check_table(f"question {name!r}", table, ("id", "kind", *others))
    # A class of the staff's may give a key another default, by an attribute of that name.
    given = {
        field.name: getattr(kind, field.name) for field in fields if hasattr(kind, field.name)
    } | {key: value for key, value in table.items() if key != "kind"}
    for field in fields:
        if field.name not in given:
            raise ConfigError(field.name, None, f"question {name!r} needs this key")
    question = kind(**given)
    question.check(context)
    return question
