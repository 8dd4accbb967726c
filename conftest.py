"""Leaves out the doctests of modules whose extra is not installed."""

from importlib.util import find_spec

_NEEDED = {"stable_baselines3": "tkm_env/envs/sb3.py", "flask": "tkm_env/play/server.py", "scipy": "tkm_env/arena/sprt.py"}

collect_ignore = [module for library, module in _NEEDED.items() if not find_spec(library)]
