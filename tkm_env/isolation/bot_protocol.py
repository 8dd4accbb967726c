"""The lines between a referee and a bot, in both directions, as values.

``docs/protocol.md`` explains them. The referee writes `Begin`, `Go`, `End` and `Quit`; a bot writes
`Hello`, `Info` and `Play`. The `str` of a value is its line; `parse_request` and `parse_answer`
read lines. Bots' lines are read strictly. Bots ignore unknown words, so that later versions can add
words.
"""

import dataclasses
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, TypeAlias, TypeVar

from tkm_env.foundations.errors import ConfigError, ProtocolError, repr_of

VERSION: Final = 1
#: Seeds are below this, so that every language can represent them exactly, including JavaScript.
SEEDS: Final = 2**53

#: Why a game ended, in an `End`.
REASONS: Final = {
    "normal": "by the rules",
    "fault": "by a player's fault",
    "adjudicated": "by the referee, since both players' scores agree",
    "stopped": "the referee stops; there is no result",
}

#: The most remarks before an answer, since reading each takes some microseconds.
MOST_REMARKS: Final = 1000
_BAR: Final = " | "
_STOP: Final = "; "
#: The most characters of a name and of other values, for both sides.
LONGEST_VALUE: Final = 200
#: The form of a name or a value, and the length of a number.
_WORD: Final = re.compile(f"[!-~]{{1,{LONGEST_VALUE}}}")
_MOST_DIGITS: Final = 18
#: The forms of a score and a depth in a remark.
_SCORE: Final = re.compile(r"[+-]?\d{1,6}(\.\d{1,12})?", re.ASCII)
_DEPTH: Final = re.compile(r"\d{1,6}", re.ASCII)

Value = TypeVar("Value")


@dataclasses.dataclass(frozen=True)
class Begin:
    """A game begins.

    Attributes:
        game: the name of the game in the registry.
        seat: the side that the bot plays.
        seed: the seed of the bot's random numbers, below `SEEDS`; equal seeds should give equal
            games.
        config: the settings that differ from the defaults.
    """

    game: str
    seat: str
    seed: int
    config: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __str__(self) -> str:
        # Without spaces, so that the line can be split at them.
        config = json.dumps(dict(self.config), separators=(",", ":")).replace(" ", r"\u0020")
        return f"tkm {VERSION} game={self.game} seat={self.seat} seed={self.seed} config={config}"


@dataclasses.dataclass(frozen=True)
class Go:
    """The bot is to act.

    The line says everything, so a bot need not remember anything from one request to the next.

    Attributes:
        position: the text of the position, as the bot's side may see it.
        legal: the indices of the legal actions.
        played: the names of all actions since the start of the game.
        left_ms: the time left for this turn, in milliseconds; after it, the game is lost.
        seed: the seed of the random numbers of this decision, below `SEEDS`.
        bank_ms: the part of ``left_ms`` that is carried over from turn to turn; None for none.
        inc_ms: the time that each turn adds to the bank, in milliseconds.
    """

    position: str
    legal: tuple[int, ...]
    played: Sequence[str] = ()
    left_ms: int = 10_000
    seed: int = 0
    bank_ms: int | None = None
    inc_ms: int = 0

    def __str__(self) -> str:
        bank = "" if self.bank_ms is None else f"bank_ms={self.bank_ms} inc_ms={self.inc_ms} "
        legal = ",".join(map(str, self.legal))
        return (
            f"go seed={self.seed} left_ms={self.left_ms} {bank}legal={legal}"
            f"{_BAR}{self.position}{_BAR}{_STOP.join(self.played)}"
        )


@dataclasses.dataclass(frozen=True)
class End:
    """The game is over."""

    result: str  # "1-0", "0-1", "1/2", or "*" without a winner for a reason outside the rules
    reason: str = "normal"  # one of `REASONS`

    def __str__(self) -> str:
        return f"end result={self.result} reason={self.reason}"


@dataclasses.dataclass(frozen=True)
class Quit:
    """The bot must end."""

    def __str__(self) -> str:
        return "quit"


@dataclasses.dataclass(frozen=True)
class Hello:
    """The answer to `Begin`.

    Attributes:
        name: the bot's name: up to `LONGEST_VALUE` printable ASCII characters without spaces.
        version: the bot's version, in the same form; empty for none.
    """

    name: str
    version: str = ""

    def __str__(self) -> str:
        return f"tkm {VERSION} name={self.name}" + (
            f" version={self.version}" if self.version else ""
        )


@dataclasses.dataclass(frozen=True)
class Info:
    """A remark; up to `MOST_REMARKS` of them may come before an answer."""

    text: str

    def __str__(self) -> str:
        return f"info {self.text}"

    @property
    def report(self) -> dict[str, float]:
        """What the remark reports about the position: ``score`` and ``depth``, if it names them.

        The score is from -1, a loss of the bot, to 1, a win. Anything else is only a remark.
        """
        found: dict[str, float] = {}
        for name, text in pairwise(self.text.split()):
            if name == "score" and _SCORE.fullmatch(text) and -1 <= float(text) <= 1:
                found[name] = float(text)
            elif name == "depth" and _DEPTH.fullmatch(text):
                found[name] = int(text)
        return found


@dataclasses.dataclass(frozen=True)
class Play:
    """The answer to `Go`: the actions to play while it is the bot's turn, by name or index.

    There is at least one.
    """

    actions: tuple[int | str, ...]

    def __str__(self) -> str:
        return f"play {_STOP.join(map(str, self.actions))}"


Request: TypeAlias = "Begin | Go | End | Quit"
Answer: TypeAlias = "Hello | Info | Play"


def check_names(game: str, sides: Iterable[str], actions: Iterable[str]) -> None:
    """Check that lines can hold a game's names.

    Args:
        game: the name of the game.
        sides: the names of its sides.
        actions: the names of its actions.

    Raises:
        ConfigError: naming the name that lines cannot hold.
    """
    for name in (game, *sides):
        if not _WORD.fullmatch(name):
            wanted = "names of games and sides must be printable and have no spaces"
            raise ConfigError("game", game, f"the protocol cannot express {name!r}: {wanted}")
    for name in actions:
        if (
            not name.isprintable()
            or name != name.strip()
            or not name
            or any(sign in name for sign in "|;")
            or name.isdigit()
        ):
            wanted = "it must be printable, not a number, and without | and ;"
            raise ConfigError(
                "game", game, f"the protocol cannot express the action {name!r}: {wanted}"
            )


def parse_request(line: str) -> Request:
    """Read a line of the referee, ignoring unknown words.

    Raises:
        ProtocolError: saying what is wrong.
    """
    verb, _, rest = line.partition(" ")
    if verb == "tkm":
        words = _words(line, _after_version(line, rest), known=None)
        return Begin(
            _require(line, words, "game"),
            _require(line, words, "seat"),
            _number(line, "seed", words.get("seed", "0")),
            _settings(line, words.get("config", "{}")),
        )
    if verb == "go":
        head, *parts = f"{rest} ".split(_BAR)
        if len(parts) != 2 or "|" in parts[1]:
            raise ProtocolError(
                line, "it must have three parts separated by ' | ': words, position, actions"
            )
        words, (position, played) = _words(line, head, known=None), parts
        numbers = {
            name: _number(line, name, words[name])
            for name in ("left_ms", "seed", "bank_ms", "inc_ms")
            if name in words
        }
        if ("bank_ms" in words) != ("inc_ms" in words):
            raise ProtocolError(line, "bank_ms= and inc_ms= must be given together")
        legal = tuple(
            _number(line, "legal", number) for number in _require(line, words, "legal").split(",")
        )
        return Go(
            position, legal, tuple(filter(None, map(str.strip, played.split(";")))), **numbers
        )
    if verb == "end":
        words = _words(line, rest, known=None)
        return End(_require(line, words, "result"), words.get("reason", "normal"))
    if line == "quit":
        return Quit()
    raise ProtocolError(line, "a referee writes tkm, go, end or quit")


def parse_answer(line: str) -> Answer:
    """Read a line of a bot.

    Raises:
        ProtocolError: saying what is wrong.
    """
    if not line.isprintable():
        raise ProtocolError(line, "it must be printable")
    verb, _, rest = line.partition(" ")
    if verb == "info":
        return Info(rest)
    if verb == "play":
        actions = tuple(map(_action, rest.split(";")))
        if "" in actions:
            wrong = (
                "an action is empty"
                if rest.strip()
                else "at least one action is needed: play ACTION; ACTION"
            )
            raise ProtocolError(line, wrong)
        return Play(actions)
    if verb == "tkm":
        words = _words(line, _after_version(line, rest), known=("name", "version"))
        return Hello(_require(line, words, "name"), words.get("version", ""))
    raise ProtocolError(line, "a bot writes tkm, info or play")


def expected(line: str, kind: Callable[..., Value]) -> Value:
    """Read an answer of an expected kind.

    Args:
        line: the line of a bot.
        kind: the class of the expected answer, `Hello` or `Play`.

    Returns:
        The answer.

    Raises:
        ProtocolError: if the line is anything else.
    """
    answer = parse_answer(line)
    if type(answer) is not kind:
        raise ProtocolError(line, f"the answer must be {'tkm' if kind is Hello else 'play'}")
    return answer  # type: ignore[return-value]


def _action(text: str) -> int | str:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else text


def _after_version(line: str, rest: str) -> str:
    version, _, words = rest.partition(" ")
    if version != str(VERSION):
        raise ProtocolError(line, f"the version must be {VERSION}, not {repr_of(version)}")
    return words


def _words(line: str, text: str, known: tuple[str, ...] | None) -> dict[str, str]:
    """Parse words of the form name=value; ``known`` is None to allow all names."""
    found: dict[str, str] = {}
    for word in filter(None, text.split(" ")):
        name, given, value = word.partition("=")
        if not given or not all(
            _WORD.fullmatch(part) for part in ((name, value or "-") if known else (name,))
        ):
            form = f"of the form name=value, printable ASCII of at most {LONGEST_VALUE} characters"
            raise ProtocolError(line, f"{repr_of(word)} is not {form}")
        if known is not None and name not in known:
            raise ProtocolError(
                line, f"there is no {repr_of(name)}; it may have {' and '.join(known)}"
            )
        if name in found:
            raise ProtocolError(line, f"{repr_of(name)} is given twice")
        found[name] = value
    return found


def _require(line: str, words: Mapping[str, str], name: str) -> str:
    if not words.get(name):
        raise ProtocolError(line, f"{name}= is required")
    return words[name]


def _number(line: str, name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS + 2):
        raise ProtocolError(line, f"{name}= must be an integer from 0, not {repr_of(text)}")
    return int(text)


def _settings(line: str, text: str) -> dict[str, Any]:
    try:
        settings = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(line, f"config= is not JSON: {error}") from None
    if not isinstance(settings, dict):
        raise ProtocolError(line, "config= must be an object")
    return settings
