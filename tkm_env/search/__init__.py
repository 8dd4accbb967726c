"""Search on the engine, compiled: play-outs, evaluation, alpha-beta, Monte Carlo trees. Imports numpy, numba and `tkm_env.engine` only.

Nothing here is imported by those who only step environments: the players in `tkm_env.agents` bring it in.
"""
