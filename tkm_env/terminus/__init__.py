"""The second game, Terminus: two empires, 18 cards, one timeline. Its engine, and what the first game has, too, around it."""
