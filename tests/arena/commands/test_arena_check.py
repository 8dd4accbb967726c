"""`tkm arena check` finds the faults of a bot, and `tkm bot` has none."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.isolation.programs import HONEST, saved
from tkm_env import ConfigError, Game, ProtocolError, TerminusGame, UnknownActionError
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.protocol_check import check, steps_of
from tkm_env.cli.root_command import tkm
from tkm_env.core.registry import game_spec
from tkm_env.isolation.limits import Limits
from tkm_env.players import make_agent
from tkm_env.players.bot_server import serve

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")


def run(*arguments: str) -> Any:
    return CliRunner().invoke(tkm, ["arena", "check", *arguments], catch_exceptions=False)


@pytest.mark.parametrize("game", [pytest.param("tkm", marks=pytest.mark.slow), "terminus"])
def test_an_honest_bot_passes_every_step(tmp_path: Path, game: str) -> None:
    found = list(check(saved(tmp_path, HONEST), game))
    assert [step for step, *_ in found] == [*steps_of(game_spec(game))]
    assert not [f"{step}: {error}" for step, _, error, _ in found if error is not None]


def test_there_are_enough_steps() -> None:
    assert len(steps_of(game_spec("tkm"))) >= 40


@pytest.mark.parametrize(
    ("instead", "step", "message"),
    [
        ('print("tkm 1 name=honest", flush=True)', None, "all 54 steps passed"),
        ('print("tkm 2 name=honest", flush=True)', "it answers tkm", "the version must be 1"),
        ('print("tkm 1", flush=True)', "it answers tkm", "name= is required"),
        ('print("hello", flush=True)', "it answers tkm", "a bot writes tkm, info or play"),
        (
            'print("tkm 1 name=honest\\nplay 0", flush=True)',
            "it is silent when it has answered",
            "without a request",
        ),
        ("sys.exit(4)", "it answers tkm", "exit code 4"),
        ('sys.stderr.write("so sorry\\n")', "it answers tkm", "no answer in time"),
    ],
)
def test_the_first_step_that_fails_is_shown_with_what_the_bot_wrote(
    tmp_path: Path, instead: str, step: str | None, message: str
) -> None:
    source = HONEST.replace('print("tkm 1 name=honest", flush=True)', instead)
    assert instead in source
    result = run(saved(tmp_path, source), "--start-seconds", "1" if "sorry" in instead else "20")
    assert message in result.output
    assert result.exit_code == (0 if step is None else 1)
    if step is not None:
        assert f"FAIL  {step}: " in result.output
        assert "> tkm 1 game=tkm seat=white" in result.output
    if "sorry" in instead:
        assert "Its standard error:\n  so sorry" in result.output


@pytest.mark.slow
def test_it_takes_several_bots_a_folder_of_them_or_a_tournament_and_shows_only_what_fails(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "bots"
    (folder / "bob").mkdir(parents=True)
    for path, source in ((folder / "ann", HONEST), (folder / "bob" / "run", "sys.exit(4)\n")):
        path.write_text(f"#!{sys.executable} -IS\nimport sys\n{source}", "utf-8")
        path.chmod(0o755)
    league = tmp_path / "league.toml"
    league.write_text(
        (
            "submissions = 'bots'\nsettings = [{game = 'terminus'}]\n"
            "conditions = {isolation = 'process'}\n"
        ),
        "utf-8",
    )
    for arguments, names in (
        ((str(folder / "ann"), str(folder / "bob")), ("ann", "bob")),
        ((str(folder), "--isolation", "process"), ("ann", "bob")),
        ((str(league),), ("ann", "bob")),
        ((f"cmd:{folder / 'ann'}", str(folder / "bob")), (f"cmd:{folder / 'ann'}", "bob")),
    ):
        result = run(*arguments, *(() if str(league) in arguments else ("--game", "terminus")))
        assert result.exit_code == 1
        assert f"{names[0]}: all 33 steps passed: it can play Terminus\n" in result.output
        assert f"{names[1]} cannot play Terminus:\n" in result.output
        assert "it ended with the exit code 4" in result.output
        assert result.output.endswith("1 of 2 can play\n")
        assert "  ok  " not in result.output


def test_why_a_program_cannot_start_is_said(tmp_path: Path) -> None:
    path = tmp_path / "bot"
    path.write_text("print('hello')\n", "utf-8")
    assert "chmod +x " in run(f"cmd:{path}").output
    path.chmod(0o755)
    assert "the first line of a script names what runs it" in run(f"cmd:{path}").output
    path.write_bytes(b"#!/bin/sh\r\necho hello\r\n")
    assert "its first line ends in a carriage return" in run(f"cmd:{path}").output
    path.write_text("#!/opt/nowhere/python4\n", "utf-8")
    assert "'/opt/nowhere/python4', which its first line names, is not there" in (
        run(f"cmd:{path}").output
    )


AWK = '/^tkm/ { print "tkm 1 name=awk" }'


@pytest.mark.skipif(shutil.which("mawk") is None, reason="needs mawk")
@pytest.mark.parametrize(("option", "is_hinted"), [("", True), ("-W interactive", False)])
def test_a_bot_that_keeps_its_answers_in_a_buffer_is_told_so(
    tmp_path: Path, option: str, *, is_hinted: bool
) -> None:
    path = tmp_path / "bot"
    path.write_text(f"#!/bin/sh\nexec mawk {option} '{AWK}'\n", "utf-8")
    path.chmod(0o755)
    output = run(f"cmd:{path}", "--start-seconds", "1", "--turn-seconds", "1").output
    assert ("mawk does so with -W interactive" in output) == is_hinted
    assert ("ok    it answers tkm" in output) != is_hinted


PONDERING = """
import threading
def work():
    while True:
        pass
threading.Thread(target=work, daemon=True).start()
"""

#: The same in children that live for 50 ms each, for whom it waits or does not.
PONDERING_IN_CHILDREN = """
import os, signal, threading, time
{leaves}
def work():
    while True:
        pid = os.fork()
        if pid == 0:
            end = time.monotonic() + 0.05
            while time.monotonic() < end:
                pass
            os._exit(0)
        try:
            os.waitpid(pid, 0)
        except ChildProcessError:
            pass
threading.Thread(target=work, daemon=True).start()
"""

FORGETFUL = HONEST + '    elif line.startswith("quit"):\n        import time; time.sleep(600)\n'
CRASHING = "import sys\nseen = 0\n" + HONEST.replace(
    '"go"):\n', '"go"):\n        seen += 1\n        assert seen < 20, "tired"\n'
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "step", "message"),
    [
        (FORGETFUL, "it ends by itself at quit", "still running"),
        (CRASHING, "it plays chapters", "AssertionError: tired"),
        (PONDERING + HONEST, "it rests while another player thinks", "it used"),
        (
            PONDERING_IN_CHILDREN.format(leaves="") + HONEST,
            "it rests while another player thinks",
            "it used",
        ),
        (
            PONDERING_IN_CHILDREN.format(leaves="signal.signal(signal.SIGCHLD, signal.SIG_IGN)")
            + HONEST,
            "it rests while another player thinks",
            "it used",
        ),
    ],
)
def test_what_goes_wrong_later_is_found_too(
    tmp_path: Path, source: str, step: str, message: str
) -> None:
    *_, (last, _, error, _) = check(
        saved(tmp_path, source), conditions=Conditions(limits=Limits(start_seconds=5))
    )
    assert last.startswith(step)
    assert error is not None
    assert message in error.reason


@pytest.mark.slow
def test_a_bot_may_take_as_long_to_end_as_to_start(tmp_path: Path) -> None:
    source = FORGETFUL.replace("600", "2.5")
    ended = [
        (step, error)
        for step, _, error, _ in check(saved(tmp_path, source))
        if step.startswith("it ends")
    ]
    assert ended == [
        (step, None) for step in steps_of(game_spec("tkm")) if step.startswith("it ends")
    ]


def test_unknown_players_are_refused() -> None:
    with pytest.raises(ConfigError, match="players are"):
        list(check("nobody"))
    result = run("cmd:/no/such/program")
    assert result.exit_code == 1
    assert "FAIL  it starts: it cannot be started" in result.output


def answers(spec: str, *requests: str, game: str | None = None) -> list[str]:
    found: list[str] = []
    serve(spec, requests, found.append, game)
    return found


def test_players_of_the_package_speak_the_protocol() -> None:
    begin = "tkm 1 game=tkm seat=white seed=7 config={}"
    go = f"go legal=0 | {Game().position} | "
    assert (
        answers("greedy", begin, go, "end result=1-0 reason=normal", begin, go, "quit", go)
        == ["tkm 1 name=greedy", "play choose 1"] * 2
    )
    view = TerminusGame(seed=1).visible_position
    other = answers(
        "greedy", begin, "tkm 1 game=terminus seat=red seed=7", f"go seed=3 legal=0 | {view} | "
    )
    assert other[:2] == ["tkm 1 name=greedy"] * 2
    assert other[2].removeprefix("play ") in TerminusGame(seed=1).legal_names()
    assert answers("alphabeta:depth=1", begin) == ["tkm 1 name=alphabeta_depth=1"]


def test_a_served_player_refuses_lines_that_violate_the_protocol() -> None:
    with pytest.raises(ProtocolError, match="no game has begun"):
        answers("random", f"go legal=0 | {Game().position} | ")
    with pytest.raises(ProtocolError, match="a referee writes"):
        answers("random", "hello")
    with pytest.raises(ConfigError, match="players are"):
        answers("nobody")


def test_a_served_player_keeps_its_game_between_requests() -> None:
    """A player is given the actions so far, so that it may keep what it has thought."""
    seen: list[int] = []

    class Counts:
        name = "counts"

        def act(self, game: Any) -> int:
            seen.append(len(game.history))
            return game.legal_actions()[0]

    game = Game()
    requests = ["tkm 1 game=tkm seat=white seed=7 config={}"]
    for _ in range(6):
        names = "; ".join(game.action_names[action] for action in game.history)
        requests.append(f"go legal=0 | {game.position} | {names}")
        game.play(game.legal_actions()[0])
    requests.append(f"go legal=0 | {Game().position} | something; else")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tkm_env.players.bot_server.make_agent", lambda *_: Counts())
        answers("counts", *requests)
    assert seen == [0, 1, 2, 3, 4, 5, 0]


def test_tkm_bot_plays_as_a_command(tmp_path: Path) -> None:
    command = f"{shlex.quote(sys.executable)} -m tkm_env bot random"
    agent = make_agent(f"cmd:{command}")
    game = Game()
    agent.reset(1)
    while game.result is None and len(game.history) < 30:
        game.play(agent.act(game))
    agent.close()
    assert len(game.history) >= 30 or game.result is not None


def test_what_is_no_action_is_named_with_those_there_are(tmp_path: Path) -> None:
    (tmp_path / "absent.py").write_text(
        "class Bot:\n    def act(self, game):\n        pass\n", "utf-8"
    )
    requests = ["tkm 1 game=tkm seat=white seed=7 config={}", f"go legal=0 | {Game().position} | "]
    with pytest.raises(
        UnknownActionError, match=r"an action is a name or an index from 0 to \d+, not None"
    ):
        serve(f"{tmp_path / 'absent.py'}:Bot", requests, lambda answer: None)
