"""Pictures of a game. What draws reads a `Game`, nothing else."""
