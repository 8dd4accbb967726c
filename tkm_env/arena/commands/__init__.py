"""The subcommands of `tkm` for matches, tournaments, leagues and what came of them."""
