"""A PostgreSQL server of one's own, where the system has one."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

from tests.arena.league.leagues import wait_until
from tkm_env.arena.league.store import Store
from tkm_env.foundations.errors import ConfigError

_BINARIES = [
    *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True),
    *map(Path, os.environ["PATH"].split(":")),
]
SERVER = next((folder / "postgres" for folder in _BINARIES if (folder / "initdb").exists()), None)
_NAME = "postgres"


class Server:
    """A server whose data is in a folder, made if there is none."""

    def __init__(self, folder: Path) -> None:
        assert SERVER is not None, "needs PostgreSQL"
        self._folder = folder = folder.absolute()
        # It refuses to run as root.
        self._user: dict[str, Any] = (
            {"user": _NAME, "group": _NAME, "extra_groups": []} if os.getuid() == 0 else {}
        )
        if not (folder / "data").exists():
            folder.mkdir(exist_ok=True)
            if self._user:
                shutil.chown(folder, _NAME, _NAME)
            command = [
                str(SERVER.with_name("initdb")),
                "-D",
                f"{folder}/data",
                "-U",
                _NAME,
                "-A",
                "trust",
            ]
            subprocess.run(command, check=True, capture_output=True, cwd=folder, **self._user)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None
        self.url = f"postgresql+psycopg://{_NAME}@127.0.0.1:{self._port}/postgres"
        self.start()

    def start(self) -> None:
        """Have it run; what remains of one that was killed may take a moment to end."""
        command = [
            str(SERVER),
            "-D",
            f"{self._folder}/data",
            "-h",
            "127.0.0.1",
            "-p",
            str(self._port),
            "-k",
            "",
        ]
        quiet: dict[str, Any] = {
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
            "cwd": self._folder,
        }

        def is_there() -> bool:
            if self.process is None or self.process.poll() is not None:
                self.process = subprocess.Popen(command, **quiet, **self._user)
            return self.answers()

        wait_until(is_there, 60)

    def answers(self) -> bool:
        try:
            Store(self.url).check()
        except ConfigError:
            return False
        return True

    def end(self, number: signal.Signals) -> None:
        """End it by a signal: SIGTERM, or SIGKILL for no chance to write anything."""
        assert self.process is not None
        self.process.send_signal(number)
        self.process.wait()
