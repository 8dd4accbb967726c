"""Compiled search on top of the engine: play-outs, evaluation, alpha-beta, Monte Carlo trees."""
