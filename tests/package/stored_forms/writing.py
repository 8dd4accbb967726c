"""Writes a file of each stored form, as today's code does, and what it means.

``python -m tests.package.stored_forms.writing`` adds a folder for the version of the package to
``tests/data/stored_forms``. Folders of earlier versions stay, and never change.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

import tkm_env
from tests.games.tkm.positions import WHITE_WINS
from tests.package.stored_forms.reading import IDENTITY, PLAN, SAMPLES, SESSION, meaning
from tests.package.stored_forms.table import ROOT
from tkm_env import Campaign, Game, Series, TerminusGame, write_deck, write_record
from tkm_env.arena.league.casual_games import FIRST, CasualGames, begin_casual_game
from tkm_env.arena.league.league import League
from tkm_env.arena.playing.ledger import Checkpoint, keep_seed
from tkm_env.cli.commands.prove import command as prove
from tkm_env.games.registry import TKM
from tkm_env.learn.value_training import ValueTraining
from tkm_env.play.kept_games import KeptGames
from tkm_env.play.match_file import MatchFile
from tkm_env.play.session import Session
from tkm_env.players.policy import write_policy
from tkm_env.players.solved_positions import SolvedPosition, write_solved_positions
from tkm_env.questions import QuestionPlan, rows_for, write_questions
from tkm_env.text.completion import Completion
from tkm_env.text.paid_answers import PaidAnswers

FOLDER = ROOT / "tests/data/stored_forms"
TURN = ("choose 1", "move east", "move east", "focus present")

TOURNAMENT = """\
version = 1
kind = "gauntlet"
challengers = ["greedy"]
pairs = 3
seed = 7
anchor = "random=0"

[[players]]
player = "random"

[[players]]
player = "greedy"

[[settings]]
chapters = "growth"

[conditions]
turn_seconds = 2.5
"""
LEAGUE = """\
version = 1
games_per_player = 10
anchor = "random=0"

[league]
casual_games = 1
title = "Cup"
uploads_per_day = 4

[[players]]
player = "random"

[conditions]
isolation = "process"
"""
ASSIGNMENT = """\
version = 1
title = "A first agent"
seed = 5

[settings]
chapters = "growth"

[conditions]
isolation = "process"

[[questions]]
id = "q1"
title = "Beat random"
kind = "match"
points = 6
opponent = "random"
games = 4
thresholds = [{ share = 0.5, points = 3 }, { share = 1.0, points = 6 }]
"""


def write_samples(folder: Path) -> None:
    """Write a file of each form, and ``meaning.json``."""
    _write_games(folder)
    _write_league(folder)
    (folder / "tournament.toml").write_text(TOURNAMENT, "utf-8")
    (folder / "grading.toml").write_text(ASSIGNMENT, "utf-8")
    _write_matches(folder)
    write_deck(folder / "deck.json")
    prove.main(
        [WHITE_WINS, "--turns", "1", "--table-bits", "8", "--save", str(folder / "proof.json")],
        standalone_mode=False,
    )
    with as_file(files("tkm_env.players.tkm.search") / "standard-2.endgames.gz") as table:
        shutil.copy(table, folder / "endgames.gz")
    write_solved_positions(
        folder / "solved.jsonl.gz",
        [SolvedPosition(WHITE_WINS, 1, (1, 2, 0))],
        {"game": "tkm", "note": "a sample"},
    )
    _write_players(folder)
    plan = QuestionPlan(rows_for(TKM, TKM.config({}), ["legal"], [2]), 2)
    write_questions(plan, folder / "questions.jsonl")
    shutil.copy(ROOT / "docs/benchmark/random.json", folder / "benchmark.json")
    positions = Game(chapters="growth").position, TerminusGame(seed=1).position
    (folder / "positions.txt").write_text("\n".join(positions) + "\n", "utf-8")
    _write_meaning(folder)


def _write_games(folder: Path) -> None:
    games = folder / "games.jsonl"
    first, second, third = Game(max_turns=1), Game(chapters="memory"), TerminusGame(seed=3)
    for action in TURN:
        first.play(action)
    second.play("choose 1")
    third.play(third.legal_actions()[0])
    names = {"white": "ann", "black": "random"}
    write_record(games, first.to_record(players=names, seed=1, seconds=[0, 0.25, 0.5, 0.125]))
    fault = {"player": "white", "kind": "timeout", "ply": 2, "seen": "no answer in 1 s"}
    isolation = dict.fromkeys(names, "sandbox")
    write_record(games, second.to_record(players=names, fault=fault, isolation=isolation))
    write_record(games, third.to_record())
    checkpoint = Checkpoint(games, IDENTITY, games.read_bytes().splitlines())
    checkpoint.save({"out": ["ann"]})
    keep_seed(games, 12345)
    answers = PaidAnswers(f"{games}.answers")
    answers.add("question 1", "model", Completion("TURN: 1", "stop", (90, 3), "model-1", 0.5))


def _write_league(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        inside = Path(place)
        (inside / "league.toml").write_text(LEAGUE, "utf-8")
        league = League(inside)
        person = league.store.join("ann")
        bot = inside / "bots" / "first" / "bot"
        bot.mkdir(parents=True)
        (bot / "bot.py").write_text("class Bot:\n    pass\n", "utf-8")
        league.store.add_bot(person, "first")
        league.store.appoint("bob")
        league.store.ban("bob", "a sample")
        settings = league.settings[0].key
        number = begin_casual_game(league, person, "random", settings, FIRST)
        CasualGames(league.store).end(number, "You resigned.")
        league.back_up(folder / "league.zip")
        shutil.copy(inside / "league.toml", folder)
        shutil.copy(inside / "league.sqlite", folder)


def _write_matches(folder: Path) -> None:
    session: Session[Any] = MatchFile(folder / "match.json").session(
        TKM, {"max_turns": 1}, match="series", opponent="person", seed=3
    )
    for action in TURN:
        session.play(action)
    kept: Session[Any] = Session(TKM, {"chapters": "growth"}, opponent="greedy", seed=5)
    kept.id = SESSION
    for action in TURN[:2]:
        kept.play(action)
    KeptGames(folder).keep(kept)
    (folder / f"{SESSION}.json").rename(folder / "unfinished.json")
    series, campaign = Series(("Ada", "Bob"), seed=1, max_turns=1), Campaign(("Ada", "Bob"), seed=1)
    game = series.next_game()
    for action in TURN:
        game.play(action)
    series.finish(game)
    series.save(folder / "series.json")
    campaign.go_on()
    campaign.save(folder / "campaign.json")


def _write_players(folder: Path) -> None:
    training = ValueTraining(
        folder / "values.npz",
        settings={},
        plan=PLAN,
        anchors=["random"],
        rating_games=2,
        evaluations=1,
    )
    for _ in training.run():
        pass
    layers = [(np.zeros((160, 79)), -np.arange(79))]
    write_policy(folder / "policy.npz", layers, observation="compact")


def _write_meaning(folder: Path) -> None:
    found: dict[str, Any] = {}
    for sample in SAMPLES:
        with tempfile.TemporaryDirectory() as place:
            for name in (sample.file, *sample.beside):
                shutil.copy(folder / name, place)
            found[sample.file] = meaning(sample, Path(place, sample.file))
    text = json.dumps(found, indent=1, ensure_ascii=False)
    (folder / "meaning.json").write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    target = FOLDER / tkm_env.__version__
    if target.exists():
        sys.exit(f"{target} exists; delete it, unless {target.name} has been released")
    with tempfile.TemporaryDirectory() as place:
        write_samples(Path(place))
        shutil.copytree(place, target)
    print(f"wrote {target}")
