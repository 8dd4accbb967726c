"""What people do with the package, one function for each row of `docs/systems.toml`.

``python -m tests.package.systems.features NAME`` runs one in the current folder, and prints what
the package refused, if anything.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from _thread import interrupt_main
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: The exit code of the package's own errors.
REFUSED = 2
BOT = (
    "class Bot:\n    name = 'mine'\n\n    def act(self, game):\n"
    "        return game.legal_actions()[-1]\n"
)
#: A program that starts, and takes a gibibyte with its first request.
EATING = """
print("tkm 1 name=x", flush=True)
input()
while input():
    food = bytearray(1 << 30)
    food[::4096] = b"x" * (1 << 18)
"""
FEATURES: dict[str, Callable[[], None]] = {}


class RefusedError(Exception):
    """The command was refused, with one line."""


def feature(does: Callable[[], None]) -> Callable[[], None]:
    FEATURES[does.__name__] = does
    return does


def tkm(*arguments: str) -> str:
    """What a command prints."""
    from click.testing import CliRunner

    from tkm_env.cli.root_command import tkm as command

    done = CliRunner().invoke(command, [*arguments], prog_name="tkm")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    if done.exit_code == REFUSED:
        raise RefusedError(done.stderr.strip())
    assert done.exit_code == 0, done.output
    return done.output


def bot() -> str:
    Path("bot.py").write_text(BOT, "utf-8")
    return "bot.py:Bot"


@feature
def games() -> None:
    import tkm_env

    for game in (tkm_env.Game(seed=1), tkm_env.TerminusGame(seed=1)):
        assert game.result is None
        while game.result is None:
            game.play(int(game.legal_actions()[0]))


@feature
def batches() -> None:
    import tkm_env

    batch = tkm_env.Batch(1024, num_threads=2)
    observations = batch.new_observations()
    batch.reset(1)
    for _ in range(50):
        batch.step(batch.random_actions(), observations)


@feature
def faces() -> None:
    import gymnasium
    import pettingzoo

    import tkm_env  # noqa: F401

    aec = pettingzoo.make("aec", "tkm_env/tkm-v0")
    aec.reset(seed=1)
    for _ in aec.agent_iter(30):
        observation, _, ended, cut, _ = aec.last()
        aec.step(None if ended or cut else int(observation["action_mask"].argmax()))
    env = gymnasium.make("tkm_env/TKM-v0", opponent="greedy")
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))
    envs = gymnasium.make_vec("tkm_env/TKM-v0", num_envs=16, opponent="random")
    _, info = envs.reset(seed=1)
    envs.step(info["action_mask"].argmax(1))


@feature
def vectors_of_processes() -> None:
    import gymnasium

    make = ["tkm_env:tkm_env/TKM-v0"] * 2
    envs = gymnasium.vector.AsyncVectorEnv(
        [lambda name=name: gymnasium.make(name) for name in make], context="spawn"
    )
    with contextlib.closing(envs):
        _, info = envs.reset(seed=1)
        envs.step(info["action_mask"].argmax(1))


@feature
def agents() -> None:
    from tkm_env import Game
    from tkm_env.players import make_agent

    for line in (
        "random",
        "greedy",
        "net",
        "alphabeta:depth=2",
        "alphabeta:seconds=0.05",
        "mcts:iterations=50",
        "gumbel:iterations=50",
    ):
        game = Game(seed=1)
        began = time.perf_counter()
        game.play(make_agent(line).act(game))
        assert "seconds" not in line or time.perf_counter() - began < 60


@feature
def machine_code() -> None:
    from tkm_env.compiled.decorators import COMPILES, cache_place

    if COMPILES:
        folder = cache_place()
        assert folder is not None
        import numba  # noqa: F401

        from tkm_env import Game

        Game(seed=1)
        assert any(Path(folder).rglob("*.nbi"))


@feature
def matches() -> None:
    assert "4 games" in tkm(
        "match",
        "greedy",
        "random",
        "--games",
        "4",
        "--save",
        "games.jsonl",
        "--seed",
        "1",
        "--processes",
        "1",
    )
    assert len(Path("games.jsonl").read_text().splitlines()) == 4


@feature
def matches_on_several_processes() -> None:
    tkm(
        "match",
        "greedy",
        "random",
        "--games",
        "8",
        "--processes",
        "2",
        "--save",
        "games.jsonl",
        "--seed",
        "1",
    )
    assert len(Path("games.jsonl").read_text().splitlines()) == 8


@feature
def resuming() -> None:
    from tkm_env.arena.match import Match

    match = Match("greedy", "random", games=4, seed=1)
    whole = [*match.play("whole.jsonl")]
    Path("half.jsonl").write_text(
        "".join(Path("whole.jsonl").read_text("utf-8").splitlines(True)[:2]), "utf-8"
    )
    assert [
        record["seed"]
        for record in Match("greedy", "random", games=4, seed=1).play("half.jsonl", resume=True)
    ] == [record["seed"] for record in whole]
    assert not {path.name for path in Path().iterdir() if path.name.endswith(".tmp")}


@feature
def one_writer() -> None:
    from tkm_env import FileError
    from tkm_env.foundations.line_file import LineFile

    with LineFile("lines") as first:
        first.append_line(b"one")
        said = ""
        try:
            LineFile("lines")
        except FileError as error:
            said = str(error)
        assert "another writer" in said, "two writers have one file"
        assert Path("lines").read_bytes() == b"one\n"
    with LineFile("new"):
        pass
    assert not Path("new").exists()


@feature
def trusted_files() -> None:
    tkm("match", bot(), "random", "--games", "2", "--trust")


@feature
def files_in_a_process() -> None:
    tkm("match", bot(), "random", "--games", "2", "--save", "games.jsonl")
    _no_faults()


@feature
def commands() -> None:
    tkm(
        "match",
        f"cmd:{sys.executable} -m tkm_env bot greedy",
        "random",
        "--games",
        "2",
        "--save",
        "games.jsonl",
    )
    _no_faults()


def _no_faults() -> None:
    records = [json.loads(line) for line in Path("games.jsonl").read_text("utf-8").splitlines()]
    assert records
    assert not [record["fault"] for record in records if record.get("fault")]


@feature
def limits_of_programs() -> None:
    Path("eats.py").write_text(EATING, "utf-8")
    tkm(
        "match",
        f"cmd:{sys.executable} eats.py",
        "random",
        "--games",
        "1",
        "--memory-mib",
        "200",
        "--save",
        "games.jsonl",
    )
    fault = json.loads(Path("games.jsonl").read_text("utf-8").splitlines()[0])["fault"]
    print(fault)
    assert fault["kind"] == "memory"


@feature
def sandboxes() -> None:
    tkm("match", bot(), "random", "--games", "2", "--isolation", "sandbox", "--save", "games.jsonl")
    _no_faults()


@feature
def checks_of_bots() -> None:
    tkm("bot", "new", "python", "mybot")
    assert "it can play" in tkm("arena", "check", "greedy")


@feature
def folders_of_submissions() -> None:
    Path("bots").mkdir()
    for name in ("ann", "bob"):
        Path(f"bots/{name}.py").write_text(BOT, "utf-8")
    Path("cup.toml").write_text('pairs = 1\nsubmissions = "bots"\n', "utf-8")
    tkm("tournament", "cup.toml", "--save", "games.jsonl", "--processes", "1")
    _no_faults()


@feature
def tournaments() -> None:
    Path("cup.toml").write_text(
        'pairs = 1\n[[players]]\nplayer = "greedy"\n[[players]]\nplayer = "random"\n', "utf-8"
    )
    tkm("tournament", "cup.toml", "--save", "games.jsonl", "--processes", "2")
    for _ in range(2):  # the second time the files are replaced
        assert "greedy" in tkm("rating", "games.jsonl")
        tkm(
            "report",
            "games.jsonl",
            "--html",
            "report.html",
            "--csv",
            "report.csv",
            "--replays",
            "replays",
        )
    assert Path("report.html").stat().st_size > 10_000
    assert any(Path("replays").iterdir())


@feature
def ctrl_c() -> None:
    from rich.console import Console

    from tkm_env.cli.ctrl_c import stop_on_ctrl_c

    stopped: list[bool] = []
    with stop_on_ctrl_c(lambda: stopped.append(True), Console(file=io.StringIO())):
        signal.raise_signal(signal.SIGINT)
    assert stopped == [True]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    from tkm_env import Batch

    batch = Batch(2048, num_threads=2)
    observations = batch.new_observations()
    batch.reset(1)
    _interrupted(lambda: batch.step(batch.random_actions(), observations))


def _interrupted(work: Callable[[], object]) -> None:
    """Work until Ctrl-C comes, which raises an error here and spoils nothing."""
    threading.Timer(0.2, interrupt_main).start()
    try:
        patience = time.monotonic() + 60
        while time.monotonic() < patience:
            work()
    except KeyboardInterrupt:
        work()
    else:
        raise AssertionError("nothing was interrupted")


@feature
def playing_in_the_terminal() -> None:
    from rich.console import Console

    from tkm_env.core.registry import game_spec
    from tkm_env.play.session import Session, settings_for_people
    from tkm_env.play.terminal import play_in_terminal

    spec = game_spec("tkm")
    session: Session[Any] = Session(
        spec, settings_for_people(spec, {}, "random"), opponent="random", seed=1
    )
    answers = iter(["?", "1", "1", "save played.jsonl", "q"])
    play_in_terminal(session, Console(file=io.StringIO()), lambda prompt: next(answers))
    assert Path("played.jsonl").exists()


@feature
def playing_in_the_browser() -> None:
    from tkm_env.core.registry import game_spec
    from tkm_env.play.server import serve
    from tkm_env.play.session import Session

    told: list[str] = []

    def ask(url: str) -> None:
        def fetch() -> None:
            for _ in range(60):
                with contextlib.suppress(urllib.error.HTTPError):  # while it gets ready
                    told.append(urllib.request.urlopen(f"{url}api/state").read().decode())
                    break
                time.sleep(1)
            interrupt_main()

        threading.Thread(target=fetch).start()

    with contextlib.suppress(KeyboardInterrupt):
        serve(
            lambda: Session(game_spec("tkm"), {}, opponent="random", seed=1),
            ready=ask,
            host="127.0.0.1",
            port=0,
            allow_remote=False,
        )
    assert "position" in told[0]


@feature
def widgets() -> None:
    from tkm_env.play.notebook import play_widget

    play_widget(opponent="greedy")


@feature
def tools_for_language_models() -> None:
    lines = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-03-26",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    served = subprocess.Popen(
        [sys.executable, "-m", "tkm_env", "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with served:
        assert served.stdin is not None
        assert served.stdout is not None
        for line in lines:
            served.stdin.write(json.dumps(line) + "\n")
        served.stdin.flush()
        answers = [json.loads(served.stdout.readline()) for _ in range(2)]
        served.stdin.close()
    assert "legal_turns" in json.dumps(answers[1])


@feature
def pictures() -> None:
    matches()
    tkm("gif", "games.jsonl", "-o", "game.gif")
    tkm("gif", "games.jsonl", "-o", "game.svg")
    tkm("replay", "games.jsonl", "-o", "game.html")
    assert Path("game.gif").read_bytes()[:3] == b"GIF"
    import tkm_env.tkm_v0

    env = tkm_env.tkm_v0.env(render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().ndim == 3


@feature
def analysis() -> None:
    matches()
    tkm("replay", "games.jsonl", "-o", "game.html", "--analyse", "alphabeta:depth=1")
    tkm("analyse", "--agent", "alphabeta:depth=1", "--lines", "1")
    tkm("perft", "--depth", "2")


@feature
def training() -> None:
    tkm(
        "train",
        "mine.npz",
        "--games",
        "40",
        "--round-games",
        "20",
        "--rating-games",
        "4",
        "--width",
        "8",
        "--narrow",
        "4",
    )
    assert Path("mine.npz").exists()


@feature
def pages_of_a_league() -> None:
    from tkm_env.arena.league.app import new_app
    from tkm_env.arena.league.league import League

    tkm("league", "new", "cup")
    league = League(Path("cup"), None)
    client = new_app(league).test_client()
    client.environ_base["HTTP_HOST"] = "127.0.0.1"
    page = client.get("/", follow_redirects=True)
    assert page.status_code == 200, page.text


@feature
def games_of_a_league() -> None:
    tkm("league", "new", "cup")
    from tkm_env.arena.league.league import League

    League(Path("cup"), None)
    file = Path("cup/league.toml")
    file.write_text(
        file.read_text("utf-8").replace("games_per_player = 200", "games_per_player = 2"), "utf-8"
    )
    tkm("league", "play", "cup", "--once", "--processes", "1")


@feature
def new_assignments() -> None:
    tkm("course", "new", "mycourse", "--no-check", "--seed", "1")
    assert Path("mycourse/student").is_dir()


@feature
def grading() -> None:
    new_assignments()
    spec = "mycourse/public_tests/grading.toml"
    tkm(
        "course",
        "grade",
        "mycourse/staff/solution",
        "--spec",
        spec,
        "--question",
        "q1",
        "--isolation",
        "process",
    )


@feature
def windows_on_the_screen() -> None:
    import tkm_env.tkm_v0

    os.environ["SDL_VIDEODRIVER"] = "dummy"
    env = tkm_env.tkm_v0.env(render_mode="human")
    env.reset(seed=1)
    env.step(0)
    env.close()


def main(name: str) -> None:
    from tkm_env.foundations.errors import TKMError

    try:
        FEATURES[name]()
    except (RefusedError, TKMError) as error:
        print(f"{type(error).__name__}: {error}")
        sys.exit(REFUSED)


if __name__ == "__main__":
    if sys.argv[1] == "--list":
        print(*FEATURES)
    else:
        main(sys.argv[1])
