"""Runs the command line with ``python -m goalward``."""

from goalward.cli.startup import main

main()
