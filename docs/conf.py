"""The site: ``sphinx-build -W -n docs build/site``.

Neither building nor reading it needs a network.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import GenericAlias

import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parent))

# Signatures would spell out these aliases; show their names instead.
npt.NDArray = type(
    "NDArray", (), {"__module__": "numpy.typing", "__class_getitem__": classmethod(GenericAlias)}
)
npt.ArrayLike = type("ArrayLike", (), {"__module__": "numpy.typing"})

from palette import site_variables  # noqa: E402 it imports tkm_env
from themed_pictures import scrape_plots, style_plots  # noqa: E402 it imports tkm_env

import tkm_env  # noqa: E402 its annotations are read with the aliases in place

DOCS = Path(__file__).parent

project = "tkm_env"
author = "The tkm_env contributors"
project_copyright = author
release = version = tkm_env.__version__

extensions = [
    "myst_parser",
    "site_extension",  # in this folder, as are the next; loads napoleon
    "themed_pictures",
    "try_it",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
pyodide = os.environ.get("PYODIDE", "")  # a folder: adds the play page to the site
exclude_patterns = ["tutorials/*.py.md5", "tutorials/*.ipynb"]
templates_path = ["_templates"]

html_theme = "furo"
html_title = "tkm_env"
html_static_path = ["_static"]
html_logo = html_favicon = "_static/mark.svg"
html_css_files = ["site.css"]
html_js_files = ["open_folded.js", "versions.js"]
html_show_sourcelink = False
html_copy_source = False
html_scaled_image_link = False
html_theme_options = {
    "navigation_with_keys": True,
    "footer_icons": [],
    "light_css_variables": site_variables("light"),
    "dark_css_variables": site_variables("dark"),
}
html_last_updated_fmt = None
html_search_language = "en"
html_search_scorer = str(DOCS / "search_scorer.js")

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "substitution"]
myst_heading_anchors = 4
# Excerpts of programs and of their output are not always valid code.
suppress_warnings = ["misc.highlighting_failure", "config.cache"]

# Inventories are kept in the repository, so that the site builds without a network.
intersphinx_mapping = {
    name: (address, str(DOCS / "inventories" / f"{name}.inv"))
    for name, address in {
        "python": "https://docs.python.org/3/",
        "numpy": "https://numpy.org/doc/stable/",
        "gymnasium": "https://gymnasium.farama.org/",
        "pettingzoo": "https://pettingzoo.farama.org/",
        "stable-baselines3": "https://stable-baselines3.readthedocs.io/en/master/",
    }.items()
}
nitpick_ignore = [
    ("py:exc", f"gymnasium.error.{name}") for name in ("ClosedEnvironmentError", "ResetNeeded")
]  # undocumented there

toc_object_entries = False
add_module_names = False
autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 100
autodoc_preserve_defaults = True
autodoc_default_options = {"members": True}
# Large libraries: the site does not depend on whether they are installed.
autodoc_mock_imports = ["jax", "pyspiel", "ray", "sb3_contrib", "stable_baselines3", "torch"]
napoleon_numpy_docstring = False
napoleon_attr_annotations = False
napoleon_use_ivar = True
napoleon_use_rtype = False
default_role = "name"

sphinx_gallery_conf = {
    "examples_dirs": str(DOCS.parent / "examples" / "tutorials"),
    "gallery_dirs": "tutorials",
    "filename_pattern": "/",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "capture_repr": ("_repr_html_", "__repr__"),
    "image_scrapers": (scrape_plots,),
    "reset_modules": ("matplotlib", style_plots),
    "remove_config_comments": True,
    "write_computation_times": False,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    # Notebooks install the package where it is missing.
    "first_notebook_cell": """import importlib.util

if importlib.util.find_spec("tkm_env") is None:
    %pip install --quiet "tkm_env[arena,play]" matplotlib""",
    "copyfile_regex": r".*\.toml",
}
