"""Ray plays the same games as one process, even if nodes fail, and leaves nothing behind."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.isolation.programs import processes_of
from tkm_env import ConfigError, GameConfig, MissingExtraError, PositionError
from tkm_env.arena.match import Match
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.schedule import Entrant, ScheduledGame
from tkm_env.arena.playing.workers import Workers
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.evaluation.starts import Settings

#: Writes down every game that it begins. In the fifth and all later ones it waits for a file.
BOT = """
import os
import time
from pathlib import Path

HERE = Path(__file__).parent

class Waiting:
    def reset(self, seed=None):
        file = os.open(HERE / "begun", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, b".")
        self.number = os.lseek(file, 0, os.SEEK_CUR)
        os.close(file)

    def act(self, game):
        while self.number > 4 and not (HERE / "go").exists():
            time.sleep(0.01)
        return game.legal_actions()[0]
"""

CONDITIONS = Conditions(turn_seconds=600.0)
TWO_GAMES = (Settings("tkm", GameConfig(max_turns=6)), Settings("terminus"))


def tournament(folder: Path) -> Tournament:
    """Twelve pairs of games of two games; in eight of them a bot plays that waits half-way."""
    (folder / "bot.py").write_text(BOT, "utf-8")
    players = (
        Entrant("Ann", "random"),
        Entrant("Bob", "greedy"),
        Entrant("Zoe", f"{folder / 'bot.py'}:Waiting"),
    )
    return Tournament(players, TWO_GAMES, pairs=2, seed=5, conditions=CONDITIONS)


def reproducible(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Records without what is measured."""
    return [
        {key: value for key, value in record.items() if key not in ("seconds", "memory", "cpu")}
        for record in records
    ]


def begun(folder: Path) -> int:
    """How many games the bot has begun."""
    path = folder / "begun"
    return path.stat().st_size if path.exists() else 0


def wait_half_way(folder: Path) -> None:
    """Wait until the bot waits in two games."""
    patience = time.monotonic() + 120
    while begun(folder) < 6 and time.monotonic() < patience:
        time.sleep(0.01)


def gone(mark: str) -> bool:
    """Whether all processes on whose command line this mark is have ended; some need a moment."""
    patience = time.monotonic() + 60
    while processes_of(mark) and time.monotonic() < patience:
        time.sleep(0.05)
    return not processes_of(mark)


def test_without_ray_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "tkm_env.arena.playing.ray_workers", raising=False)
    with pytest.raises(
        MissingExtraError, match=r"ray is not installed: python -m pip install -e '\.\[ray\]'"
    ):
        importlib.import_module("tkm_env.arena.playing.ray_workers")


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs the extra [ray]")
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"
)
class TestRay:
    @pytest.fixture(autouse=True)
    def temporary(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
        """A folder for what Ray writes: a short one, since names of sockets must be short."""
        folder = tempfile.mkdtemp(prefix="ray-")
        monkeypatch.setenv("RAY_TMPDIR", folder)
        yield folder
        assert gone(folder)
        shutil.rmtree(folder)

    @pytest.fixture
    def workers(self) -> Callable[..., Callable[[], Workers]]:
        from tkm_env.arena.playing.ray_workers import RayWorkers

        def made(*arguments: Any) -> Callable[[], Workers]:
            return lambda: RayWorkers(CONDITIONS, *arguments)

        return made

    @pytest.fixture
    def connected(self, temporary: str) -> Iterator[None]:
        """This process has a Ray of its own."""
        import ray

        ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
        yield
        assert ray.is_initialized()
        ray.shutdown()

    def test_ray_plays_what_one_process_plays(self, tmp_path: Path, workers: Any) -> None:
        (tmp_path / "go").touch()
        played = list(tournament(tmp_path).play(workers=workers(None, 2)))
        assert gone(str(tmp_path))
        assert begun(tmp_path) == 16
        assert reproducible(played) == reproducible(tournament(tmp_path).play())

    def test_a_node_that_is_killed_half_way_costs_no_game_and_doubles_none(
        self, tmp_path: Path, workers: Any
    ) -> None:
        from ray.cluster_utils import Cluster

        cluster = Cluster(
            initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
        )
        node = cluster.add_node(num_cpus=1)

        def kill() -> None:
            wait_half_way(tmp_path)  # the fifth game on one node, the sixth on the other one
            programs = len(processes_of(str(tmp_path)))
            cluster.remove_node(node, allow_graceful=False)
            patience = time.monotonic() + 60
            while len(processes_of(str(tmp_path))) == programs and time.monotonic() < patience:
                time.sleep(0.01)  # or the node might end its game before it notices
            (tmp_path / "go").touch()

        killer = threading.Thread(target=kill)
        killer.start()
        save = tmp_path / "games.jsonl"
        try:
            played = list(tournament(tmp_path).play(save, workers=workers(cluster.address)))
        finally:
            killer.join()
            cluster.shutdown()
        assert begun(tmp_path) > 16, "no game was begun again"
        assert reproducible(played) == reproducible(tournament(tmp_path).play())
        assert len(save.read_text("utf-8").splitlines()) == 24
        assert gone(str(tmp_path))

    def test_a_tournament_that_is_given_up_ends_what_is_being_played(
        self, tmp_path: Path, workers: Any
    ) -> None:
        (tmp_path / "begun").write_text("....", "utf-8")
        with closing(tournament(tmp_path).play(workers=workers(None, 2))) as records:
            next(records)
            wait_half_way(tmp_path)
        assert gone(str(tmp_path))

    def test_games_whose_pair_is_incomplete_are_played(
        self, tmp_path: Path, workers: Any, connected: None
    ) -> None:
        match = Match("random", "greedy", 6, GameConfig(max_turns=6), seed=2)
        records = list(match.play(tmp_path / "all.jsonl"))
        lines = (tmp_path / "all.jsonl").read_bytes().splitlines(keepends=True)
        save = tmp_path / "some.jsonl"
        save.write_bytes(lines[0] + lines[3])
        played = list(match.play(save, resume=True, workers=workers()))
        assert reproducible(played) == reproducible(records)
        playing = workers()()
        for number, fixture in enumerate([*match.fixtures()][1:4]):
            before = playing.capacity
            playing.submit(number, fixture)
            # The second one completes a block, since the players are the same.
            assert playing.capacity - before == (-1 if number == 1 else 1)
        found = dict(pair for _ in range(2) for pair in playing.wait())
        assert reproducible(found[number] for number in range(3)) == reproducible(records[1:4])
        playing.close()

    def test_an_error_of_a_game_is_told_as_it_is(self, workers: Any, connected: None) -> None:
        playing = workers()()
        playing.submit(
            0,
            ScheduledGame(
                Settings("tkm"),
                "nowhere",
                0,
                1,
                (Entrant("Ann", "random"), Entrant("Bob", "random")),
            ),
        )
        ((number, error),) = playing.wait()
        assert (number, type(error)) == (0, PositionError)
        assert "nowhere" in str(error)
        playing.submit(
            1,
            ScheduledGame(
                Settings("tkm"), 2, 2, 1, (Entrant("Ann", "random"), Entrant("Bob", "nobody"))
            ),
        )
        ((number, error),) = playing.wait()
        assert (number, type(error)) == (1, ConfigError)
        assert "nobody" in str(error)
        playing.close()

    def test_an_address_that_does_not_answer_is_refused(self, workers: Any) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        for address in (
            f"127.0.0.1:{port}",
            f"ray://127.0.0.1:{port}",
            "nowhere",
            "127.0.0.1:99999",
            "",
        ):
            with pytest.raises(ConfigError, match="address="):
                workers(address)()

    def test_a_process_has_one_ray(self, workers: Any, connected: None) -> None:
        with (
            socket.create_server(("127.0.0.1", 0)) as listener,
            pytest.raises(ConfigError, match="address="),
        ):
            workers(f"127.0.0.1:{listener.getsockname()[1]}")()

    def test_invalid_numbers_of_processes_are_refused(self, workers: Any) -> None:
        with pytest.raises(ConfigError, match="processes=0"):
            workers(None, 0)()
