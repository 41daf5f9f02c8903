"""Completion of commands and options by the shell: the script for it, and the answers to what that script asks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import shellingham
from typer.completion import completion_init, get_completion_script, shell_complete  # type: ignore[attr-defined]
from typer.completion import install as write_script  # type: ignore[attr-defined]

from goalward.cli.commands import COMPLETION_VARIABLE, PROGRAM
from goalward.errors import UsageError

SHELLS = ("bash", "zsh", "fish")


def current_shell() -> str:
    """The shell that started this program, or else the user's own."""
    try:
        name = str(shellingham.detect_shell()[0])
    except shellingham.ShellDetectionFailure:
        name = Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise UsageError(f"there is no completion for {name or 'this shell'}; use it in {', '.join(SHELLS)}")
    return name


def script(shell: str) -> str:
    """The script that teaches the shell to complete this program's commands and options."""
    return str(get_completion_script(prog_name=PROGRAM, complete_var=COMPLETION_VARIABLE, shell=shell))


def install(shell: str) -> str:
    """Write the script where the shell reads it, and say so."""
    _, path = write_script(shell=shell, prog_name=PROGRAM, complete_var=COMPLETION_VARIABLE)
    return f"{path} is written; {shell} completes {PROGRAM} from its next start on."


def answer(program: Any, instruction: str) -> int:
    """Print what may stand at the cursor; the script hands over the line in environment variables."""
    completion_init()
    return int(shell_complete(program, {}, PROGRAM, COMPLETION_VARIABLE, instruction))
