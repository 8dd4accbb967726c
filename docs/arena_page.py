"""What `docs/generate.py` writes about bots: ``docs/protocol.md`` and ``docs/arena.md``."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from tables import table

from tkm_env import Game, GameConfig
from tkm_env.arena.check import steps_of
from tkm_env.game.faults import FAULTS
from tkm_env.game.registry import game_spec
from tkm_env.game.settings import changed_settings
from tkm_env.isolation.program import ISOLATIONS
from tkm_env.isolation.protocol import REASONS, VERSION, Begin, End, Go, Hello, Info, Play, Quit
from tkm_env.isolation.sandbox import PROTECTIONS

_ROOT = Path(__file__).parents[1]

FIVE_LINES = """import random, re, sys
for line in sys.stdin:
    if line.startswith("tkm"): print("tkm 1 name=five-lines", flush=True)
    if line.startswith("go"): print("play", random.choice(re.search(r"legal=(\\S+)", line)[1].split(",")), flush=True)
"""


REQUESTS = (
    ("`tkm 1 game=… seat=… seed=… config=…`", "a game begins, of which the bot plays one side", "`tkm 1 name=… version=…`"),
    ("`go seed=… left_ms=… legal=… \\| POSITION \\| ACTIONS`", "the bot is to act", "`play ACTION; ACTION`"),
    ("`end result=… reason=…`", "the game is over", "none"),
    ("`quit`", "the bot is to end, within half a second; the end of its input says the same", "none"),
)


def transcript() -> str:
    """A short game as one of its bots sees it."""
    game = Game(
        GameConfig(max_turns=3),
        position="W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w c PF - 4/4 - ---/--- -/- 1",
    )
    lines = [f"> {Begin(game.name, 'white', 17, changed_settings(game.config))}", f"< {Hello('MyBot', '3')}"]
    plans = iter(
        [("choose 1", "move east", "travel forward", "focus future"), ("choose 1", "move south", "move east", "focus past")]
    )
    seed = 1
    while game.result is None:
        if game.to_act == "black":
            game.play(game.legal_actions()[-1])
            continue
        actions = next(plans)
        names = [game.action_names[action] for action in game.history]
        lines.append(f"> {Go(game.position, tuple(game.legal_actions()), names, 10_000, seed)}")
        if seed > 1:
            lines.append(f"< {Info('score 0.2 depth 3')}")
        turn = game.turn
        for number, action in enumerate(actions):
            if game.turn != turn or game.result is not None:
                actions = actions[:number]
                break
            game.play(action)
        lines.append(f"< {Play(actions)}")
        seed += 1
    assert game.result is not None
    return "\n".join([*lines, f"> {End(game.result)}", f"> {Quit()}"])


def protocol() -> str:
    """``docs/protocol.md``, without the note at its head."""
    sides = " or ".join(f"`{player}`" for name in ("tkm", "terminus") for player in game_spec(name).players)
    return f"""# The protocol between judge and bots

A bot is a program in any language. It reads lines from its standard input and writes lines to its standard output, in turns: the judge
writes a request, the bot answers. This is version {
        VERSION
    }. In Python without this package, a bot that plays at random is four lines:

```py
{FIVE_LINES}```

Save it as `bot.py`, and let it play: `tkm match "cmd:python3 bot.py" greedy`. Whether a bot keeps to all that follows, `tkm arena check
"cmd:python3 bot.py"` tells, step by step. There are bots in Python, C, JavaScript and Rust in [examples/bots](../examples/bots/random_bot.py);
`tkm bot greedy` is the other end for this package's own players.

## A game

What the judge writes begins with `>` here, what the bot writes with `<`.

```text
{transcript()}
```

## Requests

A line is words separated by single spaces. The first is a verb, most others are of the form `name=value`. Ignore words that you do not know: later
versions may add some. Lines are UTF-8 and end with a line feed.

{table(("request", "meaning", "answer"), REQUESTS)}

`tkm`: the version of the protocol comes first. `game` is `tkm` or `terminus` (or one of your own), `seat` the side: {
        sides
    }. `config` holds the settings
that differ from the defaults, as JSON without spaces, in the form of [game records](records.md). `seed` is for the bot's own randomness. The
program stays for many games, each begun by a `tkm`, even if none before it has ended; start-up has a time of its own.

`go`: everything that there is to know, so a bot may forget what was before. The three parts are separated by a bar between spaces.

- `legal`: the numbers of the legal actions. What they mean: [actions](actions.md), and [those of Terminus](terminus.md).
- POSITION: the [position](positions.md), as the bot's side may see it ([Terminus](terminus.md) has its own text; the deck is hidden).
- ACTIONS: the names of all actions since the start of the game, of both sides, separated by semicolons; at first empty.
- `left_ms`: milliseconds until the turn must be over. A turn is all actions in a row of one side, such as choose, move, move, focus.
- `bank_ms`, `inc_ms`: only where time is carried over from turn to turn: how much of it there is, and what each turn adds.
- `seed`: for random numbers of this decision.

`end`: `result` is `1-0`, `0-1`, `1/2` or `*`; `reason` one of {
        ", ".join(f"`{reason}` ({meaning})" for reason, meaning in REASONS.items())
    }.

## Answers

- `tkm 1 name=MyBot version=3`: the name and, if you like, a version; printable ASCII without spaces, at most 200 characters.
- `play ACTION; ACTION`: one action or more, by name or by number, for this turn. The judge plays them one after another. When an answer is
  used up and the turn goes on, it asks again. An action after the end of the turn is a fault; after the end of the game, none is played.
- `info TEXT`: before an answer, as often as you like: kept, and never believed.

Nothing else may be written to standard output; flush after every line. Standard error is free: its beginning and end are kept.

Whoever does otherwise loses the game: [faults](arena.md#faults).
"""


def loaded(path: str) -> ModuleType:
    """A module of tables that the tests run, by its path in the repository."""
    spec = spec_from_file_location("tables_of_tests", _ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["tables_of_tests"] = module
    spec.loader.exec_module(module)
    return module


def arena() -> str:
    """``docs/arena.md``, without the note at its head."""
    attacks = loaded("tests/arena/hostile.py").ATTACKS
    shown = {
        loaded("tests/arena/hostile.py").PLAYS_ON: "it fails, the bot plays on",
        loaded("tests/arena/hostile.py").NOT_STOPPED: "**not stopped**",
    }
    rows = [(one.name, *(shown.get(outcome, f"`{outcome}`") for outcome in (one.process, one.sandbox))) for one in attacks]
    return f"""# The arena

How bots play each other, by whomever and in whatever language they are written: what protects the judge from them, and what becomes of those who
break the rules. `tkm match` plays two of them; see [agents](agents.md) for this package's own. `tkm tournament` plays any number of them:
[from an empty folder to a published page in ten minutes](tournaments.md), or a standing leaderboard.

## Write a bot in any language

1. Write a program that speaks [the protocol](protocol.md): it reads lines and writes lines. [examples/bots](../examples/bots/random_bot.py) has one each in Python
   (without this package), C, JavaScript and Rust, to begin from.
2. `tkm arena check "cmd:./mybot"` walks it through {len(steps_of(game_spec("tkm")))} steps and shows its own output at the first that it fails.
   `--game terminus` does so for the other game.
3. Let it play: `tkm match "cmd:./mybot" alphabeta:depth=2`. The command is split into words as a shell does it, but no shell runs.

`cmd:COMMAND` is a player wherever one is asked for: in `tkm match` and `tkm play --opponent`, and as `opponent=` of the Gymnasium environments.

A class in Python needs no protocol: `path/to/bot.py:MyBot`, with a method `act(game)`, is a player, too. In a match it runs in a process of its own;
`tkm bot path/to/bot.py:MyBot` is what runs there.

## Isolation

Where a player runs is its isolation. Each record names it.

{table(("isolation", "where the player runs"), [(f"`{name}`", meaning) for name, meaning in ISOLATIONS.items()])}

This package's own players run in the judge's process. They are given copies of the game. Files run in a process of their own, unless
`--trust` says that they are as good as ours; commands always do. `--isolation sandbox` puts both into a sandbox.

**`process`** (Linux, macOS): a supervisor, a small process of its own, is the parent of each bot. It ends the bot and everything that came of it: when the
game is lost, when the match is over, and when the judge is gone, even by `kill -9`. On Linux, orphans become the supervisor's children, so that none
escapes. Time is the wall's clock. The resident memory of all processes together is watched (`--memory-mib`), and so is their number; the record of a
game names the most memory that a player had in it. Output is limited to 1 MiB before an answer; of standard error, the same is kept. The
environment holds no variables but a few harmless ones. What a bot writes is read as text, never unpickled.

**`sandbox`** (Linux 5.13 or later, x86_64 or aarch64; no root, no containers, also inside one): the same, and these protections. Where one of them is
missing, the sandbox is refused and the missing one named; `tkm arena check` shows which are active.

{table(("protection", "what it does"), [(f"`{name}`", meaning) for name, meaning in PROTECTIONS.items()])}

A sandboxed bot reads the system's libraries, Python, this package and the files and folders that its command names, nothing else; `--readable` adds to
them. A bot of several files is best a folder of its own that its command names, such as `cmd:python3 bots/mybot`. It writes to a temporary folder
(`$TMPDIR`, which is also its home), removed with it.

**`container`**: your own command, with `{{command}}` in the place of the bot's, behind the same limits as a process:

    tkm match "cmd:python3 /bot/bot.py" greedy --container "docker run --rm -i --init --network none --memory 2g -v /srv/bots:/bot:ro python:3.12 {{command}}"

What runs in the container is not a child of ours: it must end when its input does, as `docker run -i --rm` has it.

### What each level stops

The tests run these bots at both levels. Each does what is named here instead of its first answer; the columns show the fault by which it loses. The
match goes on in every case, and no process is left behind.

{table(("a bot that …", "`process`", "`sandbox`"), rows)}

What no level stops: a bot that uses all cores while the other one thinks; one that finds out which files there are, by their names and sizes; one
that recognises its opponent by its moves; side channels between programs on one machine. What `process` does not stop beyond that table: whatever
the user who runs the match may do. Let bots of strangers play in the sandbox, or in a container, and as a user who owns nothing.

## Clocks

`--turn-seconds` (default 10) is for one turn: all actions in a row of one side. `--bank-seconds` and `--increment-seconds` are for a clock that is carried
over from turn to turn; a turn's limit may be given with it. `--start-seconds` (default 20) is for starting and for answering `tkm`. A bot in Python
may take that much longer for its first answer of all, since it may compile. The limits hold whether or not a player limits its own search. A player
in the judge's own process cannot be interrupted: it loses when it has answered too late.

## Faults

The first fault loses the game for the one who made it. Nothing voids a game, and nothing that a player does stops a match.

{table(("kind", "what the player did"), [(f"`{kind}`", meaning) for kind, meaning in FAULTS.items()])}

The [record](records.md) of the game holds the fault: who, which kind, at which action, and what was seen, such as the last line of a traceback. Its
`result` is the loss, and `Game.from_record` checks that too. A bot that made a fault is ended, and started again for its next game.

A player that does not start, or does not answer its first `tkm`, loses that game with a fault at ply 0. Such games are counted apart, below the table of
`tkm match`. After three of them in a row it is benched: it loses its other games
without being started again, and their records repeat what was seen.

Ctrl-C finishes the games that are being played, shows the score so far and says how to go on; a second one ends everything at once.

## More than one machine

    pip install -e '.[ray]'
    tkm match alphabeta:depth=3 mcts --games 1000 --save games.jsonl --engine ray --address auto

has [Ray](https://docs.ray.io) play the games: two with the same start are one of its tasks, and each of its CPUs plays one game at a time. They are the
games that one machine plays, whatever the cluster is: only what is measured differs, and what depends on it, such as a fault by `timeout` where
nodes are slow. Without `--address`, Ray runs on this machine alone and ends with the match.

- The cluster is started with `ray start`, or by one of Ray's launchers. The command runs on one of its machines, since it is part of the cluster, too;
  `--address` is `auto` there, or the `host:port` that `ray start --head` shows.
- Every node has this package in the same version, and Ray and Python as well. Files of bots are at the same path on all of them, for instance in
  a folder that they share; relative paths begin in the folder in which the command was started.
- A pair of games whose node is lost is played again elsewhere, up to ten times, and is saved once. Nodes may join while games are played. If
  the machine on which the command runs is lost, or the head of the cluster, `--resume` goes on with what was saved.
- The bots run on the nodes, behind the same limits. The sandbox and containers must be possible there.
- Who can reach a cluster can run code on it: keep it in a network of its own, as Ray's documentation says.
"""
