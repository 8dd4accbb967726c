"""The pages of `docs/api`: every public name, by the module from which users import it.

`docs/generate.py` writes them.
"""

from __future__ import annotations

import ast
import itertools
import textwrap
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from tables.markdown import table

NOTE = (
    "<!-- Written by `python docs/generate.py` from the modules' public names; "
    "edit `docs/api_page.py` or the docstrings instead. -->"
)

#: A program for each module, named after its page; ``main.py`` is for `tkm_env` itself.
EXAMPLES = Path(__file__).parent / "api_examples"

#: Bases whose members are not listed: they are in the documentation of their libraries.
FOREIGN = (
    "AECEnv, DOMWidget, Env, Exception, VecEnv, VectorEnv, VectorWrapper, Widget, Wrapper, "
    "HasTraits, HasDescriptors, object, tuple"
)


class Module(NamedTuple):
    """A public module.

    Attributes:
        name: its name.
        purpose: what it is for, in a few words.
        home: the module of its definitions, if it is another.
        names: the public names, if not all.
        first: the names that people use first, in the order of their page; the other names are
            folded. Empty where the page is short enough to show all of them.
    """

    name: str
    purpose: str
    home: str | None = None
    names: tuple[str, ...] = ()
    first: tuple[str, ...] = ()

    @property
    def public(self) -> list[str]:
        """The public names in alphabetical order.

        The module is not imported, since it may need an extra.
        """
        return sorted(self.names or _all_of(self.home or self.name), key=str.lower)

    @property
    def shown(self) -> list[str]:
        """The names that their page shows unfolded, in its order; modules have their own pages."""
        return [*(self.first or self._documented)]

    @property
    def folded(self) -> list[str]:
        """The other names, errors last."""
        others = [name for name in self._documented if self.first and name not in self.first]
        return sorted(others, key=lambda name: name.endswith("Error"))

    @property
    def example(self) -> str:
        """The program that begins its page."""
        name = (
            self.page.removeprefix("tkm_env-").replace("-", "_")
            if self.page != "tkm_env"
            else "main"
        )
        return (EXAMPLES / f"{name}.py").read_text("utf-8")

    @property
    def _documented(self) -> list[str]:
        pages = {module.name for module in MODULES}
        return [name for name in self.public if f"{self.name}.{name}" not in pages]

    @property
    def page(self) -> str:
        """The page's name in `docs/api`."""
        return self.name.replace(".", "-")


MODULES = (
    Module(
        "tkm_env",
        "games, batches, settings, records, errors",
        first=(
            *("Game", "Batch", "OpponentPool", "ACTIONS", "action_index", "PLANES"),
            *("decode_observation", "compact_layout", "read_records", "write_record"),
        ),
    ),
    Module("tkm_env.events", "what an action did", home="tkm_env.games.tkm.events"),
    Module("tkm_env.tkm_v0", "PettingZoo: *That Time You Killed Me*"),
    Module("tkm_env.terminus_v0", "PettingZoo: *Terminus*"),
    Module("tkm_env.envs.aec", "the class of both games' PettingZoo environments"),
    Module("tkm_env.envs.single", "the class behind `gymnasium.make`", names=("GameEnv",)),
    Module(
        "tkm_env.envs.vector", "the class behind `gymnasium.make_vec`", names=("GameVectorEnv",)
    ),
    Module("tkm_env.envs.cuda_vector", "the class behind `gymnasium.make_vec` on a GPU"),
    Module("tkm_env.envs.sb3", "Stable-Baselines3"),
    Module(
        "tkm_env.text.env",
        "games in words, for TRL and other libraries that fine-tune language models",
    ),
    Module(
        "tkm_env.adapters.masked_observation",
        "Tianshou, and others that read the mask in the observation",
    ),
    Module("tkm_env.adapters.rllib", "RLlib"),
    Module("tkm_env.adapters.jax", "JAX", names=("JaxEnv", "JaxState")),
    Module("tkm_env.adapters.open_spiel", "OpenSpiel"),
    Module(
        "tkm_env.players",
        "players",
        first=("make_agent", "Agent", "FunctionAgent", "ladder", "AlphaBetaAgent"),
    ),
    Module("tkm_env.evaluation", "how well a policy plays"),
    Module("tkm_env.text", "prompts for language models, and their replies"),
    Module(
        "tkm_env.questions",
        "questions about positions with one right answer",
        first=(
            *("make_question", "Question", "Verdict", "QuestionEnv", "question_reward"),
            *("QuestionSet", "result_table"),
        ),
    ),
    Module("tkm_env.course", "positions as seen by the functions of an assignment"),
    Module(
        "tkm_env.course.questions.staff_questions",
        "questions of your own for a course",
        names=("Judgement", "StaffMatch", "StaffQuestion", "Student"),
    ),
    Module("tkm_env.play.notebook", "playing in a cell of a notebook"),
    Module("tkm_env.learn", "components for training"),
    Module("tkm_env.learn.sb3", "self-play with Stable-Baselines3"),
    Module("tkm_env.learn.export_policy", "policy files from PyTorch models"),
    Module(
        "tkm_env.learn.value_training",
        "training of value networks",
        names=("TrainingPlan", "TrainingRound", "ValueTraining"),
    ),
    Module(
        "tkm_env.games.tkm.symmetries", "symmetries of the rules", names=("SYMMETRIES", "Symmetry")
    ),
    Module("tkm_env.foundations.cores", "how many cores this process may use"),
    Module("tkm_env.core.game", "the base class of your own games"),
    Module(
        "tkm_env.core.settings",
        "the settings of your own games",
        names=("Setting", "setting", "make_config"),
    ),
    Module("tkm_env.core.action_groups", "the actions of your own games"),
    Module("tkm_env.core.chance", "what your own games leave to chance"),
    Module(
        "tkm_env.core.record_schema",
        "keys that a package adds to records",
        names=("RecordField", "by_side", "record_fields"),
    ),
)


def _origin(module: str) -> str:
    """Return the file of a module without importing it."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return spec.origin


def _all_of(module: str) -> list[str]:
    """Return the names in ``__all__``, or else the module's public definitions."""
    if Path(_origin(module)).name == "__init__.py":
        return list(import_module(module).__all__)
    defined = []
    for statement in ast.parse(Path(_origin(module)).read_text("utf-8")).body:
        match statement:
            case (
                ast.ClassDef(name=name)
                | ast.FunctionDef(name=name)
                | ast.AnnAssign(target=ast.Name(id=name))
            ):
                defined.append(name)
    return sorted(name for name in defined if not name.startswith("_"))


@cache
def _homes(package: str) -> dict[str, str]:
    """The modules that define the names of a package, by its stub; empty if it has none."""
    path = Path(_origin(package)).with_suffix(".pyi")
    stub = ast.parse(path.read_text("utf-8") if path.exists() else "")
    imports = [statement for statement in stub.body if isinstance(statement, ast.ImportFrom)]
    return {
        alias.name: f"{package}.{statement.module}"
        for statement in imports
        for alias in statement.names
    }


def _comment_of(module: Module, name: str) -> str:
    """Return the ``#:`` comment above the definition of a constant."""
    home = module.home or module.name
    home = _homes(home).get(name, home)
    lines = Path(_origin(home)).read_text("utf-8").splitlines()
    place = next(
        number for number, line in enumerate(lines) if line.startswith((f"{name}:", f"{name} ="))
    )
    comment = list(
        itertools.takewhile(lambda line: line.startswith("#: "), reversed(lines[:place]))
    )
    assert comment, f"{home}: {name} has no comment that says what it is"
    return " ".join(line.removeprefix("#: ") for line in reversed(comment))


def _directive(page: Module, name: str) -> str:
    """Return the directive that documents a name, whose kind follows from its spelling by PEP 8."""
    module = page.name
    if name.strip("_").islower() and not name.startswith("_"):
        return f".. autofunction:: {module}.{name}"
    if name.isupper() or name.startswith("_"):
        return f".. py:data:: {name}\n\n   {_comment_of(page, name)}"
    if name.endswith("Error"):
        return f".. autoexception:: {module}.{name}"
    return f".. autoclass:: {module}.{name}\n   :inherited-members: {FOREIGN}"


def _directives(module: Module, names: Sequence[str]) -> str:
    return "\n\n".join(_directive(module, name) for name in names)


def api_module(module: Module) -> str:
    """One page."""
    folded = f"""
## More names

```{{eval-rst}}
.. container:: folded

{textwrap.indent(_directives(module, module.folded), "   ")}
```
"""
    return f"""{NOTE}

# {module.name}

```{{eval-rst}}
.. automodule:: {module.home or module.name}
   :no-members:
   :no-index:

.. py:module:: {module.name}
```

```python
{module.example.rstrip()}
```

```{{eval-rst}}
.. py:currentmodule:: {module.name}

{_directives(module, module.shown)}
```
{folded if module.folded else ""}"""


def api_index() -> str:
    """``docs/api/index.md``."""
    rows = [
        (f"[`{module.name}`]({module.page}.md)", module.purpose, str(len(module.public)))
        for module in MODULES
    ]
    pages = "\n".join(module.page for module in MODULES)
    return f"""{NOTE}

# API

Each page documents a module: an example, the names that people use first, then all others.
Import names from these modules; the modules that define them are private and may change.

{table(("module", "what is in it", "names"), rows)}

```{{toctree}}
:hidden:

{pages}
```
"""
