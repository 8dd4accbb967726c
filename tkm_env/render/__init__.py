"""What drawings, replays and moving pictures are made of, whatever the game."""
