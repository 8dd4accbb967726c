"""The settings of a new game that the page offers, and the opponents to choose from."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from tkm_env.core.registry import GameSpec
from tkm_env.core.settings import Exclusion, Setting
from tkm_env.foundations.errors import ConfigError
from tkm_env.play.adapter import ADAPTERS
from tkm_env.play.session import PERSON, RANDOM_SIDE
from tkm_env.players.factory import options_of
from tkm_env.players.roster import ROSTERS

#: The clocks that the page suggests.
_CLOCKS: Final = ("5+5", "10+10", "30+0")
#: How long an opponent chosen on the page may think about an action, in seconds, unless its
#: ``page_limits`` say otherwise.
_SECONDS: Final = 60
_JSON_FIELDS: Final = ("keyword", "default", "kind", "choices", "names", "is_first")


def session_settings(spec: GameSpec) -> list[Setting]:
    """Return the settings of a session, in addition to those of the game itself."""
    levels = {
        level.player: f"{number} {level.name}"
        for number, level in enumerate(ROSTERS.of(spec).levels, 1)
    }
    settings = [
        Setting(
            "opponent",
            "Your opponent.",
            ROSTERS.of(spec).levels[0].player,
            "level",
            (*levels, PERSON),
            names=levels | {PERSON: "another person, on this screen"},
            is_first=True,
            excludes=(Exclusion(PERSON, "watch", "Two people play."),),
        ),
        Setting(
            "side",
            "The side you play.",
            spec.players[0],
            "choice",
            (*spec.players, RANDOM_SIDE),
            is_first=True,
        ),
        Setting(
            "watch",
            "An agent in your place: watch it play, with its thoughts, at any pace.",
            "you",
            "choice",
            tuple(levels),
            names=levels,
            label="who plays your side",
        ),
    ]
    if matches := ADAPTERS.of(spec).matches:
        words = (
            "Several games in a row: in a series, the loser goes first in the next game; "
            "a campaign follows the rulebook."
        )
        excludes = [
            Exclusion(name, keyword, f"A {name} {why}.")
            for name, match in matches.items()
            for keyword, why in {
                **dict.fromkeys(match.decides, "sets this itself"),
                "position": "starts from the usual position",
                "watch": "needs a person",
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
    clock = (
        "Minutes for each player, and seconds added after each turn, such as 10+5. "
        "Run out of time and you lose."
    )
    return [
        *settings,
        Setting("clock", clock, "no clock", "text", _CLOCKS),
        Setting(
            "seed",
            "Seeds everything left to chance: the same number gives the same draws.",
            "random",
            "number",
        ),
        Setting("position", "The text of a position to start from.", "the usual start", "text"),
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
        "label": setting.label or setting.keyword.replace("_", " "),
        "help": setting.words or setting.help,
        "given": given,
        "excludes": [exclusion._asdict() for exclusion in setting.excludes],
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
            keyword, line, f"on the page it must be {', '.join(map(repr, names))}, with options"
        )
    if line in (*named, *ROSTERS.of(spec).offered):
        return
    name, options = options_of(line, keyword)
    limits = page_limits(spec, line, named)
    valid = (
        f"the options {', '.join(f'{option} (at most {most})' for option, most in limits.items())}"
        if limits
        else "no options"
    )
    for option, value in options.items():
        if option not in limits:
            raise ConfigError(option, value, f"on the page {name} has {valid}")
        if isinstance(value, (int, float)) and value > limits[option]:
            raise ConfigError(option, value, f"on the page it must be at most {limits[option]}")
