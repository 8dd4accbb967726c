"""The pages of `docs/faces`, a face of the environments each, on one template, and `docs/which-mask.md`; `docs/generate.py` writes them."""

from __future__ import annotations

from typing import NamedTuple

from libraries_page import listed
from tables import table

NOTE = "<!-- Written by `python docs/generate.py`; edit `docs/faces_page.py` or `docs/libraries.toml` instead. -->"

#: What is the same behind every face.
OBSERVATION = 'int8 of shape (84, 4, 4); of *Terminus* (838,); float32 of one dimension with `observation="compact"`'
ACTIONS = "`Discrete(79)`; of *Terminus* `Discrete(355)`: indices into `game.action_names`"


class Face(NamedTuple):
    """A way to use the games: for whom it is, what it hands over and takes, and an example, a program or the name of a file."""

    name: str
    title: str
    whom: str
    made_by: str
    observation: str
    actions: str
    mask: str
    rewards: str
    ends: str
    illegal: str
    settings: str
    reference: str
    example: str


_SETTINGS = "the [keywords of the game](../games/index.md), `opening_turns`, `positions`, `observation`, `canonical`"

FACES = (
    Face(
        "aec",
        "PettingZoo: both players in a loop",
        "Whoever trains or tries out several agents in one loop, with PettingZoo's tools.",
        '`tkm_v0.env()`, `terminus_v0.env()`, or `pettingzoo.make("aec", "tkm_env/tkm-v0")`, an {py:class}`AECEnv '
        "<pettingzoo.utils.env.AECEnv>`",
        f"a dict: `observation`, {OBSERVATION}; `action_mask`, int8",
        ACTIONS,
        '`observation["action_mask"]` and `info["action_mask"]`',
        "1 to the winner, −1 to the loser, with the last action; 0 before",
        "`terminations` of both players when the game is won or drawn, `truncations` after `max_turns`",
        "loses the game in `env()`; raises `IllegalActionError` in `raw_env()`, which it leaves as it was",
        _SETTINGS + ", `render_mode`",
        "[`tkm_env.tkm_v0`](../api/tkm_env-tkm_v0.md), [the class](../api/tkm_env-envs-aec.md)",
        """from tkm_env import tkm_v0

env = tkm_v0.env(chapters="memory")
env.reset(seed=1)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    over = termination or truncation
    env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
""",
    ),
    Face(
        "single",
        "Gymnasium: one game against an opponent",
        "Whoever trains one learner with a library for single agents.",
        '`gymnasium.make("tkm_env/TKM-v0", opponent="random", side="random")`, an {py:class}`Env <gymnasium.Env>`',
        OBSERVATION,
        ACTIONS,
        '`info["action_mask"]`, and `env.unwrapped.action_masks()`, where sb3-contrib looks',
        "1 for a win, −1 for a loss, 0 otherwise: the learner's own, also when the opponent ends the game",
        "`terminated` when the game is won or drawn, `truncated` after `max_turns`",
        "loses the game; `info` holds `illegal_action` and `reason`",
        _SETTINGS + ", `opponent`, `side`, `render_mode`",
        "[`GameEnv`](../api/tkm_env-envs-single.md), [more](../gymnasium.md)",
        """import gymnasium
import tkm_env

env = gymnasium.make("tkm_env/TKM-v0", opponent="greedy", side="random")
observation, info = env.reset(seed=1)
over = False
while not over:
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
    over = terminated or truncated
""",
    ),
    Face(
        "vector",
        "Gymnasium: thousands of games at once",
        "Whoever trains on throughput: all games are played in compiled code, against an opponent or in self-play.",
        '`gymnasium.make_vec("tkm_env/TKM-v0", num_envs=4096, vectorization_mode="vector_entry_point")`, a {py:class}`VectorEnv '
        "<gymnasium.vector.VectorEnv>`",
        f"the same with a first axis of n games: {OBSERVATION}",
        "`MultiDiscrete([79] * n)`; of *Terminus* 355",
        '`info["action_mask"]`, int8 of shape (n, actions)',
        'float64 of shape (n,); in self-play those of the player who acted, and `info["rewards"]` of both',
        "`terminations` and `truncations`, and a reset by Gymnasium's `autoreset_mode`",
        "loses that game; `info` holds `illegal_action` with a mask of games",
        _SETTINGS + ', `opponent` (`"self"` for self-play), `side`, `num_threads`, `autoreset_mode`',
        "[`GameVectorEnv`](../api/tkm_env-envs-vector.md), [more](../gymnasium.md#thousands-of-games)",
        """import gymnasium
import tkm_env

envs = gymnasium.make_vec("tkm_env/TKM-v0", num_envs=64, vectorization_mode="vector_entry_point", opponent="self")
observations, info = envs.reset(seed=1)
for step in range(100):
    observations, rewards, terminations, truncations, info = envs.step(info["action_mask"].argmax(1))
""",
    ),
    Face(
        "game",
        "A game as a value, and a batch of them",
        "Whoever searches, analyses or writes a loop of their own.",
        "`tkm_env.Game()`, `tkm_env.TerminusGame()`; `tkm_env.Batch(n)`, `tkm_env.TerminusBatch(n)`",
        f"`game.observation()`, `batch.observe(array)`: {OBSERVATION}",
        "names or indices: `game.legal_names()`, `game.legal_actions()`, `game.play(action)`",
        "`game.action_mask()`, `batch.masks`",
        "`game.winner`, `batch.rewards`",
        "`game.result` is no longer None: `1-0`, `0-1`, `1/2`, or `*` after `max_turns`",
        "raises `IllegalActionError`, and changes nothing; in a batch it loses that game",
        "the [keywords of the game](../games/index.md), `position`, `seed`",
        "[`tkm_env`](../api/tkm_env.md)",
        """from tkm_env import Game

game = Game(chapters="influence")
while game.result is None:
    game.play(game.legal_names()[0])
print(game.position)
""",
    ),
    Face(
        "stable-baselines3",
        "Stable-Baselines3",
        "Whoever trains `MaskablePPO` of sb3-contrib.",
        "`SB3VecEnv(num_envs=64)` of `tkm_env.envs.sb3`, a {py:class}`VecEnv <stable_baselines3.common.vec_env.VecEnv>`",
        OBSERVATION,
        ACTIONS,
        'nothing to do: `env_method("action_masks")` is where sb3-contrib looks',
        "float32 of shape (n,): the learner's own",
        '`dones`; the last observation is `infos[i]["terminal_observation"]`, and `TimeLimit.truncated` says whether it was cut',
        "loses that game",
        _SETTINGS + ", `opponent`, `side`, `num_threads`",
        "[`SB3VecEnv`](../api/tkm_env-envs-sb3.md), [callbacks](../api/tkm_env-learn-sb3.md), [self-play](../selfplay.md)",
        "sb3_maskable_ppo.py",
    ),
    Face(
        "rllib",
        "RLlib",
        "Whoever trains with Ray.",
        "`RLlibEnv` of `tkm_env.adapters.rllib`, with the keywords in `env_config`",
        "a dict: `observations`, float32 and flat; `action_mask`, float32",
        ACTIONS,
        "nothing to do: it is where `ActionMaskingTorchRLModule` reads it",
        "as with `gymnasium.make`",
        "as with `gymnasium.make`",
        "loses the game",
        _SETTINGS + ", `opponent`, `side`, `env_id`",
        "[`RLlibEnv`](../api/tkm_env-adapters-rllib.md)",
        "rllib_ppo.py",
    ),
    Face(
        "tianshou",
        "Tianshou, and whoever reads the mask in the observation",
        "Whoever trains with a library that looks for the mask in the observation.",
        '`MaskedObservation(gymnasium.make(…), "obs", "mask")`, a {py:class}`Wrapper <gymnasium.Wrapper>`',
        "a dict of the observation and the mask, under the names given",
        ACTIONS,
        '`observation["mask"]`',
        "as with `gymnasium.make`",
        "as with `gymnasium.make`",
        "loses the game",
        "those of the environment that it wraps",
        "[`MaskedObservation`](../api/tkm_env-adapters-masked_observation.md)",
        "tianshou_dqn.py",
    ),
    Face(
        "torchrl",
        "TorchRL",
        "Whoever trains with tensordicts.",
        '`GymEnv("tkm_env/TKM-v0")`, `GymWrapper(gymnasium.make_vec(…))`, `PettingZooWrapper(tkm_v0.env(), use_mask=True)`',
        OBSERVATION,
        ACTIONS,
        '`default_info_dict_reader(["action_mask"], …)`, then `ActionMask`',
        "as with `gymnasium.make`",
        "as with `gymnasium.make`",
        "loses the game",
        "those of the environment that it wraps",
        "[what does not work](../libraries.md)",
        "torchrl_ppo.py",
    ),
)


def face_page(face: Face) -> str:
    """One page."""
    if face.example.endswith(".py"):
        example = f"A complete program, which ends with a score:\n\n```{{literalinclude}} ../../examples/libraries/{face.example}\n:language: python\n```"
    else:
        example = f"```python\n{face.example.rstrip()}\n```"
    rows = [
        ("made by", face.made_by),
        ("observation", face.observation),
        ("actions", face.actions),
        ("mask", face.mask),
        ("rewards", face.rewards),
        ("ends", face.ends),
        ("an illegal action", face.illegal),
        ("settings", face.settings),
        ("reference", face.reference),
    ]
    return f"""{NOTE}

# {face.title}

{face.whom}

{table((" ", " "), rows)}

A turn is several actions, so the same player often acts several times in a row.

## Example

{example}

## Versions

`v0`: the first. The [changelog](../changelog.md) has what came since.
"""


def faces_index() -> str:
    """``docs/faces/index.md``."""
    rows = [(f"[{face.title}]({face.name}.md)", face.whom, face.mask) for face in FACES]
    pages = "\n".join(face.name for face in FACES)
    return f"""{NOTE}

# Interfaces

All run on the same engine, take the same settings, and play the same game from the same seed.

{table(("interface", "for whom", "where the mask is"), rows)}

[OpenSpiel](../open_spiel.md) has a page of its own. [Adding a library](../contributing.md) says how the table of libraries grows.

```{{toctree}}
:hidden:

{pages}
```
"""


def which_mask() -> str:
    """``docs/which-mask.md``."""
    rows = [(library["name"], library["face"], library["mask"]) for library in listed()]
    return f"""{NOTE}

# Which mask does my library read?

In most positions fewer than ten of the 79 actions are legal, and an illegal one loses the game. So every learner has to know the mask: an int8
array with a number for each action, 1 where it is legal. Libraries look for it in different places, and say nothing if they do not find it.
A learner that does not see the mask loses its first games within a few actions: look at `info["illegal_action"]`.

{table(("library", "what to hand it", "where the mask goes"), rows)}

The mask is always that of the player who is to act. Once a game is over all of it is 0; a random policy has to know that, since it cannot draw
from nothing.

What each library cannot do, and why, is on [the page of libraries](libraries.md).
"""
