"""Search, compiled on the engine: play-outs, evaluation, alpha-beta, Monte Carlo trees."""
