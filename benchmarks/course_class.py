"""The class that ``benchmarks/course.py`` grades.

It has honest submissions of five levels, and cheats, none of which writes an algorithm.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.course.hostile import FILES, PROGRAMS
from tests.course.small import program, python

#: The honest submissions of each level, one for each weight of a copy in their evaluation.
VARIANTS = (30, 26, 34, 38)
_WEIGHT = "30 * len(spaces)"
_RANDOM_BOT = """import random
class Bot:
    def act(self, game):
        return random.choice(game.legal_actions())
"""
_ONE_TURN = """
def best_turn(game):
    sign = 1 if game.to_act == game.players[0] else -1
    return max(turns(GameNode(game, evaluate)), key=lambda turn: sign * turn[1].value())[0]
"""

#: The file of a level, made from the solution's.
LEVELS: dict[str, Callable[[str], str]] = {
    "1 counts": lambda solution: (
        _without(solution, "evaluate", "minimax", "alphabeta") + _RANDOM_BOT
    ),
    "2 evaluates": lambda solution: _without(solution, "minimax", "alphabeta") + _RANDOM_BOT,
    "3 looks ahead": lambda solution: _without(solution, "alphabeta") + _RANDOM_BOT,
    "4 looks one turn ahead in games": lambda solution: _without(solution, "alphabeta") + _ONE_TURN,
    "5 solves": lambda solution: solution,
}

_STEAL = """
import importlib, re, sys
from pathlib import Path
import tkm_env
HOME = Path(tkm_env.__file__).parent
def stolen():
    {how}
globals().update(stolen())
"""
_LIFTED = (
    "sys.meta_path[:] = [finder for finder in sys.meta_path "
    "if type(finder).__module__.startswith(('_frozen', 'importlib'))]; "
)
_AS_FUNCTIONS = "return {'count': t.count_lines, 'minimax': t.minimax, 'alphabeta': t.alpha_beta}"
_FROM_NAMES = (
    "return {'count': names['count_lines'], 'minimax': names['minimax'], "
    "'alphabeta': names['alpha_beta']}"
)
_FIRST = "class Bot:\n    def act(self, game):\n        return game.legal_actions()[0]\n"
#: The code of each cheat, with which ``_STEAL`` gets at what others have written.
_THEFTS = {
    "renders the template of the solution": (
        "source = (HOME / 'course/templates/search/staff/solution/agent.py.jinja').read_text(); "
        "names = {}; exec(re.sub(r'{%.*?%}|{{.*?}}', '0', source), names); return names"
    ),
    "lifts the refusal of imports": (
        f"{_LIFTED}t = importlib.import_module('tkm_env.course.game_tree'); {_AS_FUNCTIONS}"
    ),
    "reads bytecode": (
        "import marshal; "
        "code = next((HOME / 'course/__pycache__').glob('game_tree*')).read_bytes()[16:]; "
        f"names = {{}}; exec(marshal.loads(code), names); {_FROM_NAMES}"
    ),
    "finds the solution beside what is graded": (
        "found = [*Path('/').glob('*/*/staff/solution/agent.py')] + "
        "[*Path('/').glob('*/*/*/staff/solution/agent.py')]; "
        "names = {}; exec(found[0].read_text(), names); return names"
    ),
    "takes a neighbour's file": (
        "found = [path for path in Path('/tmp').glob('*/submission/agent.py') "
        "if path != Path(__file__)]; "
        "names = {}; exec(found[0].read_text(), names); return names"
    ),
    "reads the grader's memory": (
        "import os; memory = open(f'/proc/{os.getppid()}/mem', 'rb'); memory.seek(0x400000); "
        "return {'count': lambda *_: memory.read(8)[0]}"
    ),
    "asks the grader's own tree": (
        "import gc; names = next(o for o in gc.get_objects() "
        f"if type(o) is dict and 'count_lines' in o); {_FROM_NAMES}"
    ),
    "loads the module from its file": (
        "import importlib.util as u; "
        "s = u.spec_from_file_location('t', HOME / 'course/game_tree.py'); "
        f"t = u.module_from_spec(s); s.loader.exec_module(t); {_AS_FUNCTIONS}"
    ),
    "starts a Python that refuses nothing": (
        "import subprocess; code = 'import tkm_env.course.game_tree as t; print(t.__file__)'; "
        "file = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, "
        "check=True, cwd=HOME.parent).stdout; "
        f"names = {{}}; exec(Path(file.strip()).read_text(), names); {_FROM_NAMES}"
    ),
    "shadows a module of the package": (
        "(Path(__file__).parent / 'tkm_env').mkdir(); return {'count': None}"
    ),
}


def _without(solution: str, *names: str) -> str:
    """The solution without these functions' bodies, which give no answer yet."""
    for name in names:
        begin = solution.index(f"def {name}(")
        ends = [solution.find(word, begin + 4) for word in ("\ndef ", "\nclass ")]
        end = min(place for place in ends if place > 0)
        solution = f"{solution[:begin]}def {name}(*_):\n    return None\n\n{solution[end:]}"
    return solution


def cheats(assignment: Path) -> dict[str, str]:
    """The Python file of each cheat, by what it does."""
    spec = assignment / "staff/grading.toml"
    found = {name: _STEAL.replace("{how}", how) for name, how in _THEFTS.items()}
    found |= {
        name: f"SPEC = {os.fspath(spec)!r}\nRESULTS = 'grades.csv'\n{source}\n"
        for name, (source, *_) in FILES.items()
    }
    return {**found, "plays the first legal action": _FIRST}


def write_class(folder: Path, assignment: Path) -> None:
    """Write the submissions to an assignment into a folder, each named after what it is."""
    solution = (assignment / "staff/solution/agent.py").read_text("utf-8")
    folder.mkdir()
    shutil.copytree(
        assignment / "student", folder / "0 untouched", ignore=shutil.ignore_patterns("pictures")
    )
    for level, edited in LEVELS.items():
        for number, weight in enumerate(VARIANTS, 1):
            python(
                folder / f"{level}, {number}",
                edited(solution.replace(_WEIGHT, f"{weight} * len(spaces)")),
            )
    for name, source in cheats(assignment).items():
        python(folder / f"cheat {name}", source)
    (folder / "cheat is a link to the solution").symlink_to(assignment / "staff/solution")
    program(
        folder / "cheat says that it has all points", PROGRAMS["says that it has all points"][0]
    )
