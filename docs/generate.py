"""Write the documents that are made from the package's tables and from measured figures: ``python docs/generate.py``.

With ``--check`` nothing is written; the exit status is 1 if a document is stale. The figures are in ``docs/agents.json``, written by
``python benchmarks/agents.py``, in ``docs/libraries.json``, by ``python benchmarks/libraries.py``, and in ``docs/performance.json``, by
``tkm bench --json``.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from agents_page import agents
from api_page import MODULES, api_index, api_module
from arena_page import arena, protocol
from chapters_page import CHAPTER_PICTURES, CHAPTERS, chapter_page, games_index
from faces_page import FACES, face_page, faces_index, which_mask
from learning_page import learning
from libraries_page import libraries
from pictures import PICTURES, TERMINUS_MIDDLE, TERMINUS_PICTURES, Picture
from rules_page import RULES_PICTURES, rules
from tables import numbered, table
from teaching_page import teaching
from testing_page import testing
from tournaments_page import tournaments

from tkm_env import Game, compact_layout
from tkm_env.bench.report import markdown
from tkm_env.bench.running import read_outcome
from tkm_env.game.action_groups import ActionGroup
from tkm_env.game.base import BaseGame
from tkm_env.game.records import FIELDS as RECORD_FIELDS
from tkm_env.game.registry import GameSpec
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.games.terminus.deck import DEFAULT_DECK
from tkm_env.games.terminus.engine.actions import ACTIONS as TERMINUS_ACTIONS
from tkm_env.games.terminus.engine.actions import GROUPS as TERMINUS_GROUPS
from tkm_env.games.terminus.engine.observation import FEATURES, NUM_FEATURES
from tkm_env.games.terminus.engine.state import ERAS, MAX_LENGTH
from tkm_env.games.terminus.game import TerminusGame
from tkm_env.games.terminus.notation import FIELDS as TERMINUS_FIELDS
from tkm_env.games.tkm.achievements import ACHIEVEMENTS
from tkm_env.games.tkm.campaign import CODA, FIRST_SET, JOURNEY
from tkm_env.games.tkm.config import TIMELINES
from tkm_env.games.tkm.engine.actions import ACTIONS, GROUPS
from tkm_env.games.tkm.engine.observation import PLANES, PLANES_PER_ERA
from tkm_env.games.tkm.engine.powers import POWERS
from tkm_env.games.tkm.engine.state import EMPTY, GROWTH, INFLUENCE, MEMORY, PIECES
from tkm_env.games.tkm.events import EVENT_CLASSES
from tkm_env.games.tkm.notation import CELLS

DOCS = Path(__file__).parent
NOTE = "<!-- Written by `python docs/generate.py`; edit that script or the tables that it reads instead. -->"


def actions_of(groups: tuple[ActionGroup, ...], most: int) -> str:
    """The table of actions, with at most so many names in a row."""
    rows = []
    first = 0
    for group in groups:
        shown = group.names if len(group.names) <= most else (*group.names[: most - 1], group.names[-1])
        names = [f"`{name}`" for name in shown]
        if len(shown) < len(group.names):
            names.insert(-1, "…")
        rows.append((numbered(first, len(group.names)), ", ".join(names), group.meaning, group.when, group.rules))
        first += len(group.names)
    return table(("index", "names", "what it does", "available with", "rules"), rows)


def actions() -> str:
    """``docs/actions.md``."""
    return f"""{NOTE}

# Actions

There are {len(ACTIONS)} actions, numbered from 0. The list is the same for every chapter and power, so a network trained on one chapter
runs on all of them. A turn consists of several actions: choose a copy, act twice, shift the focus.

`tkm_env.ACTIONS` lists the names in index order; `tkm_env.action_index(name)` returns the index of a name. `Game.play` takes either.

{actions_of(GROUPS, len(ACTIONS))}
"""


#: Settings of which ``docs/observation.md`` gives the size of compact observations, as text and as keywords.
COMPACT_SETTINGS: dict[str, dict[str, object]] = {
    "the standard game": {},
    '`chapters="growth"`': {"chapters": "growth"},
    '`chapters="influence"`': {"chapters": "influence"},
    '`chapters="memory"`': {"chapters": "memory"},
    '`chapters="convergence"`': {"chapters": "convergence"},
    "all three chapters": {"chapters": ("growth", "influence", "memory")},
    '`timeline="draft_powers"`': {"timeline": "draft_powers"},
}
COMPACT_EXAMPLE = {"chapters": "influence", "powers": ("express", None)}

#: The same for ``docs/terminus.md``.
TERMINUS_SETTINGS: dict[str, dict[str, object]] = {
    "the default deck": {},
    "the same with all `S` blank": {"deck": tuple(card.replace("S", ".") for card in DEFAULT_DECK)},
}


def compact_observations(spec: GameSpec, sizes: dict[str, dict[str, object]], example: dict[str, object]) -> str:
    """The section on compact observations of a game."""
    name = "" if spec is TKM else f'"{spec.name}", '
    keywords = ", ".join(f"{keyword}={value!r}".replace("'", '"') for keyword, value in example.items())
    rows = [
        (numbered(row.start, row.length), row.name, row.era or "-", row.meaning, f"0–{row.high}")
        for row in compact_layout(spec.name, **example)
    ]
    lengths = [(text, str(sum(row.length for row in compact_layout(spec.name, **settings)))) for text, settings in sizes.items()]
    return f"""## Compact observations

With `observation="compact"`, which every environment takes, also `evaluate` and `tkm_env.agents.FunctionAgent`, an observation is float32 of
one dimension, a `Box` from 0 to 1. It holds what the table above says varies with the settings, in the same order, and nothing else;
one number where a plane has the same value everywhere; each number divided by the highest one in the table. So a network has fewer inputs,
none of them constant, and needs no conversion to floats:

{table(("settings", "numbers"), lengths)}

`tkm_env.compact_layout({name}…)` says for all settings which number is what. For {f"`{keywords}`" if keywords else "the default settings"}:

{table(("numbers", "name", "era", "what it shows", "values, before division"), rows)}

A position that has what the settings never lead to cannot be shown: as a start it is refused with a `ConfigError`."""


def observation() -> str:
    """``docs/observation.md``."""
    eras = [(f"{number}, {number + PLANES_PER_ERA}, {number + 2 * PLANES_PER_ERA}", plane) for number, plane in enumerate(PLANES)]
    game = [(str(number), plane) for number, plane in enumerate(PLANES) if plane.era is None]
    head = ("plane", "name", "what it shows", "values", "layout", "varies with")
    of_eras, of_game = (
        table(head, [(number, plane.name, plane.meaning, f"0–{plane.high}", plane.layout, plane.varies) for number, plane in rows])
        for rows in (eras[:PLANES_PER_ERA], game)
    )
    return f"""{NOTE}

# Observations

An observation is an array of shape ({len(PLANES)}, 4, 4) and dtype int8: {len(PLANES)} planes over the 4×4 spaces. It is written from one
player's point of view: *I* am the viewer, *they* are the opponent. All three eras share one layout: a cell of a plane is the same space in
every era, and space n of the rulebook is row (n − 1) // 4, column (n − 1) % 4.

`tkm_env.PLANES` holds this table; the bounds of the observation space are exactly these values. Once a game is over, all planes of the step
are 0. `tkm_env.decode_observation` turns an observation of an unfinished game back into the text of its position.

Layouts: *spaces*: each cell describes its own space; *everywhere*: the same value in all 16 cells; *numbered*: cell n describes the nth
power of `tkm_env.POWERS`. *Varies with*: what settings it takes for the plane not to be the same in all positions.

With `canonical=True` black sees the area reflected, and all planes as white would see that position:
[one network for both sides](gymnasium.md#one-network-for-both-sides).

## One group for each era

`observation[:{3 * PLANES_PER_ERA}].reshape(3, {PLANES_PER_ERA}, 4, 4)` is past, present and future. The three numbers are the plane's index in each.

{of_eras}

## The whole game

{of_game}

{compact_observations(TKM, COMPACT_SETTINGS, COMPACT_EXAMPLE)}
"""


def positions() -> str:
    """``docs/positions.md``."""
    cells = [
        (f"`{letter}`", ("a seed" if piece == EMPTY else f"{PIECES[piece]} on a seed") if seed else PIECES[piece])
        for letter, (piece, seed) in CELLS.items()
    ]
    return f"""{NOTE}

# Position text

A position is written as one line of eleven fields, separated by single spaces. `Game.position` returns it; `Game(position=…)` and
`reset(options={{"position": …}})` read it. The standard start:

    {Game().position}

A position from the middle of a game with all chapters, in which one of white's elephants is about to move:

    {Game(position=MIDDLE).position}

| field | meaning |
| --- | --- |
| board | past, present and future, separated by a vertical bar; four rows from north to south, separated by `/`; four cells from west to east |
| chapters | letters of `GIM` (Growth, Influence, Memory), or `-` |
| to act | `w` or `b` |
| step | `c` choose a copy; `2`, `1` actions still to take; `f` shift the focus; `d` draft a power; `o` decide the order; `a` answer a draw offer; when over `1-0`, `0-1`, `1/2`, or `*` for truncated |
| focus | white's, then black's era: `P` past, `N` present, `F` future; `--` while drafting |
| active copy | era and space, such as `N7`, or `-` |
| supply | copies in white's / black's supply |
| statues | whose statue is still to be built: `wb`, `w`, `b` or `-` |
| hats | of the dark elephant in past, present, future, then of the light one: `w`, `b` or `-` |
| powers | white's / black's, or `-`; `!` once `overtime` is spent; while drafting, the four revealed ones come first |
| turn | its number, from 1 |

The step can carry a mark: `+` while a free action from `green-thumb` is left, `=` once a draw has been offered at this `c` or `f`.
The edition, the turn limit, and whether conceding and draws are allowed are settings; they are not part of the line.

Invalid text raises a `PositionError`, whose `field` is the name in this table and whose `reason` is a sentence.

## Cells

{table(("cell", "contents"), cells)}
"""


def events() -> str:
    """``docs/events.md``."""
    rows = [
        (
            f"`{event.__name__}`",
            ", ".join(f"`{field.name}`" for field in dataclasses.fields(event)),
            " ".join((event.__doc__ or "").replace("``", "`").split()),
            ", ".join(f"`{kind}`" for kind in event.kinds),
        )
        for event in EVENT_CLASSES
    ]
    return f"""{NOTE}

# Events

`Game.events` lists what the last action did, one record per change, in the order in which the changes happened; `Game.plies()` does so for
every action so far. Together, the events of an action account for the whole difference between the positions before and after it. They are
computed only when asked for. The classes are in the module `tkm_env.events`:

```python
from tkm_env import Game, events

game = Game(position="..../..WB/..../....|W.../...B/..../....|W.../...B/..../.... - w 2 PF P7 4/4 - ---/--- -/- 7")
game.play("move east")
assert events.Died("past", "black", 8, "squish") in game.events
```

`Game.totals` counts events by player and kind: `totals["black"]["squish"]`. What happens to a copy counts for its owner, everything else for
the player who acted. At the end of a game the same numbers are in [`info`](info.md), as an array.

{table(("event", "fields", "meaning", "kinds in the totals"), rows)}
"""


def campaign() -> str:
    """``docs/campaign.md``."""
    rows = [(f"`{one.name}`", one.description, f"`{one.unlocks}`" if one.unlocks else "-") for one in ACHIEVEMENTS]
    journey = ", ".join(f"`{stage}`" for stage in JOURNEY)
    return f"""{NOTE}

# Series and campaigns

`tkm_env.Series` is a series of games between two players: the loser goes first in the next game; after a draw or a truncated game, the
player who went second does. It keeps the score; `save` and `load` store it as JSON.

Saving replaces the file as a whole or not at all: whatever stops it, a full disk or a power cut, the old file is still there. Links stay links,
permissions stay as they were, and two programs that save at the same time do not disturb each other: the last one wins. Loading accepts
exactly what saving writes; anything else raises a `FileError` that names the file, the key and the reason.

`tkm_env.Campaign` is the rulebook's journey: {journey}, then `{CODA}`. Each chapter is played at least three times, the standard game as often as
the players like; `go_on` takes them to the next stage when they say so, and `games_due` tells how many games they owe this one.

```python
from tkm_env import Campaign

campaign = Campaign(("Ada", "Bob"), seed=1)
game = campaign.next_game()
while game.result is None:
    game.play(game.legal_actions()[0])
campaign.finish(game)
campaign.go_on()
print(campaign.stage, campaign.games_due, campaign.series.score)
```

The Coda goes on for as long as they like. Each of its games is an alternate timeline, whose chapters are drawn, Basics among the cards. Reaching
it opens the set of [powers](powers.md) `{FIRST_SET}`. The players choose the card and one of the opened sets, or have them drawn:
`campaign.choose(timeline="power_share", power_set="random")`; without a choice it is `"{TIMELINES[0]}"` and the first of `campaign.next_sets`.

In the Coda, feats count. The first player ever to complete a feat signs its envelope; three of the envelopes open another set. The next game
uses what was just opened, and the player who signed that envelope goes first; of several sets opened in one game the players choose one.
`campaign.feats_in(game)` tells which feats a game has completed so far, also while it is being played.

None of the rulebooks contains the texts of the published envelopes, so **these {len(ACHIEVEMENTS)} feats are this project's own**.
`tkm_env.achieved(game)` lists the feats that were completed in a game so far, with the player who completed each one first.

{table(("feat", "what it takes", "unlocks"), rows)}
"""


MIDDLE = "W..D/.IO./.*.*/L..B|W.../D.O./.#.#/L..B|W..D/B.O./.TW./L..B GIM w 2 NF N1 2/3 b -w-/--b -/- 12"


#: What the environments themselves put into ``info``: the key, the faces, what it is, and when it is there.
FACE_INFO = (
    ("`action_mask`", "all", "int8 (actions,), in a vector environment (n, actions): 1 for each legal action", "always"),
    ("`side`", "`make`, `make_vec`", "int, int8 (n,): the learner's number among the players; not in self-play", "always"),
    (
        "`opponent`",
        "`make`, `make_vec`",
        "int, int64 (n,): who plays, an index into `names` of the `tkm_env.Pool` given",
        "against a pool",
    ),
    ("`to_act`", "`make_vec`, self-play", "int8 (n,): the number of the player to act", "always"),
    ("`rewards`", "`make_vec`, self-play", "float64 (n, 2): what each player earned", "each step"),
    ("the game's own", "`make`, PettingZoo", "see below", "`make`: after a reset and at the end; PettingZoo: at the end"),
    ("`result`", "`make`, `make_vec`", "text, object (n,): `1-0`, `0-1`, `1/2` or `*` (truncated)", "at the end"),
    ("`illegal_action`", "all", "int, int64 (n,): the index of the illegal action that lost the game", "at such an end"),
    ("`illegal_by`", "PettingZoo", "text: the agent that made it", "at such an end"),
    ("`reason`", "`make`, PettingZoo", "text: a sentence that says why it is illegal", "at such an end"),
    (
        "`final_obs`, `final_info`",
        "`make_vec`, `SAME_STEP`",
        "Gymnasium's: the last observation, who played, and what else this table has at the end",
        "at the end",
    ),
)


def info() -> str:
    """``docs/info.md``."""

    def own(game: type[BaseGame]) -> str:
        rows = [
            (
                f"`{field.key}`",
                f"{np.dtype(field.dtype)} {field.shape}",
                f"from {field.low}" if field.high is None else f"{field.low} to {field.high}",
                field.meaning,
                "at the end" if field.at_the_end else "always",
            )
            for field in game.info_fields
        ]
        return table(("key", "array", "numbers", "meaning", "when"), rows)

    numbers = ", ".join(f"{number} `{power.name}`" for number, power in enumerate(POWERS))
    return f"""{NOTE}

# What is in `info`

While a game goes on, `info` holds numbers and arrays only, as buffers and tensors need them; texts come at the end. What the environments
put there:

{table(("key", "where", "what", "when"), list(FACE_INFO))}

`SB3VecEnv` gives a dict a game: `action_mask`, and at the end `terminal_observation`, `TimeLimit.truncated`, `result`, `side` and, against a
pool, `opponent`.

In a vector environment every key has a bool mask (n,) under the same name with a leading underscore: of which games it says something.

Before the end PettingZoo's `infos` hold the mask and nothing else, the same keys at every step, since TorchRL makes its specs from those of a
reset. `env.unwrapped.game.info()` is what the game says of itself at any time; in a vector environment `envs.batch.game(number).info()` is.

## {Game.title}

{own(Game)}

The numbers of the powers, the order of `tkm_env.POWERS`: {numbers}.

## {TerminusGame.title}

{own(TerminusGame)}
"""


def powers() -> str:
    """``docs/powers.md``."""
    icons = {GROWTH: "Growth", INFLUENCE: "Influence", MEMORY: "Memory"}
    rows = [
        (
            power.set,
            f"`{power.name}`",
            ", ".join(name for bit, name in icons.items() if power.requires & bit) or "-",
            power.effect,
        )
        for power in POWERS
    ]
    return f"""{NOTE}

# Powers

None of the published rulebooks contains the game's own power cards, so **these {len(POWERS)} powers are this project's own**, in sets of four,
modelled on what the rulebook says about powers: bonus actions, requirement icons, sets with the same border.

{table(("set", "power", "requires", "effect"), rows)}

## Playing with powers

- `Game(powers=("doorway", None))`: white's and black's power, or None. Every chapter that a power requires must be in play.
- `Game(timeline="draft_powers")`: four powers of one set are revealed; each player takes one, then the second decides who goes first.
- `Game(timeline="power_share")`: the first player takes one of the four, and both use it.
- `power_set=` sets which four are revealed: the name of a set, four names, or `"random"`.

With a timeline, the chapters come from the powers' requirements and from drawn cards, unless `chapters=` fixes them. What was drawn is
in the position text, and as numbers in [`info`](info.md).

[Adding a power](adding-a-power.md) says how a new one is made.
"""


def adding_a_power() -> str:
    """``docs/adding-a-power.md``."""
    by_module: dict[str, list[str]] = {}
    for power in POWERS:
        by_module.setdefault(power.module, []).append(f"`{power.name}`")
    places = "; ".join(f"`{module}.py` ({', '.join(names)})" for module, names in by_module.items())
    return f"""{NOTE}

# Adding a power

A [power](powers.md) is a row of a table, and an effect in the rule that it changes.

1. Add a row to `POWERS` in `tkm_env/games/tkm/engine/powers.py`, and an index below the table. Configuration, position text, observation
   planes and the page of powers follow from the row.
2. Implement its effect in the rule that it changes: check `state.power[player]` there. If it brings an action of its own, add that to
   `actions.py` and `power_actions.py` in the same folder.
   The existing powers are in {places}.
3. Add worked cases to `tests/data/powers.jsonl`. The random games of the tests include the new power automatically.
4. Run `python docs/generate.py`, which writes this page and every other that lists powers.
"""


def records() -> str:
    """``docs/records.md``."""
    game = Game(chapters="memory")
    for action in ("choose 1", "move east", "move east"):
        game.play(action)
    rows = [(f"`{name}`", "yes" if needed else "no", meaning) for name, needed, meaning in RECORD_FIELDS]
    return f"""{NOTE}

# Game records

A game record is a JSON object that describes a whole game. A file of records holds one per line.

```python
from tkm_env import Game

game = Game(chapters="growth", seed=7)
game.play("choose 1")
record = game.to_record(players={{"white": "me", "black": "random"}}, seed=7)
again = Game.from_record(record)
```

`Game.from_record` replays the game and checks every action. An invalid record raises a `RecordError` that names the key and, for an illegal
action, the ply, counted from 1. `tkm_env.from_record` does the same for a record of any game.

{table(("key", "required", "meaning"), rows)}

```json
{json.dumps(game.to_record(players={"white": "me", "black": "random"}), indent=2)}
```

Seeds and times are not negative; times, where given, are in seconds. If the keys change, so does `version`; records of version 1, which have no `game`, are of `"{TKM.name}"`
and remain readable.

A game of Terminus begins by chance, so its record holds the starting position, with the order of the deck and the random state for the
shuffle to come. A deck other than the project's own is stored in `config`, card by card.

## Files of records

A file of records is a [JSON Lines](https://jsonlines.org) file in UTF-8: lines end in a line feed and nothing else does, and blank lines hold
nothing. `tkm_env.write_record(path, record)` appends a record, which is checked first; `tkm_env.read_records(path)` yields each record of a
file with its line number. A file may also hold a single record over several lines. A line that is not a record raises a `FileError`
that names the file, the line, the key and the reason. Nothing is guessed: a repeated key, `NaN`, a byte-order mark or half of a character
are refused, too.

Whatever is appended is appended as a whole or not at all, even if the disk is full, and always on a line of its own. A file that ends in
anything but a record is not written to. `tkm match --save` and `tkm play --save` find out before the first game whether they can write: a
folder that is not there, a file of anything else, a full disk. Should a game of `tkm play` turn out not to be saved in the end, its record is
printed.

One writer at a time: while a match runs, nothing else in this package writes to its file; a second match on the same file is refused before its
first game. `write_record` waits up to five seconds for its turn, so threads and programs may share a file. The lock is the operating
system's, on the file itself: it ends with the program, however that ends, and leaves nothing behind. Readers need no lock. Where files cannot
be locked, as on some network drives, a warning says so.

## Resuming a match

However a match was stopped, `tkm match … --save FILE --resume`, or `Match.play(path, resume=True)`, continues it, and in the end the file holds
the same games as if nothing had happened. It looks before it touches: unless every line holds a game of this very match, with its players,
settings, opening and seed, it is refused and the file stays as it is. A last record that lacks only the end of its line is kept. A last
record that is unfinished, because its writer was killed, is moved to the end of `FILE.cut`, and a warning says so.

The games are in the order of the match, on any number of processes. One that is over before earlier ones waits in `FILE.ahead` until it
is its turn; that file goes when it is empty, and belongs to `FILE` if the match was killed.
"""


def terminus() -> str:
    """``docs/terminus.md``."""
    game = TerminusGame(position=TERMINUS_MIDDLE)
    features, first = [], 0
    for feature in FEATURES:
        varies = ", ".join(f"`{letter}`" for letter in dict.fromkeys("".join(feature.varies)) if letter.strip()) or "always"
        features.append((numbered(first, feature.length), feature.name, feature.meaning, f"0–{feature.high}", varies))
        first += feature.length
    return f"""{NOTE}

# Terminus

A second game with the same interfaces: *Terminus* by Kyle Haas, for two players, with 18 cards. Red and blue lay cards over a shared timeline
and over each other's cards; the weapon that ends the game is shuffled into the deck during play, and nobody knows when it will come up. It adds
chance and hidden information, which the first game lacks. A game takes about 20 decisions.

## The game

A card is three *eras* wide: {", ".join(f"`{era.letter}` {era.name}" for era in ERAS[1:])}. It can be *flipped*, so that it reads from right to left.

1. **Play** the lowest-numbered unfrozen card in your hand, or any frozen one: next to either end of the timeline, or covering one, two or
   three eras. You may not cover a fixed event (`A`, `I`), nor all three eras of a card that the opponent played in their last turn.
   The second `A` to be played shuffles Terminus, number 18, into the deck; with the third, its number becomes 0.
2. **Resolve** the special events that were covered, each at most once, in any order: *grow* plays one more card at an end, *freeze* freezes a
   card in your hand, *swap* exchanges one of your cards for one of the opponent's; their frozen card only for a frozen one, or for Terminus.
3. **Draw** up to three cards while the deck lasts. A player who runs out of cards takes no more turns.

Whoever plays Terminus ends the game. The player with more visible victories of their own colour wins; on a tie, whoever played Terminus loses,
so there are no draws.

```
{game}
```

![A game of Terminus: the timeline, the deck, both hands](pictures/{TERMINUS_PICTURES[0].name}.svg)

`TerminusGame`, `TerminusBatch` and `TerminusConfig` correspond to `Game`, `Batch` and `GameConfig` of the first game.

```python
from tkm_env import TerminusGame

game = TerminusGame(seed=1)
while game.result is None:
    game.play(game.legal_actions()[0])
print(game, game.winner, game.victories)
```

- PettingZoo: `terminus_v0.env()` and `raw_env()`, with the agents `red_0` and `blue_0`, or `pettingzoo.make("aec", "tkm_env/terminus-v0")`.
- Gymnasium: `gymnasium.make("tkm_env/Terminus-v0", opponent="random", side="red")`, and `gymnasium.make_vec` with the vector entry point,
  against an opponent or in self-play.

They behave as [gymnasium.md](gymnasium.md) describes for the first game. The winner's reward is 1, the loser's −1, and comes at the end;
no game is truncated.

## Seeing and playing it

`game.svg()` is the drawing, with the keywords described in [drawing.md](drawing.md): whatever the last action played, drew, froze or swapped is
framed, and `legal=True` marks where cards may be played. It shows what both players see, so never the order of the deck. Red's shield is
pointed and bears an R, blue's is round and bears a B; below each card is its number, and a small shield if a player played it in their last
turn. The render modes `"rgb_array"` and `"human"` of the environments show the same drawing.

{shown(TERMINUS_PICTURES[1:])}

```
tkm play --game terminus --browser --opponent greedy
tkm play --game terminus --side blue --deck my_deck.json
tkm replay game.json
tkm gif game.json
```

On the page, click where the card's right-hand era should go; if several actions lead there, the page asks which one you mean. An action can be
undone until the turn ends and cards are drawn. A deck file can be given only on the command line; games started from the page keep it.
`tkm replay` and `tkm gif` find out from the [record](records.md) which game it is. A record contains the order of the deck, even if it is
saved in the terminal while the game is still going on; the page gives it only once the game is over.

## Cards

The faces of the published cards are in no source available to this project, so **this deck is the project's own**. If red and blue are swapped,
cards 2 and 3, 4 and 5, 7 and 8, 9 and 10, 12 and 13, 14 and 15 change places, and the others read flipped. The only asymmetry left between the
colours is the order of the numbers: in random play blue wins 51 games of 100, and with red and blue exchanged red does.

{table(("card", "eras"), [*((str(number), f"`{eras}`") for number, eras in enumerate(DEFAULT_DECK, 1)), ("18, then 0", "Terminus")])}

If you own the cards, you can enter them: write this deck to a file with `tkm_env.write_deck("my_deck.json")`, edit it, and play with
`deck="my_deck.json"`, which every interface accepts. `tkm_env.read_deck` returns the cards of such a file.

```json
{{"kind": "tkm_env terminus deck", "version": 1, "cards": {{"1": ".I.", "2": "R.G", "3": "B.G", "…": "…"}}}}
```

A deck consists of cards 1 to 17 with three eras each. Card 1, and no other, bears `I`; cards 2 to 17 bear at least two `A`, since otherwise
Terminus would never enter. An invalid deck raises a `DeckError` that names the card and the reason.

## Actions

There are {len(TERMINUS_ACTIONS)} actions, the same for every deck. A turn is one `play …`, then one more action for each event that is resolved;
`done` skips the rest. The turn ends by itself, and cards are drawn, once nothing is left that could be resolved.

{actions_of(TERMINUS_GROUPS, 6)}

Why this covers everything: a hand holds at most three cards in the order of their numbers, so their ranks identify them whatever the deck is. A
card has two directions. Its place is either end, or is given by the era of the timeline that lies under the card's right-hand era: at least the
first, at most two beyond the last. Before the last card is played, the timeline holds at most 17 cards, {MAX_LENGTH - 3} eras, so that number
runs from 1 to {MAX_LENGTH - 1}.

## Observations

An observation is an array of shape ({NUM_FEATURES},) and dtype int8, from one player's point of view: *I* am the viewer, *they* are the opponent. It
contains what both players see. It omits what lies covered, though a player may remember that, and the order of the deck. The bounds of the
observation space are exactly these values. `tkm_env.TERMINUS_FEATURES` holds this table.

{table(("numbers", "name", "what it shows", "values", "varies with"), features)}

*Varies with*: the eras of which the deck must have one; of the eras of a hand, each kind with its own. Impetus is in no hand.

{compact_observations(TERMINUS, TERMINUS_SETTINGS, {})}

`TerminusGame.determinized(generator)` returns a game that looks the same to both players, with the hidden part reshuffled: what a search should
work on.

## Symmetries

`tkm_env.symmetries("terminus")` has none but the one that changes nothing, and `canonical=True` is refused with a `ConfigError`, because no
symmetry of the rules is a table of indices:

- Exchanging red and blue exchanges the colours on the cards, too. That is a game with another deck: in the default one, cards 2 and 3, for
  example, would change their numbers. Observations already speak of mine and theirs; what is red says to which cards that refers.
- Reflecting the timeline turns an action into one whose place depends on the timeline's length, and which is flipped unless the card reads the
  same both ways.

## Agents

These names work for `opponent=` in the Gymnasium environments, for `tkm match --game terminus`, and for
`tkm_env.agents.make_agent(line, game="terminus")`:

- `random`: any legal action;
- `greedy`: the turn after which it leads by the most visible eras, ties broken at random; it wins when it can. It runs compiled within a batch;
- `ismcts:iterations=1000`: a search tree over what both players know. Each iteration shuffles what is hidden, descends the tree, adds a node and
  plays at random to the end; the most visited action is played. It also takes `seconds`, for each action, and `exploration=0.7`.

None of them looks at the order of the deck: the same agent with the same seed plays the same way whatever that order is. Over 400 games, with
every deal played from both sides (`tkm match greedy random --game terminus --games 400 --opening-turns 0 --processes 1`, and so on):

{table(("agent", "against", "score (95% interval)"), list(TERMINUS_MATCHES))}

Games are paired by their deal, which also decides who goes first; `--opening-turns` is the number of turns played at random before the agents
take over.

## Position text

One line of eight fields, separated by single spaces. `TerminusGame.position` contains everything, `position_for(player)` what a player sees. Both
can be read: `TerminusGame(position=…, seed=…)` draws anything that is hidden so that it fits.

    {game.position}
    {game.position_for("red")}

{table(("field", "meaning"), list(TERMINUS_FIELDS.items()))}

Invalid text raises a `PositionError`, whose `field` is the name in this table and whose `reason` is a sentence.
"""


def shown(pictures: Sequence[Picture]) -> str:
    """Pictures, each under what it shows."""
    return "\n\n".join(f"{picture.shows}\n\n![{picture.shows}](pictures/{picture.name}.svg)" for picture in pictures)


#: Measured with the command that the document names, seed 0.
TERMINUS_MATCHES = (
    ("`greedy`", "`random`", "97.8% (95.8% to 98.8%)"),
    ("`ismcts:iterations=200`", "`greedy`", "53.2% (48.4% to 58.1%)"),
    ("`ismcts:iterations=1000`", "`greedy`", "83.0% (79.0% to 86.4%)"),
    ("`ismcts:iterations=4000`", "`greedy`", "93.5% (90.6% to 95.5%)"),
    ("`ismcts:iterations=1000`", "`ismcts:iterations=200`", "77.2% (72.9% to 81.1%)"),
)


def drawing() -> str:
    """``docs/drawing.md``."""
    return f"""{NOTE}

# The drawing

`Game.svg()` draws a position as SVG; a notebook displays it for any `Game` automatically. Everything consists of paths: no fonts, no scripts,
nothing to load, so it looks the same everywhere. Drawing takes a millisecond or two.

```python
from tkm_env import Game

game = Game(chapters="influence")
game.play("choose 1")
svg = game.svg(size=640, theme="dark", legal=True)
```

- `size`: the width in pixels; by default the viewer decides.
- `theme`: `"light"` or `"dark"`.
- `last`: whether to show the last action. Arrows are steps, double arrows pushes, corners mark what appeared, crosses what vanished; a cross on a
  white disc or a black octagon is the death of a white or a black copy. `last=False` omits all of this.
- `legal`: whether to mark the targets of the legal actions.

White and black differ in shape as well as colour: bowler and top hat, column and obelisk, round and angular watch. The dark elephant
faces west, the light one east.

For pixels, a window or a film, see [gymnasium.md](gymnasium.md); for a page to click through or a GIF, see [replays.md](replays.md).

## Pictures

{shown(PICTURES)}
"""


def adding_a_game() -> str:
    """``docs/adding-a-game.md``."""
    source = (DOCS.parent / "tests/games/tictactoe.py").read_text("utf-8")

    def code(first: str, after: str | None = None) -> str:
        """A part of the file; ``py``, since ``python`` marks whole programs, which the tests run."""
        part = source[source.index(first) : None if after is None else source.index(after)].strip("\n")
        return f"```py\n{part}\n```"

    position, start = (f"    @property\n    def {name}" for name in ("position", "start"))
    return f"""{NOTE}

# Adding a game

A game is a class that implements its rules, and one row that says where the class is. That makes it an environment for PettingZoo and Gymnasium;
it can be played in batches, in matches, in the terminal and in the browser, saved as records and replayed as a page. Nothing else in the package
knows its name.

This page walks through `tests/games/tictactoe.py`, a third game that the tests register: plain Python, {len(source.splitlines())} lines. The games in the
package are compiled; the end of this page says how.

## Settings

The settings of a game are a frozen dataclass whose fields all have defaults. It also defines `max_turns`, which no game exceeds, and
`begins_by_chance`, whether the settings leave anything to chance.

{code("@dataclasses.dataclass", "class TicTacToe(BaseGame)")}

## The rules

A game is a value: it derives from `BaseGame`, names its players and actions, and gives the largest value of each number in an observation.

{code("class TicTacToe(BaseGame)", "    def __init__")}

It begins from the start or from the text of a position, which it checks; invalid text raises an error that says what is wrong.

{code("    def __init__", position)}

Then come the rest of the rules: the text of the position, whose turn it is, how the game ended, what is legal, what a player sees, and what an
action does. `BaseGame` makes sure that `_play` receives only legal actions.

{code(position, start)}

## The drawing

A drawing consists of a canvas, which is the same for all positions, and of the contents of its slots. The canvas defines glyphs and the colours of
two themes; `tkm_env.render.theme` has colours that match the pages.

{code("GLYPHS =", "@dataclasses.dataclass")}

{code(start, "    def __str__")}

`str` is what the terminal shows, and the render mode `"ansi"`:

{code("    def __str__", "#: Its row")}

## The row

{code("#: Its row")}

`tkm_env.register_game(SPEC)` registers it in the current process. A package that provides a game should name its row in its entry points, so
that the `tkm` commands know it as well:

```toml
[project.entry-points."tkm_env.games"]
tictactoe = "my_package.tictactoe:SPEC"
```

It then works like every other game:

```python
import gymnasium
import pettingzoo

import tkm_env
from tests.games.tictactoe import SPEC

tkm_env.register_game(SPEC)
env = gymnasium.make("tests/TicTacToe-v0", opponent="random")
envs = gymnasium.make_vec("tests/TicTacToe-v0", num_envs=64, vectorization_mode="vector_entry_point", opponent="self")
aec = pettingzoo.make("aec", "tests/tictactoe-v0")
```

    tkm match random path/to/bot.py:MyBot --game tictactoe --save games.jsonl
    tkm replay games.jsonl
    tkm play --game tictactoe --browser

## Settings

A field of the config that is made by `tkm_env.game.settings.setting` becomes an option of the commands and an entry of the page's dialog.

## What is seen

With `observation="compact"` an observation is flat, float32, and divided by `observation_high`. A game with settings may override
`observation_parts`, which says what varies under them, and so keep constant numbers out of it. `symmetries` and `exchange_of_players` are
what `tkm_env.symmetries` and `canonical=True` ask it for; without the latter, canonical views are refused.

## Optional fields

The other fields of the row are optional:

- `adapter`: a `PlayAdapter`: boards with places to click and their explanations, sentences in place of the names of actions, what players
  have beside the boards, why a game ended, what positions are worth, an editor for positions. Each of these has a default.
- `levels`: what people choose their opponent from, each with a name and its player's line.
- `agents` and `ladder`: agents by name, and one of each kind from the weakest to the strongest. An agent's class says in `page_limits` which
  of its options may be chosen on the page, and their highest values, such as `{{"depth": 20, "seconds": 60}}`.
- `batch`: a `CompiledBatch`. A game whose rules are compiled keeps them in an `engine/` folder of its own, derives from `CompiledGame`, and gives
  its batch three kernels; `tkm_env/games/terminus/` is the smaller example. `tkm_env.compiled.decorators` compiles, and caches machine code under a digest
  of the sources it was made from.
- `analyse` and `perft`: what `tkm analyse` and `tkm perft` call.
- `rules`: a function that takes a config and returns the sections of the rules that can matter under it, `tkm_env.game.rulebook_text.Section`, each with
  positions that show it; `help` in the terminal and the page are made from them.
- `openings`: the [openings](openings.md) that come with the game, for the settings that they fit.
- `chance`: a `tkm_env.game.chance.Chance`, draw by draw what a game leaves to chance, which [OpenSpiel](open_spiel.md) asks for; a game that
  leaves nothing to chance needs none.
"""


def performance() -> str:
    """``docs/performance.md``."""
    return markdown(read_outcome(DOCS / "performance.json"))


DOCUMENTS = {
    "actions.md": actions,
    "adding-a-game.md": adding_a_game,
    "adding-a-power.md": adding_a_power,
    "agents.md": agents,
    "learning.md": learning,
    "arena.md": lambda: f"{NOTE}\n\n{arena()}",
    "campaign.md": campaign,
    "drawing.md": drawing,
    "events.md": events,
    "info.md": info,
    "libraries.md": libraries,
    "observation.md": observation,
    "performance.md": performance,
    "positions.md": positions,
    "powers.md": powers,
    "protocol.md": lambda: f"{NOTE}\n\n{protocol()}",
    "records.md": records,
    "rules.md": rules,
    "teaching.md": lambda: f"{NOTE}\n\n{teaching()}",
    "terminus.md": terminus,
    "testing.md": testing,
    "tournaments.md": lambda: f"{NOTE}\n\n{tournaments()}",
    "which-mask.md": which_mask,
}
DRAWN = (*PICTURES, *TERMINUS_PICTURES, *RULES_PICTURES, *CHAPTER_PICTURES)
DOCUMENTS |= {f"pictures/{picture.name}.svg": picture.draw for picture in DRAWN}
DOCUMENTS |= {"games/index.md": games_index, **{f"games/{chapter.name}.md": partial(chapter_page, chapter) for chapter in CHAPTERS}}
DOCUMENTS |= {"faces/index.md": faces_index, **{f"faces/{face.name}.md": partial(face_page, face) for face in FACES}}
DOCUMENTS |= {"api/index.md": api_index, **{f"api/{module.page}.md": partial(api_module, module) for module in MODULES}}


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Write the documents that are made from the package's tables and from measured figures."
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a document is stale")
    check = parser.parse_args().check
    failed = False
    for name, document in DOCUMENTS.items():
        path, text = DOCS / name, document()
        if path.exists() and path.read_text("utf-8") == text:
            continue
        if check:
            failed = True
            print(f"{name} is stale: run python docs/generate.py")
        else:
            path.write_text(text, "utf-8")
            print(f"wrote {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
