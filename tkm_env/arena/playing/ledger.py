"""The file of a schedule's games: with one writer, only these games, in order."""

import dataclasses
import hashlib
import json
import os
import warnings
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, TypeVar

from tkm_env.arena.playing.referee import isolation_of
from tkm_env.arena.playing.schedule import Schedule, ScheduledGame
from tkm_env.core.record_files import from_record, line_of, records_in
from tkm_env.core.record_schema import KIND, VERSION
from tkm_env.core.settings import changed_settings
from tkm_env.foundations.errors import ConfigError, FileError, NewerVersionError, RecordError
from tkm_env.foundations.files import checked_path, failing_as, read_file, read_json, write_json
from tkm_env.foundations.line_file import LineFile
from tkm_env.foundations.seeds import checked_secret
from tkm_env.text.paid_answers import SUFFIX

_KIND: Final = "tkm_env checkpoint"
_KEYS: Final = ("games", "chain", "state")
#: The keys of a record that say how its game began and who played it.
_BEGINNING: Final = ("kind", "version", "game", "config", "seed", "position", "players")
#: The number of games between two checkpoints.
_INTERVAL: Final = 64


class Checkpoint:
    """How far a file of results has been checked, so that resuming does not replay all games.

    It is kept in a file named after the results with ``.checkpoint`` added. Each game's ``chain``
    is a digest of its line and of the previous chain, so that the last one stands for all games.

    Args:
        results: the file of the results.
        identity: what all games belong to; a checkpoint of anything else is ignored.
        lines: the lines of the file.
        verify: whether to ignore earlier checks.

    Attributes:
        games: the number of games in the file.
        trusted: the number of games, from the first on, that were checked when they were written.
        chain: the digest that stands for all games.
        state: what the schedule has kept, see `tkm_env.arena.playing.schedule.Schedule.state`.

    Raises:
        FileError: if something other than an ordinary file has the name of the checkpoint.
        NewerVersionError: if a newer version of the package wrote the checkpoint.
    """

    def __init__(
        self, results: Path, identity: str, lines: Iterable[bytes], *, verify: bool = False
    ) -> None:
        self._path = results.with_name(f"{results.name}.checkpoint")
        # Reading or writing a pipe could block, and the target of a link would be replaced.
        if self._path.is_symlink() or (self._path.exists() and not self._path.is_file()):
            raise FileError(self._path, "it is not an ordinary file")
        self.games, self.trusted, self.chain = 0, 0, hashlib.sha256(identity.encode()).hexdigest()
        self.state: Any = None
        kept: dict[str, Any] = {}
        if not verify:
            try:
                kept = read_json(self._path, _KIND, _KEYS)
            except NewerVersionError:
                raise  # the schedule would resume differently without what it holds
            except FileError:
                pass  # if it is missing or damaged, all games are checked
        for line in (b"", *lines):
            self._link(line)
            if (self.games, self.chain) == (kept.get("games"), kept.get("chain")):
                self.trusted, self.state = self.games, kept["state"]

    def _link(self, line: bytes) -> None:
        if line:
            self.chain = hashlib.sha256(self.chain.encode() + line.strip()).hexdigest()
            self.games += 1

    def add(self, line: bytes) -> bool:
        """Note that a game was written; return whether to save the checkpoint."""
        self._link(line)
        return self.games % _INTERVAL == 0

    def save(self, state: Any) -> None:
        """Write the checkpoint.

        Raises:
            FileError: if it cannot be written.
        """
        write_json(self._path, _KIND, {"games": self.games, "chain": self.chain, "state": state})


class Ledger:
    """The games of a schedule in a file of records, which is locked while it is open.

    A game that ends out of order is kept in a second file, named after the first with ``.ahead``
    added, until its turn comes. If the last record of a file is incomplete, because its writer was
    killed, it is moved to the end of a file of the same name with ``.cut`` added, with a
    `RuntimeWarning`. A seed that was drawn is kept in a third file, with ``.seed`` added, from
    before the first game on, as long as there are or may be games to resume.

    Args:
        path: the file, which is created if necessary.
        schedule: the games that the file may hold.
        resume: whether the file may already hold games.
        verify: whether to check all of its games, including those that a checkpoint trusts.

    Attributes:
        known: the records in either file, by seed.
        answers: the path of the file with the answers of language models.

    Raises:
        FileError: if the file cannot be written, is in use, exists without ``resume``, or holds
            anything but games of this schedule; it then stays as it is.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        schedule: Schedule,
        *,
        resume: bool,
        verify: bool = False,
    ) -> None:
        self._schedule = schedule
        self.known: dict[int, dict[str, Any]] = {}
        with ExitStack() as opening:
            self._file = opening.enter_context(LineFile(path))
            target = Path(os.path.realpath(path))
            self._beside = target.with_name(f"{target.name}.ahead")
            self._ahead: LineFile | None = None
            if self._beside.exists():
                self._ahead = opening.enter_context(LineFile(self._beside))
            self.answers = target.with_name(f"{target.name}{SUFFIX}")
            if not resume and self.answers.exists():
                raise FileError(
                    self.answers,
                    "it already holds answers: resume the games, or choose another name",
                )
            files = [file for file in (self._file, self._ahead) if file is not None]
            for file in files:
                if not resume and file.read():
                    raise FileError(
                        file.path, "it already exists: resume it, or choose another name"
                    )
            read = [_Content(file) for file in files]
            schedule.meet(record for each in read for _, record in each.records)
            self._checkpoint = Checkpoint(target, schedule.identity, read[0].lines, verify=verify)
            played = self._check(read[0], self._checkpoint.trusted)
            self._written = {fixture.seed for fixture in played}
            for beside in read[1:]:
                self._check(beside)
            schedule.resume(played, self._checkpoint.state)
            if schedule.games is None or len(self.known) < schedule.games:
                self._file.check_room()
            if schedule.drawn_seed is not None and not self.known:
                keep_seed(target, schedule.drawn_seed)
                opening.callback(self._forget_seed, target)
            self._stack = opening.pop_all()

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with suppress(FileError):  # without a checkpoint, games are only checked again
            if self._written:
                self.save_state()
        self._stack.__exit__(kind, error, traceback)

    def add(self, record: dict[str, Any], *, is_last: bool) -> None:
        """Save the next game in order, unless it has been saved before.

        Args:
            record: the game's record.
            is_last: whether no other game is waiting for its turn.

        Raises:
            FileError: if it cannot be saved; the games before it have been.
        """
        if record["seed"] not in self._written:
            self._file.append_line(line := line_of(record))
            self._written.add(record["seed"])
            if self._checkpoint.add(line):
                self.save_state()
        if is_last and self._ahead is not None:
            self._ahead.clear()

    def save_state(self) -> None:
        """Save what the schedule needs to resume with the same games.

        Raises:
            FileError: if it cannot be saved.
        """
        if self._schedule.identity:
            self._checkpoint.save(self._schedule.state(len(self._written)))

    def keep(self, record: dict[str, Any]) -> None:
        """Save a game that ended out of order.

        Raises:
            FileError: if it cannot be saved.
        """
        if self._ahead is None:
            self._ahead = self._stack.enter_context(LineFile(self._beside))
        self._ahead.append_line(line_of(record))

    def _forget_seed(self, target: Path) -> None:
        """Remove the seed if neither a game nor an answer was kept, since nothing needs it."""
        if not (self._written or self._ahead or self.answers.exists()):
            _beside(target, ".seed").unlink(missing_ok=True)

    def _check(self, read: "_Content", trusted: int = 0) -> list[ScheduledGame]:
        """Add the games in a file, which must belong to the schedule.

        An incomplete record at the end, left by a killed writer, is cut off.

        Args:
            read: the content of the file.
            trusted: the number of games, from the first on, that need no check.
        """
        found: dict[int, ScheduledGame] = {}
        path = read.file.path
        for count, (number, record) in enumerate(read.records):
            fixture = self._fixture_of(path, number, record, is_trusted=count < trusted)
            if fixture.seed in found:
                raise FileError(
                    path, f"line {number} repeats the game with the seed {fixture.seed}"
                )
            found[fixture.seed] = fixture
            self.known.setdefault(fixture.seed, record)
        if read.refused is None:
            read.file.end_line()
            return list(found.values())
        if not self._is_ours(read.last):
            raise read.refused
        beside = read.file.cut(len(read.content) - len(read.last))
        message = (
            f"{path}: its last record was incomplete; it has been moved to the end of {beside}"
        )
        warnings.warn(message, RuntimeWarning, stacklevel=5)
        return list(found.values())

    def _is_ours(self, text: bytes) -> bool:
        """Whether this may be the beginning of the record of a game of the schedule."""
        if not self._schedule.is_open:
            return any(
                _may_begin(text, fixture)
                for fixture in self._schedule.fixtures()
                if fixture.seed not in self.known
            )
        # Which games they are depends on results.
        heads = (
            json.dumps(_head(each.spec.name, each.config)).encode()[:-1] + b', "seed": '
            for each in self._schedule.settings
        )
        return any(head.startswith(text) or text.startswith(head) for head in heads)

    def _fixture_of(
        self, path: str | os.PathLike[str], number: int, record: dict[str, Any], *, is_trusted: bool
    ) -> ScheduledGame:
        """Find the game of the schedule to which a record belongs.

        Raises:
            FileError: if there is none, or the game is not over.
        """
        fixture = self._schedule.find(record)
        if (
            fixture is None
            or not (is_trusted or _beginning_of(record) == _beginning(fixture))
            or not self._has_isolation(fixture, record.get("isolation"))
            or any(
                contestant.digest not in ("", record.get("digest", {}).get(side))
                for side, contestant in zip(fixture.players, fixture.contestants, strict=True)
            )
            or (record["result"] is None and fixture.turns is None)
            or "seconds" not in record
        ):
            raise FileError(
                path,
                f"line {number} does not hold a game of this {self._schedule.title}: players, "
                "their files, settings, opening, isolation or seed differ, or an earlier version "
                "of this package played it",
            )
        try:
            if not is_trusted:
                from_record(record)
        except RecordError as error:
            raise FileError(path, f"line {number} is not a game: {error}") from error
        return fixture

    def _has_isolation(self, fixture: ScheduledGame, isolation: Mapping[str, str] | None) -> bool:
        """Whether the players of a game ran in the isolation in which they run now."""
        if isolation is None:
            return False
        return all(
            not entrant.line
            or isolation[side]
            == isolation_of(entrant.line, fixture.game, self._schedule.conditions)
            for side, entrant in zip(fixture.players, fixture.contestants, strict=True)
        )


class _Content:
    """The content of a file: its records by line, and the error of an invalid last line."""

    def __init__(self, file: LineFile) -> None:
        self.file, self.content = file, file.read()
        self.refused: FileError | None = None
        *lines, self.last = self.content.split(b"\n")
        self.records = [*records_in(file.path, lines)]
        self.lines = [line for line in lines if line.strip()]
        try:
            self.records += records_in(file.path, [self.last], len(lines) + 1)
            self.lines += [self.last] if self.last.strip() else []
        except FileError as error:
            self.refused = error


def _beginning(fixture: ScheduledGame) -> dict[str, Any]:
    """Return the part of a game's record that is known before the game is played."""
    return _beginning_of(fixture.begin().to_record(players=fixture.players, seed=fixture.seed))


def _beginning_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a record says about how its game began and who played it."""
    return {key: record[key] for key in _BEGINNING if key in record}


def _head(game: str, config: Any) -> dict[str, Any]:
    """Return what the records of all games of one kind have in common."""
    return {"kind": KIND, "version": VERSION, "game": game, "config": changed_settings(config)}


def _may_begin(text: bytes, fixture: ScheduledGame) -> bool:
    """Whether this may be the beginning of a game's record."""
    # First compare what is known without playing the opening, which takes time.
    known = json.dumps(_head(fixture.game, fixture.config) | {"seed": fixture.seed}).encode(
        "utf-8"
    )[:-1]
    if known.startswith(text):
        return True
    if not text.startswith(known):
        return False
    known = json.dumps(_beginning(fixture)).encode("utf-8")[:-1] + b', "actions": ['
    return known.startswith(text) or text.startswith(known)


class _Plan(Protocol):
    """A match or a tournament, a dataclass."""

    @property
    def seed(self) -> int | None: ...

    @property
    def is_seed_drawn(self) -> bool: ...


Plan = TypeVar("Plan", bound=_Plan)


def with_kept_seed(
    plan: Plan, results: str | os.PathLike[str] | None, *, resume: bool = True
) -> Plan:
    """Return a plan with the seed kept beside its results, if its own seed was drawn.

    Args:
        plan: a match or a tournament.
        results: the file of its games; None for none.
        resume: whether the file may already hold games.

    Returns:
        The plan, with the kept seed if games have begun.

    Raises:
        FileError: if the file holds games to resume, and the seed kept beside it is missing or
            cannot be read.
    """
    if results is None or not resume or not plan.is_seed_drawn:
        return plan
    target = Path(os.path.realpath(checked_path(results)))
    if not any(
        file.is_file() and file.stat().st_size
        for file in (target, _beside(target, ".ahead"), _beside(target, SUFFIX))
    ):
        return plan
    beside = _beside(target, ".seed")
    if not beside.is_file():  # reading a pipe could block
        raise FileError(
            results,
            f"resuming needs the seed of its games, but there is no {beside.name}: "
            "give the seed, or choose another name",
        )
    try:
        seed = checked_secret(int(read_file(beside)))
        return dataclasses.replace(plan, seed=seed)  # type: ignore[type-var]
    except (ValueError, ConfigError):
        raise FileError(beside, "it does not hold the seed of a match or tournament") from None


def keep_seed(results: Path, seed: int) -> None:
    """Keep a seed beside the results, in a file that only its owner can read.

    Args:
        results: the file of the results; the file of the seed has ``.seed`` added to its name.
        seed: the seed.

    Raises:
        FileError: if the file cannot be written.
    """
    beside = _beside(results, ".seed")
    with failing_as(beside, "written"):
        beside.unlink(missing_ok=True)  # the seed of games that no longer exist
        with open(beside, "x", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(f"{seed}\n")


def _beside(results: Path, suffix: str) -> Path:
    return results.with_name(results.name + suffix)
