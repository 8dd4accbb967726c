"""A league's folder: its file ``league.toml``, its bots, and the files of its games.

``bots`` holds a folder for each uploaded bot, which never changes. ``games`` holds a file for each
season and each final, to which only the process that plays appends. The participants are in the
database, see `tkm_env.arena.league.store`.
"""

import dataclasses
import json
import os
import re
import secrets
import shutil
import time
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final

from tkm_env.arena.league.database import PLAYING
from tkm_env.arena.league.store import Season, Store, UploadedBot
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.tournament.submissions import entrants_at
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.arena.tournament.tournament_file import conditions_of, tournament_of
from tkm_env.foundations.archives import (
    PROGRAM,
    UNREADABLE,
    foreign_archive,
    innermost,
    is_zip,
    unpack,
)
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import ConfigError, FileError, repr_of
from tkm_env.foundations.files import (
    check_version,
    content_of,
    failing_as,
    json_text,
    parsed_json,
    replacing,
    write_file,
)
from tkm_env.foundations.toml_file import check_table, checked_text, read_toml

#: The file in a league's folder that describes the league.
FILE: Final = "league.toml"
#: The form of that file, and that of a backup.
FORM: Final = "tkm_env league"
BACKUP: Final = "tkm_env league backup"
_BOTS, _GAMES = "bots", "games"
_TABLES: Final = "tables.json"
#: The folder within a bot's folder that holds its files.
_BOT: Final = "bot"
#: The possible names of the file with which a bot plays.
_OWN: Final = ("bot.py", "agent.py", PROGRAM)
#: The number of names that a refusal of an upload lists.
_NAMED: Final = 4
#: The names of files in a backup.
_PART: Final = re.compile(
    rf"{_TABLES}|{FILE}|{_BOTS}/[^./][^/]*/.+|{_GAMES}/season-[^/]+\.jsonl(\.seed)?", re.DOTALL
)
#: The time after which an incomplete upload is removed, in seconds.
_FORGOTTEN: Final = 600.0
#: The file of a new league.
_NEW: Final = (Path(__file__).parent / "page" / FILE).read_text("utf-8")


@dataclasses.dataclass(frozen=True)
class Rules:
    """The table ``[league]`` of a league's file.

    Raises:
        ConfigError: naming the invalid key.
    """

    title: str = "League"  # the title that people read
    uploads_per_day: int = 10  # the number of bots that a person may upload in 24 hours
    requests_per_day: int = 10  # the number of pairs of games that a person may request in 24 hours
    casual_games: int = 0  # the number of casual games of people against bots at a time
    upload_mib: int = 16  # the size limit of an upload, in MiB; unpacked, four times that
    #: The number of pairs of games that any two bots play in the final, under each of the settings.
    final_pairs: int = 5

    def __post_init__(self) -> None:
        checked_text("title", self.title)
        for key, least, most in (
            ("uploads_per_day", 1, 10_000),
            ("requests_per_day", 0, 10_000),
            ("casual_games", 0, 1_000),
            ("upload_mib", 1, 64),
            ("final_pairs", 1, 10_000),
        ):
            checked_integer(key, getattr(self, key), least, most)


class League:
    """The league in a folder.

    Args:
        folder: the folder.
        database: the URL of the database; None for SQLite in the folder.
        waits: whether the database may begin to answer later.

    Attributes:
        folder: the folder.
        database: the URL of the database, as it was given.
        rules: the rules for participants.
        store: the participants and their bots.

    Raises:
        FileError: if the file in the folder does not describe a league.
        NewerVersionError: if a newer version of the package has changed the database.
        ConfigError: if the database cannot be used.
    """

    def __init__(
        self, folder: str | os.PathLike[str], database: str | None = None, *, waits: bool = False
    ) -> None:
        self.folder, self.database = Path(os.path.abspath(folder)), database
        self._content = read_toml(self.folder / FILE, FORM)
        with content_of(self.folder / FILE):
            table = self._content.pop("league", {})
            check_table("league", table, [field.name for field in dataclasses.fields(Rules)])
            self.rules = Rules(**table)
            if fixed := {"kind", "submissions", "challengers", "pairs"} & self._content.keys():
                raise ConfigError(
                    min(fixed), self._content[min(fixed)], "in a league, the season determines this"
                )
            #: The conditions under which bots play.
            self.conditions = conditions_of(
                self._content.get("conditions", {}), str(self.folder), strangers=True
            )
            plan = self._tournament("continuous", newcomers=tuple)
            #: The player whose rating is fixed, and that rating; None if the mean is 0.
            self.anchor = plan.anchor
            #: The players in the file.
            self.players = plan.players
            #: The games that are played, and their settings.
            self.settings = plan.settings
            #: The names of the games that are played, with their titles.
            self.games = {settings.spec.name: settings.spec.title for settings in plan.settings}
        for name in (_BOTS, _GAMES):
            (self.folder / name).mkdir(exist_ok=True)
        #: The folder of the games in progress, which everyone can watch.
        self.live = self.folder / _GAMES / "live"
        self.store = Store(database or f"sqlite:///{self.folder / 'league.sqlite'}")
        try:
            self.store.check()
        except ConfigError:
            if not waits:
                raise

    @classmethod
    def new(cls, folder: str | os.PathLike[str], title: str) -> None:
        """Write the file of a new league.

        Args:
            folder: the league's folder, which is created if necessary.
            title: the league's title.

        Raises:
            FileError: if the folder already holds a league, or cannot be written.
        """
        path = Path(folder) / FILE
        with failing_as(path, "written"):
            Path(folder).mkdir(parents=True, exist_ok=True)
        if path.exists():
            raise FileError(path, "this league already exists")
        write_file(
            path, _NEW.replace('"League"', json.dumps(title, ensure_ascii=False)).encode("utf-8")
        )

    def _tournament(
        self, kind: str, players: list[dict[str, Any]] | None = None, **more: Any
    ) -> Tournament:
        # A final has its own end.
        kept = {
            key: self._content[key]
            for key in self._content
            if kind == "continuous" or key in ("settings", "conditions", "seed")
        }
        pairs = {} if kind == "continuous" else {"pairs": self.rules.final_pairs}
        own = [*self._content.get("players", []), *(players or [])]
        return tournament_of(
            kept | pairs | {"kind": kind, "players": own}, str(self.folder), self.conditions, **more
        )

    def tournament(self, season: Season, notify: Callable[[str, str, str], object]) -> Tournament:
        """Return the tournament of a season.

        It is a continuous tournament until the final, which is a round robin of the bots that are
        still playing.

        Args:
            season: the current season.
            notify: called with the name and the digest of a bot that is out, and with the reason.

        Returns:
            The tournament.
        """
        if season.phase != "final":
            return self._tournament(
                "continuous", newcomers=self.entrants, notify=notify, requests=self.store.requests
            )
        finalists = [
            {"name": name, "player": line, "readable": [*paths]}
            for name, line, _, paths, *_ in self.entrants()
        ]
        return self._tournament("round robin", finalists)

    def games_of(self, season: Season) -> Path:
        """Return the file with the games of a season, or of its final."""
        final = "-final" if season.phase == "final" else ""
        return self.folder / _GAMES / f"season-{season.number}{final}.jsonl"

    def token(self, name: str) -> str:
        """Issue a new token, as `Store.issue_token` does.

        Raises:
            ConfigError: if the name is not allowed, or a player of the file has it.
        """
        if name in (player.name for player in self.players):
            raise ConfigError("name", name, "a player in league.toml has this name")
        return self.store.issue_token(name)

    def entrants(self) -> list[Entrant]:
        """Return the bots that play, each under its author's name."""
        return [self.entrant(bot) for bot in self.store.bots(PLAYING)]

    def opponents(self) -> list[str]:
        """Return the names of all players that play now, without their versions."""
        own = [player.name for player in self.players]
        return own + [bot.name for bot in self.store.bots(PLAYING)]

    def entrant(self, bot: UploadedBot) -> Entrant:
        """Return a bot as a player.

        Raises:
            FileError: if its files hold no player.
        """
        # The files in the league's folder are a copy already.
        return player_in(self.folder / _BOTS / bot.folder / _BOT)._replace(
            name=bot.name, submitted=""
        )

    def receive(self, file: IO[bytes], filename: str) -> str:
        """Keep the files of an uploaded bot in a new folder.

        Args:
            file: an archive, or the only file of the bot.
            filename: the name of the file on its author's machine.

        Returns:
            The name of the new folder.

        Raises:
            FileError: if the file holds no bot.
        """
        name = secrets.token_hex(16)
        place, packed = self.folder / _BOTS / f".{name}", self.folder / _BOTS / f".{name}.zip"
        inside = place / _BOT
        try:
            with packed.open("xb") as copy:
                shutil.copyfileobj(file, copy)
            ending = filename.lower()
            if is_zip(packed) or foreign_archive(packed) or ending.endswith(".zip"):
                unpack(packed, place / "all", 4 * self.rules.upload_mib << 20)
                innermost(place / "all").rename(inside)
            else:
                inside.mkdir(parents=True)
                is_python = ending.endswith(".py")
                packed.chmod(0o644 if is_python else 0o755)
                packed.rename(inside / (_OWN[0] if is_python else PROGRAM))
            player_in(inside)
            place.rename(self.folder / _BOTS / name)
        finally:
            packed.unlink(missing_ok=True)
            shutil.rmtree(place, ignore_errors=True)
        return name

    def discard(self, name: str) -> None:
        """Remove the folder of an upload that no bot was added for."""
        shutil.rmtree(self.folder / _BOTS / name, ignore_errors=True)

    def clear(self) -> None:
        """Remove incomplete uploads left by a server that was killed."""
        for half in (self.folder / _BOTS).glob(".*"):
            if time.time() - half.lstat().st_mtime > _FORGOTTEN:
                half.unlink() if half.is_file() else shutil.rmtree(half, ignore_errors=True)

    def back_up(self, path: Path) -> None:
        """Write the entire league to an archive.

        Changes made meanwhile are included completely or not at all. Only the owner can read a new
        archive, since it holds secrets.

        Raises:
            FileError: if it cannot be written; a previous archive then stays as it is.
        """
        # The rows come first: the files that they name never change.
        tables = json_text(BACKUP, self.store.dump())
        # Clocks may be wrong, and archives cannot hold times before 1980.
        with (
            replacing(path, 0o600) as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive,
        ):
            archive.writestr(_TABLES, tables)
            archive.write(self.folder / FILE, FILE)
            bots = [
                file for file in sorted((self.folder / _BOTS).glob("[!.]*/**/*")) if file.is_file()
            ]
            seeds = sorted(
                (self.folder / _GAMES).glob("season-*.jsonl.seed")
            )  # seeds come before the games that depend on them
            for each in (*bots, *seeds, *sorted((self.folder / _GAMES).glob("season-*.jsonl"))):
                archive.write(each, each.relative_to(self.folder))

    @classmethod
    def restore(cls, path: Path, folder: Path, database: str | None) -> None:
        """Restore a league from an archive that `back_up` wrote.

        Args:
            path: the archive.
            folder: the folder, which is created if necessary, and must be empty.
            database: the URL of the database; None for SQLite in the folder.

        Raises:
            FileError: if the file is not a backup, or the folder is not empty; the folder stays as
                it was.
            ConfigError: if the database cannot be used; the folder stays as it was.
        """
        with failing_as(folder, "read"):
            is_new = not folder.exists()
            if not is_new and any(folder.iterdir()):
                raise FileError(folder, "it is not empty")
        try:
            tables = _extracted(path, folder)
            league = cls(folder, database)
            with content_of(path):
                league.store.load(tables)
        except BaseException:
            for made in [*folder.glob("*")]:
                shutil.rmtree(made, ignore_errors=True) if made.is_dir() else made.unlink()
            if is_new and folder.exists():
                folder.rmdir()
            raise


def _extracted(path: Path, folder: Path) -> Any:
    """Unpack the files of an archive that `League.back_up` wrote, and return its tables.

    Raises:
        FileError: if it is not a backup.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if odd := [name for name in archive.namelist() if not _is_part(name)]:
                raise FileError(
                    path, f"it is not a backup of a league, since it holds {repr_of(odd[0])}"
                )
            tables = _rows_in(parsed_json(archive.read(_TABLES)), path)
            for entry in archive.infolist():
                if (
                    entry.filename != _TABLES
                ):  # keep only permissions, which programs and secrets need
                    rights = (entry.external_attr >> 16) & 0o777
                    Path(archive.extract(entry, folder)).chmod(rights | 0o600)
            return tables
    except FileError:
        raise
    except (*UNREADABLE, KeyError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise FileError(path, f"it cannot be restored: {reason}") from error


def _rows_in(content: Any, path: Path) -> Any:
    """The rows in the first file of a backup; those of development versions have no version."""
    if isinstance(content, dict) and content.pop("kind", BACKUP) == BACKUP:
        check_version(path, BACKUP, content.pop("version", 1), 1)
    return content


def _is_part(name: str) -> bool:
    """Whether `League.back_up` writes a file of this name."""
    return (
        _PART.fullmatch(name) is not None
        and ".." not in PurePosixPath(name).parts
        and not name.endswith("/")
    )


def player_in(files: Path) -> Entrant:
    """Return the player in a folder with a bot's files.

    Raises:
        FileError: if they hold no player.
    """
    if not any((files / name).is_file() for name in _OWN):
        held = [repr_of(name) for name in sorted(path.name for path in files.iterdir())]
        more = f" and {len(held) - _NAMED} more" if len(held) > _NAMED else ""
        holds = f"it holds {', '.join(held[:_NAMED]) or 'nothing'}{more}"
        raise FileError("the upload", f"it must hold one of {', '.join(_OWN)}; {holds}")
    return entrants_at(files)[0]


def keep_bot(folder: Path, files: Path, name: str) -> Path:
    """Keep a copy of files as a bot of the league, unless there is one of this name.

    Args:
        folder: the league's folder.
        files: the folder with the files.
        name: the name of the bot's folder.

    Returns:
        The folder with the copy.
    """
    kept = folder / _BOTS / name / _BOT
    if not kept.exists():
        half = folder / _BOTS / f".{name}"
        shutil.rmtree(half, ignore_errors=True)
        shutil.copytree(files, half / _BOT)
        half.rename(kept.parent)
    return kept
