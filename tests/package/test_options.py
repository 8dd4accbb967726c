"""Every setting of the game is an option of the commands that take settings."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from tkm_env.cli.root_command import tkm
from tkm_env.games.registry import TKM


@pytest.mark.parametrize("command", ["analyse", "match", "perft", "play"])
def test_every_setting_is_an_option(command: str) -> None:
    output: Any = CliRunner().invoke(tkm, [command, "--help"]).output
    missing = [
        setting.keyword
        for setting in TKM.settings
        if f"--{setting.keyword.replace('_', '-')}" not in output
    ]
    assert missing == []
