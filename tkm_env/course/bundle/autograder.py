"""Grades the repository in the current folder and writes result.json there, in the format of Classroom 50."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEEDED = ("numba", "numpy", "gymnasium", "pettingzoo", "click", "rich", "jinja2", "scipy")


def main() -> int:
    """Install what is missing, and grade; returns 0 if grading was completed, whatever the points."""
    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        install = [sys.executable, "-m", "pip", "install", "--quiet", "-r", str(HERE / "requirements.txt")]
        subprocess.run(install, check=True)  # noqa: S603 our own
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    owner = os.environ.get("OWNER") or os.environ.get("USERNAME") or "submission"
    grade = [sys.executable, "-m", "tkm_env", "course", "grade", ".", "--spec", str(HERE / "grading.toml")]
    grade += ["--name", owner, "--classroom50", "result.json"]
    return subprocess.run(grade, env=environment, check=False).returncode  # noqa: S603 our own


if __name__ == "__main__":
    sys.exit(main())
