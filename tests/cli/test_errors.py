"""Bad input of every kind: an exit code, the file, the line, and one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from .program import DOMAIN, PLAN, PROBLEM, Files, Goalward, replaced, write_files


@dataclass(frozen=True)
class Bad:
    """A domain and a problem of which one is wrong; ``place`` is the file and perhaps the line that is to blame."""

    name: str
    place: str
    words: tuple[str, ...]
    domain: str | bytes = DOMAIN
    problem: str | bytes = PROBLEM
    code: int = 31


def bad_domain(name: str, old: str, new: str, line: int, *words: str, code: int = 31) -> Bad:
    return Bad(name, f"domain.pddl:{line}: ", words, domain=replaced(DOMAIN, old, new), code=code)


def bad_problem(name: str, old: str, new: str, line: int, *words: str, code: int = 31) -> Bad:
    return Bad(name, f"problem.pddl:{line}: ", words, problem=replaced(PROBLEM, old, new), code=code)


DERIVED = "(:derived (served ?p - place) (exists (?t - train) (at ?t ?p)))\n  (:action drive"
SERVED = replaced(
    replaced(DOMAIN, "(:action drive", DERIVED),
    "(track ?from ?to - place))",
    "(track ?from ?to - place) (served ?p - place))",
)

TABLE = [
    Bad("empty domain", "domain.pddl: ", ("is empty",), domain=""),
    Bad("binary problem", "problem.pddl: ", ("not a text file",), problem=b"\x7fELF\x02\x01\x01\0\0\0"),
    Bad("plan as domain", "domain.pddl: ", ("this looks like a plan",), domain=PLAN),
    Bad("step as problem", "problem.pddl:1: ", ("this looks like a plan",), problem="(drive t1 a b)\n; cost = 5\n"),
    Bad("swapped", "domain.pddl:2: ", ("this is a problem, but a domain is expected",), domain=PROBLEM, problem=DOMAIN),
    bad_problem("section left open", "(= (total-cost) 0)\n  )", "(= (total-cost) 0)\n", 5, "never closed", "line 10"),
    bad_problem("10,000 deep", "(at t1 c)", "(and " * 10_000 + "(at t1 c)" + ")" * 10_000, 10, "nested"),
    bad_domain("predicate", "(track ?from ?to))\n", "(trak ?from ?to))\n", 9, "predicate 'trak'", "mean track?"),
    bad_problem("huge cost", "(distance a b) 5", f"(distance a b) {'9' * 5000}", 6, "from 0 to 2147483647"),
    bad_domain("durative action", "(:action drive", "(:durative-action drive", 7, "durative action 'drive'", code=34),
    Bad(
        "conditional effect",
        "",
        ("conditional effects", "drive"),
        domain=replaced(DOMAIN, "(at ?t ?to)", "(when (track ?to ?from) (not (track ?to ?from))) (at ?t ?to)"),
        problem=replaced(PROBLEM, "(track b c)", "(track b c) (track b a) (= (distance b a) 5)"),
        code=34,
    ),
    Bad(
        "derived predicate",
        "domain.pddl:7: ",
        ("derived", "served"),
        domain=SERVED,
        problem=replaced(PROBLEM, "(at t1 c)", "(served c)"),
        code=34,
    ),
]
"""One of each kind; tests/task/test_sexpr.py and tests/task/test_lifted.py have what else can be wrong in a file."""


@pytest.mark.parametrize("bad", TABLE, ids=lambda bad: bad.name)
def test_bad_input_is_refused_with_its_place(goalward: Goalward, tmp_path: Path, bad: Bad) -> None:
    files = write_files(tmp_path, bad.domain, bad.problem)
    outcome = goalward("plan", *files.names, "--time-limit", "20s")
    assert outcome.code == bad.code, outcome
    assert outcome.error.startswith(f"{tmp_path}/{bad.place}" if bad.place else ""), outcome.error
    assert all(word in outcome.error for word in bad.words), outcome.error
    assert len(outcome.error) < 1000, "the message repeats its input"


@pytest.mark.parametrize("command", ["plan", "train", "inspect", "walk", "validate"])
def test_every_command_refuses_bad_pddl_alike(goalward: Goalward, tmp_path: Path, command: str) -> None:
    files = write_files(tmp_path, DOMAIN, replaced(PROBLEM, "(track b c)", "(track b d)"))
    (tmp_path / "plan").write_text(PLAN)
    written = ["-o", tmp_path / "walks"]
    more = {"walk": written, "train": written, "validate": [tmp_path / "plan"]}.get(command, [])
    outcome = goalward(command, *files.names, *more)
    assert outcome.code == 31
    assert outcome.error.startswith(f"{files.problem}:7: ")
    assert not (tmp_path / "walks").exists()


@pytest.mark.parametrize("command", ["plan", "inspect", "walk", "validate"])
def test_a_file_that_cannot_be_opened_is_a_matter_of_usage(
    goalward: Goalward, trains: Files, tmp_path: Path, command: str
) -> None:
    (tmp_path / "plan").write_text(PLAN)
    more = {"walk": ["-o", tmp_path / "walks"], "validate": [tmp_path / "plan"]}.get(command, [])
    for path, words in ((tmp_path / "none.pddl", "no such file"), (tmp_path, "is a directory")):
        for names in ((path, trains.problem), (trains.domain, path)):
            outcome = goalward(command, *names, *more)
            assert outcome.code == 36
            assert outcome.error.startswith(f"{path}: {words}")
    assert not (tmp_path / "walks").exists()


def test_a_file_without_permission_is_a_matter_of_usage(goalward: Goalward, trains: Files) -> None:
    trains.problem.chmod(0)
    try:
        trains.problem.read_bytes()
    except PermissionError:
        outcome = goalward("plan", *trains.names)
        assert outcome.code == 36
        assert "permission" in outcome.error
    else:
        pytest.skip("this user may read everything")


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 5000])
def test_what_is_no_file_name_is_a_matter_of_usage(goalward: Goalward, trains: Files, name: str) -> None:
    outcome = goalward("plan", trains.domain, name)
    assert outcome.code == 36
    assert outcome.error


@pytest.mark.parametrize(
    ("domain", "problem"),
    [
        (DOMAIN, replaced(PROBLEM, "; One", "; Zwölf Züge, кириллица")),
        (DOMAIN.upper(), PROBLEM),
        (DOMAIN, PROBLEM.upper()),
        (DOMAIN.replace("\n", "\r\n"), PROBLEM.replace("\n", "\r")),
        (" ".join(DOMAIN.splitlines()[1:]), " ".join(PROBLEM.splitlines()[1:])),
        (DOMAIN, replaced(PROBLEM, "(at t1 c)", "(and " * 150 + "(at t1 c)" + ")" * 150)),
        (DOMAIN, replaced(PROBLEM, "(distance a b) 5", "(distance a b) 0005")),
    ],
    ids=["comment", "upper domain", "upper problem", "line ends", "one line", "150 deep", "zeros"],
)
def test_odd_but_right_input_is_accepted(goalward: Goalward, tmp_path: Path, domain: str, problem: str) -> None:
    outcome = goalward("plan", *write_files(tmp_path, domain, problem).names)
    assert outcome.code == 0
    assert PLAN in outcome.out
