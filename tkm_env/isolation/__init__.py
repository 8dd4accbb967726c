"""Programs that play: behind a wall, and speaking lines of text."""
