"""The kinds of questions: how each is put to a submission, and what of the answers is right."""

from __future__ import annotations

import dataclasses
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple

from tkm_env.agents.specs import make_agent
from tkm_env.arena.referee import Conditions, Player
from tkm_env.arena.schedule import Entrant, Fixture, RandomStart, seed_of_pair
from tkm_env.arena.score import POINTS, Pairs
from tkm_env.arena.workers import play_between
from tkm_env.batch.initial_positions import InitialPositions, unfinished
from tkm_env.checks import checked_integer, checked_number, is_text
from tkm_env.course.client import Examinee
from tkm_env.course.draws import Draws, draws_for, lost_in
from tkm_env.course.marks import VISIBILITIES, Finding, Mark
from tkm_env.course.protocol import Ask
from tkm_env.course.submission import Submission
from tkm_env.course.teaching import teaching_of
from tkm_env.course.trees import Tree, lines_of_play, minimax, pruned
from tkm_env.errors import ConfigError, PlayerError, TKMError
from tkm_env.game.base import BaseGame
from tkm_env.game.faults import FAULTS, START
from tkm_env.game.records import from_record
from tkm_env.game.registry import GameSpec

#: What every question may say, with its meaning; a key without a default is required. ``docs/teaching.md`` is generated from it.
KEYS: Final[Mapping[str, str]] = {
    "id": "a short name of its own, such as `q1`; drawn positions depend on it and on the seed",
    "kind": "one of the kinds below",
    "title": "what people read; by default the id",
    "points": "what it is worth",
    "thresholds": "a list of `{share, points}`: the points of the last row whose share is reached; without it points times share",
    "seconds": "how long a submission may take for all of it, once it has started; by default 60",
    "visibility": "when students see mark and feedback: `visible` (the default), `after_due_date`, `after_published` or `hidden`",
}
_ID: Final = "it must be 1 to 40 letters, digits, hyphens and underscores"
_SECONDS: Final = 60.0
#: After so many games in a row that a submission lost by a fault, it loses the others without being asked.
_PATIENCE: Final = 3
#: What a submission is called in records.
_SUBMISSION: Final = "submission"
#: So many findings are shown of a question.
_MOST_SHOWN: Final = 3


@dataclasses.dataclass(frozen=True)
class Examination:
    """What questions need besides themselves.

    Attributes:
        submission: who is asked.
        spec: the game.
        config: its settings.
        seed: of the assignment.
        conditions: where submissions run.
        refused: patterns of the modules that they may not import.
    """

    submission: Submission
    spec: GameSpec
    config: Any
    seed: int
    conditions: Conditions
    refused: tuple[str, ...]

    @property
    def worth(self) -> Callable[[Any], int]:
        """What a game is worth to its first player, roughly."""
        return teaching_of(self.spec).worth

    def draws(self, question: str) -> Draws:
        """The draws for a question."""
        return draws_for(self.spec.name, self.config, self.seed, question)

    def game(self, position: str) -> BaseGame:
        """The game at a position."""
        return unfinished(self.spec.game_class, self.config, position)


class Outcome(NamedTuple):
    """How a question went.

    Attributes:
        share: of what was right, from 0 to 1.
        words: the same in a sentence.
    """

    share: float
    words: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class Question(ABC):
    """A question of an assignment; its fields are the keys of its table.

    Raises:
        ConfigError: naming the key.
    """

    id: str
    title: str = ""
    points: float
    thresholds: tuple[tuple[float, float], ...] = ()
    seconds: float = _SECONDS
    visibility: str = VISIBILITIES[0]

    #: Its name in files.
    kind: ClassVar[str]
    #: What it asks, in a sentence or two.
    meaning: ClassVar[str]
    #: What its table may say besides `KEYS`.
    keys: ClassVar[Mapping[str, str]]

    def __post_init__(self) -> None:
        if not is_text(self.id) or not 1 <= len(self.id) <= 40 or not self.id.replace("-", "").replace("_", "").isalnum():
            raise ConfigError("id", self.id, _ID)
        if not is_text(self.title):
            raise ConfigError("title", self.title, "it must be a text")
        object.__setattr__(self, "title", self.title or self.id)
        checked_number("points", self.points, 0, 1e6, from_low=True)
        checked_number("seconds", self.seconds, 0, 1e6)
        if self.visibility not in VISIBILITIES:
            raise ConfigError("visibility", self.visibility, f"it must be {', '.join(map(repr, VISIBILITIES))}")
        object.__setattr__(self, "thresholds", _thresholds(self.thresholds, self.points))

    @abstractmethod
    def check(self, spec: GameSpec, config: Any) -> None:
        """Check that it can be asked of this game under these settings.

        Raises:
            ConfigError: naming the key.
        """

    @abstractmethod
    def put(self, to: Examination, findings: list[Finding]) -> Outcome:
        """Put it to a submission; what is wrong is added to ``findings``.

        Raises:
            PlayerError: naming the submission's fault, which ends the question.
        """

    def mark(self, to: Examination) -> Mark:
        """Put it to a submission, whatever that does, and say what it got."""
        findings: list[Finding] = []
        began = time.monotonic()
        fault = None
        try:
            outcome = self.put(to, findings)
        except PlayerError as error:
            fault = error.kind
            outcome = Outcome(0.0, _ended_by(error, to.conditions.limits.start_seconds if error.starting else self.seconds))
        score = 0.0 if fault else self.points_for(outcome.share)
        return Mark(
            self.id,
            self.title,
            self.kind,
            self.points,
            score,
            outcome.words,
            self.visibility,
            fault,
            round(outcome.share, 4),
            round(time.monotonic() - began, 2),
            tuple(findings[:_MOST_SHOWN]),
        )

    def points_for(self, share: float) -> float:
        """The points for a share of what is right.

        >>> question = Counting(id="q", points=4, depth=3, thresholds=((0.5, 1), (1, 4)))
        >>> question.points_for(0.4), question.points_for(0.75), question.points_for(1)
        (0.0, 1.0, 4.0)
        """
        if not self.thresholds:
            return round(self.points * share, 2)
        return max((points for least, points in self.thresholds if share >= least), default=0.0)

    def examinee(self, to: Examination, draws: Draws) -> Examinee:
        """The submission, to be asked."""
        return Examinee(to.submission, to.conditions, to.refused, self.seconds, draws.seeds())


def _ended_by(error: PlayerError, seconds: float) -> str:
    """What ended a question, in a sentence; it had so many seconds.

    >>> _ended_by(PlayerError("submission", "no answer in time", "timeout", starting=True), 20)
    'no answer in time (20 s), at its start'
    >>> _ended_by(PlayerError("submission", "what it wrote is not UTF-8", "protocol"), 60)
    'a line that the protocol does not know, or one that nobody asked for: what it wrote is not UTF-8'
    """
    meaning = FAULTS[error.kind]
    more = error.reason.removeprefix(meaning).removeprefix("; ")
    limit = f" ({seconds:g} s)" if error.kind == "timeout" else ""
    return f"{meaning}{limit}{', at its start' if error.starting else ''}{f': {more}' if more else ''}"


def _thresholds(given: Any, points: float) -> tuple[tuple[float, float], ...]:
    """Shares with their points, which rise from row to row, up to the points of the question."""
    allowed = f"it must be a list of {{share, points}}, both rising, shares from 0 to 1, the last points {points:g}"
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise ConfigError("thresholds", given, allowed)
    rows = []
    for row in given:
        if isinstance(row, Mapping) and set(row) == {"share", "points"}:
            row = row["share"], row["points"]
        if not isinstance(row, (list, tuple)) or len(row) != 2:
            raise ConfigError("thresholds", given, allowed)
        rows.append(
            (checked_number("share", row[0], 0, 1, from_low=True), checked_number("points", row[1], 0, points, from_low=True))
        )
    if rows and (
        rows != sorted(rows) or [*map(list, zip(*rows, strict=True))][1] != sorted(p for _, p in rows) or rows[-1][1] != points
    ):
        raise ConfigError("thresholds", given, allowed)
    return tuple(rows)


_POSITIONS: Final = "how many positions, which are drawn from the seed, or a list of their texts; by default 4"
_DEPTH: Final = "how many actions deep"


@dataclasses.dataclass(frozen=True, kw_only=True)
class _AboutTrees(Question):
    """A question about trees of play."""

    depth: int
    positions: int | tuple[str, ...] = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_integer("depth", self.depth, 1, 64)
        object.__setattr__(self, "positions", _positions(self.positions))

    def check(self, spec: GameSpec, config: Any) -> None:
        _check_positions(self.positions, spec, config)

    def put(self, to: Examination, findings: list[Finding]) -> Outcome:
        draws = to.draws(self.id)
        games = draws.roots(self.positions, self.depth) if isinstance(self.positions, int) else [*map(to.game, self.positions)]
        right = 0
        with self.examinee(to, draws).present() as examinee:
            for game in games:
                tree = Tree(game, to.worth, draws.secret)
                answer = examinee.ask(game, tree.ask(self.kind, self.depth), tree)
                wrong = self.wrong(answer, tree, Tree(game, to.worth, draws.secret))
                right += not wrong
                if wrong:
                    findings.append(Finding(wrong, (game.visible_position,)))
        return _of(right, len(games), "position")

    @abstractmethod
    def wrong(self, answer: int | float | None, looked: Tree, own: Tree) -> str:
        """What is wrong with an answer; an empty text if nothing is.

        Args:
            answer: the submission's.
            looked: the tree in which it has looked around.
            own: the same tree, in which nobody has looked.
        """


class Counting(_AboutTrees):
    """How many lines of play there are."""

    kind = "count"
    meaning = "`count(node, depth)` returns how many lines of exactly so many actions there are"
    keys: ClassVar = {"depth": _DEPTH, "positions": _POSITIONS}

    def wrong(self, answer: int | float | None, looked: Tree, own: Tree) -> str:
        due = lines_of_play(own, self.depth)
        return "" if answer == due else f"{_said(answer)}; there are {due} lines of {self.depth} actions"


class Minimax(_AboutTrees):
    """What a position is worth if both sides play their best."""

    kind = "minimax"
    meaning = "`minimax(node, depth)` returns the value of a position if both sides play their best for so many actions"
    keys: ClassVar = {"depth": _DEPTH, "positions": _POSITIONS}

    def wrong(self, answer: int | float | None, looked: Tree, own: Tree) -> str:
        due = minimax(own, self.depth)
        return "" if answer == due else f"{_said(answer)}; its value at depth {self.depth} is {due}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class AlphaBeta(_AboutTrees):
    """The same value with few positions visited."""

    visits: float = 1.0

    kind = "alphabeta"
    meaning = (
        "`alphabeta(node, depth)` returns the same value, and visits few positions: those whose children or value it asks for, counted by"
        " the grader"
    )
    keys: ClassVar = {
        "depth": _DEPTH,
        "positions": _POSITIONS,
        "visits": "how many may be visited, as a multiple of what plain alpha-beta visits that takes children in their order; by default 1",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_number("visits", self.visits, 0, 1000)

    def wrong(self, answer: int | float | None, looked: Tree, own: Tree) -> str:
        due = pruned(own, self.depth)
        most = int(self.visits * len(own.visited))
        if answer != due:
            return f"{_said(answer)}; its value at depth {self.depth} is {due}"
        return "" if len(looked.visited) <= most else f"{len(looked.visited)} positions visited; at most {most} may be"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ordering(Question):
    """An evaluation that knows the better one of two positions."""

    positions: int = 20

    kind = "evaluate"
    meaning = (
        "`evaluate(game)` returns a number that is higher for the position that is better for the first player; of each pair, one"
        " brings that player far more points when `greedy` plays on from there"
    )
    keys: ClassVar = {"positions": "how many pairs of positions, which are drawn from the seed; by default 20"}

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_integer("positions", self.positions, 1, 200)

    def check(self, spec: GameSpec, config: Any) -> None:
        """Pairs can be drawn of every game."""

    def put(self, to: Examination, findings: list[Finding]) -> Outcome:
        draws = to.draws(self.id)
        pairs = draws.pairs(self.positions, to.worth)
        right = 0
        first, seeds = to.spec.players[0], draws.seeds()
        with self.examinee(to, draws).present() as examinee:
            for pair in pairs:
                # In either order, so that nothing is learned from which one comes first.
                ask = [pair.better, pair.worse]
                swapped = bool(seeds.integers(2))
                answers = [examinee.ask(game, Ask(self.kind, game.visible_position)) for game in (ask[::-1] if swapped else ask)]
                better, worse = answers[::-1] if swapped else answers
                if better is not None and worse is not None and better > worse:
                    right += 1
                    continue
                high, low = pair.shares
                words = f"it says {better} and {worse}; played on from there, {first} gets {high:.0%} of the points, and {low:.0%}"
                findings.append(Finding(words, (pair.better.visible_position, pair.worse.visible_position)))
        return _of(right, len(pairs), "pair")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Tactics(Question):
    """Wins that are there to be found."""

    turns: int = 1
    positions: int | tuple[str, ...] = 8

    kind = "tactics"
    meaning = "`Bot` plays a turn in positions where few ways to play it force a win"
    keys: ClassVar = {
        "positions": _POSITIONS.replace("4", "8"),
        "turns": "in how many turns of its own the win is forced; by default 1, this turn; more where the game has an analysis",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_integer("turns", self.turns, 1, 3)
        object.__setattr__(self, "positions", _positions(self.positions))

    def check(self, spec: GameSpec, config: Any) -> None:
        _check_positions(self.positions, spec, config)
        if self.turns > 1 and spec.analyse is None:
            raise ConfigError("turns", self.turns, f"it must be 1: nothing proves a win in more turns of {spec.title}")

    def put(self, to: Examination, findings: list[Finding]) -> Outcome:
        draws = to.draws(self.id)
        games = draws.tactics(self.positions, self.turns) if isinstance(self.positions, int) else [*map(to.game, self.positions)]
        right = 0
        with self.examinee(to, draws).present() as examinee:
            for game in games:
                after = game.copy()
                examinee.play_turn(after)
                if after.winner == game.to_act or (
                    after.result is None and self.turns > 1 and lost_in(to.spec, after, self.turns - 1)
                ):
                    right += 1
                    continue
                played = "; ".join(after.action_names[action] for action in after.history)
                findings.append(Finding(f"{game.to_act} can force a win, but not by {played}", (game.visible_position,)))
        return _of(right, len(games), "position")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Matches(Question):
    """Games against one of the package's own players."""

    opponent: str
    games: int = 20
    opening_turns: int = 2
    player: str = "Bot"

    kind = "match"
    meaning = (
        "`Bot`, or a file that was trained, plays games in pairs, each start from both sides; what counts is the *lower bound* of the 95%"
        " interval of its share of points"
    )
    keys: ClassVar = {
        "opponent": "one of the game's own players, such as `greedy` or `alphabeta:depth=2`",
        "games": "how many; rounded up to an even number; by default 20",
        "opening_turns": "how many turns are played at random before the players take over; by default 2",
        "player": "`Bot` (the default); or `policy:FILE` or `net:file=FILE`, a trained file that is handed in, and not executed",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "games", 2 * -(-checked_integer("games", self.games, 1, 10_000) // 2))
        if self.player != "Bot" and not (isinstance(self.player, str) and self.trained[1]):
            raise ConfigError("player", self.player, "it must be 'Bot', or policy:FILE or net:file=FILE")

    @property
    def trained(self) -> tuple[str, str]:
        """What a player's line begins with that is a trained file, and the file's name; both empty where ``Bot`` plays."""
        start = next((start for start in _TRAINED if self.player.startswith(start)), "")
        return start, self.player.removeprefix(start) if start else ""

    def check(self, spec: GameSpec, config: Any) -> None:
        checked_integer("opening_turns", self.opening_turns, 0, config.max_turns - 1)
        name = self.opponent.partition(":")[0] if isinstance(self.opponent, str) else None
        if name not in spec.agents:
            raise ConfigError("opponent", self.opponent, f"it must be one of {', '.join(map(repr, spec.agents))}")
        make_agent(self.opponent, "opponent", spec.name)

    def put(self, to: Examination, findings: list[Finding]) -> Outcome:
        draws = to.draws(self.id)
        player = self._player(to)
        opponent = Player(self.opponent, to.spec.name, to.conditions, "opponent", to.config)
        contestants = Entrant(_SUBMISSION, _SUBMISSION), Entrant(self.opponent, self.opponent, number=1)
        points: list[tuple[int, float]] = []
        lost: list[Finding] = []
        faults: list[str] = []
        in_a_row, thought, start = 0, 0.0, int(draws.seeds().integers(2**62))
        try:
            for number in range(self.games):
                pair, swapped = divmod(number, 2)
                if in_a_row >= _PATIENCE or thought > self.seconds:
                    points.append((pair, 0.0))
                    continue
                seats = contestants[::-1] if swapped else contestants
                seed = seed_of_pair(start, pair)
                fixture = Fixture(
                    to.spec.name, to.config, RandomStart(seed, self.opening_turns), 2 * seed + swapped, (seats[0], seats[1])
                )
                began = time.monotonic()
                record = play_between(_seated(fixture, player, opponent), fixture)
                gained = POINTS[record["result"]] if not swapped else 1 - POINTS[record["result"]]
                points.append((pair, gained))
                fault: Mapping[str, Any] = record.get("fault") or {}
                is_own = bool(fault) and record["players"][fault["player"]] == _SUBMISSION
                if is_own and fault["ply"] == START and number == 0:  # it will not start for the other games, either
                    raise PlayerError(to.submission.name, fault["seen"], fault["kind"], starting=True)
                # A record does not say how long it waited for the answer that did not come.
                thought += time.monotonic() - began if is_own else _thought(record, to.spec.players[swapped])
                in_a_row = in_a_row + 1 if is_own else 0
                if is_own:
                    faults.append(fault["kind"])
                    lost.insert(0, Finding(f"game {number + 1}: lost by {fault['kind']}: {fault['seen']}", record=record))
                elif gained == 0:
                    lost.append(Finding(f"game {number + 1}: lost against {self.opponent}", record=record))
        finally:
            player.drop()
            opponent.close()
        findings += lost[:1]
        score = Pairs.of(points).score
        total = sum(gained for _, gained in points)
        words = f"{total:g} of {self.games} points against {self.opponent}: {score.share:.0%}, at least {score.low:.0%}"
        if faults:
            kinds = ", ".join(f"{faults.count(kind)} by {kind}" for kind in dict.fromkeys(faults))
            words += f"; {kinds}" + ("; the other games are lost, too" if in_a_row >= _PATIENCE else "")
        if thought > self.seconds:
            words += f"; it thought for more than {self.seconds:g} s: the games after that are lost"
        return Outcome(score.low, words)

    def _player(self, to: Examination) -> Player:
        """Who plays for the submission.

        Raises:
            PlayerError: if there is nobody, or a file that was handed in is of no use.
        """
        conditions = to.conditions.reading([str(to.submission.folder)])
        if self.player == "Bot":
            agent = to.submission.player(conditions.limits, to.refused)
            return Player(_SUBMISSION, to.spec.name, conditions, config=to.config, agent=agent)
        start, name = self.trained
        line = f"{start}{to.submission.file(name)}"
        try:
            agent = make_agent(line, "player", to.spec.name, config=to.config)
        except TKMError as error:
            reason = str(error).replace(str(to.submission.folder), ".")
            raise PlayerError(to.submission.name, reason, "crash", starting=True) from None
        return Player(line, to.spec.name, conditions, config=to.config, agent=agent)


#: What a player's line begins with that is a trained file.
_TRAINED: Final = ("policy:", "net:file=")


def _seated(fixture: Fixture, player: Player, opponent: Player) -> dict[str, Player]:
    return {side: player if name == _SUBMISSION else opponent for side, name in fixture.players.items()}


def _thought(record: Mapping[str, Any], side: str) -> float:
    """How long a side thought in a game, in seconds."""
    game, total = from_record(record).start, 0.0
    for action, seconds in zip(record["actions"], record["seconds"], strict=True):
        total += seconds if game.to_act == side else 0.0
        game.play(action)
    return total


def _positions(given: Any) -> int | tuple[str, ...]:
    """How many positions, or which."""
    if isinstance(given, (list, tuple)) and given and all(isinstance(text, str) for text in given):
        return tuple(given)
    if isinstance(given, (list, tuple, str)):
        raise ConfigError("positions", given, "it must be a whole number, or a list of positions' texts")
    return checked_integer("positions", given, 1, 200)


def _check_positions(positions: int | tuple[str, ...], spec: GameSpec, config: Any) -> None:
    if not isinstance(positions, int):
        InitialPositions(spec.game_class, config, positions=positions)


def _said(answer: int | float | None) -> str:
    return "no answer yet" if answer is None else f"the answer {answer} is wrong"


def _of(right: int, total: int, what: str) -> Outcome:
    return Outcome(right / total, f"{right} of {total} {what}s right")


#: The kinds of questions, by name.
KINDS: Final[Mapping[str, type[Question]]] = {
    kind.kind: kind for kind in (Counting, Ordering, Minimax, AlphaBeta, Tactics, Matches)
}
