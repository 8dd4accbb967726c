"""A league's folder: its file ``league.toml``, its bots, and the files of its games.

``bots`` holds a folder for each bot that was uploaded, which never changes; ``games`` holds a file
for each season and each final, to which only the process that plays appends. Who takes part is in
the database, see `tkm_env.arena.league.store`.
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
from tkm_env.arena.league.store import Bot, Season, Store
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.tournament.submissions import entrants_at
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.arena.tournament.tournament_file import conditions_of, tournament_of
from tkm_env.foundations.archives import PROGRAM, UNREADABLE, innermost, unpack
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import ConfigError, FileError, repr_of
from tkm_env.foundations.files import content_of, failing_as, parsed_json, replacing, write_file
from tkm_env.foundations.toml_file import check_table, checked_text, read_toml

#: In a league's folder, what says what is played.
FILE: Final = "league.toml"
_BOTS, _GAMES = "bots", "games"
_TABLES: Final = "tables.json"
#: In a bot's folder, where its files are.
_BOT: Final = "bot"
#: The file of a bot that plays.
_OWN: Final = ("bot.py", "agent.py", PROGRAM)
#: What a backup holds.
_PART: Final = re.compile(
    rf"{_TABLES}|{FILE}|{_BOTS}/[^./][^/]*/.+|{_GAMES}/season-[^/]+\.jsonl(\.seed)?", re.DOTALL
)
#: Seconds after which nothing is being received any more.
_FORGOTTEN: Final = 600.0
#: What a new league is.
_NEW: Final = (Path(__file__).parent / "page" / FILE).read_text("utf-8")


@dataclasses.dataclass(frozen=True)
class Rules:
    """The table ``[league]`` of a league's file. Raises a `ConfigError` naming the invalid key."""

    title: str = "League"  # what people read
    uploads_per_day: int = 10  # how many bots somebody may upload in 24 hours
    upload_mib: int = 16  # how large an upload may be, packed; unpacked, four times that
    #: How many pairs of games each two play in the final, under each of the settings.
    final_pairs: int = 5

    def __post_init__(self) -> None:
        checked_text("title", self.title)
        for key, most in (("uploads_per_day", 10_000), ("upload_mib", 64), ("final_pairs", 10_000)):
            checked_integer(key, getattr(self, key), 1, most)


class League:
    """The league in a folder.

    Raises a `FileError` if its file describes none, and a `ConfigError` if the database cannot be
    used.

    Attributes:
        rules: what holds for those who take part.
        store: who takes part; SQLite in the folder unless there is a URL.
    """

    def __init__(self, folder: str | os.PathLike[str], database: str | None = None) -> None:
        self.folder = Path(os.path.abspath(folder))
        self._content = read_toml(self.folder / FILE)
        with content_of(self.folder / FILE):
            table = self._content.pop("league", {})
            check_table("league", table, [field.name for field in dataclasses.fields(Rules)])
            self.rules = Rules(**table)
            if fixed := {"kind", "submissions", "challengers", "pairs"} & self._content.keys():
                raise ConfigError(
                    min(fixed),
                    self._content[min(fixed)],
                    "in a league, this follows from the season",
                )
            #: How bots play.
            self.conditions = conditions_of(
                self._content.get("conditions", {}), str(self.folder), strangers=True
            )
            plan = self._tournament("continuous", newcomers=tuple)
            #: Whose rating is given.
            self.anchor = plan.anchor
            #: The names of the games that are played, with their titles.
            self.games = {settings.spec.name: settings.spec.title for settings in plan.settings}
        for name in (_BOTS, _GAMES):
            (self.folder / name).mkdir(exist_ok=True)
        #: The file with the game under way that everybody can watch.
        self.live = self.folder / _GAMES / "live.json"
        self.store = Store(database or f"sqlite:///{self.folder / 'league.sqlite'}")

    @classmethod
    def new(cls, folder: str | os.PathLike[str], title: str) -> None:
        """Write the file of a new league.

        Args:
            folder: the league's folder, which is made if there is none.
            title: its title.

        Raises:
            FileError: if there is a league already.
        """
        path = Path(folder) / FILE
        with failing_as(path, "written"):
            Path(folder).mkdir(parents=True, exist_ok=True)
        if path.exists():
            raise FileError(path, "there is a league already")
        write_file(
            path, _NEW.replace('"League"', json.dumps(title, ensure_ascii=False)).encode("utf-8")
        )

    def _tournament(
        self, kind: str, players: list[dict[str, Any]] | None = None, **more: Any
    ) -> Tournament:
        # A final has an end of its own.
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
        """What is played now: an open tournament while bots come, then a final of those still
        playing.

        Args:
            season: the season that goes on.
            notify: called with the name and the digest of a bot that plays no more, and with the
                reason.
        """
        if season.phase != "final":
            return self._tournament("continuous", newcomers=self.entrants, notify=notify)
        finalists = [
            {"name": name, "player": line, "readable": [*paths]}
            for name, line, _, paths, *_ in self.entrants()
        ]
        return self._tournament("round robin", finalists)

    def games_of(self, season: Season) -> Path:
        """The file with the games of a season, or of its final."""
        final = "-final" if season.phase == "final" else ""
        return self.folder / _GAMES / f"season-{season.number}{final}.jsonl"

    def token(self, name: str) -> str:
        """A new token, see `Store.issue_token`.

        Raises a `ConfigError` as that does, and if a player of the file has that name.
        """
        if name in (
            player.name for player in self._tournament("continuous", newcomers=tuple).players
        ):
            raise ConfigError("name", name, "a player of league.toml has it")
        return self.store.issue_token(name)

    def entrants(self) -> list[Entrant]:
        """The bots that play, each under its author's name."""
        return [self.entrant(bot) for bot in self.store.bots(PLAYING)]

    def entrant(self, bot: Bot) -> Entrant:
        """A bot as a player. Raises a `FileError` if its files hold none."""
        # What plays is the league's own copy already.
        return player_in(self.folder / _BOTS / bot.folder / _BOT)._replace(
            name=bot.name, submitted=""
        )

    def receive(self, file: IO[bytes], filename: str) -> str:
        """Keep the files of a bot in a new folder.

        Args:
            file: an archive, or the only file of the bot.
            filename: its name where it comes from.

        Returns:
            The name of the folder.

        Raises:
            FileError: if the file holds no bot.
        """
        name = secrets.token_hex(16)
        place, packed = self.folder / _BOTS / f".{name}", self.folder / _BOTS / f".{name}.zip"
        inside = place / _BOT
        try:
            with packed.open("xb") as copy:
                shutil.copyfileobj(file, copy)
            if zipfile.is_zipfile(packed) or filename.endswith(".zip"):
                unpack(packed, place / "all", 4 * self.rules.upload_mib << 20)
                innermost(place / "all").rename(inside)
            else:
                inside.mkdir(parents=True)
                is_python = filename.endswith(".py")
                packed.chmod(0o644 if is_python else 0o755)
                packed.rename(inside / (_OWN[0] if is_python else PROGRAM))
            player_in(inside)
            place.rename(self.folder / _BOTS / name)
        finally:
            packed.unlink(missing_ok=True)
            shutil.rmtree(place, ignore_errors=True)
        return name

    def clear(self) -> None:
        """Remove what a service that was killed had half received."""
        for half in (self.folder / _BOTS).glob(".*"):
            if time.time() - half.lstat().st_mtime > _FORGOTTEN:
                half.unlink() if half.is_file() else shutil.rmtree(half, ignore_errors=True)

    def back_up(self, path: Path) -> None:
        """Write all of the league to an archive.

        Whatever goes on meanwhile is in it as a whole or not at all. Only its owner can read a new
        one, as it holds secrets.

        Raises:
            FileError: if it cannot be written; an archive that was there before stays then.
        """
        tables = json.dumps(self.store.dump())  # first: what it names is there already, and stays
        # Clocks may be wrong, and archives know no time before 1980.
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
            )  # before the games that follow from them
            for each in (*bots, *seeds, *sorted((self.folder / _GAMES).glob("season-*.jsonl"))):
                archive.write(each, each.relative_to(self.folder))

    @classmethod
    def restore(cls, path: Path, folder: Path, database: str | None) -> None:
        """Make a new folder from an archive that `back_up` wrote.

        Args:
            path: the archive.
            folder: the folder, which is made, or empty.
            database: the URL of its database; None for SQLite in the folder.

        Raises:
            FileError: if the file is no such archive, or the folder is not empty; the folder is
                then as it was.
            ConfigError: if the database cannot be used; likewise.
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
    """Unpack all but the tables of an archive that `League.back_up` wrote, and return these.

    Raises a `FileError` if it is none.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if odd := [name for name in archive.namelist() if not _is_part(name)]:
                raise FileError(
                    path, f"it is not a backup of a league: there is no {repr_of(odd[0])} in one"
                )
            tables = parsed_json(archive.read(_TABLES))
            for entry in archive.infolist():
                if (
                    entry.filename != _TABLES
                ):  # with their rights, which programs and secrets need, but no more
                    rights = (entry.external_attr >> 16) & 0o777
                    Path(archive.extract(entry, folder)).chmod(rights | 0o600)
            return tables
    except FileError:
        raise
    except (*UNREADABLE, KeyError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise FileError(path, f"it cannot be restored: {reason}") from error


def _is_part(name: str) -> bool:
    """Whether `League.back_up` writes files of this name."""
    return (
        _PART.fullmatch(name) is not None
        and ".." not in PurePosixPath(name).parts
        and not name.endswith("/")
    )


def player_in(files: Path) -> Entrant:
    """The player that the files of a bot are. Raises a `FileError` if they hold none."""
    if not any((files / name).is_file() for name in _OWN):
        raise FileError("the upload", f"it holds none of {', '.join(_OWN)}")
    return entrants_at(files)[0]


def keep_bot(folder: Path, files: Path, name: str) -> Path:
    """Keep a copy of files as those of a bot, unless one of this name is there.

    Args:
        folder: the league's folder.
        files: the files, in a folder.
        name: the name of the bot's folder.

    Returns:
        Where the bot's files are.
    """
    kept = folder / _BOTS / name / _BOT
    if not kept.exists():
        half = folder / _BOTS / f".{name}"
        shutil.rmtree(half, ignore_errors=True)
        shutil.copytree(files, half / _BOT)
        half.rename(kept.parent)
    return kept
