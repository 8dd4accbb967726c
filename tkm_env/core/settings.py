"""Settings of games: how they are presented, parsed from text and checked.

Every game's config is a frozen dataclass.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from tkm_env.foundations.errors import ConfigError, UnknownKeywordError

#: A frozen dataclass of settings, all with defaults.
Config = TypeVar("Config", bound=Any)


class Exclusion(NamedTuple):
    """What a choice of one setting rules out in another.

    Attributes:
        choice: the choice; empty for the setting's default.
        keyword: the other setting.
        reason: why, for people.
        values: the values of the other setting that are ruled out; empty for all but its default.
    """

    choice: str
    keyword: str
    reason: str
    values: tuple[str, ...] = ()


#: How a setting of a game is entered.
Kind: TypeAlias = Literal["choice", "text", "pair", "number", "switch", "file"]


@dataclasses.dataclass(frozen=True)
class Setting:
    """One setting, as commands and forms present it.

    Attributes:
        keyword: its name, that of the config's field.
        help: what it is, in one sentence.
        default: the default, in a few words.
        kind: ``"choice"``: one of the choices; ``"text"``: usually one of them, but the help may
            allow more; ``"pair"``: one of the choices for each player, joined by a comma;
            ``"number"``; ``"switch"``; ``"file"``: the path of a file. A form may have kinds of
            its own.
        choices: the possible values; for a pair the first is the default.
        parse: turns text into the config's value; text that it cannot parse is returned unchanged,
            for the config to reject.
        label: what a form calls it; by default the keyword.
        words: what it is, in a sentence for people who fill in a form; by default the help.
        names: what a form calls the choices, those that have other names there.
        is_first: whether a form shows it at once, not among the further settings.
        excludes: what its choices rule out in other settings.
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
    excludes: tuple[Exclusion, ...] = ()


def setting(
    value: Any,
    about: str,
    default: str = "",
    kind: Kind = "choice",
    choices: tuple[str, ...] = (),
    *,
    parse: Callable[[str], Any] = str,
    label: str = "",
    words: str = "",
    names: Mapping[str, str] | None = None,
    is_first: bool = False,
    excludes: tuple[Exclusion, ...] = (),
) -> Any:
    """A field of a config that is also a `Setting`.

    Args:
        value: the field's default.
        about: what the setting is, in one sentence, its ``help``.
        default: the default, in a few words; if empty, the value itself.
        kind: how it is entered, as all that follows an attribute of `Setting`.
        choices: the possible values.
        parse: turns text into the config's value.
        label: what a form calls it.
        words: what it is, for people who fill in a form.
        names: what a form calls the choices.
        is_first: whether a form shows it at once.
        excludes: what its choices rule out in other settings.

    Returns:
        A field, as of `dataclasses.field`.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Config:
    ...     rounds: int = setting(3, "How many rounds.", kind="number", parse=int)
    >>> Config().rounds, [(setting.keyword, setting.default) for setting in settings_of(Config)]
    (3, [('rounds', '3')])
    """
    presented = Setting(
        keyword="",  # the field's name, once it has one
        help=about,
        default=default or ("no" if value is False else str(value)),
        kind=kind,
        choices=choices,
        parse=parse,
        label=label,
        words=words,
        names=names or {},
        is_first=is_first,
        excludes=excludes,
    )
    return dataclasses.field(default=value, metadata={"setting": presented})


def settings_of(config_class: type[Any]) -> tuple[Setting, ...]:
    """The settings of a config for commands and forms: its fields made by `setting`, in order."""
    fields = dataclasses.fields(config_class)
    return tuple(
        dataclasses.replace(field.metadata["setting"], keyword=field.name)
        for field in fields
        if field.metadata
    )


def parse_settings(settings: Sequence[Setting], given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings given as text, as the config takes them.

    Args:
        settings: the settings that exist.
        given: the values by keyword. Values that are not str stay as they are; values that are None
            are left out.

    Returns:
        The values by keyword.
    """
    parse = {setting.keyword: setting.parse for setting in settings}
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
    """A config with some settings changed.

    Args:
        config_class: the class of the config.
        config: the config to change; None for the default config.
        settings: the changes, by keyword.
        taker: the callable that was given the settings among keywords of its own; errors then list
            these as well.

    Returns:
        The config: ``config`` itself if nothing changes.

    Raises:
        ConfigError: naming the keyword that has an invalid value.
        UnknownKeywordError: naming the keyword that is unknown.
    """
    if config is not None and not settings and type(config) is config_class:
        return config
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
    """The keyword-only parameters of a function or class."""
    if taker is None:
        return []
    parameters = inspect.signature(taker).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]


def checked_config(default: Config, config: object) -> Config:
    """A config of the right class.

    Args:
        default: the default config.
        config: what must be of its class; None for the default itself.

    Returns:
        The config.

    Raises:
        ConfigError: if it is neither.
    """
    if config is None:
        return default
    if not isinstance(config, type(default)):
        raise ConfigError(
            "config",
            config,
            f"it must be a {type(default).__name__}, or settings given as keywords",
        )
    return config


def reduce_config(config: Config) -> tuple[type[Config], tuple[Any, ...]]:
    """The value of a config's ``__reduce__``, so that unpickling validates it like any other."""
    return type(config), tuple(getattr(config, field.name) for field in dataclasses.fields(config))


def changed_settings(config: Any) -> dict[str, Any]:
    """The settings that differ from the defaults, by keyword, as JSON types."""
    default = type(config)()
    fields = [field.name for field in dataclasses.fields(config)]
    changed = {
        name: getattr(config, name)
        for name in fields
        if getattr(config, name) != getattr(default, name)
    }
    return json.loads(json.dumps(changed)) if changed else {}
