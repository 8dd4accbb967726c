"""Settings of games: how they are presented, parsed from text and checked. Every game's config is a frozen dataclass."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from tkm_env.errors import ConfigError, UnknownKeywordError

#: A frozen dataclass of settings, all with defaults.
Config = TypeVar("Config", bound=Any)


@dataclasses.dataclass(frozen=True)
class Setting:
    """One setting, as commands and forms present it.

    Attributes:
        keyword: its name.
        help: what it is, in one sentence.
        default: the default, in a few words.
        kind: ``"choice"``: one of the choices; ``"text"``: usually one of them, but the help may allow more; ``"pair"``: one of the
            choices for each player, joined by a comma; ``"number"``; ``"switch"``; ``"file"``: the path of a file.
        choices: the possible values; for a pair the first is the default.
        parse: turns text into the config's value; text that it cannot parse is returned unchanged, for the config to reject.
        label: what a form calls it; by default the keyword.
        words: what it is, in a sentence for people who fill in a form; by default the help.
        names: what a form calls the choices, those that have other names there.
        is_first: whether a form shows it at once, not among the further settings.
    """

    keyword: str
    help: str
    default: str
    kind: str = "choice"
    choices: tuple[str, ...] = ()
    parse: Callable[[str], Any] = str
    label: str = ""
    words: str = ""
    names: Mapping[str, str] = dataclasses.field(default_factory=dict, hash=False)
    is_first: bool = False


def parse_settings(options: Sequence[Setting], given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings given as text, converted to keywords of the config; those that are None are skipped.

    >>> option = Setting("handicap", "Copies missing.", "none", "pair", parse=lambda text: tuple(map(int, text.split(","))))
    >>> parse_settings([option], {"handicap": "0,1", "edition": None})
    {'handicap': (0, 1)}
    """
    parse = {option.keyword: option.parse for option in options}
    return {
        keyword: parse[keyword](value) if isinstance(value, str) and keyword in parse else value
        for keyword, value in given.items()
        if value is not None
    }


def make_config(
    config_class: Callable[..., Config],
    config: Config | None,
    settings: Mapping[str, Any],
    taker: Callable[..., object] | None = None,
) -> Config:
    """``config`` (by default the default config) with some settings changed.

    Args:
        config_class: the class of the config.
        config: what is changed.
        settings: the changes, by keyword.
        taker: what took the settings among keywords of its own, which an error then lists as well.

    Raises:
        ConfigError: naming the keyword that has an invalid value.
        UnknownKeywordError: naming the keyword that is unknown.
    """
    default = config_class()
    if not isinstance(settings, Mapping):
        raise ConfigError("settings", settings, "they must be given by keyword")
    known = [field.name for field in dataclasses.fields(default)]
    for keyword, value in settings.items():
        if keyword not in known:
            raise UnknownKeywordError.of(str(keyword), value, [*_own_keywords(taker), *known])
    base = checked_config(default, config)
    return dataclasses.replace(base, **settings) if settings else base


def _own_keywords(taker: Callable[..., object] | None) -> list[str]:
    """The keywords that a function or class takes by name alone."""
    if taker is None:
        return []
    parameters = inspect.signature(taker).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]


def checked_config(default: Config, config: object) -> Config:
    """``config``, an instance of the default's class; the default itself for None.

    Raises:
        ConfigError: if it is neither.
    """
    if config is None:
        return default
    if not isinstance(config, type(default)):
        raise ConfigError("config", config, f"it must be a {type(default).__name__}, or settings given as keywords")
    return config


def remade(config: Config) -> tuple[type[Config], tuple[Any, ...]]:
    """What a config's ``__reduce__`` returns so that a pickle of it is checked like settings.

    >>> from tkm_env import GameConfig
    >>> config_class, values = remade(GameConfig(chapters="growth"))
    >>> config_class(*values).chapters
    ('growth',)
    """
    return type(config), tuple(getattr(config, field.name) for field in dataclasses.fields(config))


def file_settings(config_class: type[Any]) -> tuple[str, ...]:
    """The keywords of settings that may be given as the path of a file, which their fields' metadata say by ``"kind": "file"``."""
    return tuple(field.name for field in dataclasses.fields(config_class) if field.metadata.get("kind") == "file")


def changed_settings(config: Any) -> dict[str, Any]:
    """The settings that differ from the defaults, by keyword, as JSON types.

    >>> from tkm_env import GameConfig
    >>> changed_settings(GameConfig(chapters="growth"))
    {'chapters': ['growth']}
    """
    default = type(config)()
    fields = [field.name for field in dataclasses.fields(config)]
    changed = {name: getattr(config, name) for name in fields if getattr(config, name) != getattr(default, name)}
    settings: dict[str, Any] = json.loads(json.dumps(changed))
    return settings
