"""What games have in common: the value, the batch, the record, the settings, compilation, threads. No game is known here."""
