"""`docs/libraries.md`, made from the table in `docs/libraries.toml` and from what `benchmarks/libraries.py` saw of each row."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tables import table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent
NOTE = (
    "<!-- Written by `python docs/generate.py` from `docs/libraries.toml` and `docs/libraries.json`; edit the former instead. -->"
)
EXAMPLES = "../examples/libraries/"


def listed() -> list[dict[str, Any]]:
    """The rows of the table."""
    rows: list[dict[str, Any]] = tomllib.loads((HERE / "libraries.toml").read_text("utf-8"))["library"]
    return rows


def libraries() -> str:
    """``docs/libraries.md``."""
    return page(listed(), json.loads((HERE / "libraries.json").read_text("utf-8")))


def versions(seen: dict[str, Any]) -> str:
    """The versions of a row, without what a build is called."""
    return ", ".join(f"{package} {version.partition('+')[0]}" for package, version in seen["versions"].items())


def page(rows: list[dict[str, Any]], seen: dict[str, Any]) -> str:
    """The document of these rows and of what was seen of them."""
    works, tried = [], []
    for row in rows:
        name, example = row["name"], row["example"].split()[0]
        works.append((name, row["face"], row["mask"], f"[`{example}`]({EXAMPLES}{example})"))
        found = seen[name]
        extra = f"`[{row['extra']}]`" if "extra" in row else "none"
        tried.append(
            (name, extra, versions(found), found["python"], str(found["passed"]), found["score"], f"{found['megabytes']:,}")
        )
    refused = "\n\n".join(
        f"**{row['name']}**\n\n" + "\n".join(f"- {reason}" for reason in row["refused"]) for row in rows if row["refused"]
    )
    return f"""{NOTE}

# RL libraries

How each library takes the environments, as its own documentation has it. The examples are short programs that learn for a while and end with
[`evaluate`](ratings.md#how-good-is-a-policy) against `random`; OpenSpiel's searches instead, against `greedy`.

{table(("library", "what to hand it", "where the mask goes", "example"), works)}

An illegal action loses the game, so every library needs the mask. `pip install -e '.[EXTRA]'` installs a library; those of the dependencies
need no extra. The environments of [*Terminus*](terminus.md), such as `tkm_env/Terminus-v0`, have the same faces.

## What does not work, and why

{refused}

**AgileRL** cannot be installed beside this package, and was not tried: its version 2.58.0 asks for `pettingzoo<1.27`, and this package for
1.27, whose registry of environments it uses.

## What was tried

Each row was run in an environment of its own: its tests, all of which passed and none of which was skipped, and its example as it is. A score
is the example's policy's, with its 95% interval; it says that the library learns here, not how well it could.

{table(("library", "extra", "versions", "Python", "tests", "score of the example", "MB installed"), tried)}

MB are all that was installed, with the tools for the tests and, for four of them, PyTorch for CPUs. These four are too large to be installed in
every run of the tests, which leaves their tests out and says so.

```sh
nox -s libraries                # every row anew, and this page
nox -s "libraries(TorchRL)"     # one of them
```
"""
