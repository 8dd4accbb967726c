"""The subcommands of `tkm` for people at a board."""
