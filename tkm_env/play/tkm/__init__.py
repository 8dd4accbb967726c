"""How people play *That Time You Killed Me*."""
