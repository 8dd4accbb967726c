"""The table of settings, and settings read from text."""

from __future__ import annotations

import dataclasses

import pytest

from tkm_env import ConfigError, GameConfig, TerminusConfig
from tkm_env.core.settings import Setting
from tkm_env.games.registry import TERMINUS, TKM

#: What another setting needs beside it.
BESIDE = {
    "power_set": {"timeline": "draft_powers"},
    "powers": {"chapters": "growth+influence+memory"},
}


def choices() -> list[tuple[Setting, str]]:
    """Every choice of every setting, as text; of a pair, for the second player."""
    return [
        (setting, f"{setting.choices[0]},{choice}" if setting.kind == "pair" else choice)
        for setting in TKM.settings
        for choice in setting.choices
    ]


def test_the_table_holds_every_setting_in_order() -> None:
    for table, config in ((TKM.settings, GameConfig), (TERMINUS.settings, TerminusConfig)):
        assert [setting.keyword for setting in table] == [
            field.name for field in dataclasses.fields(config)
        ]


@pytest.mark.parametrize(("setting", "text"), choices())
def test_every_choice_is_accepted(setting: Setting, text: str) -> None:
    TKM.config_from_text({**BESIDE.get(setting.keyword, {}), setting.keyword: text})


def test_nothing_given_is_the_standard_game() -> None:
    assert (
        TKM.config_from_text(dict.fromkeys(setting.keyword for setting in TKM.settings))
        == GameConfig()
    )


@pytest.mark.parametrize("text", ["", "+", "²", "9" * 5000, "growth+", "growth,memory", "-1"])
def test_invalid_chapters_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="chapters"):
        TKM.config_from_text({"chapters": text})


@pytest.mark.parametrize("text", ["", "1", "1,2,3", "²,1", "1, 2", "4,0", "-1,0"])
def test_invalid_handicaps_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="handicap"):
        TKM.config_from_text({"handicap": text})


def test_anything_but_a_setting_is_refused() -> None:
    with pytest.raises(ConfigError, match="there is no such keyword"):
        TKM.config_from_text({"colour": "red"})
