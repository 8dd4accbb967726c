"""One game as a value: its interface, its records and settings, and how a position is encoded for a learner; no rule of any game."""
