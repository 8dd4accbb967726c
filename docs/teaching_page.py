"""What `docs/generate.py` writes about courses: ``docs/teaching.md``."""

from __future__ import annotations

from arena_page import loaded
from tables import table

from tkm_env.course.assignment import KEYS, KINDS
from tkm_env.course.question import KEYS as QUESTION_KEYS
from tkm_env.game.faults import FAULTS

#: From nothing to grades; the tests run them.
COMMANDS = """tkm course new search
tkm course grade search/staff/solution --spec search/staff/grading.toml
tkm course grade search/student --spec search/staff/grading.toml
tkm course bundle zip search
tkm course grade-all submissions --spec search/staff/grading.toml
tkm tournament grades/ladder.toml
tkm report grades/ladder.jsonl
"""


def _keys(meanings: dict[str, str]) -> str:
    return table(("key", "meaning"), [(f"`{key}`", meaning) for key, meaning in meanings.items()])


def _kinds() -> str:
    rows = []
    for name, kind in KINDS.items():
        keys = "; ".join(f"`{key}`: {meaning}" for key, meaning in kind.keys.items())
        rows.append((f"`{name}`", kind.meaning, keys))
    return table(("kind", "what is asked", "its own keys"), rows)


def _hostile() -> str:
    module = loaded("tests/course/hostile.py")
    rows = []
    for name, (_, fault, words) in (module.PROGRAMS | module.FILES).items():
        where = "sandbox" if name in module.NEEDS_SANDBOX else "process, sandbox"
        rows.append((name, where, f"`{fault}`" if fault else "no fault: it is wrong", f"`{words}`"))
    return table(("a submission that …", "stopped by", "fault", "what the student reads, among other words"), rows)


def teaching() -> str:
    """``docs/teaching.md``, without the note at its head."""
    commands = "".join(f"    {line}\n" for line in COMMANDS.splitlines())
    return f"""# Teaching with it

An assignment for a course in artificial intelligence, search or reinforcement learning: written by one command, graded by another, for Python
or any other language. `pip install -e '.[arena,play]'` from a clone; grading needs Linux or macOS, and Linux for the sandbox.

{commands}
1. **New.** The folder `search` holds `student/` (what students edit, with a README: the task, the rules with pictures, how to test and play),
   `public_tests/` (tests that everybody sees) and `staff/` (what counts, a solution, and a guide with a plan for two hours of teaching).
   Settings make it another game: `--chapters growth`, `--game terminus`, `--language program`, `--assignment learning`.
2. **Check.** The solution gets all points and the untouched files none. If the solution does not, the thresholds are too high for the seed
   that was drawn: choose another one, in `staff/grading.toml`.
3. **Hand out.** `bundle zip` makes the archive for students. Nothing of `staff` is in it.
4. **Grade.** `submissions` holds a folder for each student, or a Python file. `grades/grades.csv` is for spreadsheets, `grades/class.html` for
   people, and every student has a page, `grades/NAME/feedback.html`: what was wrong, the position drawn, and a lost game to step through.
   Killed or stopped, the same command goes on; what has changed since is graded again.
5. **The ladder**, if you like: a tournament of all submissions under pseudonyms, with the package's players among them. It is for honour. Marks
   never depend on what others hand in.

## What it costs

Nobody needs a GPU or an account. A teacher needs an afternoon: an hour to read the rules and play a game, an hour for the guide, one for a trial
run. Students need 8 to 12 hours for *search*, 6 to 10 for *learning*. The solution of *search* is graded in about 30 seconds of processor
time, an untouched submission in about 15, most of which is starting Python and playing games. A submission that hangs costs its limits: where
its file does not load, `start_seconds` in each question (20); where a function does not return, those and `seconds` in its question. A class
of 30, of whom 13 hand in the solution, 12 the untouched file, and five crash, exit, print without end, hang, and read what they must not, was
graded in 9 minutes on two cores, compiling included, although the command was killed after 90 seconds and given again:

    python benchmarks/course.py class

## What students learn

*Search*: recursion over a tree of play, features and evaluation, minimax where one side acts several times in a row, pruning and the order of
moves, and how search and evaluation work together. *Learning*: self-play, values and bootstrapping, exploration, and how sure a score is.
The game is new to everybody, so there is no solution on the web, and it has 16 variants of chapters and powers for other years.

## What can go wrong

- *The same code gets other points.* Everything drawn comes from the seed, and so do the seeds that submissions are given; a submission that
  runs into a limit of time, or draws random numbers of its own, may still differ. Give five times what the solution takes.
- *A student is unlucky in a match.* Points are for the lower bound of the 95% interval of the share, from games in pairs. Luck is on nobody's side.
- *Hidden tests leak.* A question that is `visible` shows failing positions, and who hands in often enough sees many. Set `visibility`, or keep
  the visible questions in `public_tests` and grade once, after the due date. Gradescope shows no total while a question is hidden.
- *Someone cheats.* Submissions run [behind the arena's isolation](arena.md#isolation), in the sandbox: they read the system, Python, this package and
  a copy of their own files, and nothing else. The count of visited positions is the grader's, and values hold secret numbers, so neither can
  be forged. Refused imports are refused in the student's own process, which keeps honest students on the way but is no wall: copied search
  code works, and is for `compare50` and for your eyes.
- *The solution is known.* It comes with the package, as does `tkm course new`, so whoever looks finds it. Put it among the submissions that
  `compare50` compares, vary chapters and questions, and have students explain their evaluation. Or grade by questions of your own.
- *The system has no sandbox.* Grading refuses to start, and names what is missing. `--container "runuser -u nobody -- {{command}}"` runs
  submissions as a user who owns nothing; `--isolation process` is for your own code.
- *A game takes for ever.* After three faults in a row the other games of a match are lost without being played, and the time that a
  submission thinks is limited by `seconds`.

## Worked: search

`tkm course new search` makes seven questions, 25 points. They build on each other: whoever solves counting has the recursion for minimax;
minimax becomes alpha-beta by four lines; evaluation and the list of turns become a bot.

```python
def minimax(node, depth):
    if depth == 0 or node.is_over:
        return node.value()
    values = [minimax(child, depth - 1) for _, child in node.children()]
    return max(values) if node.maximizes else min(values)
```

A *node* is a position in a tree that the grader holds: `node.children()` are pairs of an action and a node, `node.maximizes` says whose turn it is,
and `node.value()` what the position is worth to the first player. One side acts several times in a row, so a search that takes turns by depth
is wrong: the question is made to show it. In a game of one's own, `tkm_env.course.GameNode(game, evaluate)` is the same thing.

Values come from the package's evaluation, times ten, plus a secret number from 0 to 99 for each position. So a value has to be asked for, and
positions whose children or value are asked for are counted. Plain alpha-beta over the children in their order visits exactly as many as
allowed (`visits = 1`); a better order visits fewer. Terminus works too: there the tree is of the game with the cards lying open.

Students test with `tkm course grade student --spec public_tests/grading.toml --out feedback`, play against their own bot with
`tkm play --browser --opponent student/agent.py:Bot`, and look at a lost game in `feedback`.

## Worked: reinforcement learning

`tkm course new learning --assignment learning` makes two questions, 10 points: a value network, trained by the student's `train.py`, against
`random` and `greedy`. The untouched script writes a network after 50 games that knows next to nothing. The solution changes one line, to
`TrainingPlan(games=8_000, round_games=500, width=64, narrow=16)`, and takes about half a minute on a laptop's core:

    python learning/staff/solution/train.py
    tkm course grade learning/staff/solution --spec learning/staff/grading.toml

What students hand in is the script and the file that it wrote. The file is data, and nothing in it is executed; run a few of the scripts again.
[Learning](learning.md) explains the method. For policies that were learned with Stable-Baselines3 or PyTorch, write
`player = "policy:policy.npz"` into the questions ([how to write such a file](agents.md#policies)); that works for Terminus as well.

## What is graded: the file

`staff/grading.toml` and `public_tests/grading.toml` have the same form. A mistake in one is refused by the key, what was given and what is allowed.

{_keys(dict(KEYS))}

`[[questions]]`, one table for each:

{_keys(dict(QUESTION_KEYS))}

{_kinds()}

## Other languages

A submission with a program `run` in place of `agent.py` speaks [the protocol of the arena](protocol.md) in games. For the other questions there is
one more request, `ask`, after `tkm`; before it answers, a program may look around in the tree, as often as it likes:

```text
> tkm 1 game=tkm seat=white seed=17 config={{}}
< tkm 1 name=MyProgram
> ask minimax depth=2 root=max | W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w c PF - 4/4 - ---/--- -/- 1
< children 0
> children 1:max:choose 1
< value 1
> value 137
< answer 137
```

`children NODE` is replied to with the number, the kind (`max`, `min` or `over`) and the action of each child; `value NODE` with a whole number;
`position NODE` with the text of the position. `ask evaluate | POSITION` has no tree. `answer none` says that there is no answer yet.

## Hostile submissions

Each question starts the program anew. A fault ends the question with 0 points, and nothing else is lost. The tests run these:

{_hostile()}

The faults: {"; ".join(f"`{kind}`, {meaning}" for kind, meaning in FAULTS.items())}. In a match the first fault loses a game, not the question.

## Autograders

**Gradescope**: `tkm course bundle gradescope search` makes the archive to upload. It holds `setup.sh`, `run_autograder`, the staff's
`grading.toml` and this package; `setup.sh` installs numpy, numba and the others by pip when the image is built. The results have the
fields of Gradescope's [specification](https://gradescope-autograders.readthedocs.io/en/latest/specs/), are written after each question, and are
there if the time runs out. Give the container two cores and 3 GB. The variable `AUTOGRADER` moves `/autograder` elsewhere, to try it.

**Classroom 50**: `tkm course bundle classroom50 search` makes an archive whose files go to `CLASSROOM/autograders/ASSIGNMENT/` in the
configuration repository. `autograder.py` writes `result.json` in the form of the schema `classroom50/result/v1`. Points there are whole
numbers, so those of a question are rounded down; the grade job ends after 15 minutes. What lies in that folder is
served to runners without a password: the seed in it is no secret. Use the public tests there, and grade with `tkm course grade-all` after the due
date.

For anything else: `tkm course grade … --json grade.json`, or `--json -` for standard output.
"""
