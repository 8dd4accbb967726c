"""The settings of a new game that the page offers, and the opponents to choose from."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from tkm_env.core.registry import GameSpec
from tkm_env.core.settings import Exclusion, Setting
from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.message import Message, joined
from tkm_env.play.adapter import ADAPTERS
from tkm_env.play.session import PERSON, RANDOM_SIDE
from tkm_env.players.factory import options_of
from tkm_env.players.roster import ROSTERS

#: The clocks that the page suggests.
_CLOCKS: Final = ("5+5", "10+10", "30+0")
#: How long an opponent chosen on the page may think about an action, in seconds, unless its
#: ``page_limits`` say otherwise.
_SECONDS: Final = 60
_JSON_FIELDS: Final = ("keyword", "default", "kind", "choices", "is_first")


def session_settings(spec: GameSpec) -> list[Setting]:
    """Return the settings of a session, in addition to those of the game itself."""
    levels = {
        level.player: Message("{number} {level}", number=number, level=level.name)
        for number, level in enumerate(ROSTERS.of(spec).levels, 1)
    }
    settings = [
        Setting(
            "opponent",
            Message("Your opponent."),
            ROSTERS.of(spec).levels[0].player,
            "level",
            (*levels, PERSON),
            names=levels | {PERSON: Message("another person, on this screen")},
            is_first=True,
            excludes=(Exclusion(PERSON, "watch", Message("Two people play.")),),
        ),
        Setting(
            "side",
            Message("The side you play."),
            spec.players[0],
            "choice",
            (*spec.players, RANDOM_SIDE),
            is_first=True,
        ),
        Setting(
            "watch",
            Message("An agent in your place: watch it play, with its thoughts, at any pace."),
            "you",
            "choice",
            tuple(levels),
            names=levels,
            label=Message("who plays your side"),
        ),
    ]
    if matches := ADAPTERS.of(spec).matches:
        words = Message(
            "Several games in a row: in a series, the loser goes first in the next game; "
            "a campaign follows the rulebook."
        )
        excludes = [
            Exclusion(name, keyword, Message(why, match=name))
            for name, match in matches.items()
            for keyword, why in {
                **dict.fromkeys(match.decides, "A {match} sets this itself."),
                "position": "A {match} starts from the usual position.",
                "watch": "A {match} needs a person.",
            }.items()
        ]
        settings.append(
            Setting(
                "match",
                words,
                "a single game",
                "choice",
                tuple(matches),
                is_first=True,
                excludes=tuple(excludes),
            )
        )
    clock = Message(
        "Minutes for each player, and seconds added after each turn, such as 10+5. "
        "Run out of time and you lose."
    )
    return [
        *settings,
        Setting("clock", clock, "no clock", "text", _CLOCKS),
        Setting(
            "seed",
            Message("Seeds everything left to chance: the same number gives the same draws."),
            "random",
            "number",
        ),
        Setting(
            "position", Message("The text of a position to start from."), "the usual start", "text"
        ),
    ]


def game_settings(spec: GameSpec) -> list[Setting]:
    """Return the settings that the page offers: all but files, which only commands may name."""
    return [setting for setting in spec.settings if setting.kind != "file"]


def setting_as_json(setting: Setting, given: object) -> dict[str, Any]:
    """Return a setting as the page shows it, with the value given last.

    Args:
        setting: the setting.
        given: its value in the game before; None if there was none.

    Returns:
        The setting as a JSON object.
    """
    return {
        **{name: getattr(setting, name) for name in _JSON_FIELDS},
        "names": {
            choice: Message(setting.names.get(choice, choice))
            for choice in (setting.default, *setting.choices)
        },
        "label": Message(setting.label or setting.keyword.replace("_", " ")),
        "help": Message(setting.words or setting.help),
        "given": given,
        "excludes": [
            exclusion._asdict() | {"reason": Message(exclusion.reason)}
            for exclusion in setting.excludes
        ],
    }


def page_limits(spec: GameSpec, line: str, named: Collection[str]) -> Mapping[str, float]:
    """Return the highest values that the page allows for an opponent's options.

    Args:
        spec: the game's entry in the registry.
        line: the opponent's line.
        named: the players that the command named, which have no limits.

    Returns:
        The highest values, by option.
    """
    name = line.partition(":")[0]
    return (
        {}
        if line in named or name not in ROSTERS.of(spec).agents
        else getattr(ROSTERS.of(spec).agents[name](), "page_limits", {})
    )


def page_seconds(spec: GameSpec, line: str, named: Collection[str]) -> float | None:
    """Return how long a player of a page may think about an action.

    Args:
        spec: the game's entry in the registry.
        line: the player's line.
        named: the players that the command named, which have no limits.

    Returns:
        The time in seconds; None for a player without a limit.
    """
    return None if line in named else page_limits(spec, line, named).get("seconds", _SECONDS)


def check_opponent(
    spec: GameSpec, line: object, named: Collection[str], keyword: str = "opponent"
) -> None:
    """Check that the page may choose an opponent.

    It may be one that the command named, a level, or an agent within its limits.

    Args:
        spec: the game's entry in the registry.
        line: the opponent that was chosen.
        named: the players that the command named.
        keyword: what errors call the opponent.

    Raises:
        ConfigError: naming the option that is out of bounds, or the opponent.
    """
    names = (*ROSTERS.of(spec).agents, PERSON)
    if not isinstance(line, str) or (line.partition(":")[0] not in names and line not in named):
        raise ConfigError(
            keyword,
            line,
            Message(
                "on the page it must be {names}, with options", names=", ".join(map(repr, names))
            ),
        )
    if line in (*named, *ROSTERS.of(spec).offered):
        return
    name, options = options_of(line, keyword)
    limits = page_limits(spec, line, named)
    allowed = joined(
        ", ",
        (
            Message("{option} (at most {most})", option=option, most=most)
            for option, most in limits.items()
        ),
    )
    for option, value in options.items():
        if option not in limits:
            form = (
                "on the page {name} has the options {options}"
                if limits
                else "on the page {name} has no options"
            )
            raise ConfigError(option, value, Message(form, name=name, options=allowed))
        if isinstance(value, (int, float)) and value > limits[option]:
            reason = Message("on the page it must be at most {most}", most=limits[option])
            raise ConfigError(option, value, reason)
