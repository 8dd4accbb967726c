"""The subcommands of `tkm` for the environment and its players; products have their own.

A new one is a module here, and a row of `tkm_env.commands` in `pyproject.toml`.
"""
