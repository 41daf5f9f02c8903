"""Completion in the shell: what the shell asks and what it is told."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from goalward.cli import completion
from goalward.errors import UsageError

from .program import PROGRAM, environment


def in_bash(script: str, home: Path) -> str:
    """What a bash without settings of its own prints."""
    run = subprocess.run(
        ["bash", "--norc", "-c", f"{script}\nexit $?"],  # a script of one command would take the place of bash itself
        capture_output=True,
        text=True,
        check=False,
        env=environment(HOME=str(home), PATH=f"{PROGRAM.parent}:/usr/bin:/bin"),
    )
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def completed(line: str) -> str:
    """Bash code that prints what would be offered for the last word of a line."""
    words = " ".join(f"'{word}'" for word in line.split(" "))
    asked = f"COMP_WORDS=({words}); COMP_CWORD={line.count(' ')}; COMPREPLY=();"
    return f"{asked} _goalward_completion goalward; echo ${{COMPREPLY[@]}};"


def test_bash_completes_commands_and_options_and_choices(tmp_path: Path) -> None:
    lines = ("goalward so", "goalward experiment ", "goalward solve --m", "goalward plan --costs u")
    shown = in_bash('eval "$(goalward --show-completion)";' + "".join(map(completed, lines)), tmp_path)
    assert shown.splitlines() == ["solve", "run status report export import", "--memory-limit", "unit"]


def test_installing_it_writes_where_bash_reads(tmp_path: Path) -> None:
    (tmp_path / ".bashrc").write_text("alias ll='ls -l'\n")
    said = in_bash("goalward --install-completion", tmp_path)
    assert str(tmp_path / ".bash_completions" / "goalward.sh") in said
    assert in_bash(f"source ~/.bashrc; alias; {completed('goalward va')}", tmp_path) == "alias ll='ls -l'\nvalidate\n"


@pytest.mark.parametrize(
    ("shell", "current", "offer", "file"),
    [
        ("bash", "2", "plain,run", "file,m"),
        ("zsh", "2", "plain\nrun\nRun an experiment, or what is left of it.", "file\nm\n_"),
        ("fish", "r", "plain,run\tRun an experiment, or what is left of it.", "file,m"),
    ],
)
def test_every_shell_is_answered_in_its_own_way(shell: str, current: str, offer: str, file: str) -> None:
    def answer(words: str, current: str) -> str:
        asked = {"_GOALWARD_COMPLETE": f"{shell}_complete", "COMP_WORDS": words, "COMP_CWORD": current}
        assert all(name in completion.script(shell) for name in asked)
        run = subprocess.run([PROGRAM], capture_output=True, text=True, check=True, env=environment(**asked))
        return run.stdout.rstrip("\n")

    offered = answer("goalward experiment r", current)
    assert offered.startswith(offer)
    assert "status" not in offered
    assert answer("goalward solve m", "m" if shell == "fish" else "2") == file


def test_a_shell_without_completion_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def cannot_tell() -> None:
        raise completion.shellingham.ShellDetectionFailure

    monkeypatch.setattr(completion.shellingham, "detect_shell", cannot_tell)
    monkeypatch.setenv("SHELL", "/bin/ksh")
    with pytest.raises(UsageError, match=r"no completion for ksh; use it in bash, zsh, fish"):
        completion.current_shell()
    monkeypatch.setenv("SHELL", "/usr/bin/zsh")
    assert completion.current_shell() == "zsh"
