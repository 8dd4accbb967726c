"""*Terminus*: two empires, 18 cards, one timeline."""
