"""The table of this package's games, one row each: the only place that names their folders."""

from __future__ import annotations

from typing import Final

from tkm_env.game.registry import GameSpec, Level, add_games

_RANDOM: Final = "tkm_env.agents.random:RandomAgent"

TKM: Final = GameSpec(
    name="tkm",
    title="That Time You Killed Me",
    env_id="tkm_env/TKM-v0",
    game="tkm_env.games.tkm.game:Game",
    batch="tkm_env.games.tkm.batch:Batch",
    cuda_batch="tkm_env.games.tkm.cuda_batch:CudaBatch",
    adapter="tkm_env.games.tkm.play:ADAPTER",
    agents={
        "random": _RANDOM,
        "greedy": "tkm_env.games.tkm.agents.greedy:GreedyAgent",
        "net": "tkm_env.games.tkm.agents.greedy:NetAgent",
        "alphabeta": "tkm_env.games.tkm.agents.alphabeta:AlphaBetaAgent",
        "mcts": "tkm_env.games.tkm.agents.mcts:MCTSAgent",
        "gumbel": "tkm_env.games.tkm.agents.gumbel:GumbelAgent",
    },
    # With settings that take at most a few milliseconds per action.
    ladder=("random", "greedy", "mcts:iterations=200", "alphabeta:depth=4,net=None", "gumbel:iterations=400"),
    levels=(
        Level("beginner", "random"),
        Level("casual", "greedy"),
        Level("intermediate", "mcts:iterations=200"),
        Level("advanced", "alphabeta:depth=4,net=None"),
        Level("expert", "alphabeta:depth=4"),
        Level("master", "gumbel:iterations=400"),
        Level("strongest", "alphabeta:seconds=3"),
    ),
    analyse="tkm_env.games.tkm.search.analysis:analyse",
    perft="tkm_env.games.tkm.search.perft:perft",
    prove="tkm_env.games.tkm.proofs:prove",
    tables="tkm_env.games.tkm.search.endgame_solver:EndgameSolver",
    outcome="tkm_env.games.tkm.search.endgames:known_outcome",
    rules="tkm_env.games.tkm.rulebook_text:rules_for",
    openings="tkm_env.games.tkm.openings:openings",
    chance="tkm_env.games.tkm.chance:StartChance",
    values="tkm_env.games.tkm.learning:VALUES",
    teaching="tkm_env.games.tkm.teaching:TEACHING",
)

TERMINUS: Final = GameSpec(
    name="terminus",
    title="Terminus",
    env_id="tkm_env/Terminus-v0",
    game="tkm_env.games.terminus.game:TerminusGame",
    batch="tkm_env.games.terminus.batch:TerminusBatch",
    adapter="tkm_env.games.terminus.play:ADAPTER",
    agents={
        "random": _RANDOM,
        "greedy": "tkm_env.games.terminus.agents.greedy:GreedyAgent",
        "ismcts": "tkm_env.games.terminus.agents.ismcts:ISMCTSAgent",
    },
    ladder=("random", "greedy", "ismcts"),
    levels=(
        Level("beginner", "random"),
        Level("casual", "greedy"),
        Level("intermediate", "ismcts:iterations=400"),
        Level("advanced", "ismcts:iterations=1000"),
        Level("expert", "ismcts:iterations=4000"),
        Level("strongest", "ismcts:seconds=3"),
    ),
    rules="tkm_env.games.terminus.rulebook_text:rules_for",
    chance="tkm_env.games.terminus.chance:CardChance",
    teaching="tkm_env.games.terminus.teaching:TEACHING",
)

add_games([TKM, TERMINUS])
