"""``goalward generate``: instances of the bundled domains in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalward.task.domains import DOMAINS, generate

from .program import Goalward


@pytest.mark.parametrize("name", DOMAINS)
def test_every_domain_is_written_as_the_library_makes_it(goalward: Goalward, tmp_path: Path, name: str) -> None:
    outcome = goalward("generate", name, "--size", "2", "--seed", "7", "-o", tmp_path / "a" / "b")
    assert outcome.code == 0
    domain, problem = (tmp_path / "a" / "b" / part for part in ("domain.pddl", "problem.pddl"))
    assert outcome.out == f"{domain} {problem}\n"
    expected = generate(name, size=2, seed=7)
    assert (domain.read_text(), problem.read_text()) == (expected.domain_text, expected.problem_text)
    assert sorted(domain.parent.iterdir()) == [domain, problem]


def test_parameters_override_the_size(goalward: Goalward, tmp_path: Path) -> None:
    assert (
        goalward("generate", "gripper", "--size", "3", "--set", "balls=2", "--set", "rooms=3", "-o", tmp_path).code == 0
    )
    assert (tmp_path / "problem.pddl").read_text() == generate("gripper", size=3, balls=2, rooms=3).problem_text


def test_the_folder_is_named_after_the_instance(
    goalward: Goalward, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert goalward("generate", "blocks", "--set", "n=3").code == 0
    assert [path.name for path in tmp_path.iterdir()] == [generate("blocks", n=3).problem_name]


def test_without_a_domain_all_are_listed_with_their_parameters(goalward: Goalward) -> None:
    outcome = goalward("generate")
    assert outcome.code == 0
    for domain in DOMAINS.values():
        assert domain.name in outcome.out
        assert all(f"{option.name}={option.default}" in outcome.out for option in domain.options)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("blokcs",), ["blokcs", "did you mean blocks?"]),
        (("chess",), ["chess", "known: blocks, courier"]),
        (("blocks", "--set", "m=3"), ["no parameter 'm'", "n (2 to 1000)"]),
        (("blocks", "--set", "n=-5"), ["n must be between 2 and", "but is -5"]),
        (("blocks", "--set", "n"), ["--set n", "NAME=VALUE"]),
        (("blocks", "--set", "n=two"), ["n=two", "NAME=VALUE"]),
        (("blocks", "--set", "n="), ["NAME=VALUE"]),
        (("blocks", "--set", f"n={'9' * 5000}"), ["NAME=VALUE"]),
        (("blocks", "--set", "seed=3"), ["use --seed"]),
        (("blocks", "--size", "0"), ["size must be between 1 and", "but is 0"]),
        (("blocks", "--size", "1.5"), ["--size"]),
        (("blocks", "--seed", "x"), ["--seed"]),
        (("blocks", "gripper"), ["gripper"]),
    ],
)
def test_wrong_arguments_are_refused_and_nothing_is_written(
    goalward: Goalward, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = goalward("generate", *arguments)
    assert outcome.code == 36
    assert all(word in outcome.error for word in words), outcome.error
    assert list(tmp_path.iterdir()) == []
