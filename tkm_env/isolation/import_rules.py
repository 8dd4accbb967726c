"""Rules about the modules that Python bots may import, such as the environment alone.

By themselves the rules stop only honest programs. If a bot is confined, it cannot even see the
modules of this package that it may not import: see `tkm_env.isolation.package_view`.
"""

import dataclasses
import json
import sys
from fnmatch import fnmatchcase
from importlib.abc import MetaPathFinder
from typing import Any, Final

from tkm_env.core.registry import game_names, game_spec

PACKAGE_NAME: Final = "tkm_env"
#: The environment: the lowest layer of the package, on which a contestant's program builds.
ENVIRONMENT: Final = (
    "tkm_env.tkm_v0",
    "tkm_env.terminus_v0",
    "tkm_env.adapters",
    "tkm_env.envs",
    "tkm_env.games",
    "tkm_env.core",
    "tkm_env.compiled",
    "tkm_env.render",
    "tkm_env.foundations",
)


@dataclasses.dataclass(frozen=True)
class ImportRules:
    """The modules that may be imported.

    Attributes:
        importable: the modules and packages of this package that may be imported, with everything
            in them.
        refused: patterns of modules, of any package, that may not be imported in any case.

    >>> rules = ImportRules(ENVIRONMENT, ("tkm_env.games.*.engine", "torch"))
    >>> [rules.allow(name) for name in ("numpy", "torch.nn", "tkm_env", "tkm_env.core.game")]
    [True, False, True, True]
    >>> [rules.allow(name) for name in ("tkm_env.games.tkm.engine.push", "tkm_env.players")]
    [False, False]
    """

    importable: tuple[str, ...] = (PACKAGE_NAME,)
    refused: tuple[str, ...] = ()

    def allow(self, module: str) -> bool:
        """Whether a module may be imported; the packages above such a module may be, too."""
        holds_one = any(_is_in(each, module) for each in self.importable)
        return (self._lists(module) or holds_one) and not self._refuses(module)

    def allow_code_of(self, package: str) -> bool:
        """Whether the machine code of a package's modules may be read."""
        return self._lists(package) and not self._refuses(package)

    def allow_all_in(self, package: str) -> bool:
        """Whether it is certain that all modules in a package of this package may be imported."""
        may_concern = (fnmatchcase(PACKAGE_NAME, each.partition(".")[0]) for each in self.refused)
        return self._lists(package) and not any(may_concern)

    def _lists(self, module: str) -> bool:
        ours = _is_in(module, PACKAGE_NAME)
        return not ours or any(_is_in(module, each) for each in self.importable)

    def _refuses(self, module: str) -> bool:
        patterns = (form for each in self.refused for form in (each, f"{each}.*"))
        return any(fnmatchcase(module, pattern) for pattern in patterns)

    def to_text(self) -> str:
        """Return the rules as a word of a command, for `from_text`."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_text(cls, text: str) -> "ImportRules":
        """Parse the rules that `to_text` wrote."""
        return cls(**{name: tuple(modules) for name, modules in json.loads(text).items()})

    def keep(self) -> None:
        """Enforce the rules in this process: any other import raises an `ImportError`."""
        if self != ImportRules():
            sys.meta_path.insert(0, _ImportBlocker(self))


def _is_in(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


class _ImportBlocker(MetaPathFinder):
    def __init__(self, rules: ImportRules) -> None:
        self._rules = rules
        # What a game itself needs is imported now, and then out of sight.
        for name in game_names():
            _ = game_spec(name).game_class
        for fullname in [name for name in sys.modules if not rules.allow(name)]:
            del sys.modules[fullname]
            package, _, name = fullname.rpartition(".")
            if package in sys.modules:
                vars(sys.modules[package]).pop(name, None)

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        if not self._rules.allow(fullname):
            raise ImportError(f"not allowed here: {fullname}")
