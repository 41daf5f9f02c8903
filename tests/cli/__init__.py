"""The command line from outside: exit codes, what is printed where, and files."""
