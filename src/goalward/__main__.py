"""``python -m goalward``: the command line without the script."""

from goalward.cli.main import main

main()
