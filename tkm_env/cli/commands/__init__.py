"""Subcommands of `tkm` that need only the environment and players; each product has its own.

A new one is a module here, and a row of `tkm_env.commands` in `pyproject.toml`.
"""
