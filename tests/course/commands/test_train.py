"""`tkm course train`: what a submission learns, in a file that plays."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from tkm_env.cli.root_command import tkm


def test_a_trained_network_can_be_played_against(tmp_path: Path) -> None:
    from tkm_env.cli.root_command import tkm as command
    from tkm_env.players import make_agent

    folder, runner = tmp_path / "course", CliRunner()
    assert (
        runner.invoke(
            command, ["course", "new", str(folder), "--assignment", "learning", "--no-check"]
        ).exit_code
        == 0
    )
    spec = folder / "public_tests/grading.toml"
    spec.write_text(
        spec.read_text("utf-8").replace("training_games = 4000", "training_games = 50"), "utf-8"
    )
    arguments = [
        "course",
        "train",
        str(folder / "staff/solution"),
        "--spec",
        str(spec),
        "-o",
        str(tmp_path / "value.npz"),
    ]
    result = runner.invoke(tkm, arguments)
    assert result.exit_code == 0, result.output
    assert make_agent(f"net:file={tmp_path / 'value.npz'}")
    arguments[2] = str(folder / "student")
    refused = runner.invoke(tkm, arguments)
    assert refused.exit_code != 0
    assert "turn_chances returned nothing yet" in refused.output
