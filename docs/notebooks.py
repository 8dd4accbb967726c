"""Write the tutorials as notebooks, for Colab and Kaggle: ``python docs/notebooks.py FOLDER``.

They are those that the site offers: each begins by installing the package where it is missing.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Final

from sphinx_gallery.gen_gallery import DEFAULT_GALLERY_CONF
from sphinx_gallery.notebook import jupyter_notebook
from sphinx_gallery.py_source_parser import split_code_and_text_blocks

sys.path.insert(0, str(Path(__file__).parent))

from conf import sphinx_gallery_conf

TUTORIALS: Final = Path(__file__).parents[1] / "examples/tutorials"


def write_notebooks(folder: Path) -> list[Path]:
    """Write a notebook for each tutorial, and replace older ones.

    Args:
        folder: an existing folder.

    Returns:
        The notebooks, in the order in which one reads them.
    """
    notebooks = []
    for tutorial in sorted(TUTORIALS.glob("plot_*.py")):
        _, blocks = split_code_and_text_blocks(str(tutorial))
        content = jupyter_notebook(
            blocks, DEFAULT_GALLERY_CONF | sphinx_gallery_conf, str(TUTORIALS)
        )
        notebooks.append(folder / f"{tutorial.stem.removeprefix('plot_')}.ipynb")
        text = json.dumps(content, indent=1, ensure_ascii=False)
        notebooks[-1].write_text(f"{text}\n", "utf-8")
    return notebooks


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="made where it does not exist")
    target = parser.parse_args().folder
    target.mkdir(parents=True, exist_ok=True)
    for written in write_notebooks(target):
        print(written)
