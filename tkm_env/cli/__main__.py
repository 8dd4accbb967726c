"""``python -m tkm_env.cli``: the `tkm` command, if its script is not on the path."""

from tkm_env.cli import main

main()
