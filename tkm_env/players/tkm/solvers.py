"""The searches of *That Time You Killed Me* that answer questions about positions."""

from typing import Final

from tkm_env.players.solvers import Solvers
from tkm_env.players.tkm.endgame_positions import draw_endgames
from tkm_env.players.tkm.proofs import prove
from tkm_env.players.tkm.search.analysis import analyse
from tkm_env.players.tkm.search.endgame_solver import EndgameSolver
from tkm_env.players.tkm.search.endgames import known_outcome
from tkm_env.players.tkm.search.perft import perft

__all__ = ["SOLVERS"]

SOLVERS: Final = Solvers(analyse, perft, prove, EndgameSolver, known_outcome, draw_endgames)
