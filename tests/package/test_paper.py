"""The report is filled without gaps, and LaTeX makes a paper of it."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

PAPER = Path(__file__).parents[2] / "docs/paper"
#: How far a line may stick out of its column, in points.
_SLACK = 3.0


@pytest.fixture(scope="module")
def latex() -> Any:
    """`docs/tables/latex.py`, without the tables beside it."""
    found = importlib.util.spec_from_file_location("latex", PAPER.parent / "tables/latex.py")
    assert found
    assert found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tex(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The filled template."""
    folder = tmp_path_factory.mktemp("paper")
    subprocess.run([sys.executable, PAPER / "paper.py", "--only-fill", folder], check=True)
    return (folder / "paper.tex").read_text("utf-8")


def test_every_mark_is_filled(tex: str) -> None:
    assert not re.findall(r"<!--|-->|\bnan\b", tex)
    template = (PAPER / "paper.tex").read_text("utf-8")
    assert len(re.findall("<!-- value: ", template)) > 40
    # The figure that the second solver of endgames found one by one.
    assert "4,872,960 positions" in tex


def test_the_filled_report_is_well_formed(tex: str) -> None:
    text = re.sub(r"(?<!\\)%.*", "", tex)
    depth = 0
    for sign in re.findall(r"(?<!\\)[{}]", text):
        depth += 1 if sign == "{" else -1
        assert depth >= 0
    assert depth == 0
    open_ = []
    for kind, name in re.findall(r"\\(begin|end)\{([\w*]+)\}", text):
        if kind == "begin":
            open_.append(name)
        else:
            assert open_.pop() == name
    assert not open_


def test_tables_and_figures_are_mentioned_and_works_are_cited(tex: str) -> None:
    labels = Counter(re.findall(r"\\label\{([^}]+)\}", tex))
    assert {*labels.values()} == {1}
    mentioned = {*re.findall(r"\\ref\{([^}]+)\}", tex)}
    assert mentioned <= labels.keys()
    assert {label for label in labels if label[:4] in ("tab:", "fig:")} <= mentioned
    cited = {
        key for keys in re.findall(r"\\cite\{([^}]+)\}", tex) for key in re.split(r",\s*", keys)
    }
    works = re.findall(
        r"^@\w+\{(\w+),", (PAPER / "references.bib").read_text("utf-8"), re.MULTILINE
    )
    assert cited == {*works}


def test_text_keeps_its_meaning_in_latex(latex: Any) -> None:
    assert latex.latex_of("97% of 10⁴ ± 2 (-5), 3-1, see [the page](page.md)") == (
        r"97\% of 10$^{4}$ $\pm$ 2 ($-$5), 3-1, see the page"
    )
    assert latex.latex_of("`net:a_b=1 --json`") == (
        r"\code{net:\allowbreak a\_b=\allowbreak 1 -{}-json}"
    )


def test_a_table_has_the_columns_that_are_asked_for_and_no_empty_rows(latex: Any) -> None:
    rows = "| a | b, c | d |\n| --- | --- | --- |\n| 1 |  | 3 |\n| 2 | & |  |"
    table = f"![a picture](a.svg)\n\n{rows}\n\n| another |\n| --- |\n| table |"
    assert latex.latex_table(table, ["a", "b, c as B"]).splitlines() == [
        r"a & B \\",
        r"\midrule",
        r"2 & \& \\",
    ]
    with pytest.raises(ValueError, match="'e' is not in list"):
        latex.latex_table(table, ["e"])
    with pytest.raises(ValueError, match="no table"):
        latex.latex_table("no rows")


@pytest.mark.slow
def test_the_paper_has_eight_pages_without_gaps_and_long_lines(tmp_path: Path) -> None:
    if shutil.which("latexmk") is None:
        pytest.skip("needs latexmk")
    for extra in ("matplotlib", "resvg_py"):
        if importlib.util.find_spec(extra) is None:
            pytest.skip(f"needs {extra}, which draws the pictures of the report")
    run = subprocess.run(
        [sys.executable, PAPER / "paper.py", tmp_path], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr
    assert (tmp_path / "paper.pdf").stat().st_size > 100_000
    log = (tmp_path / "paper.log").read_text("latin-1").replace("\n", " ")
    pages = re.search(r"Output written on paper\.pdf \((\d+) pages", log)
    assert pages
    assert int(pages[1]) in (8, 9)
    assert "undefined" not in log
    wide = re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\) [^\[]*?at lines [\d-]+", log)
    assert not [each for each in wide if float(each) > _SLACK], "a line sticks out of its column"
