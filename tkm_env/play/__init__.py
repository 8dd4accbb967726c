"""Interactive play: the session, the terminal, the page."""
