"""The command line: one file per command, one place (:mod:`goalward.cli.main`) where errors become exit codes."""
