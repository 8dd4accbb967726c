"""What `docs/generate.py` writes about tournaments: ``docs/tournaments.md``."""

from __future__ import annotations

from tables import table

from tkm_env.arena.tournament_file import KEYS

#: The file that the page shows, which is played in the tests.
EXAMPLE = """kind = "round robin"
pairs = 5
seed = 1
submissions = "submissions"

[[players]]
player = "greedy"

[[players]]
name = "searcher"
player = "alphabeta:depth=1"

[[settings]]

[[settings]]
chapters = "growth"

[conditions]
isolation = "process"
turn_seconds = 5
"""


def keys_of(name: str) -> str:
    """The keys of a table, with their meaning."""
    return table(("key", "meaning"), [(f"`{key}`", meaning) for key, meaning in KEYS[name].items()])


def tournaments() -> str:
    """``docs/tournaments.md``."""
    return f"""# Tournaments

Many players, several settings, one table of ratings: from an empty folder to a published page in ten minutes.

## From an empty folder to a page

1. Install the arena: `pip install -e '.[arena]'`.

2. Put the bots into a folder. In `submissions`, each file or folder is a player, named after it:

   | what is there | who plays |
   | --- | --- |
   | `ann.py` | *ann*: the class or function `Bot` in it; [agents](agents.md) says what it needs |
   | `bob`, an executable file, also `bob.sh` | *bob*: a program that speaks [the protocol](protocol.md) |
   | `cem/bot.py`, `cem/agent.py` or `cem/run` | *cem*: the same, in a folder with other files that it imports or reads |

   What begins with a dot or an underscore is no player. `tkm arena check submissions/ann.py:Bot` says what is wrong with a bot.

3. Write `league.toml`:

   ```toml
{_indented(EXAMPLE)}
   ```

   Everyone plays everyone under both settings, five starts each, every start from both sides. For bots of strangers, say
   `isolation = "sandbox"`; [what each isolation stops](arena.md#isolation).

4. Play:

       tkm tournament league.toml

   The games go to `league.jsonl`, one line each. The command may be stopped at any moment, by Ctrl-C or `kill -9`: the same
   command goes on, and in the end the file is the same, except for measured times and memory.

5. Publish:

       tkm report league.jsonl

   `report.html` is one page with everything in it, [described here](report.md); put it on any web server. It can be made at any time, also
   while games are played.

Without a file, by options: `tkm tournament --player greedy --player "Ann=bots/ann.py:Ann" --settings "chapters=growth edition=2022" --pairs 5`.

## Who plays whom

- `round robin`: everyone plays everyone. First each two players play a pair of games under all settings, then a second pair, and so on; so a
  tournament that is stopped has about as many games of each.
- `gauntlet`: the challengers play against all others, but not against each other: how good is a new bot?
- `continuous`: next is the pair of games that is expected to tell most about the ratings: of players of whom little is known, and whose
  games are open. It ends at `pairs`, or once all ratings are known to plus or minus `within` Elo, or at Ctrl-C. With `submissions` it looks into
  the folder before every pair, so a bot that is put there takes part from then on; one that is taken away keeps its games and plays no
  more when the command is given again. That is a standing leaderboard: run the command when bots have come, and `tkm report` afterwards.

The two games of a pair have the same start with sides swapped, and all players begin from the same starts: [openings](openings.md) where
some come with the game, turns at random otherwise. Every pair of two players has an opening of its own.

## The same games again

A game is determined by the seed, the settings, the names of its players and its number among the games of these two; by nothing else. So
the same seed gives the same games on any number of processes and machines, as far as the players themselves are determined by their seeds
and do not run into time limits; and a player who is added or leaves changes no game of the others. A name stands for a player: whoever
exchanges a bot for a better one gives it another name, or its old games count for the new one.

The file holds the games in the order of the schedule. A game that is over before earlier ones waits in `league.jsonl.ahead`, which goes when
it is empty. In a continuous tournament the choice of a pair does not depend on the 64 games before it, which may still be going on.

One player at a time plays in each process (`--processes`, one per core by default), while its opponent waits; a program that computes during
its opponent's turn takes time from others. For clocks that matter, leave a core free.

## The file

Paths are relative to the file's folder. All keys may be left out but `players` or `submissions`.

{keys_of("")}

`[[players]]`, one table for each that is not in `submissions`:

{keys_of("players")}

`[[settings]]`, one table for each; what is not listed here is a setting of the game, such as `chapters`, `edition` or `powers`, as
`tkm match --help` lists them (`chapters = "growth+memory"` or a list):

{keys_of("settings")}

`[conditions]`, where players run and how long they may think, with the same defaults as [`tkm match`](arena.md):

{keys_of("conditions")}
"""


def _indented(text: str) -> str:
    return "\n".join(f"   {line}".rstrip() for line in text.splitlines())
