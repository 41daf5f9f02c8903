"""Bad input of every kind: an exit code, the file, the line, and one sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from .program import DOMAIN, PLAN, PROBLEM, Files, Outcome, replaced, spawn, write_files

Goalward = Callable[..., Outcome]


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
    # --- not PDDL at all ---
    Bad("empty domain", "domain.pddl: ", ("is empty",), domain=""),
    Bad("empty problem", "problem.pddl: ", ("is empty",), problem=""),
    Bad("blank", "problem.pddl: ", ("is empty",), problem=" \n\t\n"),
    Bad("nothing but comments", "domain.pddl: ", ("is empty",), domain="; nothing\n; here\n"),
    Bad("binary domain", "domain.pddl: ", ("not a text file",), domain=bytes(range(256)) * 4),
    Bad("binary problem", "problem.pddl: ", ("not a text file",), problem=b"\x7fELF\x02\x01\x01\0\0\0"),
    Bad("high bytes", "problem.pddl:1: ", ("ASCII",), problem=bytes(range(128, 256))),
    Bad("byte-order mark", "problem.pddl:1: ", ("byte-order mark",), problem=b"\xef\xbb\xbf" + PROBLEM.encode()),
    Bad("UTF-16", "problem.pddl: ", ("not a text file",), problem=PROBLEM.encode("utf-16")),
    Bad("JSON", "problem.pddl:1: ", ("expected '('",), problem='{"domain": "trains"}'),
    Bad("plan as problem", "problem.pddl:2: ", ("nothing may follow",), problem=PLAN),
    Bad("plan as domain", "domain.pddl:1: ", ("a domain file starts with",), domain="(drive t1 a b)\n; cost = 5\n"),
    Bad("swapped", "domain.pddl:2: ", ("(domain NAME)", "(problem two-tracks)"), domain=PROBLEM, problem=DOMAIN),
    Bad("domain twice", "problem.pddl:2: ", ("(problem NAME)", "(domain trains)"), problem=DOMAIN),
    Bad("problem twice", "domain.pddl:2: ", ("(domain NAME)",), domain=PROBLEM),
    bad_problem("other domain", "(:domain trains)", "(:domain planes)", 3, "'planes'", "'trains'"),
    bad_problem("not ASCII", "t1 - train", "t1 zügle - train", 4, "ASCII"),
    # --- parentheses ---
    bad_problem("section left open", "(= (total-cost) 0)\n  )", "(= (total-cost) 0)\n", 5, "never closed", "line 10"),
    bad_problem("fact left open", "(= (distance a b) 5)", "(= (distance a b) 5", 5, "never closed"),
    bad_domain("domain cut off", "(increase (total-cost) (distance ?from ?to)))\n  )\n)\n", "", 10, "never closed"),
    Bad("one closed too often", "problem.pddl:13: ", ("no '(' to close",), problem=PROBLEM + ")\n"),
    Bad("two expressions", "domain.pddl:13: ", ("nothing may follow", "line 12"), domain=DOMAIN + "(define)\n"),
    Bad("10,000 deep domain", "domain.pddl:1: ", ("nested",), domain="(" * 10_000 + ")" * 10_000),
    bad_problem("10,000 deep", "(at t1 c)", "(and " * 10_000 + "(at t1 c)" + ")" * 10_000, 10, "nested"),
    bad_problem("10,000 open", "(at t1 c)", "(" * 10_000, 10, "nested"),
    Bad("10,000 closed", "problem.pddl:1: ", ("no '(' to close",), problem=")" * 10_000),
    # --- names ---
    bad_domain("predicate", "(track ?from ?to))\n", "(trak ?from ?to))\n", 9, "predicate 'trak'", "'track'?"),
    bad_problem("predicate in init", "(track b c)", "(tracks b c)", 7, "predicate 'tracks'", "'track'?"),
    bad_problem("predicate in goal", "(at t1 c)", "(on t1 c)", 10, "predicate 'on'"),
    bad_problem("object in init", "(track b c)", "(track b d)", 7, "object 'd'"),
    bad_problem("object in goal", "(at t1 c)", "(at t2 c)", 10, "object 't2'"),
    bad_domain(
        "type of a parameter",
        "?t - train ?from ?to - place)\n    :pre",
        "?t - trian ?from ?to - place)\n    :pre",
        8,
        "type 'trian'",
        "'train'?",
    ),
    bad_domain("supertype", "city harbour - place", "city harbour - town", 4, "'town'"),
    bad_domain("type above itself", "train place - object", "train - object place - city", 4, "its own supertype"),
    bad_problem("type of an object", "c - harbour", "c - harbor", 4, "type 'harbor'", "'harbour'?"),
    bad_domain("variable", "(at ?t ?to)", "(at ?t ?too)", 10, "variable '?too'", "'?to'?"),
    bad_domain("constant", "(at ?t ?to)", "(at t1 ?to)", 10, "'t1'"),
    bad_domain("too few arguments", "(at ?t ?to)", "(at ?t)", 10, "takes 2 arguments", "has 1"),
    bad_problem("too many arguments", "(at t1 a)", "(at t1 a b)", 5, "takes 2 arguments", "has 3"),
    bad_domain("type that never fits", "(at ?t ?to)", "(at ?to ?t)", 10, "is of type place"),
    bad_problem("object twice", "a b - city", "a b a - city", 4, "'a' is declared twice"),
    bad_domain("predicate twice", "(track ?from ?to - place))", "(at ?a ?b - place))", 5, "'at' is declared twice"),
    bad_domain(
        "action twice",
        "  (:action drive",
        "  (:action drive :parameters () :effect (and))\n  (:action drive",
        8,
        "'drive' is declared twice",
        "line 7",
    ),
    bad_domain("unknown section", "(:predicates", "(:predicate", 5, "':predicate'", "':predicates'?"),
    bad_domain("unknown requirement", ":action-costs", ":action-cost", 3, "':action-cost'", "':action-costs'?"),
    bad_domain("no effect", ":effect", ":effekt", 10, "':effekt'"),
    bad_problem("no goal", "(:goal (and (at t1 c)))", "", 2, ":goal"),
    bad_problem("true and false", "(at t1 a)", "(at t1 a) (not (at t1 a))", 5, "both true and false"),
    # --- costs ---
    bad_problem("huge cost", "(distance a b) 5", f"(distance a b) {'9' * 5000}", 6, "from 0 to 2147483647"),
    bad_problem("cost of 2^31", "(distance a b) 5", "(distance a b) 2147483648", 6, "from 0 to 2147483647"),
    bad_problem("negative cost", "(distance a b) 5", "(distance a b) -5", 6, "'-5'", "from 0"),
    bad_problem("fraction", "(distance a b) 5", "(distance a b) 5.5", 6, "'5.5'", "whole number"),
    bad_problem("cost that is no number", "(distance a b) 5", "(distance a b) five", 6, "'five'", "not a number"),
    bad_problem("two costs", "(= (distance a b) 5)", "(= (distance a b) 5) (= (distance a b) 6)", 6, "two values"),
    bad_domain("negative constant", "(total-cost) (distance ?from ?to))", "(total-cost) -1)", 10, "'-1'"),
    bad_domain(
        "function", "(total-cost) (distance ?from ?to))", "(total-cost) (length ?from ?to))", 10, "function 'length'"
    ),
    # --- what is not supported ---
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
    Bad(
        "goal with or",
        "problem.pddl",
        ("'or'",),
        problem=replaced(PROBLEM, "(and (at t1 c))", "(or (at t1 b) (at t1 c))"),
        code=34,
    ),
    bad_domain(
        "numeric condition",
        "(and (at ?t ?from)",
        "(and (> (distance ?from ?to) 3) (at ?t ?from)",
        9,
        "numeric condition",
        code=34,
    ),
    bad_domain(
        "numeric effect",
        "(increase (total-cost) (distance ?from ?to))",
        "(decrease (distance ?from ?to) 1)",
        10,
        "drive",
        "decrease",
        code=34,
    ),
    bad_domain("numeric fluents", ":action-costs", ":numeric-fluents", 3, "':numeric-fluents'", code=34),
    bad_domain("durative action", "(:action drive", "(:durative-action drive", 7, "durative action 'drive'", code=34),
    bad_domain("preferences", ":action-costs", ":preferences", 3, "':preferences'", code=34),
    bad_problem("other metric", "minimize (total-cost)", "maximize (total-cost)", 11, "metric", code=34),
]


@pytest.mark.parametrize("bad", TABLE, ids=lambda bad: bad.name)
def test_bad_input_is_refused_with_its_place(goalward: Goalward, tmp_path: Path, bad: Bad) -> None:
    files = write_files(tmp_path, bad.domain, bad.problem)
    outcome = goalward("plan", *files.names, "--time-limit", "20s")
    assert outcome.code == bad.code, outcome
    assert outcome.error.startswith(f"{tmp_path}/{bad.place}" if bad.place else ""), outcome.error
    assert all(word in outcome.error for word in bad.words), outcome.error
    assert len(outcome.error) < 1000, "the message repeats its input"


@pytest.mark.parametrize("command", ["plan", "inspect", "walk", "validate"])
def test_every_command_refuses_bad_pddl_alike(goalward: Goalward, tmp_path: Path, command: str) -> None:
    files = write_files(tmp_path, DOMAIN, replaced(PROBLEM, "(track b c)", "(track b d)"))
    (tmp_path / "plan").write_text(PLAN)
    more = {"walk": ["-o", tmp_path / "walks"], "validate": [tmp_path / "plan"]}.get(command, [])
    outcome = goalward(command, *files.names, *more)
    assert outcome.code == 31
    assert outcome.error.startswith(f"{files.problem}:7: ")
    assert not (tmp_path / "walks").exists()


@pytest.mark.parametrize("command", ["plan", "inspect", "walk", "validate"])
@pytest.mark.parametrize("which", ["domain", "problem"])
def test_a_file_that_cannot_be_opened_is_a_matter_of_usage(
    goalward: Goalward, trains: Files, tmp_path: Path, command: str, which: str
) -> None:
    (tmp_path / "plan").write_text(PLAN)
    more = {"walk": ["-o", tmp_path / "walks"], "validate": [tmp_path / "plan"]}.get(command, [])
    for path, words in ((tmp_path / "none.pddl", "no such file"), (tmp_path, "is a directory")):
        names = {"domain": trains.domain, "problem": trains.problem, which: path}
        outcome = goalward(command, names["domain"], names["problem"], *more)
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
    ("domain", "problem", "code"),
    [("", PROBLEM, 31), (DOMAIN, "(" * 10_000, 31), (replaced(DOMAIN, ":typing", ":fluents"), PROBLEM, 34)],
)
def test_the_installed_program_refuses_bad_input(tmp_path: Path, domain: str, problem: str, code: int) -> None:
    outcome = spawn("plan", *write_files(tmp_path, domain, problem).names)
    assert outcome.code == code
    assert str(tmp_path) in outcome.error


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
