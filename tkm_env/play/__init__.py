"""People at a board: the session, the terminal, the page."""
