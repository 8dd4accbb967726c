"""The `tkm` command: its subcommands, and how errors are shown."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import click
import pytest
from click.testing import CliRunner

from tkm_env import ConfigError, __version__
from tkm_env.cli.root_command import tkm

NAMES = tkm.list_commands(click.Context(tkm))


def run(*arguments: str) -> Any:
    return CliRunner().invoke(tkm, arguments)


def test_version() -> None:
    assert run("--version").output == f"tkm_env {__version__}\n"


def test_help_lists_all_subcommands() -> None:
    for option in ("-h", "--help"):
        output = run(option).output
        assert all(f"  {name} " in output for name in NAMES), option


def test_each_subcommand_is_a_command_of_its_name_with_help() -> None:
    for name in NAMES:
        command = tkm.get_command(click.Context(tkm), name)
        assert isinstance(command, click.Command), name
        assert command.name == name, name
        assert run(name, "--help").exit_code == 0, name


def test_what_does_not_exist_is_named() -> None:
    for arguments in (["nothing"], ["--nothing"], ["perft", "--nothing"]):
        result = run(*arguments)
        assert result.exit_code == 2, arguments
        assert "no such" in result.output.lower(), arguments
        assert arguments[-1] in result.output, arguments


def test_errors_of_the_package_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise ConfigError("chapters", 9, "there are four")

    monkeypatch.setattr(
        "tkm_env.cli.commands.perft.command", click.Command("perft", callback=refuse)
    )
    result = run("perft")
    assert result.output == "Error: chapters=9 is invalid: there are four\n"
    assert result.exit_code == 2


def test_runs_as_a_module() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "tkm_env", "--version"], capture_output=True, text=True
    )
    assert result.stdout == f"tkm_env {__version__}\n"
