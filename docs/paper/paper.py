"""Build the report on the game as a benchmark: ``python docs/paper/paper.py``.

``paper.tex`` is written by hand, and has no figure that comes from data. This program fills it as
`docs/generate.py` fills the pages, from the same blocks, draws its pictures, and runs LaTeX:

| mark in the template | is replaced by |
| --- | --- |
| ``<!-- value: NAME -->`` | the block with this name |
| ``<!-- table: NAME; COLUMN; COLUMN as HEAD -->`` | the rows of a block that is a table |
| ``<!-- age: NAME -->`` | when the figures of this name in ``figures.toml`` were measured |
| ``<!-- ages -->`` | a row for each of these names: what is older, and the command |
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1]))
from tables import BLOCKS
from tables.latex import latex_of, latex_table

from benchmarks.figures import ROOT, Figures

HERE = Path(__file__).parent
_MARK = re.compile(r"<!-- (value|table|age|ages)(?:: ([^>]+))? -->")
_PICTURE = re.compile(r"\\includegraphics(?:\[[^\]]*\])?\{([\w-]+)\}")


def filled(template: str) -> str:
    """The template with every mark replaced.

    Raises:
        KeyError: a mark names what there is not.
        ValueError: a table has no such column.
    """
    figures = Figures()
    cited = dict.fromkeys(name for kind, name in _MARK.findall(template) if kind == "age")

    def replaced(found: re.Match[str]) -> str:
        kind, name = found.groups()
        if kind == "ages":
            return _ages(figures, [*cited])
        if kind == "age":
            mark = r"\older" if figures.age(name).changed else ""
            return rf"Measured {latex_of(figures.when(name))}.{mark}"
        name, *columns = (part.strip() for part in name.split(";"))
        content = BLOCKS[name]()
        return latex_table(content, columns) if kind == "table" else latex_of(content)

    return _MARK.sub(replaced, template)


def _ages(figures: Figures, names: list[str]) -> str:
    """Rows with what figures show, when they were measured, what has changed, and the command."""
    rows = []
    for name in names:
        file = figures.files[name]
        changed = dict.fromkeys(each.partition(":")[0] for each in figures.age(name).changed)
        cells = file.shows, figures.when(name), ", ".join(changed) or "nothing", f"`{file.command}`"
        rows.append(" & ".join(map(latex_of, cells)) + r" \\")
    return "\n\\addlinespace[2pt]\n".join(rows)


def pictures_of(tex: str) -> list[str]:
    """The names of the pictures that a document shows."""
    return [*dict.fromkeys(_PICTURE.findall(tex))]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "folder", type=Path, nargs="?", default=ROOT / "build/paper", help="default: build/paper"
    )
    parser.add_argument(
        "--only-fill", action="store_true", help="write paper.tex, without pictures and LaTeX"
    )
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    tex = filled((HERE / "paper.tex").read_text("utf-8"))
    (given.folder / "paper.tex").write_text(tex, "utf-8")
    (given.folder / "references.bib").write_bytes((HERE / "references.bib").read_bytes())
    if given.only_fill:
        return
    from drawings import draw

    for name in pictures_of(tex):
        draw(name, given.folder)
    command = ["latexmk", "-pdf", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    subprocess.run(command, cwd=given.folder, check=True)
    print(f"wrote {given.folder / 'paper.pdf'}")


if __name__ == "__main__":
    main()
