"""Completion of commands and flags by the shell: its script, and where that is installed."""

from __future__ import annotations

import os
from pathlib import Path

import shellingham
from click.shell_completion import get_completion_class

from goalward.cli.commands import COMPLETION_VARIABLE, PROGRAM, program
from goalward.errors import UsageError

FILES = {
    "bash": f".bash_completions/{PROGRAM}.sh",
    "zsh": f".zfunc/_{PROGRAM}",
    "fish": f".config/fish/completions/{PROGRAM}.fish",
}
"""The script of each shell, below the home folder."""
SETTINGS = {
    "bash": (".bashrc", f"source ~/.bash_completions/{PROGRAM}.sh"),
    "zsh": (".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
}
"""The line that makes a shell read it, and the file for that line; fish needs none."""


def current_shell() -> str:
    """The shell that started this program, or else the user's login shell."""
    try:
        name = str(shellingham.detect_shell()[0])
    except shellingham.ShellDetectionFailure:
        name = Path(os.environ.get("SHELL", "")).name
    if name not in FILES:
        raise UsageError(f"there is no completion for {name or 'this shell'}; use it in {', '.join(FILES)}")
    return name


def script(shell: str) -> str:
    """The script that makes the shell complete this program's commands and flags."""
    kind = get_completion_class(shell)
    assert kind is not None
    return kind(program(), {}, PROGRAM, COMPLETION_VARIABLE).source()


def install(shell: str) -> str:
    """Write the script to where the shell reads it, and return a sentence that says so."""
    path = Path.home() / FILES[shell]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script(shell))
    if shell in SETTINGS:
        name, line = SETTINGS[shell]
        settings = Path.home() / name
        known = settings.read_text() if settings.is_file() else ""
        if line not in known and str(path) not in known:
            settings.write_text(f"{known.rstrip()}\n{line}\n".lstrip())
    return f"{path} written; {shell} completes {PROGRAM} the next time it starts."
