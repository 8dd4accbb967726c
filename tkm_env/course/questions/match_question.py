"""Questions that are matches against a player of the package, or of the staff."""

import dataclasses
import os
import time
from typing import Any, ClassVar, Final

import numpy as np

from tkm_env.arena.playing.referee import Player
from tkm_env.arena.playing.schedule import Entrant, pair_of_games
from tkm_env.arena.playing.scheduled_game import play_between
from tkm_env.arena.record_results import RecordedGame
from tkm_env.core.record_schema import START
from tkm_env.course.questions.marks import Finding
from tkm_env.course.questions.question import (
    MAX_FAULTS,
    Question,
    QuestionContext,
    QuestionOutcome,
    describe_fault,
    plural,
)
from tkm_env.course.questions.submission_player import MatchFault, SubmissionPlayer
from tkm_env.course.submission import Submission
from tkm_env.evaluation.score import PairResults, points_of
from tkm_env.evaluation.starts import Settings, Starts
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import ConfigError, PlayerError, TKMError
from tkm_env.players.factory import make_agent
from tkm_env.players.player_spec import PYTHON, PlayerSpec
from tkm_env.players.roster import ROSTERS

#: For this share of the games, faults are forgiven, after each of which a turn is played at random.
_FORGIVEN: Final = 0.5
#: The submission's name in records.
SUBMISSION: Final = "submission"
#: The prefixes of players that are trained models in files.
_TRAINED: Final = ("policy:", "net:file=")


@dataclasses.dataclass(frozen=True, kw_only=True)
class MatchQuestion(Question):
    """Games against a player of the package or the staff, each start from both sides."""

    opponent: str
    games: int = 60
    opening_turns: int = 2
    player: str = "Bot"

    kind = "match"
    meaning = (
        "`Bot` plays games in pairs, each start from both sides; its share of the points counts"
    )
    usual_hint = (
        "Step through the lost game to the first turn after which it was beyond saving: why did "
        "your player choose that turn?"
    )
    keys: ClassVar = {
        "opponent": (
            "one of the game's own players, such as `greedy` or `alphabeta:depth=2`; or "
            "`FILE.py:NAME`, a class or function of your own, which plays in the grader's process"
        ),
        "games": "the number of games, rounded up to an even number; by default 60",
        "opening_turns": (
            "the number of turns played at random before the players take over; by default 2"
        ),
        "player": (
            "the player: `Bot` (the default); or `policy:FILE` or `net:file=FILE`, a trained model "
            "that is handed in as a file, and not executed"
        ),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(
            self, "games", 2 * -(-checked_integer("games", self.games, 1, 10_000) // 2)
        )
        if self.player != "Bot" and not (isinstance(self.player, str) and self.trained[1]):
            raise ConfigError(
                "player", self.player, "it must be 'Bot', or policy:FILE or net:file=FILE"
            )

    @property
    def instruction(self) -> str:
        return f"{self.meaning} in {self.games} games against `{self.opponent}`"

    @property
    def trained(self) -> tuple[str, str]:
        """The prefix of the player's line, and the name of its file; both empty for ``Bot``."""
        prefix = next((prefix for prefix in _TRAINED if self.player.startswith(prefix)), "")
        return prefix, self.player.removeprefix(prefix) if prefix else ""

    def check(self, context: QuestionContext) -> None:
        spec = context.spec
        checked_integer("opening_turns", self.opening_turns, 0, context.config.max_turns - 1)
        if self.own_opponent:
            self._opponent(context).close()
            return
        name = self.opponent.partition(":")[0] if isinstance(self.opponent, str) else None
        if name not in ROSTERS.of(spec).agents:
            raise ConfigError(
                "opponent",
                self.opponent,
                f"it must be one of {', '.join(map(repr, ROSTERS.of(spec).agents))}, "
                "or FILE.py:NAME",
            )
        make_agent(self.opponent, "opponent", spec.name)

    @property
    def own_opponent(self) -> str:
        """The path of the staff's Python file with the opponent; empty for none."""
        spec = PlayerSpec.parse(self.opponent, "opponent")
        return spec.subject if spec.kind == PYTHON else ""

    def ask(
        self, submission: Submission, context: QuestionContext, findings: list[Finding]
    ) -> QuestionOutcome:
        return self._match(self._player(submission, context), context, findings)

    def _match(
        self, player: Player, context: QuestionContext, findings: list[Finding]
    ) -> QuestionOutcome:
        """Let a player play all games; append the games that explain its share."""
        settings = Settings(context.spec.name, context.config, opening_turns=self.opening_turns)
        starts = Starts(settings, self.source(context).secret("match"))
        opponent = self._opponent(context)
        tally = _Tally(self, context.conditions.turn_seconds)
        try:
            for number in range(self.games):
                if tally.is_decided:
                    break
                began = time.monotonic()
                record = self._play(number, starts, player, opponent, context)
                tally.add(record, number % 2, time.monotonic() - began)
                if isinstance(player, SubmissionPlayer):
                    tally.forgive(player.forgiven)
                    player.forgiven = []
        finally:
            player.drop()
            opponent.close()
        findings += tally.findings
        return tally.outcome()

    def points_in(self, record: dict[str, Any], seat: int) -> float:
        """Return the submission's points in a game: 1 for a win, 0 for a loss, else 0.5.

        Args:
            record: the record of the game.
            seat: 0 if the submission was the first player, 1 if it was the second.

        Returns:
            The points, from 0 to 1.
        """
        return points_of(record["result"], seat)

    def words_for(self, record: dict[str, Any], points: float) -> str:
        """Describe a game that did not bring all points.

        Args:
            record: the record of the game.
            points: the submission's points in it.

        Returns:
            What happened, in a few words; empty if the game is not worth showing.
        """
        return f"lost against {self.opponent}" if points == 0 else ""

    def _play(
        self,
        number: int,
        starts: Starts,
        player: Player,
        opponent: Player,
        context: QuestionContext,
    ) -> dict[str, Any]:
        """Play a game and return its record; in games of odd number the submission is second."""
        pair, swapped = divmod(number, 2)
        contestants = (
            Entrant(SUBMISSION, SUBMISSION),
            Entrant(self.opponent, self.opponent, number=1),
        )
        settings = Settings(context.spec.name, context.config)
        fixture = pair_of_games(settings, *starts[pair], contestants)[swapped]
        players = {SUBMISSION: player, self.opponent: opponent}
        return play_between(
            {side: players[name] for side, name in fixture.players.items()}, fixture
        )

    def _opponent(self, context: QuestionContext) -> Player:
        line, conditions = self.opponent, context.conditions
        if self.own_opponent:
            line = os.path.join(context.folder, line)
            conditions = dataclasses.replace(conditions, trust=True, turn_seconds=None)
        return Player(line, context.spec.name, conditions, "opponent", context.config)

    def _player(self, submission: Submission, context: QuestionContext) -> Player:
        """Make the submission's player.

        Raises:
            PlayerError: if the submission has none, or its file is unusable.
        """
        spec, config = context.spec, context.config
        conditions = context.conditions.reading([str(submission.folder)])
        if self.player == "Bot":
            return SubmissionPlayer(
                SUBMISSION,
                submission.player(conditions.limits),
                spec.name,
                config,
                conditions,
                np.random.default_rng(self.source(context).secret("turns after faults")),
                int(_FORGIVEN * self.games),
            )
        prefix, name = self.trained
        line = f"{prefix}{submission.file(name)}"
        try:
            return Player(
                line,
                spec.name,
                conditions,
                config=config,
                agent=make_agent(line, "player", spec.name, config=config),
            )
        except TKMError as error:
            reason = str(error).replace(str(submission.folder), ".")
            raise PlayerError(submission.name, reason, "crash", starting=True) from None


class _Tally:
    """The submission's results in a match so far."""

    def __init__(self, question: MatchQuestion, turn_seconds: float | None) -> None:
        self._question = question
        self._turn_seconds = turn_seconds
        self._points: list[float] = []
        self._lost: list[Finding] = []
        self._faults: list[PlayerError] = []
        self._faults_forgiven: list[PlayerError] = []
        self._random_turns: list[Finding] = []
        self._faults_in_a_row = 0
        self._thinking_seconds = 0.0

    @property
    def is_decided(self) -> bool:
        """Whether the remaining games count as lost without being played."""
        return (
            self._faults_in_a_row >= MAX_FAULTS or self._thinking_seconds > self._question.seconds
        )

    @property
    def findings(self) -> list[Finding]:
        """The first fault that was forgiven, and a lost game, preferably one lost by a fault."""
        return self._random_turns[:1] + self._lost[:1]

    def add(self, record: dict[str, Any], seat: int, seconds: float) -> None:
        """Add a game.

        Args:
            record: the record of the game.
            seat: 0 if the submission was the first player, 1 if it was the second.
            seconds: how long the game took, in seconds.

        Raises:
            PlayerError: if the submission did not start for the first game, since it would not
                start for the others either.
        """
        side = [*record["players"]][seat]
        fault = record.get("fault") or {}
        is_own = fault.get("player") == side
        if is_own and fault["ply"] == START and not self._points:
            raise PlayerError(SUBMISSION, fault["seen"], fault["kind"], starting=True)
        if fault and not is_own and self._question.own_opponent:
            reason = f"it does not play: {fault['kind']}: {fault['seen']}"
            raise ConfigError("opponent", self._question.opponent, reason)
        points = 0.0 if is_own else self._question.points_in(record, seat)
        self._points.append(points)
        self._faults_in_a_row = self._faults_in_a_row + 1 if is_own else 0
        if not is_own:  # a record lacks the time spent waiting for an answer that never came
            seconds = sum(
                taken for acting, _, taken in RecordedGame.of(record).decisions() if acting == side
            )
        self._thinking_seconds += seconds
        game = f"game {len(self._points)}"
        if is_own:
            error = PlayerError(SUBMISSION, fault["seen"], fault["kind"])
            self._faults.append(error)
            words = f"{game}: lost, since {describe_fault(error, self._turn_seconds)}"
            self._lost.insert(len(self._faults) - 1, Finding(words, record=record))
        elif words := self._question.words_for(record, points):
            self._lost.append(Finding(f"{game}: {words}", record=record))

    def forgive(self, faults: list[MatchFault]) -> None:
        """Add the faults that were forgiven in the last game."""
        for error, position, turn in faults:
            fault = describe_fault(error, self._turn_seconds)
            words = (
                f"game {len(self._points)}, turn {turn}: {fault}; the rest of the turn was played "
                "at random"
            )
            self._random_turns.append(Finding(words, (position,)))
            self._faults_forgiven.append(error)

    def outcome(self) -> QuestionOutcome:
        """Return the outcome of the match; games that were not played count as lost."""
        question = self._question
        points = self._points + [0.0] * (question.games - len(self._points))
        words = (
            f"{sum(points):g} of {question.games} points against {question.opponent}:"
            f" {sum(points) / question.games:.0%}"
        )
        if {*points} <= {0.0, 0.5, 1.0}:  # pairs of games are counted in half points
            pairs = PairResults.of((number // 2, gained) for number, gained in enumerate(points))
            words += f" (95% interval {pairs.score.low:.0%} to {pairs.score.high:.0%})"
        if self._faults:
            lost = plural(len(self._faults), "game")
            words += (
                f"; {lost} lost by a fault: {describe_fault(self._faults[0], self._turn_seconds)}"
            )
        if self._faults_forgiven:
            turns = plural(len(self._faults_forgiven), "turn")
            words += (
                f"; {turns} finished at random after a fault: "
                f"{describe_fault(self._faults_forgiven[0], self._turn_seconds)}"
            )
        if self._faults_in_a_row >= MAX_FAULTS:
            words += (
                f"; after {MAX_FAULTS} faults in a row the remaining games were not played "
                "and count as lost"
            )
        if self._thinking_seconds > question.seconds:
            words += (
                f"; it used more than {question.seconds:g} s in all: the remaining games count as "
                "lost"
            )
        faults = [*self._faults, *self._faults_forgiven]
        are_lost_fairly = len(self._lost) > len(self._faults)
        return QuestionOutcome(
            sum(points) / question.games,
            words,
            faults[0].kind if faults else None,
            None if are_lost_fairly else "",
        )
