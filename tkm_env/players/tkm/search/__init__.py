"""Compiled search on top of the engine: evaluation, alpha-beta, Monte Carlo, Gumbel."""
