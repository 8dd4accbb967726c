"""Leaves out the doctests of modules whose extra is not installed, and says so."""

from importlib.util import find_spec
from typing import Any

_NEEDED = {
    "tkm_env/adapters/jax.py": "jax",
    "tkm_env/adapters/open_spiel.py": "pyspiel",
    "tkm_env/arena/rating.py": "scipy",
    "tkm_env/arena/playing/ray_workers.py": "ray",
    "tkm_env/envs/sb3.py": "stable_baselines3",
    "tkm_env/learn/export_policy.py": "torch",
    "tkm_env/learn/sb3.py": "stable_baselines3",
    "tkm_env/play/server.py": "waitress",
    "tkm_env/play/tool_server.py": "mcp",
    "tkm_env/play/notebook.py": "anywidget",
}

collect_ignore = [module for module, library in _NEEDED.items() if not find_spec(library)]
#: Alembic runs these, and nothing else can import them.
collect_ignore_glob = ["tkm_env/arena/league/migrations/*"]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for module in collect_ignore:
        terminalreporter.write_line(
            f"left out: the doctests of {module}, which need {_NEEDED[module]}"
        )
