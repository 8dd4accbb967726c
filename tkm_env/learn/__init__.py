"""Learning to play: by games against oneself, for any game that says how."""
