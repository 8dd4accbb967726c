"""Tests of the players.

They play legally everywhere, repeat their games from the same seeds, and each is stronger than the
one before.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.cases import each_setting
from tests.games.tkm.positions import TALK, VARIED, WHITE_WINS
from tests.games.tkm.random_games import power_pairs, seed_of
from tkm_env import ACTIONS, ArrayError, Game, IllegalActionError, UnknownActionError
from tkm_env.compiled.decorators import COMPILES
from tkm_env.core.agent import PlansTurns
from tkm_env.foundations.errors import ConfigError
from tkm_env.players import (
    Agent,
    AlphaBetaAgent,
    FunctionAgent,
    GreedyAgent,
    GumbelAgent,
    MCTSAgent,
    NetAgent,
    RandomAgent,
    ladder,
)
from tkm_env.players.tkm.search.evaluation_terms import WEIGHTS

PLAYERS: dict[str, Callable[[], Agent]] = {
    "random": RandomAgent,
    "greedy": GreedyAgent,
    "alphabeta": lambda: AlphaBetaAgent(depth=2 if COMPILES else 1, table_bits=12),
    "mcts": lambda: MCTSAgent(iterations=60 if COMPILES else 4, nodes=1 << 12),
    "net": NetAgent,
    "alphabeta net": lambda: AlphaBetaAgent(depth=1, table_bits=12, net="shipped"),
    "gumbel": lambda: GumbelAgent(iterations=30 if COMPILES else 4, gumbel_scale=0.1),
    "mcts of random play": lambda: MCTSAgent(
        iterations=30 if COMPILES else 4, turns=3, nodes=1 << 12
    ),
}


every_player = pytest.mark.parametrize("name", PLAYERS)


@pytest.mark.parametrize(
    "name", [name for name in PLAYERS if isinstance(PLAYERS[name](), PlansTurns)]
)
@each_setting
def test_a_planned_turn_is_what_single_actions_would_be(
    name: str, chapters: tuple[str, ...]
) -> None:
    game = Game(chapters=chapters, max_turns=12 if COMPILES else 2, **TALK)
    at_once, one_by_one = (PLAYERS[name]() for _ in range(2))
    for player in (at_once, one_by_one):
        player.reset(seed_of(name, chapters))
    assert isinstance(at_once, PlansTurns)
    while game.result is None:
        turn, before = game.turn_id, game.position
        planned = [*at_once.plan_turn(game)]
        assert game.position == before
        for number, action in enumerate(planned):
            assert not number or game.is_in_turn(turn)
            assert action == one_by_one.act(game)
            game.play(action)
        assert not game.is_in_turn(turn)
    with pytest.raises(IllegalActionError, match="the game is over"):
        at_once.plan_turn(game)


def play(game: Game, players: dict[str, Agent], limit: int) -> Game:
    """Play some actions on, and check that thinking leaves the game as it is."""
    for _ in range(limit):
        if game.result is not None:
            break
        before = game.position
        action = players[game.to_act].act(game)
        assert game.position == before
        assert type(action) is int
        game.play(action)
    return game


@every_player
def test_players_keep_to_the_protocol(name: str) -> None:
    player = PLAYERS[name]()
    assert isinstance(player, Agent)
    assert player.name


@pytest.mark.slow
@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda player: pickle.loads(pickle.dumps(player))]
)
@every_player
def test_a_copy_plays_on_identically(name: str, copied: Callable[[Agent], Agent]) -> None:
    player = PLAYERS[name]()
    player.reset(1)
    game = Game(chapters="convergence", seed=1)
    play(game, dict.fromkeys(game.players, player), 6 if COMPILES else 2)
    games = [
        play(game.copy(), dict.fromkeys(game.players, one), 30 if COMPILES else 2)
        for one in (copied(player), player)
    ]
    assert games[0] == games[1]


@each_setting
@pytest.mark.nightly
@every_player
def test_players_play_legally_with_all_chapters_and_powers(
    name: str, chapters: tuple[str, ...], edition: str
) -> None:
    player = PLAYERS[name]()
    generator = np.random.default_rng(seed_of(player.name, chapters, edition))
    for powers in power_pairs(chapters, generator, 3 if COMPILES else 1):
        player.reset(5)
        game = Game(chapters=chapters, edition=edition, powers=powers, max_turns=16)
        play(game, {"white": player, "black": player}, 70 if COMPILES else 8)


@pytest.mark.parametrize("position", VARIED)
@every_player
def test_players_play_at_every_step_and_only_random_talks(name: str, position: str) -> None:
    player = PLAYERS[name]()
    game = Game(position=position, **TALK)
    player.reset(3)
    action = player.act(game)
    assert action in game.legal_actions()
    if player.name != "random":
        assert ACTIONS[action] not in ("concede", "offer draw")


@pytest.mark.parametrize("timeline", ["draft_powers", "power_share"])
@every_player
def test_players_draft(name: str, timeline: str) -> None:
    player = PLAYERS[name]()
    player.reset(2)
    play(Game(timeline=timeline, seed=4), {"white": player, "black": player}, 12 if COMPILES else 3)


@every_player
def test_the_same_seed_gives_the_same_game(name: str) -> None:
    player = PLAYERS[name]()

    def game(seed: int) -> list[int]:
        player.reset(seed)
        return play(
            Game(chapters="growth"), {"white": player, "black": player}, 60 if COMPILES else 6
        ).history

    first = game(7)
    assert game(7) == first
    if "random" in player.name:
        assert game(8) != first


@every_player
def test_a_player_that_was_reset_plays_as_a_new_one(name: str) -> None:
    used = PLAYERS[name]()
    for seed in range(6 if COMPILES else 2):
        games = []
        for player in (used, PLAYERS[name]()):
            player.reset(seed)
            players = {"white": player, "black": RandomAgent(seed=seed)}
            games.append(play(Game(max_turns=40), players, 60 if COMPILES else 6).history)
        assert games[0] == games[1]


@every_player
def test_seeds_may_be_generators(name: str) -> None:
    player = PLAYERS[name]()
    games = []
    for _ in range(2):
        player.reset(np.random.default_rng(3))
        games.append(
            play(Game(), {"white": player, "black": player}, 12 if COMPILES else 4).history
        )
    assert games[0] == games[1]


@pytest.mark.parametrize("name", ["greedy", "alphabeta", "mcts", "gumbel"])
def test_thinking_players_win_when_they_can(name: str) -> None:
    game = Game(
        position=(
            "..../..../..WB/....|..../..../..../....|"
            "..../..../W.../...B - w c PF - 4/4 - ---/--- -/- 9"
        )
    )
    player = PLAYERS[name]() if name != "mcts" else MCTSAgent(iterations=400)
    player.reset(1)
    while game.result is None and game.to_act == "white":
        game.play(player.act(game))
    assert game.winner == "white"


@pytest.mark.parametrize(
    ("make", "keyword"),
    [
        (lambda: AlphaBetaAgent(depth=0), "depth"),
        (lambda: AlphaBetaAgent(depth=2.0), "depth"),
        (lambda: AlphaBetaAgent(depth=1000), "depth"),
        (lambda: AlphaBetaAgent(seconds=0), "seconds"),
        (lambda: AlphaBetaAgent(seconds=float("nan")), "seconds"),
        (lambda: AlphaBetaAgent(seconds="1"), "seconds"),
        (lambda: AlphaBetaAgent(table_bits=64), "table_bits"),
        (lambda: MCTSAgent(iterations=0), "iterations"),
        (lambda: MCTSAgent(iterations=True), "iterations"),
        (lambda: MCTSAgent(seconds=-1), "seconds"),
        (lambda: MCTSAgent(exploration=-0.5), "exploration"),
        (lambda: MCTSAgent(turns=-1), "turns"),
        (lambda: MCTSAgent(nodes=1), "nodes"),
        (lambda: GumbelAgent(candidates=0), "candidates"),
        (lambda: GumbelAgent(gumbel_scale=-1), "gumbel_scale"),
        (lambda: GumbelAgent(nodes=1000), "nodes"),
        *(
            (lambda given=given: AlphaBetaAgent(seconds=given), "seconds")
            for given in (True, 10**400, np.complex64(1), np.timedelta64(1, "s"))
        ),
        *(
            (lambda kind=kind: kind(seed=-1), "seed")
            for kind in (RandomAgent, GreedyAgent, AlphaBetaAgent, MCTSAgent, GumbelAgent)
        ),
        *(
            (lambda given=given: RandomAgent(seed=given), "seed")
            for given in (True, np.True_, 1.0, "1", [1])
        ),
        (lambda: FunctionAgent(5), "function"),
    ],
)
def test_invalid_settings_are_refused_by_name(make: Callable[[], Agent], keyword: str) -> None:
    with pytest.raises(ConfigError, match=keyword) as refusal:
        make()
    assert refusal.value.keyword == keyword


@pytest.mark.parametrize("kind", [GreedyAgent, AlphaBetaAgent, MCTSAgent])
def test_invalid_weights_are_refused(kind: Callable[..., Agent]) -> None:
    for weights in (
        "",
        "x",
        WEIGHTS[:2],
        WEIGHTS.astype(float),
        WEIGHTS * 1000,
        WEIGHTS > 0,
        [[1], [2, 3]],
    ):
        with pytest.raises(ArrayError, match=r"^invalid weights: .* from -1000 to 1000$"):
            kind(weights=weights)
    assert kind(weights=WEIGHTS.astype(np.int16).tolist()).act(Game()) == 0


@every_player
def test_players_refuse_a_game_that_is_over(name: str) -> None:
    player = PLAYERS[name]()
    game = Game(position=WHITE_WINS)
    game.play("focus present")
    player.reset(1)
    with pytest.raises(IllegalActionError, match="the game is over"):
        player.act(game)


@pytest.mark.parametrize("answer", [0.0, 3.7, "0", None, True, np.True_, [0], np.zeros(1, int)])
def test_a_functions_answer_is_not_rounded(answer: Any) -> None:
    with pytest.raises(UnknownActionError, match="which is not the index of an action"):
        FunctionAgent(lambda observation, info: answer).act(Game())


def ladder_names() -> list[str]:
    return [agent.name for agent in ladder()][1:]


def wins_most(stronger: Agent, weaker: Agent, chapters: str, games: int) -> bool:
    """Whether the first player scores more than 60% of this number of games.

    Each opening is played from both sides, and no more games are played than decide it.
    """
    generator = np.random.default_rng(seed_of(stronger.name, weaker.name, chapters))
    opening, points = RandomAgent(seed=generator), 0.0
    for _ in range(games // 2):
        start = Game(chapters=chapters)
        while start.turn <= 2 and start.result is None:
            start.play(opening.act(start))
        for side, other in (("white", "black"), ("black", "white")):
            game = start.copy()
            stronger.reset(generator)
            weaker.reset(generator)
            play(game, {side: stronger, other: weaker}, 10_000)
            points += {side: 1.0, other: 0.0}.get(game.winner or "", 0.5)
            if points > 0.6 * games:
                return True
    return False


@pytest.mark.nightly
@pytest.mark.skipif(not COMPILES, reason="takes hours uncompiled")
@pytest.mark.parametrize("chapters", ["standard", "growth", "influence", "memory"])
@pytest.mark.parametrize(("rung", "share"), list(enumerate([5, 16, 16, 6], 1)))
def test_each_player_beats_the_one_before(
    chapters: str, rung: int, share: int, pytestconfig: pytest.Config
) -> None:
    """Play a few games, enough to detect a broken player.

    The documentation has the figures of long matches.
    """
    weaker, stronger = ladder()[rung - 1 : rung + 1]
    games = max(6, pytestconfig.getoption("games") // share)
    assert wins_most(stronger, weaker, chapters, games)
