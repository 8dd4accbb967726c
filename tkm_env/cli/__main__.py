"""``python -m tkm_env.cli``: the `tkm` command where its script is not on the path."""

from tkm_env.cli import main

main()
