"""Tallies that games are added to one by one say what counting all games at once says."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

import numpy as np
import pytest

from tests.arena.results_files import finished, written
from tkm_env.arena.game_counts import GameCounts, Played
from tkm_env.arena.rating import fit
from tkm_env.arena.report.json_report import report_as_json
from tkm_env.arena.report.report_builder import ReportBuilder
from tkm_env.arena.report.tallies import PairCounter
from tkm_env.core.growing_records import RecordFile
from tkm_env.core.record_files import line_of
from tkm_env.evaluation.score import PairResults


@pytest.mark.parametrize("starts", [1, 3, 1_000])
def test_pairs_are_counted_as_all_at_once(starts: int) -> None:
    generator = np.random.default_rng(starts)
    for games in (1, 2, 5, 40, 200):
        counter, other = PairCounter(), PairCounter()
        rows: list[tuple[Hashable, float]] = []
        start_of: dict[Hashable, Hashable] = {}
        for number in generator.permutation(games):
            pair, points = int(number) // 2, int(generator.integers(3)) / 2
            start_of.setdefault(pair, int(generator.integers(starts)))
            rows.append((pair, points))
            counter.add(pair, start_of[pair], points)
            other.add(pair, start_of[pair], 1 - points)
            expected = PairResults.of(rows, start_of)
            found = counter.tally.results()
            assert (found.counts, found.single) == (expected.counts, expected.single)
            assert found.shared == pytest.approx(expected.shared)
            assert counter.tally.mirrored() == other.tally


def test_equal_results_leave_nothing_for_starts_to_share() -> None:
    counter = PairCounter()
    for game in range(30):
        counter.add(game // 2, game // 6, 1.0)
    assert counter.tally.results() == PairResults((0, 0, 0, 0, 15))


def test_tallies_of_different_pairs_and_starts_add_up() -> None:
    generator = np.random.default_rng(5)
    whole, parts = PairCounter(), [PairCounter(), PairCounter()]
    for game in range(100):
        pair, points = game // 2, int(generator.integers(3)) / 2
        for counter in (whole, parts[pair % 2]):
            counter.add(pair, pair % 10, points)
    assert parts[0].tally.plus(parts[1].tally) == whole.tally


def test_counts_are_the_same_in_any_order_and_as_often_as_they_are_counted() -> None:
    generator = np.random.default_rng(1)
    names = ["ann", "bob", "cy", "di"]
    games = [
        Played(*generator.choice(names, 2, replace=False).tolist(), points, start=start)
        for points, start in zip(
            (generator.integers(3, size=300) / 2).tolist(),
            generator.choice([None, 1, "two"], 300),
            strict=True,
        )
    ]
    counts = GameCounts(games)
    assert sum(each.games for each in counts) == 300
    assert {*GameCounts(counts)} == {*counts}
    assert fit(counts) == fit([*counts]) == fit(games)
    shuffled = fit([games[number] for number in generator.permutation(300)])
    for one, other in zip(shuffled.players, fit(games).players, strict=True):
        assert (one.player, one.games, one.points) == (other.player, other.games, other.points)
        assert one.elo == pytest.approx(other.elo)


def test_a_report_that_grows_is_that_of_all_games_at_once(tmp_path: Path) -> None:
    players = ["ann", "bob", "cy"]
    generator = np.random.default_rng(2)
    path, growing, builder = tmp_path / "games.jsonl", tmp_path / "growing.jsonl", ReportBuilder()
    file = RecordFile(growing)
    records = []
    for seed in range(2, 42):
        white, black = generator.choice(players, 2, replace=False).tolist()
        fault = {0: "white", 1: "black"}.get(seed % 7)
        settings = {"chapters": "growth"} if seed % 5 == 0 else {}
        details = {
            "memory": dict(zip(("white", "black"), map(float, generator.random(2)), strict=True)),
            "cpu": dict(zip(("white", "black"), map(float, generator.random(2)), strict=True)),
            "isolation": {"white": "none", "black": "process" if seed % 3 else "none"},
        }
        record = finished(white, black, seed=seed, fault=fault, settings=settings, **details)
        record["seconds"] = generator.random(len(record["actions"])).round(6).tolist()
        records.append(record)
        with growing.open("ab") as end:
            end.write(line_of(record) + b"\n")
        if seed % 4 == 0:
            assert list(builder.read(file))
            builder.report()
    assert list(builder.read(file))
    at_once = ReportBuilder()
    assert list(at_once.read(written(path, records)))
    assert report_as_json(builder.report()) == report_as_json(at_once.report())
    assert [game.record for game in builder.report().games] == [
        game.record for game in at_once.report().games
    ]
