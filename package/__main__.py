"""``python -m duelgym`` is the command ``duelgym``."""

from duelgym.training.cli import main

main(prog_name="duelgym")
