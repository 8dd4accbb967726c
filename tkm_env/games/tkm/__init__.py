"""*That Time You Killed Me*: three eras, copies that travel in time, chapters and powers."""
