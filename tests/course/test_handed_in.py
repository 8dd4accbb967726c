"""Submissions of a class: exports are read, nothing hostile is unpacked, and everyone has a row."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from tkm_env.course.grading.attribution import attribute
from tkm_env.course.grading.class_list import ClassList
from tkm_env.course.grading.class_page import class_statistics
from tkm_env.course.grading.handed_in import HandedIn, handed_in
from tkm_env.course.questions.marks import Mark
from tkm_env.foundations.archives import MAX_BYTES, MAX_FILES
from tkm_env.foundations.errors import FileError
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
        if entry.is_left_out:
            continue
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
            "lovelaceada_LATE_123_4568_helper.py": "# for agent.py",
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
        {
            "ann/a/agent.py": "1",
            "ann/b/agent.py": "2",
            "bob/one.zip": archive({"agent.py": ""}),
            "bob/two.zip": archive({"agent.py": ""}),
        },
    )
    os.symlink("/etc", handed / "cem")
    found = read(handed, tmp_path)
    assert "it holds more than one candidate: a/agent.py and b/agent.py" in found["ann"]
    assert "it holds more than one archive: one.zip and two.zip; remove all but one" in found["bob"]
    assert "it is a link" in found["cem"]


def test_of_two_attempts_the_newest_counts_and_it_says_so(tmp_path: Path) -> None:
    """A platform numbers uploads; elsewhere, the time of the last change decides."""
    handed = put(
        tmp_path / "in",
        {
            "lovelaceada_123_4567_agent.py": "old",
            "lovelaceada_LATE_123_4599_agent-1.py": "new",
            "lovelaceada_123_4568_helper.py": "",
            "turingalan_124_51_work.zip": archive({"agent.py": "old"}),
            "turingalan_124_60_work-1.zip": archive({"agent.py": "new"}),
            "bob.py": "new",
            "bob/agent.py": "old",
            "bob.zip": archive({"agent.py": "older"}),
        },
    )
    for name, seconds in (("bob.zip", 1e9), ("bob/agent.py", 2e9), ("bob.py", 3e9)):
        os.utime(handed / name, (seconds, seconds))
    assert {*read(handed, tmp_path).values()} == {"new"}
    found = handed_in(handed, tmp_path / "unpacked")
    assert {name: entry.note for name, entry in found.items()} == {
        "bob": "bob.py replaces bob.zip; bob.py replaces bob",
        "lovelaceada": "lovelaceada_LATE_123_4599_agent-1.py replaces "
        "lovelaceada_123_4567_agent.py",
        "turingalan": "turingalan_124_60_work-1.zip replaces turingalan_124_51_work.zip",
    }
    assert found["lovelaceada"].is_late


#: What a submission may define.
DEFINES = "def count():\ndef minimax():\ndef main():\nclass Bot:\n"


@pytest.mark.parametrize(
    ("files", "notes"),
    [
        (
            {"a_1_10_agent.py": "old", "a_1_20_work.zip": archive({"agent.py": "new"})},
            "a_1_20_work.zip replaces a_1_10_agent.py",
        ),
        (
            {"a_1_10_work.zip": archive({"agent.py": "old"}), "a_1_20_agent.py": "new"},
            "a_1_20_agent.py replaces a_1_10_work.zip",
        ),
        (
            {
                "a_1_10_one.zip": archive({"agent.py": "old"}),
                "a_1_20_two.zip": archive({"run": ""}),
            },
            "a_1_20_two.zip replaces a_1_10_one.zip",
        ),
        (
            {"a_1_10_agent.py": DEFINES, "a_1_20_agent2.py": f"{DEFINES}def more():\n"},
            "a_1_20_agent2.py replaces a_1_10_agent.py",
        ),
        (
            {"a_1_20_agent.py": DEFINES, "a_1_10_draft.py": "def count():\n"},
            "a_1_20_agent.py replaces a_1_10_draft.py",
        ),
        (
            {
                "a_1_10_bot.py": f"import tree\n{DEFINES}",
                "a_1_11_tree.py": "import nodes",
                "a_1_12_nodes.py": "",
                "a_1_20_agent.py": DEFINES,
            },
            "a_1_20_agent.py replaces a_1_10_bot.py; a_1_20_agent.py replaces a_1_11_tree.py; "
            "a_1_20_agent.py replaces a_1_12_nodes.py",
        ),
    ],
    ids=lambda case: "-".join(case) if isinstance(case, dict) else "",
)
def test_of_attempts_with_different_names_the_newest_counts_and_it_says_so(
    tmp_path: Path, files: dict[str, str | bytes], notes: str
) -> None:
    (found,) = handed_in(put(tmp_path / "in", files), tmp_path / "unpacked").values()
    assert {*found.note.split("; ")} == {*notes.split("; ")}
    assert found.problem == ""
    assert found.path is not None


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"a_1_10_work.zip": archive({"agent.py": "old"}), "a_1_20_search.py": "new"}, "may be"),
        ({"a_1_10_agent.py": "old", "a_1_20_search.py": "new"}, "may be two attempts"),
        ({"a_1_20_agent.py": "new", "a_1_10_search.py": "old"}, ""),
        ({"a_1_10_agent.py": "import search", "a_1_20_search.py": ""}, ""),
        ({"a_1_10_agent.py": "new", "a_1_20_train.py": "from agent import Bot"}, ""),
        ({"a_1_10_work.zip": archive({"agent.py": "new"}), "a_1_20_report.pdf": "%PDF"}, ""),
        ({"a_1_10_agent.py": "new", "a_1_20_plots.zip": archive({"one.png": "PNG"})}, ""),
        ({"a_1_10_agent.py": DEFINES, "a_1_20_plot.py": "def main():\n"}, "may be two attempts"),
    ],
    ids=lambda case: "-".join(case) if isinstance(case, dict) else case or "clear",
)
def test_files_side_by_side_that_may_be_two_attempts_are_not_guessed_about(
    tmp_path: Path, files: dict[str, str | bytes], words: str
) -> None:
    (found,) = handed_in(put(tmp_path / "in", files), tmp_path / "unpacked").values()
    assert (found.path is None) == bool(words)
    assert words in found.problem


#: The first bytes of archives that are not read.
RAR, SEVEN, GZIP = b"Rar!\x1a\x07\x01\x00", b"7z\xbc\xaf\x27\x1c", b"\x1f\x8b\x08\x00"


@pytest.mark.parametrize(
    ("files", "name", "words"),
    [
        ({"ann.rar": RAR}, "ann", "a RAR archive, and only zip archives are read: unpack it"),
        ({"ann.7z": SEVEN}, "ann", "a 7-Zip archive"),
        ({"ann.tar.gz": GZIP}, "ann", "a gzip archive"),
        ({"ann.TGZ": GZIP}, "ann", "a gzip archive"),
        ({"ann.zip": RAR}, "ann", "a RAR archive"),
        ({"ann/work.rar": RAR}, "ann", "a RAR archive"),
        ({"ann_12_34_work.rar": RAR}, "ann", "a RAR archive"),
        ({"ann.ipynb": "{}"}, "ann", "it is a notebook, which is not graded: ask for agent.py"),
        ({"ann/work.ipynb": "{}"}, "ann", "it is a notebook"),
        ({"Ann_12_assignsubmission_file_work.ipynb": "{}"}, "Ann", "it is a notebook"),
    ],
    ids=str,
)
def test_what_cannot_be_read_is_named_with_what_must_be_done(
    tmp_path: Path, files: dict[str, str | bytes], name: str, words: str
) -> None:
    found = read(put(tmp_path / "in", {**files, "bob.py": "bob"}), tmp_path)
    assert words in found[name]
    assert found["bob"] == "bob"


def test_everything_that_was_handed_in_is_there_once(tmp_path: Path) -> None:
    handed = put(
        tmp_path / "in",
        {
            "ann.zip": archive({"hw\\agent.py": "ann"}),
            "BOB.PY": "bob",
            "cem.ZIP": archive({"Work/agent.py": "cem"}),
            "notes.txt": "",
            "report.pdf": "",
            "_draft/agent.py": "",
            ".hidden.py": "",
            "__MACOSX/x": "",
            ".DS_Store": "",
        },
    )
    found = handed_in(handed, tmp_path / "unpacked")
    assert read(handed, tmp_path) == {"ann": "ann", "BOB": "bob", "cem": "cem"}
    assert {name for name, entry in found.items() if entry.is_left_out} == {
        "notes.txt",
        "report.pdf",
        "_draft",
        ".hidden.py",
    }
    assert sorted(file for entry in found.values() for file in entry.files) == sorted(
        path.name for path in handed.iterdir() if path.name not in ("__MACOSX", ".DS_Store")
    )


def test_gradescope_says_whose_submissions_are_and_since_when(tmp_path: Path) -> None:
    handed = put(
        tmp_path / "in", {"submission_12/agent.py": "pair", "submission_metadata.yml": GRADESCOPE}
    )
    found = handed_in(handed, tmp_path / "unpacked")
    assert found["submission_12"].students == (
        ("100", "ada@b.c", "Ada Lovelace"),
        ("101", "grace@b.c", "Grace Hopper"),
    )
    assert found["submission_12"].submitted == datetime(2026, 10, 3, 7, 5, 1, tzinfo=UTC)
    assert "lists it, but it has no folder" in found["submission_13"].problem
    for text in ("- 1\n", "a: [", "submission_1: 5\n"):
        (handed / "submission_metadata.yml").write_text(text, "utf-8")
        with pytest.raises(FileError, match="it is not what Gradescope exports"):
            handed_in(handed, tmp_path / "unpacked")


#: As Gradescope exports it, with what Ruby adds.
GRADESCOPE = """---
submission_12:
  :submitters:
  - :name: Ada Lovelace
    :sid: '100'
    :email: ada@b.c
  - :name: Grace Hopper
    :sid: '101'
    :email: grace@b.c
  :created_at: 2026-10-03 07:05:01.000000000 Z
  :score: !ruby/object:BigDecimal 18:0.0
  :results: !ruby/hash:ActiveSupport::HashWithIndifferentAccess
    output: fine
submission_13:
  :submitters:
  - :name: Lee
    :sid: '102'
"""


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


def marked(question: str, score: float, fault: str | None = None) -> Mark:
    return Mark(question, question, "count", 4, score, "", "visible", fault, score / 4, 1)


def test_statistics_say_how_each_question_separates() -> None:
    marks = [
        [marked("q1", q1), marked("q2", q2, fault)]
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


def listed(tmp_path: Path, text: str) -> ClassList:
    path = tmp_path / "roster.csv"
    path.write_text(text, "utf-8")
    return ClassList(path)


def test_what_is_unclear_costs_only_itself(tmp_path: Path) -> None:
    roster = listed(tmp_path, "id,name\n1,Ada Lovelace\n2,Ada Lovelace\n3,Lee\n4,5\n5,Kim\n")
    here = Path()
    found = {
        "x": HandedIn(here, (("2", "Ada Lovelace"),)),
        "ada": HandedIn(here, (("Ada Lovelace",),)),
        "lee": HandedIn(here),
        "one": HandedIn(here, (("3",),), order=(0, 1.0)),
        "kim": HandedIn(here, (("5", "Kim"),)),
        "who": HandedIn(here),
    }
    given = attribute(found, roster)
    assert given.students == {"x": (1,), "one": (2,), "kim": (4,)}
    assert given.replaced == {"lee": "one"}
    assert "'Ada Lovelace' and 'Ada Lovelace'" in given.problems["ada"]
    with pytest.raises(FileError, match="it needs a column that identifies students"):
        listed(tmp_path, "colour\nred\n")


def test_all_members_of_a_group_have_its_submission(tmp_path: Path) -> None:
    """As Gradescope's metadata, its table of grades, and tables of groups have them."""
    roster = listed(
        tmp_path,
        "First Name,Last Name,SID,Submission ID\nAda,Lovelace,100,9001\nGrace,Hopper,101,9001\n"
        "Alan,Turing,102,\nLee,Sedol,103,\nKim,Possible,104,\n",
    )
    (tmp_path / "groups.csv").write_text(
        "name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id\n"
        '"Sedol, Lee",7,103,lee,A,Team 1,55,\n"Possible, Kim",8,104,kim,A,Team 1,55,\n'
        '"Turing, Alan",9,102,alan,A,,,\n',
        "utf-8",
    )
    groups, here = ClassList(tmp_path / "groups.csv"), Path()
    found = {
        "submission_9001": HandedIn(here, (("9001", "submission_9001"),)),
        "submission_9002": HandedIn(here, (("102",), ("103",))),
    }
    assert attribute(found, roster).students == {
        "submission_9001": (0, 1),
        "submission_9002": (2, 3),
    }
    assert attribute({"Team 1": HandedIn(here)}, roster, groups).students == {"Team 1": (3, 4)}
    copies = {
        "kim": HandedIn(here, (("Kim Possible",),), order=(2, 0)),
        "lee": HandedIn(here, (("103",),), order=(1, 0)),
    }
    given = attribute(copies, roster, groups)
    assert (given.students, given.replaced) == ({"kim": (3, 4)}, {"lee": "kim"})
    with pytest.raises(FileError, match="it needs a column for groups"):
        attribute({}, roster, roster)
    worksheet = listed(
        tmp_path,
        "Identifier,Full name,Group,Grade\nParticipant 1,Ada,A,\nParticipant 2,Grace,A,\n"
        "Participant 3,Alan,-,\nParticipant 4,Lee,Default group,\nParticipant 5,Kim,-,\n",
    )
    alone = {name: HandedIn(here) for name in ("Ada", "Alan", "Lee")}
    assert attribute(alone, worksheet, worksheet).students == {
        "Ada": (0, 1),
        "Alan": (2,),
        "Lee": (3,),
    }


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
