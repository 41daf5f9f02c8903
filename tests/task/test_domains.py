"""The bundled domains: deterministic, readable by other planners' parsers, solvable and not solved from the start."""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fast_downward.translate import main as translate_main
from fast_downward.translate import normalize, options, pddl, pddl_parser
from hypothesis import given
from hypothesis import strategies as st

from goalward.errors import UsageError
from goalward.task.domains import DOMAINS, Instance, generate
from goalward.task.domains.blocks import random_towers
from goalward.task.domains.tiles import is_solvable, random_board
from helpers import FastDownward, read_texts

SIZES = (1, 2, 3)
# As Fast Downward's alias lama-first, for unit costs or none.
LAMA_FIRST = (
    "let(hlm,landmark_sum(lm_reasonable_orders_hps(lm_rhw()),pref=false),let(hff,ff(),"
    "lazy_greedy([hff,hlm],preferred=[hff,hlm],cost_type=one,reopen_closed=false)))"
)
SMALL = [(domain, size, seed) for domain in DOMAINS for size in SIZES for seed in (0, 1)]
EDGES: list[tuple[str, dict[str, int]]] = [
    ("blocks", {"n": 2}),
    ("courier", {"riders": 3, "letters": 1, "towns": 2}),
    ("delivery", {"trucks": 3, "packages": 3, "towns": 2, "capacity": 1}),
    ("gripper", {"balls": 1, "rooms": 4, "grippers": 1}),
    ("lights", {"rooms": 2, "locks": 0}),
    ("lights", {"rooms": 6, "locks": 100}),
    ("painters", {"rows": 1, "cols": 2, "robots": 2, "done": 90}),
    ("storage", {"rows": 3, "cols": 3, "crates": 1, "pillars": 30}),
    ("tiles", {"rows": 2, "cols": 4}),
    ("visitall", {"rows": 2, "cols": 2, "missing": 75}),
]
LARGE: list[tuple[str, dict[str, int]]] = [
    ("blocks", {"n": 200}),
    ("courier", {"letters": 200, "towns": 200}),
    ("delivery", {"packages": 50, "trucks": 10, "towns": 100}),
    ("gripper", {"balls": 500, "rooms": 50}),
    ("lights", {"rooms": 200}),
    ("painters", {"rows": 40, "cols": 30, "robots": 10, "done": 40}),
    ("storage", {"rows": 30, "cols": 30, "crates": 40}),
    ("tiles", {"rows": 12, "cols": 12}),
    ("visitall", {"rows": 60, "cols": 60}),
]


# --- the table and its options ---


def test_table_is_keyed_by_the_names_the_domains_give_themselves() -> None:
    assert all(name == domain.name for name, domain in DOMAINS.items())
    assert all(f"(define (domain {name})" in domain.text for name, domain in DOMAINS.items())


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_size_up_to_the_largest_gives_every_option_a_value_within_bounds(domain: str) -> None:
    bundled = DOMAINS[domain]
    assert all(option.admits(option.default) for option in bundled.options)
    for size in range(1, bundled.largest_size + 1):
        values = bundled.scaled(size)
        assert list(values) == [option.name for option in bundled.options]
        assert all(option.admits(values[option.name]) for option in bundled.options)


def test_named_parameters_override_size_and_both_override_defaults() -> None:
    header = generate("delivery", size=5, capacity=7, seed=3).problem_text.splitlines()[0]
    assert header == "; goalward generate delivery: trucks=2, packages=6, towns=12, capacity=7, seed=3"
    assert generate("blocks").problem_text == generate("blocks", n=DOMAINS["blocks"].defaults["n"]).problem_text


@pytest.mark.parametrize(
    ("domain", "arguments", "message"),
    [
        ("block", {}, "unknown domain 'block'; did you mean blocks? (known: blocks, courier, delivery, "),
        ("chess", {}, "unknown domain 'chess' (known: blocks, courier, "),
        ("tiles", {"row": 3}, "tiles has no parameter 'row'; did you mean rows? (it has rows (2 to 30), cols (2 to"),
        ("blocks", {"n": 1}, "blocks: n=1 is out of bounds; use 2 to 1000 (number of blocks)"),
        ("visitall", {"missing": 76}, "visitall: missing=76 is out of bounds; use 0 to 75 (share of the cells"),
        ("tiles", {"size": 0}, "tiles: size=0 is out of bounds; use 1 to 57"),
        ("tiles", {"size": 58}, "tiles: size=58 is out of bounds; use 1 to 57"),
        (
            "storage",
            {"rows": 3, "cols": 3, "pillars": 0, "crates": 3},
            "storage: crates=3 do not fit on 9 free cells: use at most 2, or more rows or cols",
        ),
    ],
)
def test_wrong_arguments_name_what_is_wrong_and_what_is_right(
    domain: str, arguments: dict[str, int], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        generate(domain, **arguments)
    assert str(caught.value).startswith(message)


# --- determinism ---

# The first digits of the SHA-256 of the problem with size 3 and seed 7: a change here changes everybody's problems.
SIGNATURES = {
    "blocks": "534670580e73", "courier": "69104edb3632", "delivery": "4bedb831741c", "gripper": "2f7eeef5cd25",
    "lights": "77048b8fddcd", "painters": "25b6aa2e5d07", "storage": "947cc6ab08ce", "tiles": "2d6102cd4f2a",
    "visitall": "6ddcd65ceda9",
}  # fmt: skip


def test_problems_are_those_of_every_other_machine() -> None:
    texts = {domain: generate(domain, size=3, seed=7).problem_text for domain in DOMAINS}
    assert {domain: hashlib.sha256(text.encode()).hexdigest()[:12] for domain, text in texts.items()} == SIGNATURES


@pytest.mark.parametrize("domain", DOMAINS)
def test_seeds_differ_in_more_than_their_name_and_share_the_domain(domain: str) -> None:
    instances = [generate(domain, size=4, seed=seed) for seed in range(-1, 5)]
    bodies = {instance.problem_text.split("(:domain", 1)[1] for instance in instances}
    assert len(bodies) == len(instances)
    assert len({instance.problem_name for instance in instances}) == len(instances)
    assert {instance.domain_text for instance in instances} == {DOMAINS[domain].text}


@pytest.mark.parametrize(("domain", "parameters"), LARGE)
def test_large_problems_can_be_made_and_read(domain: str, parameters: dict[str, int]) -> None:
    instance = generate(domain, **parameters)
    _, problem = read_texts(instance.domain_text, instance.problem_text)
    assert problem.name == instance.problem_name


# --- what other planning systems say about them ---


@pytest.mark.parametrize(("domain", "size", "seed"), SMALL)
def test_fast_downward_reads_a_task_that_is_neither_solved_nor_hopeless(
    domain: str, size: int, seed: int, tmp_path: Path
) -> None:
    _check_translated(generate(domain, size=size, seed=seed), tmp_path)


@pytest.mark.parametrize(("domain", "parameters"), EDGES)
def test_the_smallest_and_oddest_tasks_are_neither_solved_nor_hopeless(
    domain: str, parameters: dict[str, int], tmp_path: Path
) -> None:
    for seed in range(5):
        _check_translated(generate(domain, seed=seed, **parameters), tmp_path)


@pytest.mark.parametrize("domain", DOMAINS)
def test_unified_planning_reads_the_same_actions_objects_and_name(domain: str, tmp_path: Path) -> None:
    up_io = pytest.importorskip("unified_planning.io", reason="unified-planning is not installed")
    for size in SIZES:
        instance = generate(domain, size=size, seed=2)
        problem = up_io.PDDLReader().parse_problem_string(instance.domain_text, instance.problem_text)
        task = _parsed(instance, tmp_path)
        assert problem.name == instance.problem_name
        assert sorted(action.name for action in problem.actions) == sorted(action.name for action in task.actions)
        assert sorted(item.name for item in problem.all_objects) == sorted(item.name for item in task.objects)


@pytest.mark.parametrize(("domain", "parameters"), [*((d, {"size": s}) for d in DOMAINS for s in SIZES), *EDGES])
def test_fast_downward_solves_it(domain: str, parameters: dict[str, int], fast_downward: FastDownward) -> None:
    assert _plan(generate(domain, seed=parameters.get("size", 0) % 2, **parameters), fast_downward)


# --- what single domains promise ---


def test_lights_has_negative_preconditions_and_a_negative_goal(tmp_path: Path) -> None:
    task = _parsed(generate("lights", rooms=4), tmp_path)
    negated = {a.name: {part.predicate for part in a.precondition.parts if part.negated} for a in task.actions}
    asked = {"go": {"locked"}, "switch-on": {"lit"}, "take": {"hand-full"}, "lock": {"locked"}}
    nothing: set[str] = set()
    assert negated == {**dict.fromkeys(("switch-off", "leave", "unlock"), nothing), **asked}
    assert [part.predicate for part in task.goal.parts if part.negated] == ["lit"] * 3


def test_courier_is_cheapest_by_a_detour_with_more_steps(fast_downward: FastDownward) -> None:
    instance = generate("courier", riders=1, letters=2, towns=6, seed=0)
    without_metric = instance.problem_text.replace("(:metric minimize (total-cost))", "")
    cheapest = _plan(instance, fast_downward, "astar(lmcut())")
    shortest = _plan(replace(instance, problem_text=without_metric), fast_downward, "astar(lmcut())")
    assert _road_cost(instance, cheapest) < _road_cost(instance, shortest)
    assert len(cheapest) > len(shortest)


def test_delivery_passes_packages_on_between_different_trucks_at_the_depot_only(tmp_path: Path) -> None:
    task = _translated(generate("delivery", trucks=2, packages=2, towns=3, capacity=2), tmp_path)
    names = [operator.name[1:-1].split() for operator in task.operators]
    pairs = Counter((giver, taker) for action, _, giver, taker, *_ in (n for n in names if n[0] == "pass-on"))
    assert set(pairs) == {("truck1", "truck2"), ("truck2", "truck1")}
    assert pairs["truck1", "truck2"] == 2 * 2 * 2  # two packages, two amounts of room in either truck


def test_painters_who_begin_at_the_door_cannot_finish(fast_downward: FastDownward) -> None:
    instance = generate("painters", rows=2, cols=2, robots=1)
    at_the_door = "(robot-on robot1 t-0-1)\n    (painted t-1-1)\n    (painted t-1-2)"
    left = "\n".join(f"    (vacant t-{tile})" for tile in ("0-2", "2-1", "2-2"))
    static = instance.problem_text[instance.problem_text.index("    (changes") :]
    head = instance.problem_text.split("(:init")[0]
    spoilt = f"{head}(:init\n    {at_the_door}\n    (holds robot1 black)\n{left}\n{static}"
    assert _plan(instance, fast_downward, "astar(blind())")
    assert not _plan(replace(instance, problem_text=spoilt), fast_downward, "astar(blind())")


@given(rows=st.integers(1, 6), cols=st.integers(2, 6), done=st.integers(0, 90), seed=st.integers(0, 10**6))
def test_painters_of_one_size_differ_in_their_states_alone(rows: int, cols: int, done: int, seed: int) -> None:
    fresh, later = (
        generate("painters", rows=rows, cols=cols, robots=2, done=share, seed=seed).problem_text for share in (0, done)
    )
    changing = re.compile(r"\((robot-on|holds|vacant|painted) .*\)")
    shared = [[line for line in text.splitlines()[3:] if not changing.match(line.strip())] for text in (fresh, later)]
    assert shared[0] == shared[1]
    init, goal = later.split("(:goal")
    painted = set(re.findall(r"\(painted (\S+)\)", init))
    assert len(painted) == rows * cols * done // 100
    assert painted <= set(re.findall(r"\(painted (\S+)\)", goal))
    taken = re.findall(r"\(robot-on \S+ (\S+)\)", init)
    vacant = re.findall(r"\(vacant (\S+)\)", init)
    assert len({*painted, *taken, *vacant}) == len(painted) + len(taken) + len(vacant) == (rows + 1) * cols
    rows_of = [[int(tile.split("-")[1]) for tile in tiles] for tiles in (painted, [*taken, *vacant])]
    assert not painted or min(rows_of[0]) >= max(rows_of[1])  # done from the far end


def test_storage_can_be_spoilt_so_solvability_is_not_for_free(fast_downward: FastDownward) -> None:
    instance = generate("storage", rows=4, cols=4, crates=1, pillars=0)
    init, goal = instance.problem_text.split("(:goal")
    start = init.split("(crate-on crate1 ")[1].split(")")[0]
    assert "c-1-1)" not in goal
    cornered = init.replace(f"(crate-on crate1 {start})", "(crate-on crate1 c-1-1)")
    cornered = cornered.replace("(no-crate c-1-1)", f"(no-crate {start})") + "(:goal" + goal
    assert _plan(instance, fast_downward, "astar(blind())")
    assert not _plan(replace(instance, problem_text=cornered), fast_downward, "astar(blind())")


@given(rows=st.integers(3, 9), cols=st.integers(3, 9), pillars=st.integers(0, 30), seed=st.integers(0, 10**6))
def test_storage_puts_everything_on_its_own_cell(rows: int, cols: int, pillars: int, seed: int) -> None:
    n_floor = rows * cols - rows * cols * pillars // 100
    text = generate("storage", rows=rows, cols=cols, pillars=pillars, crates=n_floor // 4, seed=seed).problem_text
    init, goal = text.split("(:goal")
    start = re.findall(r"\(crate-on (\S+) (\S+)\)", init)
    end = re.findall(r"\(crate-on (\S+) (\S+)\)", goal)
    free = re.findall(r"\(no-crate (\S+)\)", init)
    (worker,) = re.findall(r"\(worker-on (\S+)\)", init)
    assert len({cell for _, cell in start}) == len({cell for _, cell in end}) == n_floor // 4
    assert len({cell for _, cell in start} | set(free)) == len(start) + len(free) == n_floor
    assert worker in free
    assert start != end


@given(rows=st.integers(2, 8), cols=st.integers(2, 8), seed=st.integers(0, 10**6))
def test_tiles_start_with_the_parity_of_the_goal(rows: int, cols: int, seed: int) -> None:
    text = generate("tiles", rows=rows, cols=cols, seed=seed).problem_text
    squares = {
        (int(row) - 1) * cols + int(col) - 1: int(tile)
        for tile, row, col in re.findall(r"\(tile-at t(\d+) s-(\d+)-(\d+)\)", text.split("(:goal")[0])
    }
    (gap,) = set(range(rows * cols)) - set(squares)
    order = [squares[square] for square in sorted(squares)]
    inversions = sum(first > second for first, second in combinations(order, 2))
    rows_below_gap = rows - 1 - gap // cols
    assert sorted(order) == list(range(1, rows * cols))
    assert (inversions if cols % 2 else inversions + rows_below_gap) % 2 == 0


@pytest.mark.parametrize(("rows", "cols"), [(2, 2), (2, 3), (3, 2)])
def test_tiles_parity_is_exactly_what_slides_can_reach(rows: int, cols: int) -> None:
    solved = (*range(1, rows * cols), 0)
    reached, stack = {solved}, [solved]
    while stack:
        board = stack.pop()
        row, col = divmod(board.index(0), cols)
        for other_row, other_col in ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)):
            if 0 <= other_row < rows and 0 <= other_col < cols:
                slid = list(board)
                gap, tile = row * cols + col, other_row * cols + other_col
                slid[gap], slid[tile] = slid[tile], slid[gap]
                if tuple(slid) not in reached:
                    reached.add(tuple(slid))
                    stack.append(tuple(slid))
    rng = Random(0)
    shuffled = {tuple(rng.sample(solved, len(solved))) for _ in range(500)}
    assert {board for board in shuffled if is_solvable(list(board), cols)} == shuffled & reached
    assert {tuple(random_board(rng, rows, cols)) for _ in range(500)} <= reached - {solved}


@given(rows=st.integers(2, 12), cols=st.integers(2, 12), missing=st.integers(0, 75), seed=st.integers(0, 10**6))
def test_visitall_cells_are_connected_and_as_many_as_asked_for(rows: int, cols: int, missing: int, seed: int) -> None:
    text = generate("visitall", rows=rows, cols=cols, missing=missing, seed=seed).problem_text
    init, goal = text.split("(:goal")
    links = set(re.findall(r"\(linked (\S+) (\S+)\)", init))
    cells = re.findall(r"\(visited (\S+)\)", goal)
    (start,) = re.findall(r"\(robot-at (\S+)\)", init)
    reached, stack = {start}, [start]
    while stack:
        here = stack.pop()
        found = {to for origin, to in links if origin == here} - reached
        reached |= found
        stack += found
    assert reached == set(cells)
    assert len(cells) == max(2, rows * cols - rows * cols * missing // 100)
    assert links == {(to, origin) for origin, to in links}


def test_blocks_draws_all_thirteen_arrangements_of_three_blocks_equally_often() -> None:
    rng = Random(0)
    drawn = Counter(str(sorted(random_towers(rng, ["a", "b", "c"]))) for _ in range(13000))
    assert len(drawn) == 13
    assert all(850 < count < 1150 for count in drawn.values())


# --- helpers ---


def _write(instance: Instance, folder: Path) -> tuple[str, str]:
    domain, problem = folder / "domain.pddl", folder / "problem.pddl"
    domain.write_text(instance.domain_text)
    problem.write_text(instance.problem_text)
    return str(domain), str(problem)


def _parsed(instance: Instance, folder: Path) -> Any:
    domain, problem = _write(instance, folder)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()) as printed:
        warnings.simplefilter("ignore", ResourceWarning)  # the parser leaves its files open
        task = pddl_parser.open(domain_filename=domain, problem_filename=problem)
    assert "Warning" not in printed.getvalue()
    return task


@contextlib.contextmanager
def _translate_options(*arguments: str) -> Iterator[None]:
    before = options.options
    options.set_options(list(arguments))
    try:
        yield
    finally:
        options.options = before


def _translated(instance: Instance, folder: Path) -> Any:
    task = _parsed(instance, folder)
    with _translate_options("domain.pddl", "problem.pddl"), contextlib.redirect_stdout(io.StringIO()):
        normalize.normalize(task)
        return translate_main.pddl_to_sas(task)


def _check_translated(instance: Instance, folder: Path) -> None:
    task = _parsed(instance, folder)
    true_atoms = {(item.predicate, item.args) for item in task.init if isinstance(item, pddl.Atom)}
    parts = task.goal.parts or (task.goal,)
    assert any(((part.predicate, part.args) in true_atoms) == part.negated for part in parts), "solved from the start"
    # The translator answers with a task of one goal fact and no operators where it proves that there is no plan.
    assert _translated(instance, folder).operators


def _plan(instance: Instance, fast_downward: FastDownward, search: str = "") -> list[str]:
    """The plan of Fast Downward, one action per line; empty if it proves that there is none."""
    sas = fast_downward.translate(instance.domain_text, instance.problem_text)
    plan = fast_downward.folder / "plan"
    plan.unlink(missing_ok=True)
    fast_downward.search(sas, search or LAMA_FIRST)
    return [line for line in plan.read_text().splitlines() if line[0] != ";"] if plan.exists() else []


def _road_cost(instance: Instance, plan: list[str]) -> int:
    """The cost of a courier plan, summed by hand from the problem's distances."""
    lengths = {
        (origin, to): int(length)
        for origin, to, length in re.findall(r"\(= \(distance (\S+) (\S+)\) (\d+)\)", instance.problem_text)
    }
    steps = [line[1:-1].split() for line in plan]
    return sum(lengths[step[2], step[3]] if step[0] == "ride" else 1 for step in steps)
