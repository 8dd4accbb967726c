"""Play the first endgame task with `greedy`, and print a digest of the report.

    python benchmarks/endgame_report_sample.py --positions 500

`benchmarks/compare_behaviour.py` runs it with any version of the package.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from pathlib import Path
from typing import Final

from tkm_env.arena.benchmark.endgame_tasks import EndgameBenchmark
from tkm_env.arena.playing.referee import Conditions

#: What is compared of a share. Its digits depend on the processor's rounding.
_DIGITS: Final = 6


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--positions", type=int, help="how many of the task (default: all)")
    benchmark = EndgameBenchmark("greedy", parser.parse_args().positions, Conditions(trust=True))
    with tempfile.TemporaryDirectory() as folder:
        records = [*benchmark.play(Path(folder, "games.jsonl"), processes=1)]
    result = benchmark.schedule().results(records)[0].as_json()
    report = json.loads(json.dumps(result), parse_float=lambda text: round(float(text), _DIGITS))
    print(hashlib.sha256(json.dumps(report).encode()).hexdigest())


if __name__ == "__main__":
    main()
