"""``python -m goalward``: the command line without the script."""

from goalward.cli.startup import main

main()
