"""A real model plays, where one is served: a match is killed, resumed and reported.

`examples/local_model` serves one on this machine.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tkm_env.text.flaws import FLAWS

#: The address of its chat interface, such as ``http://127.0.0.1:8080/v1``, and its name there.
SERVER, MODEL = "TKM_MODEL_SERVER", "TKM_MODEL"
GAMES = 20
#: The most turns of a game, and after how many answers the match is killed.
TURNS, KILLED_AFTER = 4, 5

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        SERVER not in os.environ, reason=f"needs a real model, whose server {SERVER} names"
    ),
]


def tkm(*words: object) -> list[str]:
    return [sys.executable, "-m", "tkm_env", *map(str, words)]


def test_a_real_model_plays_twenty_games_through_a_kill(tmp_path: Path) -> None:
    games, report = tmp_path / "games.jsonl", tmp_path / "report.json"
    answers = Path(f"{games}.answers")
    options = f"base_url={os.environ[SERVER]},style=terse,legal=grouped,max_tokens=64"
    match = tkm(
        *("match", f"llm:{os.environ.get(MODEL, 'model')}:{options}", "random"),
        *("--games", GAMES, "--max-turns", TURNS, "--turn-seconds", 600, "--processes", 1),
        *("--seed", 1, "--save", games),
    )
    with subprocess.Popen(match, stdout=subprocess.DEVNULL) as first:
        while not answers.exists() or len(answers.read_bytes().splitlines()) < KILLED_AFTER:
            assert first.poll() is None, "the match has ended"
            time.sleep(0.2)
        first.send_signal(signal.SIGKILL)
    subprocess.run([*match, "--resume"], check=True, stdout=subprocess.DEVNULL)
    records = [json.loads(line) for line in games.read_text("utf-8").splitlines()]
    assert len(records) == GAMES
    kept = Counter(json.loads(line)["key"] for line in answers.read_text("utf-8").splitlines())
    assert max(kept.values()) == 1, "no question was asked twice"
    said = [
        answer
        for record in records
        for conversation in record["models"].values()
        for answer in conversation["answers"]
    ]
    assert len(said) == len(kept)
    assert all(None not in answer["tokens"] for answer in said)
    for answer in said:
        assert (answer["turn"] is None) == (answer["flaw"] in FLAWS), answer
    print(Counter(answer["flaw"] or "a turn" for answer in said))
    subprocess.run(tkm("report", games, "--json", report), check=True, stdout=subprocess.DEVNULL)
    assert report.stat().st_size > 1000
