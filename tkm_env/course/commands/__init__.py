"""The subcommand of `tkm` for teachers."""
