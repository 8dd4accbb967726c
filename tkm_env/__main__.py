"""``python -m tkm_env``: the `tkm` command."""

from tkm_env.cli import main

main()
