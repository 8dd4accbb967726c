"""Subcommands of `tkm` that need only the environment and players; each product has its own."""
