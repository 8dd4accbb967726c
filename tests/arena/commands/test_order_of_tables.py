"""One order of players in every table, and the strongest first, on random results."""

from __future__ import annotations

import csv
import io
import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tests.arena.league.leagues import small_league
from tests.arena.results_files import finished, written
from tkm_env.arena.league.app import new_app
from tkm_env.arena.report.json_report import report_as_json
from tkm_env.arena.report.report_builder import ReportBuilder
from tkm_env.arena.report.report_page import page
from tkm_env.arena.report.report_tables import report_as_csv, report_as_markdown
from tkm_env.cli.root_command import tkm

NAMES = [f"player{letter}" for letter in "abcde"]


def random_games(seed: int) -> list[dict[str, Any]]:
    """Games between some of the players, most of which one of them lost."""
    generator = np.random.default_rng(seed)
    games = []
    for number in range(int(generator.integers(4, 14))):
        white, black = generator.choice(NAMES, 2, replace=False).tolist()
        fault = [None, "white", "black"][int(generator.integers(3))]
        games.append(finished(white, black, seed=2 * number, fault=fault))
    return games


def scored_against(games: list[dict[str, Any]]) -> set[tuple[str, str]]:
    """The pairs of players of whom the first scored against the second, also through others."""
    scored = {(name, name) for name in NAMES}
    for game in games:
        white, black = game["players"].values()
        scored |= {(white, black)} if game["result"] != "0-1" else set()
        scored |= {(black, white)} if game["result"] != "1-0" else set()
    for middle, one, other in product(NAMES, repeat=3):
        if (one, middle) in scored and (middle, other) in scored:
            scored.add((one, other))
    return scored


@pytest.mark.parametrize("seed", range(5))
def test_every_table_has_one_order_and_the_strongest_first(seed: int, tmp_path: Path) -> None:
    games = random_games(seed)
    league = small_league(tmp_path / "league")
    path = written(league.games_of(league.store.season()), games)
    builder = ReportBuilder()
    assert list(builder.read(path))
    report = builder.report()
    (part,) = report_as_json(report)["sections"][0]["parts"]
    order = [row["player"] for row in part["players"]]
    scored = scored_against(games)
    for one, other in product(order, repeat=2):
        if (one, other) in scored and (other, one) not in scored:
            assert order.index(one) < order.index(other), (one, other)
    numbered = [*enumerate(order, 1)]
    assert [(row["rank"], row["player"]) for row in part["players"]] == numbered
    assert [name for tier in part["tiers"] for name in tier["players"]] == order
    rows = csv.DictReader(io.StringIO(report_as_csv(report)))
    assert [(int(row["rank"]), row["player"]) for row in rows] == numbered
    cells = re.findall(r"^\| (\d+) \| `(\w+)` \| [-\d]", report_as_markdown(report, "x"), re.M)
    assert [(int(rank), name) for rank, name in cells[: len(order)]] == numbered
    result = CliRunner().invoke(tkm, ["rating", str(path)])
    printed = re.findall(r"^ *(\d+) +(player\w)", result.output, re.M)
    assert [(int(rank), name) for rank, name in printed] == numbered
    rated = re.compile(
        r'class="rank">(\d+)</td>\s*<th role="rowheader" scope="row">(?:<a [^>]*>)?<bdi>(\w+)<'
    )
    assert [(int(rank), name) for rank, name in rated.findall(page(report, "x"))] == numbered
    client = new_app(league).test_client()
    client.environ_base["HTTP_HOST"] = "127.0.0.1"
    shown = rated.findall(client.get("/tables/season-1").text)
    assert [(int(rank), name) for rank, name in shown] == numbered
    for name in order:
        client.post("/sign-in", data={"token": league.store.issue_token(name)})
        assert f"Rank {1 + order.index(name)} of {len(order)}" in client.get("/me").text
