"""`benchmarks/digests.py`: a digest changes when a number could change, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.digests import Sources, digest_of

SOURCE = '''
from math import sqrt


def length(x: float, y: float) -> float:
    """By Pythagoras."""
    if x < 0:
        raise ValueError("x is negative")
    return sqrt(x * x + y * y)


class Point:
    x: float
    y: float = 0.0
'''


def digest(text: str, name: str = "a.py", *picked: str) -> str:
    return digest_of([(name, text.encode(), picked)])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("By Pythagoras.", "The length of a vector.", id="docstring"),
        pytest.param("class Point:", 'class Point:\n    """Of the plane."""\n', id="new docstring"),
        pytest.param("return", "# the hypotenuse\n    return", id="comment"),
        pytest.param("sqrt(x * x + y * y)", "sqrt(\n        x * x + (y * y)\n    )", id="layout"),
        pytest.param("from math import sqrt", "from numpy import floor, sqrt", id="imports"),
        pytest.param("x: float, y: float) -> float", "x, y: int)", id="annotations"),
        pytest.param("    x: float\n", "    x: int\n", id="annotation of a field"),
        pytest.param("y: float = 0.0", "y = 0.0", id="annotation of a value"),
        pytest.param("x is negative", "there is no such x", id="words of an error"),
    ],
)
def test_what_decides_nothing_is_no_change(before: str, after: str) -> None:
    changed = SOURCE.replace(before, after, 1)
    assert changed != SOURCE
    assert digest(changed) == digest(SOURCE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x * x", "x * y"),
        ("x < 0", "x < 1"),
        ("ValueError", "TypeError"),
        ("    x: float\n    y: float = 0.0\n", "    y: float = 0.0\n"),
        ("y: float = 0.0", "y: float = 1.0"),
        ("def length", "@cached\ndef length"),
    ],
)
def test_code_is_a_change(before: str, after: str) -> None:
    changed = SOURCE.replace(before, after, 1)
    assert changed != SOURCE
    assert digest(changed) != digest(SOURCE)


def test_texts_of_several_words_are_no_change_and_what_a_program_reads_is() -> None:
    assert digest('help = "the number of games"') == digest('help = "how many games"')
    assert digest('print(f"played {games} games")') == digest('print(f"{games} games were played")')
    for one, other in (("depth=2", "depth=3"), ("--games 2", "--games 3"), ("a = b c", "a = c b")):
        assert digest(f'line = "{one}"') != digest(f'line = "{other}"')


def test_moving_a_file_or_a_function_changes_nothing(tmp_path: Path) -> None:
    function, other = "def f():\n    return 1\n", "def g():\n    return 2\n"
    for path, text in {
        "one/a.py": function + other,
        "two/inner/b.py": other,
        "two/c.py": f'"""A file."""\nfrom x import y\n{function}',
        "two/__init__.py": '"""A folder."""\n',
        "two/__pycache__/c.py": "z = 1\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    sources = Sources(tmp_path, {"one": ["one/a.py"], "two": ["two"]})
    assert sources.digest("one") == sources.digest("two")


def test_every_byte_of_data_the_numbers_of_json_and_c_without_comments_count() -> None:
    assert digest("a\n", "openings.txt") != digest("b\n", "openings.txt")
    assert digest_of([("net.npz", b"\0", ())]) != digest_of([("net.npz", b"\1", ())])
    figures = '{"made": "by hand", "ratings": {"greedy": 1000}}'
    assert digest(figures, "a.json") == digest(figures.replace("by hand", "by a program"), "a.json")
    assert digest(figures, "a.json") != digest(figures.replace("1000", "1001"), "a.json")
    program = 'int main() { puts("//"); } // Says so.\n'
    assert digest(program, "a.c") == digest(program.replace("Says so", "Says it"), "a.c")
    assert digest(program, "a.c") != digest(program.replace('"//"', '"/*"'), "a.c")


def test_of_picked_definitions_only_these_count_and_each_must_exist() -> None:
    text = "A, B = 1, 2\n\n\ndef f():\n    return A\n\n\ndef g():\n    return B\n"
    assert digest(text, "a.py", "f") == digest(text.replace("return B", "return A"), "a.py", "f")
    assert digest(text, "a.py", "B") != digest(text.replace("1, 2", "1, 3"), "a.py", "B")
    with pytest.raises(ValueError, match="does not define h"):
        digest(text, "a.py", "f", "h")


def test_places_may_be_left_out_and_must_exist(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name, "utf-8")
    places = {"all": ["."], "one": [".", "!b.txt"], "a": ["a.txt"], "none": ["c.txt"]}
    sources = Sources(tmp_path, places)
    assert sources.digest("one") == sources.digest("a") != sources.digest("all")
    with pytest.raises(FileNotFoundError, match=r"c\.txt"):
        sources.digest("none")
