"""Games between players: matches, tournaments, leagues, their ratings and reports."""
