"""What a file of each stored form means, read by the package and told in JSON's types.

Each reader takes the path of the form's file, in a folder that it may write to.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from click.testing import CliRunner

from tkm_env import Campaign, Game, Series, TerminusGame, from_record, read_deck, read_records
from tkm_env.arena.benchmark.report import read_report
from tkm_env.arena.league.league import League
from tkm_env.arena.league.store import Store
from tkm_env.arena.match import Match
from tkm_env.arena.playing.ledger import Checkpoint, with_kept_seed
from tkm_env.arena.tournament.tournament_file import read_tournament
from tkm_env.cli.commands.prove import command as prove
from tkm_env.course.assignment import read_assignment
from tkm_env.evaluation.starts import read_openings
from tkm_env.foundations.errors import TKMError
from tkm_env.games.registry import TKM
from tkm_env.learn.value_training import TrainingPlan, ValueTraining
from tkm_env.play.kept_games import KeptGames
from tkm_env.play.match_file import MatchFile
from tkm_env.players.policy import PolicyAgent
from tkm_env.players.solved_positions import read_solved_positions
from tkm_env.players.tkm.evaluators import read_network
from tkm_env.players.tkm.search.endgames import FEWEST_COPIES, EndgameFile
from tkm_env.questions import read_questions
from tkm_env.text.paid_answers import PaidAnswers

#: The id of the session of the unfinished game.
SESSION: Final = "0123456789abcdef"
#: What the checkpoint belongs to.
IDENTITY: Final = "the schedule of the sample"
#: What the training belongs to.
PLAN: Final = TrainingPlan(games=2, round_games=1, width=1, narrow=1, batch=8)


def _records(path: Path) -> Any:
    return [
        {"position": from_record(record).position, **record} for _, record in read_records(path)
    ]


def _checkpoint(path: Path) -> Any:
    results = path.with_name(path.stem)
    found = Checkpoint(results, IDENTITY, results.read_bytes().splitlines())
    return {"games": found.games, "trusted": found.trusted, "state": found.state}


def _seed(path: Path) -> Any:
    return with_kept_seed(Match("random", "random", games=2), path.with_name(path.stem)).seed


def _answers(path: Path) -> Any:
    answers = PaidAnswers(str(path))
    found = answers.find("question 1")
    return {"answer": found and [*found], "tokens": answers.tokens}


def _tournament(path: Path) -> Any:
    found = read_tournament(path)
    return {
        "kind": found.kind,
        "players": [[player.name, player.line] for player in found.players],
        "pairs": found.pairs,
        "seed": found.seed,
        "anchor": found.anchor,
        "chapters": [settings.config.chapters for settings in found.settings],
        "turn_seconds": found.conditions.turn_seconds,
    }


def _league(path: Path) -> Any:
    found = League(path.parent)
    return {
        "title": found.rules.title,
        "uploads_per_day": found.rules.uploads_per_day,
        "games": found.games,
        "anchor": found.anchor,
    }


def _database(path: Path) -> Any:
    return Store(f"sqlite:///{path}").dump()


def _backup(path: Path) -> Any:
    folder = path.with_name("restored")
    League.restore(path, folder, None)
    league = League(folder)
    files = [each for each in (folder / "bots").rglob("*") if each.is_file()]
    return {"tables": league.store.dump(), "bots": sorted(each.name for each in files)}


def _assignment(path: Path) -> Any:
    found = read_assignment(path)
    return {
        "title": found.title,
        "questions": [[each.id, each.points, type(each).kind] for each in found.questions],
        "seed": found.seed,
        "chapters": found.config.chapters,
    }


def _match(path: Path) -> Any:
    session = MatchFile(path).session(TKM, {}, match="series")
    assert session.match is not None
    return {
        "players": session.players,
        "seed": session.seed,
        "lines": session.match.status(session.game).lines,
        "position": session.game.position,
    }


def _unfinished(path: Path) -> Any:
    path.rename(path.with_name(f"{SESSION}.json"))
    kept = KeptGames(path.parent)
    session = kept.session(SESSION)
    return {
        "labels": [game.label for game in kept.all()],
        "record": session.to_record(),
        "players": session.players,
        "can_undo": session.can_undo,
    }


def _series(path: Path) -> Any:
    found = Series.load(path)
    return {"score": found.score, "next": found.next_game().position}


def _campaign(path: Path) -> Any:
    found = Campaign.load(path)
    return {"score": found.series.score, "stage": found.stage, "games_due": found.games_due}


def _deck(path: Path) -> Any:
    return read_deck(path)


def _proof(path: Path) -> Any:
    found = CliRunner().invoke(prove, ["--check", str(path)])
    if isinstance(found.exception, TKMError):
        raise found.exception
    return found.output


def _table(path: Path) -> Any:
    table = EndgameFile(path.parent, FEWEST_COPIES)
    content = gzip.decompress(path.read_bytes())
    table.path.write_bytes(content)
    found = table.read()
    decided = {str(turns): int((found.values == turns).sum()) for turns in range(found.longest + 1)}
    return {"longest": found.longest, "decided": decided}


def _solved(path: Path) -> Any:
    card, positions = read_solved_positions(path)
    return {"card": card, "positions": positions}


def _network(path: Path) -> Any:
    found = read_network(path)
    third = [round(float(value), 5) for value in found.network.third_bias]
    return {"card": found.card.to_json(), "learned": found.learned.tolist(), "third": third}


def _policy(path: Path) -> Any:
    agent = PolicyAgent(path)
    return {"card": agent.card.to_json(), "action": agent.act(Game())}


def _training(path: Path) -> Any:
    training = ValueTraining(path.with_name(path.stem), settings={}, plan=PLAN)
    ratings = [rating["games"] for row in training.curve for rating in row["ratings"]]
    return {"rounds": training.rounds_done, "games": training.model().card.games, "rated": ratings}


def _questions(path: Path) -> Any:
    return [
        {"id": question.id, "answer": question.answer, "position": question.game.position}
        for question in read_questions(path)
    ]


def _benchmark(path: Path) -> Any:
    found = read_report(path)
    return {"name": found["name"], "tasks": [task["task"] for task in found["tasks"]]}


def _positions(path: Path) -> Any:
    tkm, terminus = path.read_text("utf-8").splitlines()
    path.write_text(f"{tkm}\n", "utf-8")
    config = TKM.config({"chapters": "growth"})
    game = Game(config, position=tkm)
    return {
        "openings": read_openings(path, TKM, config),
        "tkm": [game.position, game.to_act, game.turn, game.legal_names()],
        "terminus": [(other := TerminusGame(position=terminus)).position, other.legal_names()],
    }


class Sample(NamedTuple):
    """The file of a form in a folder of samples.

    Attributes:
        form: the name of the form.
        file: the name of the file.
        read: what it means.
        beside: the files that must be beside it.
    """

    form: str
    file: str
    read: Callable[[Path], Any]
    beside: tuple[str, ...] = ()


SAMPLES: Final = (
    Sample("tkm_env game record", "games.jsonl", _records),
    Sample("tkm_env checkpoint", "games.jsonl.checkpoint", _checkpoint, ("games.jsonl",)),
    Sample("seed of a match", "games.jsonl.seed", _seed, ("games.jsonl",)),
    Sample("tkm_env answers", "games.jsonl.answers", _answers),
    Sample("tkm_env tournament", "tournament.toml", _tournament),
    Sample("tkm_env league", "league.toml", _league),
    Sample("tkm_env league database", "league.sqlite", _database),
    Sample("tkm_env league backup", "league.zip", _backup),
    Sample("tkm_env assignment", "grading.toml", _assignment),
    Sample("tkm_env match", "match.json", _match),
    Sample("tkm_env unfinished game", "unfinished.json", _unfinished),
    Sample("tkm_env series", "series.json", _series),
    Sample("tkm_env campaign", "campaign.json", _campaign),
    Sample("tkm_env terminus deck", "deck.json", _deck),
    Sample("tkm_env proof", "proof.json", _proof),
    Sample("table of endgames", "endgames.gz", _table),
    Sample("tkm_env solved positions", "solved.jsonl.gz", _solved),
    Sample("tkm_env model", "values.npz", _network),
    Sample("tkm_env model", "policy.npz", _policy),
    Sample("tkm_env value training", "values.npz.training", _training),
    Sample("tkm_env questions", "questions.jsonl", _questions),
    Sample("tkm_env benchmark", "benchmark.json", _benchmark),
    Sample("position", "positions.txt", _positions),
)


def meaning(sample: Sample, path: Path) -> Any:
    """What the file of a sample means, of JSON's types."""
    return json.loads(json.dumps(sample.read(path)))
