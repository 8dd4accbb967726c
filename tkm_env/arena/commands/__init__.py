"""The subcommands of `tkm` for matches, tournaments, leagues and their results."""
