"""The text environment: turns, refusals, rewards that add up, and independent environments."""

from __future__ import annotations

import inspect
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tkm_env import ConfigError, TKMError
from tkm_env.players import make_agent
from tkm_env.players.roster import ROSTERS
from tkm_env.text import TextOptions, legal_turns
from tkm_env.text.env import TextEnv

TERSE = TextOptions(style="terse", legal="none")


def play_out(env: TextEnv, seed: int) -> list[float]:
    """The rewards of a game of random turns."""
    generator = np.random.default_rng(seed)
    rewards = []
    while not env.done:
        turns = legal_turns(env.game, env._options)
        env.play(turns[generator.integers(len(turns))])
        rewards.append(env.reward)
    return rewards


@pytest.mark.parametrize("game", ["tkm", "terminus"])
@pytest.mark.parametrize("rename", [None, 4])
def test_a_game_is_played_to_its_end(game: str, rename: int | None) -> None:
    env = TextEnv(game, options=TextOptions(style="terse", rename=rename))
    seen = set()
    for seed in range(6):
        assert env.reset(seed=seed)
        rewards = play_out(env, seed)
        won = {None: 0.0, env.side: 1.0}.get(env.game.winner, -1.0)
        assert rewards == [0.0] * (len(rewards) - 1) + [won]
        assert env.get_reward() == won
        seen.add(won)
        assert "over:" in env.play("anything")
        assert env.reward == 0.0
        assert env.get_reward() == won
    assert len(seen) > 1


def test_after_too_many_refusals_in_a_row_the_game_is_lost() -> None:
    env = TextEnv(retries=2, options=TERSE, side="white")
    env.reset(seed=1)
    position = env.game.position
    for wrong in ("I go east", "choose 1"):
        assert env.play(wrong).startswith("refused: ")
    assert env.game.position == position
    env.play(legal_turns(env.game)[0])
    assert not env.done, "a turn that is played forgives those refused before"
    for _ in range(2):
        env.play("nonsense")
    assert not env.done
    assert "the game is lost" in env.play("nonsense")
    assert env.done
    assert env.get_reward() == -1.0


@pytest.mark.parametrize("retries", [0, 2])
def test_shaped_rewards_add_up_to_the_reward_less_the_value_of_the_start(retries: int) -> None:
    plain, shaped = (
        TextEnv(shaped=shaped, retries=retries, options=TERSE, chapters="memory", max_turns=60)
        for shaped in (False, True)
    )
    start = (
        "W..D/..../..../L..B|...D/.W../..../L..B|...D/..../..../L..B M w c PN - 4/4 - ---/--- -/- 7"
    )
    sums = set()
    for seed in range(6):
        for env in (plain, shaped):
            env.reset(seed=seed, position=start, side="white")
        value = shaped._value
        assert -1 < value < 1
        assert value != 0
        rewards = play_out(plain, seed), play_out(shaped, seed)
        if seed == 5:
            for env in (plain, shaped):
                env.reset(seed=seed, position=start, side="white")
                while not env.done:
                    env.play("nonsense")
        assert shaped.get_reward() == pytest.approx(plain.get_reward() - value)
        assert len(rewards[0]) == len(rewards[1])
        assert any(reward != 0 for reward in rewards[1][:-1]) or len(rewards[1]) == 1
        sums.add(plain.get_reward())
    assert len(sums) > 1


@pytest.mark.parametrize("shaped", [False, True])
def test_stopping_before_the_end_is_a_loss_unless_asked_otherwise(shaped: bool) -> None:
    left, kept = (
        TextEnv(shaped=shaped, options=TERSE, **given) for given in ({}, {"unfinished": 0.25})
    )
    assert left.get_reward() == 0, "no game has begun"
    for env in (left, kept):
        env.reset(seed=1, side="white")
        start = env._value
        assert env.get_reward() == pytest.approx(env._unfinished - start)
        env.play("TURN: 1")
        assert not env.done
        assert env.reward >= -1
        assert env.get_reward() == pytest.approx(env._unfinished - start)
    assert (left._unfinished, kept._unfinished) == (-1, 0.25)
    play_out(left, 1)
    won = {None: 0.0, "white": 1.0}.get(left.game.winner, -1.0)
    assert left.get_reward() == pytest.approx(won - start)


@pytest.mark.parametrize("unfinished", [1.5, -2, "0", None, float("nan")])
def test_the_reward_of_an_unfinished_game_is_checked(unfinished: Any) -> None:
    with pytest.raises(ConfigError, match=r"^unfinished="):
        TextEnv(unfinished=unfinished)


def test_a_game_without_values_is_not_shaped() -> None:
    with pytest.raises(ConfigError, match="shaped=True"):
        TextEnv("terminus", shaped=True)


def test_two_at_once_never_disturb_each_other() -> None:
    """Environments in threads play their own games and leave the global generator alone."""

    def transcript(env: TextEnv, seed: int) -> list[str]:
        told = [env.reset(seed=seed)]
        while not env.done:
            told.append(env.play("TURN: 1"))
            yield_to_others.wait(0)
        return told

    yield_to_others = threading.Event()
    options = TextOptions(style="terse")
    alone = [
        transcript(TextEnv(opponent="mcts:iterations=5", options=options, max_turns=30), seed)
        for seed in (1, 2)
    ]
    before = np.random.get_state()[1].tolist()  # noqa: NPY002 what must not change
    envs = [TextEnv(opponent="mcts:iterations=5", options=options, max_turns=30) for _ in range(2)]
    told = [[env.reset(seed=seed)] for env, seed in zip(envs, (1, 2), strict=True)]
    while not all(env.done for env in envs):
        for env, lines in zip(envs, told, strict=True):
            if not env.done:
                lines.append(env.play("TURN: 1"))
    assert told == alone
    found: dict[int, list[str]] = {}
    threads = [
        threading.Thread(
            target=lambda env=env, seed=seed: found.update({seed: transcript(env, seed)})
        )
        for env, seed in zip(envs, (1, 2), strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[1], found[2]] == alone
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002 what must not change


def test_settings_of_a_reset_are_those_of_its_game() -> None:
    env = TextEnv(options=TERSE, side="black")
    assert "seed" not in env.reset(seed=1, prompt=[{"role": "user", "content": "play"}])
    assert "seed" in env.reset(seed=1, chapters="growth", side="white")
    assert (env.side, env.game.config.chapters) == ("white", ("growth",))
    env.reset(chapters=None)
    assert (env.side, env.game.config.chapters) == ("black", None)
    before = env.game
    for wrong in ({"chapters": "nonsense"}, {"seed": -1}, {"position": "x"}, {"colour": "red"}):
        with pytest.raises(TKMError):
            env.reset(**wrong)
        assert env.game is before


@pytest.mark.parametrize(
    "opponent",
    [
        "cmd:touch {here}/pwned",
        "{here}/evil.py:Bot",
        "{here}/evil.py:Bot:depth=1",
        "exploit:cmd:touch {here}/pwned",
        "exploit:{here}/evil.py:Bot",
        "policy:{here}/policy.npz",
        "net:file={here}/net.npz",
        "alphabeta:depth=2,net={here}/net.npz",
        "alphabeta:depth=20",
        "llm:somebody",
        "self",
        lambda observation, info: 0,
        ["random"],
    ],
)
def test_who_gives_data_names_no_program_and_no_file_as_opponent(
    opponent: Any, tmp_path: Path
) -> None:
    (tmp_path / "evil.py").write_text(
        f"open({str(tmp_path / 'pwned')!r}, 'w')\nclass Bot: act = None\n", "utf-8"
    )
    env = TextEnv(options=TERSE)
    env.reset(seed=1)
    before = env.game
    given = opponent.format(here=tmp_path) if isinstance(opponent, str) else opponent
    with pytest.raises(
        ConfigError,
        match=(
            r"^opponent=.* is invalid: here it must be one of 'random', .*`opponents` of the "
            r"environment"
        ),
    ):
        env.reset(seed=2, opponent=given)
    assert not (tmp_path / "pwned").exists(), "it was started"
    assert env.game is before


def test_who_gives_data_names_no_other_file_either(tmp_path: Path) -> None:
    deck = tmp_path / "deck.toml"
    deck.write_text("this is no deck", "utf-8")
    for game, wrong in (
        ("terminus", {"deck": str(deck)}),
        ("tkm", {"render_mode": "human"}),
        ("tkm", {"observation": "compact"}),
    ):
        env = TextEnv(game, options=TERSE)
        with pytest.raises(ConfigError, match="it is given to the environment, not to `reset`"):
            env.reset(seed=1, **wrong)


def test_a_reset_chooses_among_the_opponents_that_the_environment_names(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Bot:\n    def act(self, game):\n        return game.legal_actions()[0]\n", "utf-8"
    )
    own, mine = make_agent("greedy"), f"{tmp_path}/mine.py:Bot"
    env = TextEnv(opponent=own, opponents=[mine, "alphabeta:depth=2"], options=TERSE, max_turns=4)
    for chosen in (*ROSTERS.of("tkm").offered, mine, "alphabeta:depth=2", None):
        env.reset(seed=1, opponent=chosen)
        assert play_out(env, 1)
    assert TextEnv(opponent=mine).reset(opponent=mine)
    for wrong in ("random", [make_agent("random")]):
        with pytest.raises(ConfigError, match="it must be a list of players' names"):
            TextEnv(opponents=wrong)


def test_a_game_that_the_opponent_has_ended_already_is_told() -> None:
    env = TextEnv(opponent=make_agent("greedy"), options=TERSE, side="black", max_turns=1)
    assert "over:" in env.reset(seed=1)
    assert env.done
    assert env.get_reward() == 0.0


def test_it_is_what_trl_expects() -> None:
    """Its methods but reset and get_reward are tools, with typed and described arguments."""
    tools = [
        name
        for name, _ in inspect.getmembers(TextEnv, inspect.isfunction)
        if not name.startswith("_")
    ]
    assert tools == ["get_reward", "play", "reset"]
    annotation = inspect.signature(TextEnv.play).parameters["turn"].annotation
    assert annotation == "str | int | list[str]"
    assert "turn: the number of a listed turn" in (TextEnv.play.__doc__ or "")


def test_what_a_model_is_told_speaks_of_the_tool_or_of_its_reply() -> None:
    by_tool, by_reply = TextEnv(side="white"), TextEnv(side="white", tool="")
    told = by_tool.reset(seed=1)
    assert "calling the tool play" in told
    assert "turns do you play? Call play with its number" in told
    assert "TURN:" not in told
    assert "Call play again" in by_tool.play("nonsense")
    told = by_reply.reset(seed=1)
    assert "TURN:" in told
    assert "the tool" not in told
    assert "Answer again" in by_reply.play("nonsense")


def test_trl_makes_a_tool_of_it() -> None:
    utils: Any = pytest.importorskip("transformers.utils", reason="needs transformers")
    schema = utils.get_json_schema(TextEnv().play)["function"]
    assert schema["name"] == "play"
    assert schema["parameters"]["required"] == ["turn"]


def test_a_turn_is_given_as_a_number_as_text_or_as_a_list() -> None:
    told = []
    for way in range(3):
        env = TextEnv(opponent="random")
        env.reset(seed=4)
        turn = legal_turns(env.game)[1]
        told.append(env.play([2, turn, turn.split("; ")][way]))
    assert told[0] == told[1] == told[2]
    assert "cannot be played" not in told[0]


def test_a_whole_reply_is_read_as_that_of_a_player() -> None:
    env = TextEnv(opponent="random", tool="")
    env.reset(seed=4, side="white")
    assert "cannot be played" not in env.play("The answer is 5.")
    assert env.game.history


@pytest.mark.parametrize(
    ("tool", "reason"), [("", "The reply has no turn"), ("play", '"turn" must be a list of names')]
)
@pytest.mark.parametrize(
    "reply", ["5\nOr maybe 6?", "choose 1; move east; move east; focus present\nNo."]
)
def test_of_a_reply_that_goes_on_the_first_line_is_not_played(
    reply: str, tool: str, reason: str
) -> None:
    env = TextEnv(opponent="random", tool=tool)
    env.reset(seed=4, side="white")
    assert reason in env.play(reply)
    assert not env.game.history
