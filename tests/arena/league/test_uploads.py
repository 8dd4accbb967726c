"""What people upload, in the ways of their tools and of attackers, and what they are told.

Each kind is a row: those that are refused at once, those that are kept, and those that the check
refuses or lets play.
"""

from __future__ import annotations

import bz2
import dataclasses
import gzip
import io
import lzma
import re
import stat
import struct
import sys
import tarfile
import unicodedata
import zipfile
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.arena.league.leagues import BOT, archive, small_league
from tests.arena.league.test_league import client_of, send
from tests.foundations.test_archives import FOREIGN
from tkm_env.arena.league.database import PLAYING, REFUSED, WAITING
from tkm_env.arena.league.league import League
from tkm_env.arena.league.playing import check_bot
from tkm_env.foundations.archives import MAX_DEPTH, MAX_FILES, MAX_NAME
from tkm_env.foundations.errors import PlayerError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")

RUN = "#!/bin/sh\n"


def packed(
    *entries: tuple[str, str | bytes, int],
    method: int = zipfile.ZIP_DEFLATED,
    comment: bytes = b"",
    before: bytes = b"",
) -> bytes:
    """A zip archive of names as they are, contents and modes; ``before`` stands before it."""
    content = io.BytesIO()
    content.write(before)
    with zipfile.ZipFile(content, "a" if before else "w", method) as opened:
        opened.comment = comment
        for name, text, mode in entries:
            entry = zipfile.ZipInfo("x")
            entry.filename, entry.external_attr, entry.compress_type = name, mode << 16, method
            opened.writestr(entry, text)
    return content.getvalue()


def beside(name: str, text: str | bytes = "", mode: int = 0) -> bytes:
    """An archive with a bot, and with something else."""
    return packed(("bot.py", BOT, 0), (name, text, mode))


def changed(content: bytes, *changes: tuple[bytes, int, str, int]) -> bytes:
    """An archive with numbers exchanged, each at a distance from some first bytes."""
    made = bytearray(content)
    for begin, distance, form, value in changes:
        struct.pack_into(form, made, made.index(begin) + distance, value)
    return bytes(made)


class _Stream(io.RawIOBase):
    """A pipe: a tool that writes there cannot go back to note the sizes of files."""

    def __init__(self) -> None:
        self.content = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.content += bytes(data)
        return len(data)


def streamed() -> bytes:
    stream = _Stream()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("bot.py", BOT)
    return stream.content


def large() -> bytes:
    """An archive with the numbers of 64 bits that archives of more than 4 GiB need."""
    content = io.BytesIO()
    with (
        zipfile.ZipFile(content, "w") as opened,
        opened.open("bot.py", "w", force_zip64=True) as file,
    ):
        file.write(BOT.encode())
    return content.getvalue()


def overlapping() -> bytes:
    """An archive whose second file lies where the first one does, as in the densest bombs."""
    content = packed(("bot.py", BOT, 0), ("b.py", BOT, 0), method=zipfile.ZIP_STORED)
    second = content.rindex(_CENTRAL)
    made = bytearray(content)
    struct.pack_into("<I", made, second + 42, 0)
    return bytes(made)


def tar(form: int, **entry: Any) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=form) as opened:
        added = tarfile.TarInfo("b\u00f6t.py")
        for key, value in entry.items():
            setattr(added, key, value)
        opened.addfile(added)
    return content.getvalue()


#: The first bytes of the description of a file, before it and at the archive's end.
_LOCAL, _CENTRAL = b"PK\x03\x04", b"PK\x01\x02"
_ENCRYPTED = ((_LOCAL, 6, "<H", 1), (_CENTRAL, 8, "<H", 1))
_SHORTER = ((_LOCAL, 22, "<I", 9), (_CENTRAL, 24, "<I", 9))
_HOLDS = "it must hold one of bot.py, agent.py, run; it holds "
_FEW = "compressed in a way that few programs can read"

#: Refused at once: the content, the name of the file, and what is said.
REFUSED_AT_ONCE: dict[str, tuple[bytes, str, str]] = {
    # Archives that cannot be read.
    "nothing, as an archive": (b"", "bot.zip", "no zip archive, or only a part of one"),
    "text, as an archive": (b"PK, but no archive", "bot.zip", "no zip archive"),
    "the first half of an archive": (
        archive({"bot.py": BOT * 99})[:-40],
        "bot.zip",
        "no zip archive, or only a part of one",
    ),
    "half an archive, as Python": (archive({"bot.py": BOT * 99})[:-40], "bot.py", "only a part"),
    "a part of a split archive": (b"PK\x07\x08" + _LOCAL + bytes(99), "bot.z01", "only a part"),
    "a damaged file": (
        packed(("bot.py", BOT, 0), method=zipfile.ZIP_STORED).replace(b"class", b"klass"),
        "bot.zip",
        "Bad CRC-32",
    ),
    "an encrypted archive": (
        changed(archive({"bot.py": BOT}), *_ENCRYPTED),
        "bot.zip",
        "'bot.py' is encrypted",
    ),
    "bzip2 within zip": (packed(("bot.py", BOT, 0), method=zipfile.ZIP_BZIP2), "bot.zip", _FEW),
    "LZMA within zip": (packed(("bot.py", BOT, 0), method=zipfile.ZIP_LZMA), "bot.zip", _FEW),
    "Deflate64, as Explorer has it": (
        changed(archive({"bot.py": BOT}), (_LOCAL, 8, "<H", 9), (_CENTRAL, 10, "<H", 9)),
        "bot.zip",
        _FEW,
    ),
    # Archives that are too large, or pretend.
    "a bomb": (archive({"bot.py": b"\0" * (5 << 20)}), "bot.zip", "more than 2,000 files"),
    "a bomb of overlapping files": (overlapping(), "bot.zip", "it cannot be unpacked"),
    "a bomb that says it is small": (
        changed(archive({"bot.py": b"\0" * (5 << 20)}), *_SHORTER),
        "bot.zip",
        "Bad CRC-32",
    ),
    "too many files": (
        packed(("bot.py", BOT, 0), *((f"{number}", "", 0) for number in range(MAX_FILES))),
        "bot.zip",
        "more than 2,000 files",
    ),
    "too many folders": (
        packed(("bot.py", BOT, 0), *((f"{number}/", "", 0) for number in range(MAX_FILES))),
        "bot.zip",
        "more than 2,000 files and folders",
    ),
    "too large to be sent": (b"\0" * (2 << 20), "bot.py", "exceeds"),
    # Names.
    "an absolute path": (archive({"/bot.py": BOT}), "bot.zip", "not an allowed path"),
    "a path upwards": (archive({"../bot.py": BOT}), "bot.zip", "not an allowed path"),
    "a path up and down": (beside("lib/../../bot.py"), "bot.zip", "not an allowed path"),
    "a path upwards, of Windows": (beside("..\\bot.py"), "bot.zip", "not an allowed path"),
    "a drive": (beside("C:\\bot.py"), "bot.zip", "not an allowed path"),
    "a share": (beside("\\\\server\\bot.py"), "bot.zip", "not an allowed path"),
    "a stream of Windows": (beside("bot.py:x"), "bot.zip", "not an allowed path"),
    "a tower of folders": (beside("x/" * MAX_DEPTH + "y"), "bot.zip", "not an allowed path"),
    "a very long name": (beside("x" * 300), "bot.zip", f"longer than {MAX_NAME} bytes"),
    "a name that is long in bytes": (beside("\u4e2d" * 90), "bot.zip", "longer than"),
    "a very long path": (
        beside("/".join(["x" * 200] * 60)),
        "bot.zip",
        "it cannot be unpacked: File name too long",
    ),
    "a file without a name": (beside(".", "text"), "bot.zip", "has no name"),
    "a name twice": (beside("bot.pX").replace(b"pX", b"py"), "bot.zip", "have the same name"),
    "a name twice, once with a dot": (beside("./bot.py"), "bot.zip", "have the same name"),
    "names that differ in case": (beside("BOT.py"), "bot.zip", "some systems take for the same"),
    "names in two forms of Unicode": (
        packed(*((unicodedata.normalize(form, "\u00e9.py"), "", 0) for form in ("NFC", "NFD"))),
        "bot.zip",
        "some systems take for the same",
    ),
    "a file that is a folder, too": (beside("bot.py/x"), "bot.zip", "has the name of a folder"),
    # What is not a regular file.
    "a link instead of a bot": (
        packed(("bot.py", "/etc/passwd", stat.S_IFLNK | 0o777)),
        "bot.zip",
        "'bot.py' is not a file",
    ),
    "a link to a folder": (beside("lib", "..", stat.S_IFLNK | 0o777), "bot.zip", "not a file"),
    **{
        f"a {kind}": (beside("it", "", mode | 0o666), "bot.zip", "'it' is not a file")
        for kind, mode in (
            ("pipe", stat.S_IFIFO),
            ("socket", stat.S_IFSOCK),
            ("disk", stat.S_IFBLK),
            ("terminal", stat.S_IFCHR),
        )
    },
    # Other archives, however they are named; the names of their kinds are tested with archives.
    **{
        f"{kind}, by {filename}": (content, filename, f"it is {kind}")
        for kind, content in FOREIGN.items()
        for filename in ("bot.zip", "bot")
    },
    "tar with headers of POSIX": (
        tar(tarfile.PAX_FORMAT, pax_headers={"comment": "x"}),
        "bot.tar",
        "it is a tar archive",
    ),
    "tar of GNU, sparse": (
        tar(tarfile.GNU_FORMAT, type=tarfile.GNUTYPE_SPARSE),
        "bot.tar",
        "it is a tar archive",
    ),
    "tar with a hard link": (
        tar(tarfile.USTAR_FORMAT, type=tarfile.LNKTYPE, linkname="/etc/passwd"),
        "bot.tar",
        "it is a tar archive",
    ),
    "tar with a device": (
        tar(tarfile.USTAR_FORMAT, type=tarfile.BLKTYPE),
        "bot.tar",
        "it is a tar archive",
    ),
    "tar.gz": (gzip.compress(tar(tarfile.PAX_FORMAT)), "bot.tgz", "it is a gzip archive"),
    "tar.bz2": (bz2.compress(tar(tarfile.PAX_FORMAT)), "bot.tar.bz2", "it is a bzip2 archive"),
    "tar.xz": (lzma.compress(tar(tarfile.PAX_FORMAT)), "bot.tar.xz", "it is an xz archive"),
    # Archives without a bot.
    "an empty archive": (archive({}), "bot.zip", f"{_HOLDS}nothing"),
    "an empty archive, by no name": (archive({}), "bot", f"{_HOLDS}nothing"),
    "only folders": (packed(("a/", "", 0), ("b/", "", 0)), "bot.zip", f"{_HOLDS}nothing"),
    "only what Finder adds": (archive({"__MACOSX/._bot.py": ""}), "bot.zip", _HOLDS),
    "only a readme": (archive({"readme.txt": "hello"}), "bot.zip", f"{_HOLDS}'readme.txt'"),
    "two bots": (archive({"ann/bot.py": BOT, "bob/bot.py": BOT}), "z.zip", f"{_HOLDS}'ann', 'bob'"),
    "another name": (archive({"main.py": BOT}), "bot.zip", f"{_HOLDS}'main.py'"),
    "another case": (archive({"Bot.py": BOT}), "bot.zip", f"{_HOLDS}'Bot.py'"),
    "a folder of that name": (archive({"bot.py/x.py": BOT}), "bot.zip", f"{_HOLDS}'x.py'"),
    "an archive in an archive": (
        archive({"bot.zip": archive({"bot.py": BOT})}),
        "bot.zip",
        f"{_HOLDS}'bot.zip'",
    ),
    "only sources": (
        archive({f"{name}.c": "" for name in "abcdef"}),
        "bot.zip",
        f"{_HOLDS}'a.c', 'b.c', 'c.c', 'd.c' and 2 more",
    ),
    "a script of another name": (archive({"run.sh": RUN}), "bot.zip", f"{_HOLDS}'run.sh'"),
    "a package of Java": (archive({"Bot.class": ""}), "bot.jar", f"{_HOLDS}'Bot.class'"),
    "a wheel": (archive({"bot-1.dist-info/RECORD": ""}), "bot.whl", _HOLDS),
    "a notebook in an archive": (archive({"bot.ipynb": "{}"}), "bot.zip", f"{_HOLDS}'bot.ipynb'"),
}


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> League:
    """A league in which one may upload as much as one likes."""
    folder = tmp_path_factory.mktemp("uploads") / "league"
    small_league(folder)
    text = (folder / "league.toml").read_text("utf-8")
    (folder / "league.toml").write_text(
        text.replace("uploads_per_day = 4", "uploads_per_day = 10_000"), "utf-8"
    )
    return League(folder)


@pytest.fixture(scope="module")
def token(league: League) -> str:
    return league.store.issue_token("ann")


@pytest.mark.parametrize("kind", REFUSED_AT_ONCE)
def test_what_holds_no_bot_is_refused_at_once_and_leaves_nothing(
    league: League, token: str, kind: str
) -> None:
    content, filename, words = REFUSED_AT_ONCE[kind]
    before = {*(league.folder / "bots").iterdir()}
    answer = send(client_of(league), token, content, filename)
    assert answer.status_code in (400, 413), answer.text
    assert words in answer.json["message"]
    assert str(league.folder) not in answer.text
    assert {*(league.folder / "bots").iterdir()} == before


_PYTHON, _PROGRAM = {"bot.py": 0o644}, {"run": 0o755}
#: Kept: the content, the name of the file, and the modes of the bot's files, by their names.
KEPT: dict[str, tuple[bytes, str, dict[str, int]]] = {
    "not compressed": (packed(("bot.py", BOT, 0), method=zipfile.ZIP_STORED), "z.zip", _PYTHON),
    "written to a pipe": (streamed(), "z.zip", _PYTHON),
    "numbers of 64 bits": (large(), "z.zip", _PYTHON),
    "with a comment": (packed(("bot.py", BOT, 0), comment=b"hello"), "z.zip", _PYTHON),
    "that unpacks itself": (packed(("bot.py", BOT, 0), before=b"#!/bin/sh\n"), "z.zip", _PYTHON),
    "with something behind it": (archive({"bot.py": BOT}) + bytes(99), "z.zip", _PYTHON),
    "made to be split": (b"PK\x07\x08" + archive({"bot.py": BOT}), "z.zip", _PYTHON),
    "an archive by no name": (archive({"bot.py": BOT}), "bot", _PYTHON),
    "an archive by a wrong name": (archive({"bot.py": BOT}), "bot.py", _PYTHON),
    "an archive in capitals": (archive({"bot.py": BOT}), "BOT.ZIP", _PYTHON),
    "in folders": (archive({"a/b/c/bot.py": BOT}), "z.zip", _PYTHON),
    "in a folder, by Finder": (
        archive({"a/bot.py": BOT, "__MACOSX/a/._bot.py": "", ".DS_Store": ""}),
        "z.zip",
        _PYTHON,
    ),
    "by Windows": (packed(("a\\bot.py", BOT, 0), ("a\\", "", 0)), "z.zip", _PYTHON),
    "by another of its names": (archive({"agent.py": BOT}), "z.zip", {"agent.py": 0o644}),
    "with empty folders": (packed(("bot.py", BOT, 0), ("x/" * 500, "", 0)), "z.zip", _PYTHON),
    "both kinds": (archive({"bot.py": BOT, "run": RUN}), "z.zip", {**_PYTHON, **_PROGRAM}),
    "no bit to run": (packed(("run", RUN, stat.S_IFREG | 0o644)), "z.zip", _PROGRAM),
    "no permissions": (packed(("run", RUN, stat.S_IFREG)), "z.zip", _PROGRAM),
    "more rights than are due": (packed(("run", RUN, stat.S_IFREG | 0o6777)), "z.zip", _PROGRAM),
    "an odd name beside it": (beside("a\nb\x1b[2J"), "z.zip", {**_PYTHON, "a\nb\x1b[2J": 0o644}),
    "a name cut by a zero": (packed(("bot.py\0x", BOT, 0)), "z.zip", _PYTHON),
    "a file": (BOT.encode(), "mine.py", _PYTHON),
    "a file in capitals": (BOT.encode(), "MINE.PY", _PYTHON),
    "nothing": (b"", "bot.py", _PYTHON),
    "a script": (RUN.encode(), "bot.sh", _PROGRAM),
    "a script before an archive": (packed(("x", "", 0), before=b"#!/bin/sh\n"), "run", _PROGRAM),
}


@pytest.mark.parametrize("kind", KEPT)
def test_a_bot_is_found_however_it_is_packed(league: League, token: str, kind: str) -> None:
    content, filename, modes = KEPT[kind]
    answer = send(client_of(league), token, content, filename)
    assert answer.status_code == 201, answer.text
    (bot,) = league.store.bots(WAITING)
    place = league.folder / "bots" / bot.folder / "bot"
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()} == modes
    assert league.entrant(bot).name == "ann"


class Checked(NamedTuple):
    """A bot that is kept, and what its check says."""

    content: str | bytes
    filename: str = "run"
    words: str = ""  # of the log, a regular expression
    state: str = REFUSED
    seconds: float = 60.0  # the time for its first answer


def shell(body: str) -> str:
    """A program that answers what is asked first, and then does something."""
    return f"{RUN}read -r line\necho tkm 1 name=x\n{body}\n"


_STARTS = "the first line of a script names what runs it"
#: Checked quickly, since they never play.
CHECKED: dict[str, Checked] = {
    "nothing, as a program": Checked("", words="it is empty"),
    "a script without a first line": Checked("echo hello\n", words=_STARTS),
    "a space before the first line": Checked(" #!/bin/sh\n", words=_STARTS),
    "a first line that names nothing": Checked("#!\n", words=_STARTS),
    "Python by another name": Checked(BOT, "bot.py.txt", _STARTS),
    "a notebook": Checked('{"cells": []}', "bot.ipynb", _STARTS),
    "source code": Checked("int main() {}", "bot.c", _STARTS),
    "an old tar": Checked(b"bot.py" + bytes(506), "bot.tar", _STARTS),
    "a program for Windows": Checked(b"MZ\x90\0" + bytes(99), "bot.exe", "for Windows"),
    "a program for macOS": Checked(b"\xcf\xfa\xed\xfe" + bytes(99), "run", "for macOS"),
    "compiled Java": Checked(b"\xca\xfe\xba\xbe\0\0\0\x41", "Bot.class", "compiled Java"),
    "another processor": Checked(
        b"\x7fELF\x02\x01\x01" + bytes(99), words="another kind of processor"
    ),
    "Windows' ends of lines": Checked("#!/bin/sh\r\n", words="ends in a carriage return"),
    "Windows' ends of lines, by env": Checked("#!/usr/bin/env sh\r\n", words="carriage return"),
    "a byte order mark": Checked(b"\xef\xbb\xbf#!/bin/sh\n", words="byte order mark"),
    "UTF-16": Checked(RUN.encode("utf-16"), words=_STARTS),
    "no interpreter": Checked("#!/opt/none -u\n", words="'/opt/none', which its first line names"),
    "no interpreter, by env": Checked("#!/usr/bin/env none\n", words="exit code 127: .*none"),
    "a folder as interpreter": Checked("#!/usr\n", words="'/usr', may not be executed"),
    "an end at once": Checked(f"{RUN}exit 3\n", words="exit code 3"),
    "a reason on standard error": Checked(f"{RUN}echo why >&2; exit 3\n", words="  why$"),
    "a greeting before the first request": Checked(
        f"{RUN}echo hello\nsleep 60\n", words="it wrote without a request: b'hello"
    ),
    "another answer": Checked(f"{RUN}read -r line\necho hello\nsleep 60\n", words="'hello'"),
    "another version": Checked(f"{RUN}read -r line\necho tkm 9 name=x\nsleep 60\n", words="tkm 9"),
    "bytes that are no text": Checked(
        f"{RUN}read -r line\nprintf '\\377\\376\\n'\nsleep 60\n", words="FAIL  it answers tkm"
    ),
    "a line without end": Checked(
        f"{RUN}read -r line\ntr '\\0' x < /dev/zero\n", words="FAIL  it answers tkm"
    ),
    "an end after the first answer": Checked(shell("exit 0"), words="exit code 0"),
    "an illegal action": Checked(
        f"{RUN}while read -r verb rest; do\n  case $verb in\n    tkm) echo tkm 1 name=x;;\n"
        "    go) echo play concede;;\n  esac\ndone\n",
        words="'concede' is not legal",
    ),
    "words without a request": Checked(shell("echo again\nsleep 60"), words="without a request"),
    "a kill of its parent": Checked(shell("kill -9 $PPID\nsleep 60"), words="FAIL  it "),
    "children that stay": Checked(shell("sleep 600 & sleep 600 &\nexit 0"), words="exit code 0"),
}
#: Checked by Python, or with deadlines.
CHECKED_SLOWLY: dict[str, Checked] = {
    "silence": Checked(f"{RUN}sleep 600\n", words="it has not written a line", seconds=1.0),
    "a closed output": Checked(shell("exec >&-\nsleep 60"), words="closed its standard output"),
    "silence after the first answer": Checked(
        shell("sleep 600"), words="no answer in time", seconds=3.0
    ),
    "forks": Checked(shell(":(){ : | : & }; :\nsleep 600"), words="FAIL  it "),
    "nothing, as Python": Checked("", "bot.py", "holds no classes or functions, not 'Bot'"),
    "another class": Checked("class Agent: pass\n", "bot.py", "holds 'Agent', not 'Bot'"),
    "a class that cannot act": Checked("class Bot: pass\n", "bot.py", r"it has no act\(game\)"),
    "no Python": Checked("print 'x'\n", "bot.py", "line 1: SyntaxError"),
    "tabs and spaces": Checked("if 1:\n        x = 1\n\ty = 2\n", "bot.py", "line 3: TabError"),
    "Python in UTF-16": Checked(BOT.encode("utf-16"), "bot.py", "SyntaxError"),
    "a missing library": Checked("import nowhere\n", "bot.py", "No module named 'nowhere'"),
    "an exception": Checked("raise ValueError('why')\n", "bot.py", "ValueError: why"),
    "an end while it is imported": Checked("raise SystemExit('why')\n", "bot.py", "why"),
    "an exception in its first turn": Checked(
        "class Bot:\n    def act(self, game):\n        return 1 // 0\n",
        "bot.py",
        "ZeroDivisionError",
    ),
    "an action that there is not": Checked(
        "class Bot:\n    def act(self, game):\n        return 'fly'\n", "bot.py", "'fly'"
    ),
    "Windows' ends of lines, in Python": Checked(
        BOT.replace("\n", "\r\n"), "bot.py", "it starts again", PLAYING
    ),
    "a byte order mark, in Python": Checked(
        b"\xef\xbb\xbf" + BOT.encode(), "bot.py", "it starts again", PLAYING
    ),
    "a declared encoding": Checked(
        f"# coding: latin-1\n# \xe9\n{BOT}".encode("latin-1"), "bot.py", "it starts again", PLAYING
    ),
    "words while it is imported": Checked(
        f"print('hello')\n{BOT}", "bot.py", "it starts again", PLAYING
    ),
    "modules and data beside it": Checked(
        archive(
            {
                "mine/bot.py": "from pathlib import Path\nfrom lib.helper import Bot\n"
                "assert (Path(__file__).parent / 'data.txt').read_text() == 'x'\n",
                "mine/lib/__init__.py": "",
                "mine/lib/helper.py": BOT,
                "mine/data.txt": "x",
            }
        ),
        "bot.zip",
        "it starts again",
        PLAYING,
    ),
}


def _check(league: League, token: str, given: Checked) -> None:
    content = given.content.encode() if isinstance(given.content, str) else given.content
    answer = send(client_of(league), token, content, given.filename)
    assert answer.status_code == 201, answer.text
    (bot,) = league.store.bots(WAITING)
    limits = dataclasses.replace(league.conditions.limits, start_seconds=given.seconds)
    with pytest.MonkeyPatch.context() as patched:
        conditions = dataclasses.replace(league.conditions, limits=limits)
        patched.setattr(league, "conditions", conditions)
        check_bot(league, bot)
    person = league.store.person(token)
    assert person is not None
    bot = league.store.bots(person=person)[-1]
    assert bot.state == given.state, bot.log
    assert re.search(given.words, bot.log, re.MULTILINE), bot.log
    place = str(league.folder)
    assert place[: len(place) // 2] not in bot.log, "not even a part of the path"


@pytest.mark.parametrize("kind", CHECKED)
def test_the_author_is_told_what_is_wrong_with_a_program(
    league: League, token: str, kind: str
) -> None:
    _check(league, token, CHECKED[kind])


@pytest.mark.slow
@pytest.mark.parametrize("kind", CHECKED_SLOWLY)
def test_the_author_is_told_what_came_of_the_check(league: League, token: str, kind: str) -> None:
    _check(league, token, CHECKED_SLOWLY[kind])


@pytest.mark.parametrize(("kind", "tries"), [("crash", 1), ("protocol", 1), ("timeout", 3)])
def test_only_a_check_that_failed_by_time_is_tried_again(
    league: League, token: str, monkeypatch: pytest.MonkeyPatch, kind: str, tries: int
) -> None:
    made = []

    class Harness:
        error_output, lines = "", ()

    def check(*_: object) -> Iterator[tuple[str, None, PlayerError, Any]]:
        made.append(kind)
        yield "it starts", None, PlayerError("ann", "it failed", kind), Harness()

    monkeypatch.setattr("tkm_env.arena.league.playing.check", check)
    assert send(client_of(league), token, BOT.encode(), "bot.py").status_code == 201
    check_bot(league, *league.store.bots(WAITING))
    assert len(made) == tries
