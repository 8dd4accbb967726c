"""Drawings, replays and animated GIFs, for any game."""
