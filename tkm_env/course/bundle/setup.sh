#!/usr/bin/env bash
# Runs once, when the autograder's image is built: installs what the grader needs, and compiles its code.
set -eu
: "${AUTOGRADER:=/autograder}" "${PYTHON:=python3}"
source="$AUTOGRADER/source"
if ! "$PYTHON" -c "import numba, numpy, gymnasium, pettingzoo, click, rich, jinja2, scipy" 2>/dev/null; then
    if command -v apt-get >/dev/null; then
        apt-get update
        apt-get install -y python3 python3-pip
    fi
    "$PYTHON" -m pip install -r "$source/requirements.txt" || "$PYTHON" -m pip install --break-system-packages -r "$source/requirements.txt"
fi
# What the sandbox needs; without it submissions run at the level "restricted".
if command -v apt-get >/dev/null && ! command -v bwrap >/dev/null; then
    apt-get update && apt-get install -y bubblewrap libseccomp2 || echo "without bubblewrap: no sandbox" >&2
fi
# Students' programs may run as another user, who can read the package but not what is graded.
chmod 755 "$source"
find "$source" -path "$source/tkm_env" -prune -o -type f -exec chmod go-rwx {} +
export PYTHONPATH="$source" NUMBA_CACHE_DIR="$source/cache"
mkdir -p "$NUMBA_CACHE_DIR"
# Compile everything once, by grading a submission that plays the first legal action.
trial=$(mktemp -d)
trap 'rm -rf "$trial"' EXIT
printf 'class Bot:\n    def act(self, game):\n        return game.legal_actions()[0]\n' >"$trial/agent.py"
"$PYTHON" -m tkm_env course grade "$trial" --spec "$source/grading.toml" --isolation process
