"""The description of a league's JSON interface, against what the service answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.arena.league.leagues import small_league
from tests.arena.results_files import finished, written
from tkm_env.arena.league.app import new_app
from tkm_env.arena.league.openapi import PATHS
from tkm_env.arena.league.serving import LIMITS

OPERATIONS = [(path, method) for path, methods in PATHS.items() for method in methods]


@pytest.fixture(scope="module")
def interface(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, dict[str, str]]]:
    """The interface of a league with a few games, without a limit on requests, and its headers."""
    schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis")
    league = small_league(Path(tmp_path_factory.mktemp("interface")) / "league")
    games = [finished("ann", "bob", seed=2 * number, fault="black") for number in range(5)]
    written(league.games_of(league.store.season()), games)
    headers = {"Host": "127.0.0.1", "Authorization": f"Bearer {league.store.issue_token('ann')}"}
    app = new_app(league)
    LIMITS.enabled = False
    yield schemathesis.openapi.from_wsgi("/api/openapi.json", app, headers=headers), headers
    LIMITS.enabled = True


@pytest.mark.slow
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_the_service_answers_as_its_description_says(
    interface: tuple[Any, dict[str, str]], path: str, method: str
) -> None:
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    schema, headers = interface
    # No schema says which files are bots, and who plays.
    excluded = [positive_data_acceptance] if path in ("/bots", "/requests") else []

    @settings(max_examples=40, deadline=None, suppress_health_check=[*HealthCheck], database=None)
    @given(case=schema[path][method.upper()].as_strategy())
    def check(case: Any) -> None:
        case.call_and_validate(
            base_url="http://127.0.0.1", headers=headers, excluded_checks=excluded
        )

    check()
