"""Fill the tables of the documents: ``python docs/generate.py``.

Pages are written by hand. The blocks in them between ``<!-- table: NAME -->`` and ``<!-- end -->``
come from the package's own tables or from measured figures; ``docs/tables`` makes them. A ``text``
is filled in the same way, and a ``value`` within its line. Some files are tables as a whole, and
this program writes them, too. With ``--check`` it writes nothing; the exit status is 1 if a
document is stale. ``benchmarks/figures.toml`` names the commands that measure figures.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from api_page import MODULES, api_index, api_module
from palette import plot_style
from performance_chart import performance_chart
from performance_page import performance
from pictures import PICTURES, board, moving_game
from tables import BLOCKS
from tables.rules import pages as rules_pages
from tables.vectors import vectors_file

DOCS = Path(__file__).parent
_BLOCK = re.compile(r"(<!-- (table|text|value): ([^>]+) -->).*?(<!-- end -->)", re.DOTALL)
#: `docs/paper/paper.py` fills these.
_OF_PAPER = re.compile(r"<!-- (?:table|value): ([^>]+) -->")


def filled(page: str, used: set[str]) -> str:
    """A page with its blocks up to date, whose names are added to ``used``."""

    def block(found: re.Match[str]) -> str:
        first, kind, name, last = found.groups()
        used.add(name)
        content = BLOCKS[name]()
        return first + (content if kind == "value" else f"\n\n{content}\n\n") + last

    return _BLOCK.sub(block, page)


def documents() -> dict[Path, str]:
    """Every document that is not only written by hand, as it should be."""
    whole = {
        "performance.md": performance(),
        "api/index.md": api_index(),
        "vectors.json": vectors_file(),
        "plots.mplstyle": plot_style(),
        **rules_pages(),
    }
    whole |= {f"api/{module.page}.md": api_module(module) for module in MODULES}
    whole |= {f"pictures/{name}.svg": picture.draw() for name, picture in PICTURES.items()}
    whole |= {
        "pictures/game.svg": moving_game("light"),
        "pictures/game-dark.svg": moving_game("dark"),
    }
    whole |= {"pictures/performance.svg": performance_chart(), "board.txt": board()}
    paper = (DOCS / "paper" / "paper.tex").read_text("utf-8")
    used = {name.partition(";")[0] for name in _OF_PAPER.findall(paper)}
    pages = {DOCS / name: content for name, content in whole.items()}
    for path in (
        DOCS.parent / "README.md",
        *DOCS.glob("*.md"),
        *DOCS.glob("games/*.md"),
        *DOCS.glob("faces/*.md"),
    ):
        if path not in pages:
            pages[path] = filled(path.read_text("utf-8"), used)
    if unused := BLOCKS.keys() - used:
        sys.exit(f"nothing shows {', '.join(sorted(unused))}")
    return pages


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Fill the tables of the documents, and write those that are tables as a whole."
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if a document is stale"
    )
    check = parser.parse_args().check
    stale = {
        path: text
        for path, text in documents().items()
        if not path.exists() or path.read_text("utf-8") != text
    }
    for path, text in stale.items():
        if check:
            print(f"{path.relative_to(DOCS.parent)} is stale: run python docs/generate.py")
        else:
            path.write_text(text, "utf-8")
            print(f"wrote {path.relative_to(DOCS.parent)}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
