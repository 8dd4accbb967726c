"""The pages of `docs/api`: every public name, by the module that users import it from; `docs/generate.py` writes them."""

from __future__ import annotations

import ast
import itertools
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from tables import table

from tkm_env import _HOME_OF

NOTE = "<!-- Written by `python docs/generate.py` from the modules' public names; edit `docs/api_page.py` or the docstrings instead. -->"

#: Bases of which no member is listed: those of libraries, whose own documentation has them.
FOREIGN = "AECEnv, DOMWidget, Env, Exception, VecEnv, VectorEnv, Widget, Wrapper, HasTraits, HasDescriptors, object, tuple"


class Module(NamedTuple):
    """A module that users import from: its name, what it is for, where it is defined, if elsewhere, and the public names, if not all."""

    name: str
    purpose: str
    home: str | None = None
    names: tuple[str, ...] = ()

    @property
    def public(self) -> list[str]:
        """The names that users may rely on, in alphabetical order; the module is not imported, which may need an extra."""
        return sorted(self.names or _all_of(self.home or self.name), key=str.lower)

    @property
    def page(self) -> str:
        """The page's name in `docs/api`."""
        return self.name.replace(".", "-")


MODULES = (
    Module("tkm_env", "games, batches, settings, records, errors"),
    Module("tkm_env.events", "what an action did", home="tkm_env.games.tkm.events"),
    Module("tkm_env.tkm_v0", "PettingZoo: *That Time You Killed Me*"),
    Module("tkm_env.terminus_v0", "PettingZoo: *Terminus*"),
    Module("tkm_env.envs.aec", "the class of both games' PettingZoo environments"),
    Module("tkm_env.envs.single", "the class behind `gymnasium.make`", names=("GameEnv",)),
    Module("tkm_env.envs.vector", "the class behind `gymnasium.make_vec`", names=("GameVectorEnv",)),
    Module("tkm_env.envs.cuda_vector", "the same on a GPU"),
    Module("tkm_env.envs.sb3", "Stable-Baselines3"),
    Module("tkm_env.adapters.masked_observation", "Tianshou, and whoever wants the mask in the observation"),
    Module("tkm_env.adapters.rllib", "RLlib"),
    Module("tkm_env.adapters.open_spiel", "OpenSpiel"),
    Module("tkm_env.agents", "players"),
    Module("tkm_env.arena", "matches"),
    Module("tkm_env.course", "positions as the functions of an assignment see them"),
    Module("tkm_env.notebook", "playing in a cell of a notebook"),
    Module("tkm_env.learn", "parts for whoever trains"),
    Module("tkm_env.learn.sb3", "self-play with Stable-Baselines3"),
    Module("tkm_env.learn.policy_file", "files that play, from PyTorch"),
    Module(
        "tkm_env.learn.value_training",
        "learning what positions are worth",
        names=("TrainingPlan", "TrainingRound", "ValueTraining"),
    ),
    Module("tkm_env.games.tkm.symmetries", "what may be exchanged without a difference", names=("SYMMETRIES", "Symmetry")),
    Module("tkm_env.game.base", "what a game of your own derives from"),
    Module("tkm_env.game.settings", "its settings", names=("Setting", "make_config")),
    Module("tkm_env.game.action_groups", "its actions"),
    Module("tkm_env.game.chance", "what it leaves to chance"),
)


def _origin(module: str) -> str:
    """The file of a module, which is not imported."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return spec.origin


def _all_of(module: str) -> list[str]:
    """The names in ``__all__``, which packages have; of a module what it defines without a leading underscore."""
    defined = []
    for statement in ast.parse(Path(_origin(module)).read_text("utf-8")).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=names):
                return [str(name) for name in ast.literal_eval(names)]
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                defined.append(name)
    return sorted(name for name in defined if not name.startswith("_"))


def _comment_of(module: Module, name: str) -> str:
    """The ``#:`` comment above a constant, where it is defined."""
    home, _, defined = _HOME_OF.get(name, f"{module.home or module.name}:{name}").partition(":")
    lines = Path(_origin(home)).read_text("utf-8").splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith((f"{defined}:", f"{defined} =")))
    comment = list(itertools.takewhile(lambda line: line.startswith("#: "), reversed(lines[:place])))
    assert comment, f"{home}: {defined} has no comment that says what it is"
    return " ".join(line.removeprefix("#: ") for line in reversed(comment))


def _directive(page: Module, name: str) -> str:
    """What documents one name; PEP 8 says by its letters what it is."""
    module = page.name
    if name.strip("_").islower() and not name.startswith("_"):
        return f".. autofunction:: {module}.{name}"
    if name.isupper() or name.startswith("_"):
        return f".. py:data:: {name}\n\n   {_comment_of(page, name)}"
    if name.endswith("Error"):
        return f".. autoexception:: {module}.{name}"
    return f".. autoclass:: {module}.{name}\n   :inherited-members: {FOREIGN}"


def api_module(module: Module) -> str:
    """One page."""
    other_pages = {other.name for other in MODULES}
    directives = "\n\n".join(_directive(module, name) for name in module.public if f"{module.name}.{name}" not in other_pages)
    return f"""{NOTE}

# {module.name}

```{{eval-rst}}
.. automodule:: {module.home or module.name}
   :no-members:
   :no-index:

.. py:module:: {module.name}

{directives}
```
"""


def api_index() -> str:
    """``docs/api/index.md``."""
    rows = [(f"[`{module.name}`]({module.page}.md)", module.purpose, str(len(module.public))) for module in MODULES]
    pages = "\n".join(module.page for module in MODULES)
    return f"""{NOTE}

# API

Every public name, from its docstring. Import names from the modules below; where they are defined is of no concern to users and may change.

{table(("module", "what is in it", "names"), rows)}

```{{toctree}}
:hidden:

{pages}
```
"""
