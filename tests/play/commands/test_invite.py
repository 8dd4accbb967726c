"""`tkm play --browser --invite`: a link for each seat, the same ones when it is repeated."""

from __future__ import annotations

import re
import webbrowser
from collections.abc import Callable
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tkm_env.cli.root_command import tkm
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.play import server
from tkm_env.play.invitations import Invitation, Seat
from tkm_env.play.kept_games import KeptGames
from tkm_env.play.shared_session import SharedSession

URL = "http://127.0.0.1:8734/"

Run = Callable[..., tuple[str, Any]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run the command; its output, and the session and the options that were served."""
    monkeypatch.setattr(KeptGames, "of_user", lambda: KeptGames(tmp_path / "games"))
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)

    def run(*options: str, plays: tuple[str, ...] = ()) -> tuple[str, Any]:
        served: dict[str, Any] = {"opened": opened}

        def serve(make: Any, *, ready: Any, kept: Any, **keywords: Any) -> Any:
            holder = SharedSession(make(), kept, keywords.get("invitation"))
            ready(keywords.pop("at", URL))
            for action in plays:
                holder.change(holder.version, methodcaller("play", action))
            served.update(keywords, session=holder.session)
            return holder.session

        monkeypatch.setattr(server, "serve", serve)
        result = CliRunner().invoke(tkm, ["play", "--browser", *options])
        assert result.exit_code == 0, result.output
        return result.output, served

    return run


def links_in(output: str) -> list[str]:
    return re.findall(r"\S+/join/\S+", output)


def test_it_prints_a_link_for_each_seat_and_opens_the_hosts(run: Run) -> None:
    output, served = run("--invite", "--chapters", "growth", "--clock", "10+5", "--side", "black")
    invitation: Invitation = served["invitation"]
    assert links_in(output) == [f"{URL}join/{invitation.codes[seat]}" for seat in Seat]
    assert served["opened"] == [f"{URL}join/{invitation.codes[Seat.HOST]}"]
    session = served["session"]
    assert {*session.players.values()} == {"person"}
    assert session.side_of(Seat.HOST) == "black"
    assert session.clock.left() == {"white": 600, "black": 600}
    assert session.game.config.chapters == ("growth",)
    assert len({*invitation.codes.values()}) == 3
    assert all(len(code) >= 22 for code in invitation.codes.values())


def test_it_says_who_can_reach_the_page(run: Run) -> None:
    output, _ = run("--invite")
    assert "work on this machine only" in output
    assert "ssh -R 8734:localhost:8734 SERVER" in output
    assert "whoever can read the traffic can read the links" in output
    output, served = run("--invite", "--url", "https://Games.example:443/", "--no-open")
    assert [link.partition("/join/")[0] for link in links_in(output)] == [
        URL.rstrip("/"),
        *["https://games.example"] * 2,
    ]
    assert "this machine only" not in output
    assert "can read the links" not in output
    assert served["public_url"] == "https://games.example"


def test_the_same_command_continues_the_game_with_the_same_links(run: Run) -> None:
    first, _ = run("--invite", "--chapters", "growth", plays=("choose 1", "move east"))
    assert "the same command continues this game, with the same links" in first
    other, _ = run("--invite", "--game", "terminus")
    again, served = run("--invite", "--chapters", "growth")
    assert links_in(again) == links_in(first)
    assert not {*links_in(other)} & {*links_in(first)}
    assert "continuing a game" in again
    assert served["session"].game.history == [
        TKM.game_class.action_names.index(name) for name in ("choose 1", "move east")
    ]
    for options in (("--continue",), ("--continue", "--invite")):
        output, served = run(*options)
        assert links_in(output) == links_in(first), options
        assert served["session"].game.history


def test_a_game_that_is_over_is_not_continued(run: Run) -> None:
    first, served = run("--invite", plays=("concede",))
    assert served["session"].is_over
    assert "the same command" not in first
    again, _ = run("--invite")
    assert not {*links_in(again)} & {*links_in(first)}


def test_continuing_can_mean_the_latest_game_over_an_invitation(run: Run) -> None:
    first, _ = run("--invite", "--game", "terminus")
    run("--opponent", "random", plays=("choose 1", "move east"))
    output, served = run("--continue", "--opponent", "random")
    assert links_in(output) == []
    output, served = run("--continue", "--invite")
    assert links_in(output) == links_in(first)
    assert served["session"].spec is TERMINUS


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--invite",), "add --browser"),
        (("--clock", "5+0"), "add --browser"),
        (("--browser", "--invite", "--opponent", "greedy"), "two people play"),
        (("--browser", "--invite", "--watch", "greedy"), "two people play"),
        (("--browser", "--invite", "--records", "."), "two people play"),
        (("--browser", "--invite", "--match", "series", "--save", "x"), "leave --save out"),
        (("--browser", "--invite", "--continue"), "no game to continue"),
        (("--browser", "--url", "http://a.example"), "--url is for the links of --invite"),
        (("--browser", "--invite", "--url", "games.example"), "an address without a path"),
        (("--browser", "--invite", "--url", "http://a.example/x"), "an address without a path"),
        (("--browser", "--invite", "--clock", "0"), "clock"),
        (("--browser", "--match", "series", "--save", "x", "--clock", "5"), "has no clock"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(
    options: tuple[str, ...], reason: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(KeptGames, "of_user", lambda: KeptGames(tmp_path / "games"))
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(tkm, ["play", *options])
    assert result.exit_code == 2, result.output
    assert reason in " ".join(result.output.split())
