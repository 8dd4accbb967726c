"""The extras of `pyproject.toml`, and what each is for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from tables.markdown import table

_ROOT = Path(__file__).parents[2]

#: What each extra is for, in the order in which readers need them.
_PURPOSES = {
    "arena": "matches, [ratings](ratings.md), [tournaments](tournaments.md), "
    "[reports](report.md), [courses](teaching.md)",
    "play": "[the game in the browser](play.md): `tkm play --browser`",
    "train": "[Stable-Baselines3](faces/stable-baselines3.md), sb3-contrib and PyTorch",
    "render": "[drawings](drawing.md) as pixels, windows and GIFs",
    "notebook": "[boards to click on](play.md#in-a-notebook) in a notebook",
    "tensorboard": "the learning curves of `tkm train` in TensorBoard",
    "all": "all of the above",
    "league": "[a league](league.md) with uploads, and its pages",
    "llm": "[language models](language-models.md) as players: `llm:MODEL`",
    "mcp": "[a game as tools](language-model-tools.md#as-tools) of the Model Context Protocol: "
    "`tkm mcp`",
    "data": "[data sets](datasets.md) of games, also for Minari",
    "ray": "[matches on several machines](arena.md#more-than-one-machine)",
    "cuda": "[games on a GPU](gpu.md)",
    "cleanrl": "[CleanRL's way](cleanrl.md): `masked_ppo.py`",
    "jax": "[JAX](faces/jax.md) and mctx",
    "openspiel": "[OpenSpiel](open_spiel.md)",
    "rllib": "[RLlib](faces/rllib.md)",
    "tianshou": "[Tianshou](faces/tianshou.md)",
    "torchrl": "[TorchRL](faces/torchrl.md)",
    "bench": "the libraries whose [speed](performance.md) is compared with this one's",
    "docs": "to build this site",
    "dev": "to run the tests and to change the package",
}


def extras() -> str:
    """A row for each extra; one without a purpose here, or the other way round, is an error."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    given = project["optional-dependencies"]
    assert given.keys() == _PURPOSES.keys(), (
        f"no purpose, or no extra: {given.keys() ^ _PURPOSES.keys()}"
    )
    rows = []
    for name, purpose in _PURPOSES.items():
        needs = []
        for requirement in given[name]:
            own = re.match(r"tkm_env\[(.+)\]", requirement)
            shown = [f"`[{extra}]`" for extra in own[1].split(",")] if own else []
            needs += shown or [re.split(r"[<>=!~;]", requirement)[0].strip()]
        rows.append((f"`[{name}]`", purpose, ", ".join(needs)))
    return table(("extra", "what it is for", "what it installs"), rows)


BLOCKS = {"extras": extras}
