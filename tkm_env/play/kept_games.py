"""Unfinished games in a folder, so that a game survives whatever happens to the program."""

import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import platformdirs

from tkm_env.core.registry import GameSpec, game_spec
from tkm_env.foundations.errors import ConfigError, FileError, TKMError
from tkm_env.foundations.files import content_of, json_text, read_json, replacing
from tkm_env.foundations.message import Message, joined
from tkm_env.play.invitations import Invitation
from tkm_env.play.session import PERSON, Session
from tkm_env.players.roster import ROSTERS

KIND: Final = "tkm_env unfinished game"
#: The most games that a folder keeps; then the oldest is dropped.
MOST_GAMES: Final = 50
_SUFFIX: Final = ".json"
#: A file may have the codes of an invitation: only its owner can read it.
_MODE: Final = 0o600


class _Form(NamedTuple):
    """What a key of the file holds."""

    words: str
    fits: Callable[[Any], bool]


def _or_null(form: _Form) -> _Form:
    return _Form(f"{form.words} or null", lambda value: value is None or form.fits(value))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


_TEXT: Final = _Form("a string", lambda value: isinstance(value, str))
_OBJECT: Final = _Form("an object", lambda value: isinstance(value, dict))
_FORMS: Final[Mapping[str, _Form]] = {
    "game": _TEXT,
    "opponent": _TEXT,
    "side": _TEXT,
    "watch": _or_null(_TEXT),
    "seed": _Form("an integer", lambda value: type(value) is int),
    "settings": _OBJECT,
    "match": _or_null(_TEXT),
    "played": _or_null(_OBJECT),
    "position": _or_null(_TEXT),
    "clock": _or_null(_TEXT),
    "left": _or_null(
        _Form(
            "the seconds of each player",
            lambda value: isinstance(value, dict) and all(map(_is_number, value.values())),
        )
    ),
    "exercise": _or_null(
        _Form(
            "the name of a set and an index",
            lambda value: isinstance(value, list) and [*map(type, value)] == [str, int],
        )
    ),
    "start": _or_null(_TEXT),
    "actions": _Form(
        "a list of names",
        lambda value: isinstance(value, list) and all(isinstance(each, str) for each in value),
    ),
    "seconds": _Form(
        "a list of numbers", lambda value: isinstance(value, list) and all(map(_is_number, value))
    ),
    "is_over": _Form("true or false", lambda value: isinstance(value, bool)),
    "turn": _or_null(_Form("an integer", lambda value: type(value) is int)),
    "label": _TEXT,
    "resigned": _or_null(_TEXT),
    "invitation": _or_null(_OBJECT),
}
#: The keys that earlier programs did not write, and what they stand for there.
_ADDED: Final = dict.fromkeys(("watch", "turn", "resigned", "invitation"))


class KeptGame(NamedTuple):
    """A game that can be continued.

    Attributes:
        id: that of its session.
        label: what people read.
        age: the seconds since its last action.
    """

    id: str
    label: str
    age: float


class KeptGames:
    """The unfinished games in a folder, each in a file that is named by its session.

    Several programs may use the folder at the same time.

    Args:
        folder: the folder, which is made when the first game is kept; None keeps nothing.

    Attributes:
        problem: why games cannot be kept, though they should be; empty if they can.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self.problem = ""

    @classmethod
    def of_user(cls) -> "KeptGames":
        """The games of the person who runs the program."""
        # Without a home it raises an error, or older versions return a path that begins with ~.
        with suppress(RuntimeError):
            folder = platformdirs.user_state_path("tkm_env", appauthor=False) / "games"
            if folder.is_absolute():
                return cls(folder)
        games = cls(None)
        games.problem = Message("there is no home folder")
        return games

    @property
    def is_unused(self) -> bool:
        """Whether nothing was ever kept here."""
        return self._folder is not None and not self._folder.exists()

    @property
    def is_keeping(self) -> bool:
        """Whether games are kept."""
        return self._folder is not None and not self.problem

    def keep(self, session: Session[Any]) -> None:
        """Keep a session as it is now.

        A game in which nothing was played is forgotten, unless somebody was invited to it. If it
        cannot be written, the session goes on, and `problem` says why.
        """
        if self._folder is None:
            return
        if not (session.is_begun or session.exercise or session.invitation):
            self.forget(session.id)
            return
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with replacing(self._path(session.id), _MODE) as file:
                file.write(json_text(KIND, _content_of(session)).encode("utf-8"))
            self._drop_oldest()
        except (FileError, OSError) as error:
            self.problem = str(error)
        else:
            self.problem = ""

    def forget(self, session_id: str) -> None:
        """Remove a game, if it is there."""
        if self._folder is not None and _is_id(session_id):
            with suppress(OSError):
                self._path(session_id).unlink(missing_ok=True)

    def all(self) -> list[KeptGame]:
        """Return the games that are not over, the latest first; lessons and puzzles are left out.

        Files that cannot be read are passed over.
        """
        now, found = time.time(), []
        for path in self._files():
            with suppress(TKMError, OSError):
                content = _read(path)
                if not content["is_over"] and content["exercise"] is None:
                    age = max(now - path.stat().st_mtime, 0.0)
                    # Earlier programs wrote no turn.
                    label = content["label"] if content["turn"] is None else _label_of(content)
                    found.append(KeptGame(path.stem, label, age))
        return sorted(found, key=lambda game: game.age)

    def invitation(self, session_id: str) -> Invitation | None:
        """Return the invitation to a game that was kept; None if it has none.

        Raises:
            ConfigError: if no such game is kept.
            FileError: if its file cannot be read, or does not describe a game.
        """
        path = self._kept_path(session_id)
        content = _read(path)
        with content_of(path):
            return _invitation_in(content)

    def session(self, session_id: str, named: Collection[str] = ()) -> Session[Any]:
        """Return the session of a game that was kept, to continue it.

        Reading a file runs no program and reads no further file. So an opponent that is a program,
        and a setting that is a file, must be named again.

        Args:
            session_id: the id of the session.
            named: the programs and files that whoever started this program has named.

        Returns:
            The session, with the same id.

        Raises:
            ConfigError: if no such game is kept, or it needs a program or a file.
            FileError: if its file cannot be read, or does not describe a game.
        """
        path = self._kept_path(session_id)
        content = _read(path)
        with content_of(path):
            session = _session_of(content, named)
        session.id = path.stem
        return session

    def _kept_path(self, session_id: str) -> Path:
        path = self._path(session_id) if self._folder is not None and _is_id(session_id) else None
        if path is None or not path.exists():
            raise ConfigError("id", session_id, Message("no such game is kept"))
        return path

    def _path(self, session_id: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{session_id}{_SUFFIX}"

    def _files(self) -> Iterator[Path]:
        if self._folder is not None and self._folder.is_dir():
            for path in self._folder.glob(f"*{_SUFFIX}"):
                if _is_id(path.stem):
                    yield path

    def _drop_oldest(self) -> None:
        written = []
        for path in self._files():
            with suppress(FileNotFoundError):  # another program may have removed it
                written.append((path.stat().st_mtime, path))
        for _, path in sorted(written)[:-MOST_GAMES]:
            path.unlink(missing_ok=True)


def _is_id(text: str) -> bool:
    """Whether it can be the id of a session, and so part of a path."""
    return re.fullmatch(r"[0-9a-f]{16}", text) is not None


def _read(path: Path) -> dict[str, Any]:
    content = read_json(path, KIND, tuple(_FORMS), _ADDED)
    with content_of(path):
        for key, form in _FORMS.items():
            if not form.fits(content[key]):
                raise ConfigError(key, content[key], f"it must be {form.words}")
    return content


def _content_of(session: Session[Any]) -> dict[str, Any]:
    """What is needed to continue a session, as JSON types."""
    game, match = session.game, session.match
    record = session.to_record()
    content = {
        **session.arguments(),
        "watch": session.asked["watch"],
        "position": session.asked["position"],
        "played": None if match is None else match.to_dict(),
        "left": None if session.clock is None else session.clock.left(),
        "exercise": None if session.exercise_place is None else [*session.exercise_place],
        "start": record.get("position") if match is None else None,
        "actions": record["actions"],
        "seconds": record.get("seconds", []),
        "is_over": session.is_over and match is None,
        "turn": game.turn,
        "resigned": session.resigned,
        "invitation": None if session.invitation is None else session.invitation.to_dict(),
    }
    return content | {"label": _label_of(content)}


def _label_of(content: Mapping[str, Any]) -> Message:
    """What people call a game: its match, its settings, its opponent and its turn."""
    spec, match = game_spec(content["game"]), content["match"]
    shown = {setting.keyword: setting.names for setting in spec.settings if setting.is_first}
    chosen = [
        shown[keyword].get(value, value)
        for keyword, value in content["settings"].items()
        if keyword in shown and isinstance(value, str)
    ]
    levels = {level.player: level.name for level in ROSTERS.of(spec).levels}
    opponent, watched = (
        levels.get(content[keyword], content[keyword]) for keyword in ("opponent", "watch")
    )
    if watched is not None:
        players = Message("{player} and {other}", player=watched, other=opponent)
    elif opponent == PERSON:
        players = Message("two people")
    else:
        players = Message("against {player}", player=opponent)
    words = [
        spec.title,
        *([] if match is None else [_place_in(match, content["played"])]),
        *chosen,
        players,
        Message("turn {turn}", turn=content["turn"]),
    ]
    return joined(", ", words)


def _place_in(match: str, played: Mapping[str, Any]) -> Message:
    return Message("{match}, game {number}", match=match, number=len(played["games"]) + 1)


def _session_of(content: Mapping[str, Any], named: Collection[str]) -> Session[Any]:
    spec = game_spec(content["game"])
    if content["exercise"] is not None:
        name, index = content["exercise"]
        session: Session[Any] = Session.of_exercise(spec, name, index)
    else:
        _check_named(spec, content, named)
        keys = ("opponent", "side", "watch", "seed", "clock", "match", "played", "position")
        session = Session(spec, content["settings"], **{key: content[key] for key in keys})
    session.invitation = _invitation_in(content)
    session.resume(
        content["actions"],
        **{key: content[key] for key in ("start", "seconds", "left", "resigned")},
    )
    return session


def _invitation_in(content: Mapping[str, Any]) -> Invitation | None:
    found = content["invitation"]
    return None if found is None else Invitation.from_dict(found)


def _check_named(spec: GameSpec, content: Mapping[str, Any], named: Collection[str]) -> None:
    """Check that nothing is run or read that was not named."""
    for keyword in ("opponent", "watch"):
        line = content[keyword] or PERSON
        is_program = line.partition(":")[0] not in (*ROSTERS.of(spec).agents, PERSON)
        if is_program and line not in named:
            raise ConfigError(keyword, line, Message("it is a program: name it again to continue"))
    for setting in spec.settings:
        given = content["settings"].get(setting.keyword)
        if setting.kind == "file" and given is not None and given not in named:
            raise ConfigError(
                setting.keyword, given, Message("it is a file: name it again to continue")
            )
