"""Submissions of a class: exports are read, nothing hostile is unpacked, and everyone has a row."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from tkm_env.course.grading.class_list import ClassList
from tkm_env.course.grading.feedback import class_statistics
from tkm_env.course.grading.handed_in import handed_in
from tkm_env.foundations.archives import MAX_BYTES, MAX_FILES
from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.untrusted_text import file_name, folded_name


def archive(files: Mapping[str, str | bytes]) -> bytes:
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    return content.getvalue()


def put(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def read(folder: Path, tmp_path: Path) -> dict[str, str]:
    """The text of each submission's ``agent.py``, or else its problem."""
    texts = {}
    for name, entry in handed_in(folder, tmp_path / "unpacked").items():
        if entry.path is None:
            texts[name] = entry.problem
        else:
            place = entry.path / "student" if (entry.path / "student").is_dir() else entry.path
            texts[name] = (place / "agent.py" if place.is_dir() else place).read_text("utf-8")
    return texts


def test_submissions_are_found_wherever_students_and_platforms_put_them(tmp_path: Path) -> None:
    handed = put(
        tmp_path / "in",
        {
            "ann/agent.py": "ann",
            "bob/deep/in/here/agent.py": "bob",
            "bob/deep/__MACOSX/agent.py": "not this",
            "cem/student/agent.py": "cem",
            "cem/agent.py": "not this",
            "dan.py": "dan",
            "eve.zip": archive(
                {"work/agent.py": "eve", "work/helper.py": "", "__MACOSX/._agent.py": ""}
            ),
            "fay/inside.zip": archive({"agent.py": "fay"}),
            "gil/my solution.py": "gil",
            "lovelaceada_LATE_123_4567_agent-2.py": "ada",
            "lovelaceada_LATE_123_4568_helper.py": "",
            "turingalan_124_4569_homework.zip": archive({"student/agent.py": "alan"}),
            "Grace Hopper_4567_assignsubmission_file/agent.py": "grace",
            "Edsger Dijkstra_4568_assignsubmission_file_agent.py": "edsger",
            "submission_987/agent.py": "gradescope",
            ".DS_Store": "",
            "notes.txt": "",
        },
    )
    assert read(handed, tmp_path) == {
        **{name: name for name in ("ann", "bob", "cem", "dan", "eve", "fay", "gil")},
        "lovelaceada": "ada",
        "turingalan": "alan",
        "Grace Hopper": "grace",
        "Edsger Dijkstra": "edsger",
        "submission_987": "gradescope",
    }


def test_the_archive_of_a_whole_class_is_read_like_a_folder(tmp_path: Path) -> None:
    whole = archive({"export/ann/agent.py": "ann", "export/bob.zip": archive({"agent.py": "bob"})})
    assert read(put(tmp_path, {"class.zip": whole}) / "class.zip", tmp_path) == {
        "ann": "ann",
        "bob": "bob",
    }


def test_hostile_archives_are_listed_and_write_nothing_outside(tmp_path: Path) -> None:
    link = BytesIO()
    with zipfile.ZipFile(link, "w") as opened:
        entry = zipfile.ZipInfo("agent.py")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        opened.writestr(entry, "/etc/passwd")
    nameless = BytesIO()
    with zipfile.ZipFile(nameless, "w") as opened:
        entry = zipfile.ZipInfo("agent.py")
        entry.filename = ""
        opened.writestr(entry, "")
    twice = archive({"agent.py": "1", "agent.pz": "2"}).replace(b"agent.pz", b"agent.py")
    plain = archive({"agent.py": "x" * 100})
    encrypted = bytearray(plain)
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        encrypted[encrypted.index(mark) + flags] |= 1
    noise = np.random.default_rng(1).bytes(300)
    damaged = archive({"agent.py": b"abc" * 400 + noise})
    damaged = damaged[:60] + bytes([damaged[60] ^ 255] * 40) + damaged[100:]
    liar = bytearray(archive({"agent.py": b"\0" * 100_000}))
    for mark, size in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = liar.index(mark) + size
        liar[place : place + 4] = (10).to_bytes(4, "little")
    hostile = {
        "above": (archive({"../agent.py": ""}), "is not an allowed path"),
        "absolute": (archive({"/agent.py": ""}), "is not an allowed path"),
        "backslash": (archive({"..\\agent.py": ""}), "is not an allowed path"),
        "drive": (archive({"C:/agent.py": ""}), "is not an allowed path"),
        "stream": (archive({"bot/agent.py:hidden": ""}), "is not an allowed path"),
        "itself": (archive({".": "x"}), "a file in it has no name"),
        "nameless": (nameless.getvalue(), "a file in it has no name"),
        "file and folder": (
            archive({"agent.py": "", "agent.py/x": ""}),
            "a file in it has the name of a folder in it",
        ),
        "folder and file": (
            archive({"Agent.py/x": "", "agent.py": ""}),
            "a file in it has the name of a folder in it",
        ),
        "long": (archive({"x" * 300: ""}), "is longer than 255 bytes"),
        "long in bytes": (archive({"\xe9" * 200: ""}), "is longer than 255 bytes"),
        "far": (
            archive({"/".join(["x" * 250] * 30): ""}),
            "it cannot be unpacked: File name too long",
        ),
        "link": (link.getvalue(), "is not a file"),
        "twice": (twice, "two files in it have the same name"),
        "case": (archive({"a/Agent.py": "1", "a/agent.py": "2"}), "some systems take for the same"),
        "accents": (archive({"\xe9.py": "1", "e\u0301.py": "2"}), "some systems take for the same"),
        "bomb": (
            archive({f"{number}": b"\0" * (MAX_BYTES // 4 + 1) for number in range(4)}),
            "it holds more than",
        ),
        "crowd": (
            archive({f"{number}": "" for number in range(MAX_FILES + 1)}),
            "it holds more than",
        ),
        "encrypted": (bytes(encrypted), "encrypted"),
        "liar": (bytes(liar), "it cannot be unpacked"),
        "damaged": (damaged, "it cannot be unpacked"),
        "cut": (plain[: len(plain) // 2], "it cannot be unpacked"),
        "empty": (b"", "it cannot be unpacked"),
    }
    handed = put(
        tmp_path / "in",
        {f"{name}.zip": content for name, (content, _) in hostile.items()}
        | {"honest.py": "honest"},
    )
    before = {*tmp_path.rglob("*")}
    found = read(handed, tmp_path)
    assert found.pop("honest") == "honest"
    for name, (_, words) in hostile.items():
        assert words in found[name], (name, found[name])
        assert str(tmp_path) not in found[name].replace(str(handed), ""), (
            "where it is unpacked is nobody's business"
        )
    assert {
        path for path in tmp_path.rglob("*") if not path.is_relative_to(tmp_path / "unpacked")
    } == before
    assert not [path for path in (tmp_path / "unpacked").rglob("*") if path.is_file()]


def test_what_is_not_clear_is_listed_with_the_reason(tmp_path: Path) -> None:
    handed = put(
        tmp_path / "in",
        {"ann/a/agent.py": "1", "ann/b/agent.py": "2", "bob.py": "1", "bob/agent.py": "2"},
    )
    os.symlink("/etc", handed / "cem")
    found = read(handed, tmp_path)
    assert "it holds more than one candidate: a/agent.py and b/agent.py" in found["ann"]
    assert "gives a submission the same name" in found["bob"]
    assert "it is a link" in found["cem"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_pipe_is_named_and_not_waited_for(tmp_path: Path) -> None:
    """Where students hand in to a folder that all can write to, somebody can make one."""
    handed = put(tmp_path / "in", {"ann.py": "ann", "ada_1_3_helper.py": ""})
    for name in ("eve.py", "eve.zip", "run", "ada_1_2_agent.py"):
        os.mkfifo(handed / name)
    (handed / "eve.zip").rename(handed / "fay.zip")
    found = read(handed, tmp_path)
    assert found.pop("ann") == "ann"
    assert {*found} == {"eve", "fay", "run", "ada"}
    assert all("neither a file nor a folder" in problem for problem in found.values())


def test_two_of_one_name_hide_nobody_who_is_called_what_tells_them_apart(tmp_path: Path) -> None:
    folders = ["ada 77/agent.py", "ada_5_1_agent.py", "ada_77_1_agent.py", "ada_78_1_agent.py"]
    found = read(put(tmp_path / "in", {name: name for name in folders}), tmp_path)
    assert sorted(found.values()) == sorted(folders)
    assert found["ada 77"] == "ada 77/agent.py"


def test_statistics_say_how_each_question_separates() -> None:
    marks = [
        [{"score": q1, "fault": None}, {"score": q2, "fault": fault}]
        for q1, q2, fault in ((2, 0, "crash"), (2, 1, None), (2, 3, None))
    ]
    one, two, total = class_statistics({"q1": 2, "q2": 4}, marks)
    assert (one["mean"], one["discrimination"], one["bars"]) == (2, None, [0] * 9 + [3])
    assert (two["median"], two["lower quartile"], two["faults"], two["bars"][0]) == (
        1,
        0.5,
        "crash: 1",
        1,
    )
    assert (total["question"], total["of"], total["mean"]) == ("total", 6, 3.33)
    assert class_statistics({"q1": 2}, []) == []


def test_a_roster_that_names_two_students_alike_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text("id,name\n1,Ada Lovelace\n2,Ada Lovelace\n3,Lee\n", "utf-8")
    roster = ClassList(path)
    assert roster.match({"x": ("2", "Ada Lovelace"), "lee": ("Lee",)}) == {1: "x", 2: "lee"}
    with pytest.raises(ConfigError, match="'Ada Lovelace' and 'Ada Lovelace'"):
        roster.match({"ada": ("Ada Lovelace",)})
    with pytest.raises(ConfigError, match="'Lee' has also handed in 'one'"):
        roster.match({"one": ("3",), "two": ("Lee",)})
    path.write_text("colour\nred\n", "utf-8")
    with pytest.raises(FileError, match="it needs a column that identifies students"):
        ClassList(path)


#: Rosters as spreadsheets and people leave them: what is in the file, and the table that comes
#: back, or words of the refusal.
ODD_ROSTERS: dict[str, tuple[bytes, str]] = {
    "lines of Windows": (b"id,name\r\n1,Ada\r\n", "id,name,T\n1,Ada,1.0\n"),
    "a byte-order mark": (b"\xef\xbb\xbfid,name\n1,Ada\n", "id,name,T\n1,Ada,1.0\n"),
    "a column twice": (b"id,id,name\n1,2,Ada\n", "id,name,T\n1,Ada,1.0\n"),
    "short and long lines": (b"id,name\n1\n2,Bob,3,4\n", "id,name,T\n1,,1.0\n2,Bob,1.0\n"),
    "blank lines": (b"id,name\n\n,\n , \n1,Ada\n\n", "id,name,T\n1,Ada,1.0\n"),
    "nobody": (b"id,name\n", "id,name,T\n"),
    "a formula": (b"id,name\n1,=cmd()\n", "id,name,T\n1,'=cmd(),1.0\n"),
    "steering characters": (
        "id,name\n1,A\u2028d\u202e\x1ba\0\n".encode(),
        "id,name,T\n1,A\\u2028d\\u202e\\x1ba\\x00,1.0\n",
    ),
    "a quote that does not end": (
        b'id,name\n1,"Ada\n2,Bob\n',
        'id,name,T\n1,"Ada\\n2,Bob\\n",1.0\n',
    ),
    "lines of an old Macintosh": (b"id,name\r1,Ada\r", "it is not a table in CSV"),
    "sixteen bits": ("id,name\n1,Ada\n".encode("utf-16"), "it is not a table in CSV"),
    "a huge cell": (b"id,name\n1," + b"x" * 200_000, "it is not a table in CSV"),
    "semicolons": (b"id;name\n1;Ada\n", "it needs a column that identifies students"),
    "nothing": (b"", "it needs a column that identifies students"),
}


@pytest.mark.parametrize(("content", "expected"), ODD_ROSTERS.values(), ids=ODD_ROSTERS)
def test_odd_rosters_are_read_or_refused(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "roster.csv"
    path.write_bytes(content)
    if expected.startswith("id"):
        roster = ClassList(path)
        assert roster.table("T", [1.0] * len(roster.names), 2) == ("points.csv", expected)
    else:
        with pytest.raises(FileError, match=expected):
            ClassList(path)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_names_that_steer_or_hide_are_names(tmp_path: Path) -> None:
    names = [
        "a\nb",
        "\x1b[2J",
        "\u202ea",
        "<b>",
        "[red]",
        "x" * 250,
        "CON",
        "Ann",
        "ann",
        "-rf",
        "a b ",
        "\xe9",
        "e\u0301",
        os.fsdecode(b"\xff"),
    ]
    found = read(
        put(tmp_path / "in", {f"{name}.py": f"# {number}" for number, name in enumerate(names)}),
        tmp_path,
    )
    assert found == {name: f"# {number}" for number, name in enumerate(names)}
    files = {folded_name(file_name(name)) for name in names}
    assert len(files) == len(names)
    assert all(name.isascii() and name.isprintable() and "/" not in name for name in files)
