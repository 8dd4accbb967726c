"""The containers of a league are built and started as its page says, where a machine can do that.

No registry is needed: what takes the place of its images is made from the packages of Debian.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "league"
#: The images that the files name.
PYTHON, POSTGRESQL = "docker.io/library/python:3.12-slim", "docker.io/library/postgres:16"
#: What says which authorities the package index is signed by, here and in images of Debian.
AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
#: A stand-in for the image of PostgreSQL, of the package of Debian.
POSTGRESQL_IMAGE = f"""\
FROM {PYTHON}
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql \\
    && mkdir --parents /var/lib/postgresql/data && chown postgres /var/lib/postgresql/data
USER postgres
COPY start /start
CMD ["sh", "/start"]
"""
POSTGRESQL_START = """\
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
data=/var/lib/postgresql/data
if [ ! -e $data/PG_VERSION ]; then
    password=$(mktemp)
    echo "$POSTGRES_PASSWORD" > "$password"
    initdb -D $data -U "$POSTGRES_USER" --pwfile "$password" --encoding UTF8 --auth scram-sha-256
    echo "host all all all scram-sha-256" >> $data/pg_hba.conf
    echo "CREATE DATABASE $POSTGRES_USER" | postgres --single -D $data postgres
fi
exec postgres -D $data -h 0.0.0.0
"""
BOT = "class Bot:\n    def act(self, game):\n        return game.legal_actions()[-1]\n"
#: The step of the Dockerfile from which on everything depends on the package.
COPIED = "COPY tkm_env tkm_env"
#: The limits of a container where nobody may raise those of this process.
LIMITS = '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]\n'


class Containers:
    """Podman with a storage of its own, and the programs of its environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "storage.conf").write_text(
            f'[storage]\ndriver = "overlay"\ngraphroot = "{folder}/images"\n'
            f'runroot = "{folder}/run"\n'
        )
        self.environment = os.environ | {
            "CONTAINERS_STORAGE_CONF": str(folder / "storage.conf"),
            "CONTAINERS_CONF": str(folder / "containers.conf"),
            "LEAGUE_PASSWORD": "secret",
        }

    def run(self, *words: object, cwd: Path = ROOT) -> str:
        """What a command prints, which must succeed."""
        done = subprocess.run(
            [*map(str, words)],
            cwd=cwd,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, f"{words}: {done.stdout[-3000:]}"
        return done.stdout

    def find_runtime(self) -> str:
        """Have podman use a runtime that works here; return why if none does."""
        said = "no runtime is installed"
        for runtime in filter(shutil.which, ("crun", "runc")):
            text = f'{LIMITS}[engine]\nruntime = "{runtime}"\n'
            (self.folder / "containers.conf").write_text(text)
            try:
                self.run("podman", "run", "--rm", "--pull=never", PYTHON, "true")
            except AssertionError as error:
                said = str(error).strip().splitlines()[-1]
            else:
                return ""
        return said


def make_base(containers: Containers) -> str:
    """Make the image with Python; return why if that is not possible here."""
    if missing := [each for each in ("podman", "debootstrap") if shutil.which(each) is None]:
        return ", ".join(missing)
    if os.getuid() != 0:
        return "debootstrap, as root"
    release = Path("/etc/os-release").read_text("utf-8")
    suite = re.search(r"^VERSION_CODENAME=(\w+)$", release, re.MULTILINE)
    if "ID=debian\n" not in release or suite is None:
        return "Debian"
    root = containers.folder / "root"
    packages = "--include=ca-certificates,python3-venv"
    try:
        containers.run("debootstrap", "--variant=minbase", packages, suite[1], root)
    except AssertionError:
        return "the packages of Debian"
    shutil.copy(AUTHORITIES, root / AUTHORITIES.relative_to("/"))
    containers.run("tar", "-C", root, "-cf", containers.folder / "root.tar", ".")
    trusts = f"ENV PIP_CERT={AUTHORITIES}"
    containers.run("podman", "import", "--change", trusts, containers.folder / "root.tar", PYTHON)
    return containers.find_runtime()


@pytest.fixture(scope="module")
def containers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Containers]:
    """Containers, of which there is an image with Python."""
    found = Containers(tmp_path_factory.mktemp("containers"))
    (found.folder / "containers.conf").write_text(LIMITS)
    if reason := make_base(found):
        pytest.skip(f"needs containers: {reason}")
    yield found
    found.run("podman", "rmi", "--all", "--force")


def changed_source(folder: Path) -> Path:
    """A copy of what the image is built from, in which the package has changed."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "tkm_env", folder / "tkm_env", ignore=ignore)
    (folder / "docs").mkdir()
    for name in ("LICENSE", "README.md", "docs/board.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    with (folder / "tkm_env" / "__init__.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    return folder


def wait_for(what: Callable[[], Any], seconds: float = 600) -> Any:
    """What a function returns once it is true."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, "it does not come true"
        time.sleep(1)
    return found


def answer_of(address: str) -> Any:
    """What an address of the pages answers; None while they do not."""
    try:
        with urlopen(f"http://127.0.0.1:8080{address}", timeout=10) as answer:
            return json.load(answer)
    except (URLError, ConnectionError):
        return None


@pytest.mark.nightly  # ten minutes; and browsers stop loading when the machine's networks change
def test_a_league_is_built_and_started_and_its_bots_run_in_the_sandbox(
    containers: Containers, tmp_path: Path
) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    containers.run(tmp_path / "venv" / "bin" / "pip", "install", "--quiet", "podman-compose>=1.1")
    database = tmp_path / "database"
    database.mkdir()
    (database / "Dockerfile").write_text(POSTGRESQL_IMAGE)
    (database / "start").write_text(POSTGRESQL_START)
    containers.run("podman", "build", "--pull=never", "--tag", POSTGRESQL, database)

    def compose(*words: object) -> str:
        program = tmp_path / "venv" / "bin" / "podman-compose"
        return containers.run(program, "--project-name", "cup", *words, cwd=FOLDER)

    compose("build", "pages")
    # A change of the package fetches nothing again.
    before, copied, _ = (FOLDER / "Dockerfile").read_text("utf-8").partition(f"{COPIED}\n")
    changed = changed_source(tmp_path / "changed")
    (tmp_path / "Dockerfile").write_text(before + copied)
    again = containers.run(
        "podman", "build", "--pull=never", "--file", tmp_path / "Dockerfile", changed
    )
    steps = len(re.findall(r"^[A-Z]+ ", before, re.MULTILINE))
    assert again.count("--> Using cache") == steps - 1  # the first names the image before them
    try:
        compose("run", "--rm", "pages", "tkm", "league", "new", "/league", "--title", "Cup")
        compose("up", "--detach", "--no-build")
        wait_for(lambda: (answer_of("/api/league") or {"games": 0})["games"])
        for service in ("database", "pages"):
            containers.run("podman", "healthcheck", "run", f"cup_{service}_1")
        assert compose("exec", "-T", "pages", "id", "--name", "--user").split()[-1] == "league"
        issued = compose("exec", "-T", "pages", "tkm", "league", "token", "/league", "ann")
        token = issued.split()[-2]
        (tmp_path / "bot.py").write_text(BOT)
        curl = "curl", "--fail", "--silent", "--header", f"Authorization: Bearer {token}"
        containers.run(*curl, "--form", f"file=@{tmp_path}/bot.py", "http://127.0.0.1:8080/bots")
        games = "/api/tables/season-1/games?player=ann"
        wait_for(lambda: (answer_of(games) or {"total": 0})["total"])
        containers.run("podman", "kill", "cup_play_1")
        before = answer_of(games)["total"]
        containers.run("podman", "start", "cup_play_1")
        wait_for(lambda: answer_of(games)["total"] > before)
        record = answer_of(f"/api/tables/season-1/{answer_of(games)['games'][0]['number']}")
        (side,) = (side for side, name in record["players"].items() if name == "ann")
        assert record["isolation"][side] == "sandbox"
        # What docs/league.md says about the sandbox in a container; a system may offer more.
        assert {*record["unprotected"][side]} <= {"user", "memory", "landlock"}
    finally:
        compose("down", "--volumes")


def test_what_the_image_copies_and_nothing_else_is_sent() -> None:
    rules = (FOLDER / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    sent = {rule.removeprefix("!") for rule in rules if rule.startswith("!")}
    dockerfile = (FOLDER / "Dockerfile").read_text("utf-8")
    copied = [words.split()[:-1] for words in re.findall(r"^COPY (.+)$", dockerfile, re.MULTILINE)]
    assert sent == {each for some in copied for each in some}
    assert "*" in rules
    assert all((ROOT / each).exists() for each in sent)
