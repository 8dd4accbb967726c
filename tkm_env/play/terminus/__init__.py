"""How people play *Terminus*."""
