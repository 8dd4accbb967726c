"""What games have in common: the value, the batch, the record, settings, compilation, threads. Nothing here depends on a game."""
