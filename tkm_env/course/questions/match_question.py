"""Questions that are matches against one of the package's own players."""

import dataclasses
import time
from typing import Any, ClassVar, Final

from tkm_env.arena.playing.referee import Player
from tkm_env.arena.playing.schedule import Entrant, pair_of_games
from tkm_env.arena.playing.scheduled_game import play_between
from tkm_env.arena.record_results import RecordedGame
from tkm_env.core.record_schema import START
from tkm_env.core.registry import GameSpec
from tkm_env.course.questions.marks import Finding
from tkm_env.course.questions.question import Question, QuestionContext, QuestionOutcome
from tkm_env.course.submission import Submission
from tkm_env.evaluation.score import PairResults, points_of
from tkm_env.evaluation.starts import Settings, Starts
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import ConfigError, PlayerError, TKMError
from tkm_env.players.factory import make_agent
from tkm_env.players.roster import ROSTERS

#: After this many faults in a row, the remaining games count as lost without being played.
_MAX_FAULTS: Final = 3
#: The submission's name in records.
_SUBMISSION: Final = "submission"
#: The prefixes of players that are trained models in files.
_TRAINED: Final = ("policy:", "net:file=")


@dataclasses.dataclass(frozen=True, kw_only=True)
class MatchQuestion(Question):
    """Games against one of the package's own players, each start from both sides."""

    opponent: str
    games: int = 60
    opening_turns: int = 2
    player: str = "Bot"

    kind = "match"
    meaning = (
        "`Bot` plays games in pairs, each start from both sides; its share of the points counts"
    )
    usual_hint = (
        "If games were lost through faults, such as late answers, fix those first. Then step "
        "through the lost game to the first turn after which it was beyond saving: why did your "
        "player choose that turn?"
    )
    keys: ClassVar = {
        "opponent": "one of the game's own players, such as `greedy` or `alphabeta:depth=2`",
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

    def check(self, spec: GameSpec, config: Any) -> None:
        checked_integer("opening_turns", self.opening_turns, 0, config.max_turns - 1)
        name = self.opponent.partition(":")[0] if isinstance(self.opponent, str) else None
        if name not in ROSTERS.of(spec).agents:
            raise ConfigError(
                "opponent",
                self.opponent,
                f"it must be one of {', '.join(map(repr, ROSTERS.of(spec).agents))}",
            )
        make_agent(self.opponent, "opponent", spec.name)

    def ask(
        self, submission: Submission, context: QuestionContext, findings: list[Finding]
    ) -> QuestionOutcome:
        spec, config = context.spec, context.config
        settings = Settings(spec.name, config, opening_turns=self.opening_turns)
        starts = Starts(settings, self.source(context).secret("match"))
        player = self._player(submission, context)
        opponent = self._opponent(context)
        tally = _Tally(self)
        try:
            for number in range(self.games):
                if tally.is_decided:
                    break
                began = time.monotonic()
                record = self._play(number, starts, player, opponent, context)
                tally.add(record, number % 2, time.monotonic() - began)
        finally:
            player.drop()
            opponent.close()
        findings += tally.findings
        return tally.outcome()

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
            Entrant(_SUBMISSION, _SUBMISSION),
            Entrant(self.opponent, self.opponent, number=1),
        )
        settings = Settings(context.spec.name, context.config)
        fixture = pair_of_games(settings, *starts[pair], contestants)[swapped]
        players = {_SUBMISSION: player, self.opponent: opponent}
        return play_between(
            {side: players[name] for side, name in fixture.players.items()}, fixture
        )

    def _opponent(self, context: QuestionContext) -> Player:
        return Player(
            self.opponent, context.spec.name, context.conditions, "opponent", context.config
        )

    def _player(self, submission: Submission, context: QuestionContext) -> Player:
        """Make the submission's player.

        Raises:
            PlayerError: if the submission has none, or its file is unusable.
        """
        spec, config = context.spec, context.config
        conditions = context.conditions.reading([str(submission.folder)])
        if self.player == "Bot":
            agent = submission.player(conditions.limits)
            return Player(_SUBMISSION, spec.name, conditions, config=config, agent=agent)
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

    def __init__(self, question: MatchQuestion) -> None:
        self._question = question
        self._points: list[float] = []
        self._lost: list[Finding] = []
        self._faults: list[str] = []
        self._faults_in_a_row = 0
        self._thinking_seconds = 0.0

    @property
    def is_decided(self) -> bool:
        """Whether the remaining games count as lost without being played."""
        return (
            self._faults_in_a_row >= _MAX_FAULTS or self._thinking_seconds > self._question.seconds
        )

    @property
    def findings(self) -> list[Finding]:
        """A lost game, preferably one lost through a fault."""
        return self._lost[:1]

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
            raise PlayerError(_SUBMISSION, fault["seen"], fault["kind"], starting=True)
        points = points_of(record["result"], seat)
        self._points.append(points)
        self._faults_in_a_row = self._faults_in_a_row + 1 if is_own else 0
        if not is_own:  # a record lacks the time spent waiting for an answer that never came
            seconds = sum(
                taken for acting, _, taken in RecordedGame.of(record).decisions() if acting == side
            )
        self._thinking_seconds += seconds
        game = f"game {len(self._points)}: lost"
        if is_own:
            self._faults.append(fault["kind"])
            self._lost.insert(
                0, Finding(f"{game} by {fault['kind']}: {fault['seen']}", record=record)
            )
        elif points == 0:
            self._lost.append(Finding(f"{game} against {self._question.opponent}", record=record))

    def outcome(self) -> QuestionOutcome:
        """Return the outcome of the match; games that were not played count as lost."""
        question = self._question
        points = self._points + [0.0] * (question.games - len(self._points))
        score = PairResults.of((number // 2, gained) for number, gained in enumerate(points)).score
        words = (
            f"{sum(points):g} of {question.games} points against {question.opponent}:"
            f" {sum(points) / question.games:.0%}"
            f" (95% interval {score.low:.0%} to {score.high:.0%})"
        )
        if self._faults:
            kinds = dict.fromkeys(self._faults)
            words += f"; {', '.join(f'{self._faults.count(kind)} by {kind}' for kind in kinds)}"
        if self._faults_in_a_row >= _MAX_FAULTS:
            words += (
                f"; after {_MAX_FAULTS} faults in a row the remaining games were not played "
                "and count as lost"
            )
        if self._thinking_seconds > question.seconds:
            words += (
                f"; it used more than {question.seconds:g} s in all: the remaining games count as "
                "lost"
            )
        return QuestionOutcome(sum(points) / question.games, words)
