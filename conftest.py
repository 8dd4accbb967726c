"""Leaves out the doctests of modules whose extra is not installed."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("stable_baselines3") else ["tkm_env/envs/sb3.py"]
