"""Units: which there are, in which order, and what they wait for."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from goalward.errors import UsageError
from goalward.experiments.benchmark import find_instances
from goalward.experiments.config import Config, read_config
from goalward.experiments.units import Job, Schedule
from goalward.task.grounding import ground_files
from goalward.task.states import StateReader

METHODS = """\
[[methods]]
method = "ff"
[[methods]]
method = "rsl"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two domains, one of them with two difficulties, instances p2 and p10, two or three states."""
    for place in ("a/easy/p2", "a/easy/p10", "a/hard/p3", "b/easy/p1"):
        path = tmp_path / "bench" / place
        path.mkdir(parents=True)
        for name in ("domain", "problem", "p1", "p2", "p10"):
            (path / f"{name}.pddl").touch()
    return tmp_path / "bench"


def config(folder: Path, lines: str, top: str = "seeds = 2") -> Config:
    return read_config(tomllib.loads(f'{top}\n[benchmark]\nfolder = "{folder}"\n{lines}\n{METHODS}'))


def ids(chosen: Config, output: Path) -> list[str]:
    return [unit.id for unit in Schedule(chosen, find_instances(chosen, output), output).units]


def test_trainings_come_before_the_searches_of_their_instance(folder: Path, tmp_path: Path) -> None:
    chosen = config(folder, 'domains = ["b"]', 'seeds = 2\nstates = ["p1"]')
    assert ids(chosen, tmp_path) == [
        "train/b/easy/p1/rsl/0",
        "train/b/easy/p1/rsl/1",
        "search/b/easy/p1/ff/-/p1",
        "search/b/easy/p1/rsl/0/p1",
        "search/b/easy/p1/rsl/1/p1",
    ]


def test_the_first_so_many_are_those_of_the_smallest_numbers(folder: Path, tmp_path: Path) -> None:
    chosen = config(folder, "instances = 1", "states = 2")
    searches = [unit for unit in ids(chosen, tmp_path) if "/ff/" in unit]
    assert searches == [
        f"search/{place}/ff/-/{state}" for place in ("a/easy/p2", "a/hard/p3", "b/easy/p1") for state in ("p1", "p2")
    ]


def test_names_choose_domains_difficulties_and_instances(folder: Path, tmp_path: Path) -> None:
    chosen = config(folder, 'difficulties = ["hard"]\ninstances = ["p3"]', 'states = ["problem"]')
    assert [unit for unit in ids(chosen, tmp_path) if "/ff/" in unit] == ["search/a/hard/p3/ff/-/problem"]


@pytest.mark.parametrize(
    ("lines", "top", "said"),
    [
        ('domains = ["c"]', "", "benchmark.domains: there is no c in"),
        ('difficulties = ["heasy"]', "", r"benchmark.difficulties: there is no heasy .*did you mean easy\?"),
        ('instances = ["p2", "p4"]', "", r"benchmark.instances: there is no p4"),
        ("", 'states = ["p3"]', "states: there is no p3 in"),
    ],
)
def test_a_name_that_is_not_there_is_an_error(folder: Path, tmp_path: Path, lines: str, top: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        find_instances(config(folder, lines, top), tmp_path)


def test_a_search_waits_for_the_training_of_its_seed_alone(folder: Path, tmp_path: Path) -> None:
    chosen = config(folder, 'domains = ["b"]')
    schedule = Schedule(chosen, find_instances(chosen, tmp_path), tmp_path)
    for unit in schedule.units:
        training = schedule.training_of(unit)
        if unit.kind == "search" and unit.method == "rsl":
            assert training in schedule.units
            assert training is not None
            assert training.seed == unit.seed
            assert schedule.job(unit, tmp_path / "x").model == str(schedule.model_file(training))
        else:
            assert training is None


def test_a_job_survives_its_way_to_the_process_that_does_it(folder: Path, tmp_path: Path) -> None:
    chosen = config(folder, "")
    schedule = Schedule(chosen, find_instances(chosen, tmp_path), tmp_path)
    for unit in schedule.units:
        job = schedule.job(unit, tmp_path / "x")
        assert Job.from_json(job.to_json()) == job


def test_generated_instances_are_the_same_files_every_time_and_grow_with_the_states(tmp_path: Path) -> None:
    text = '[[generate]]\ndomain = "blocks"\ninstance = "b4"\nparameters = { n = 4 }\n' + METHODS
    few, more = (read_config(tomllib.loads(f"states = {n}\n{text}")) for n in (1, 3))
    (first,) = find_instances(few, tmp_path / "one")
    before = {path.name: path.read_bytes() for path in first.folder.iterdir()}
    (grown,) = find_instances(more, tmp_path / "one")
    (fresh,) = find_instances(more, tmp_path / "two")
    after = {path.name: path.read_bytes() for path in grown.folder.iterdir()}
    assert sorted(after) == ["domain.pddl", "p1.pddl", "p2.pddl", "p3.pddl", "problem.pddl"]
    assert after == {path.name: path.read_bytes() for path in fresh.folder.iterdir()}
    assert before.items() <= after.items()
    task = ground_files(grown.folder / "domain.pddl", grown.folder / "problem.pddl")
    assert len(StateReader(task).read_all(grown.folder / f"{name}.pddl" for name in grown.states)) == 3


def test_no_config_asks_for_more_units_than_fit_into_memory(tmp_path: Path) -> None:
    generated = '[[generate]]\ndomain = "blocks"\n' + METHODS
    chosen = read_config(tomllib.loads("seeds = 10000\nstates = 100000\n" + generated))
    with pytest.raises(UsageError, match="more than 10000000 units"):
        Schedule(chosen, find_instances(chosen, tmp_path, write=False), tmp_path)
    chosen = read_config(tomllib.loads('states = ["p99999999999"]\n' + generated))
    with pytest.raises(UsageError, match="not p99999999999"):
        find_instances(chosen, tmp_path, write=False)


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    chosen = read_config(tomllib.loads('[[generate]]\ndomain = "blocks"\n' + METHODS))
    assert find_instances(chosen, tmp_path / "none", write=False)
    assert not (tmp_path / "none").exists()


def test_a_share_is_chosen_evenly_by_size_with_one_of_each_difficulty_at_least(tmp_path: Path) -> None:
    sizes = {"a/easy": [50, 10, 40, 20, 30, 60], "a/hard": [5], "b/easy": [1, 2, 3]}
    for place, numbers in sizes.items():
        for number, size in enumerate(numbers, start=1):
            path = tmp_path / "bench" / place / f"p{number}"
            path.mkdir(parents=True)
            (path / "domain.pddl").touch()
            (path / "problem.pddl").write_text("x" * size)

    def chosen(share: str, more: str = "") -> dict[str, list[int]]:
        found = find_instances(config(tmp_path / "bench", f'share = "{share}"\n{more}'), tmp_path)
        return {
            place: [
                len((i.folder / "problem.pddl").read_text()) for i in found if f"{i.domain}/{i.difficulty}" == place
            ]
            for place in sizes
        }

    assert chosen("50%") == {"a/easy": [40, 20, 60], "a/hard": [5], "b/easy": [3, 1]}
    assert chosen("1%") == {"a/easy": [40], "a/hard": [5], "b/easy": [2]}
    assert chosen("100%") == {"a/easy": [40, 20, 60, 10, 30, 50], "a/hard": [5], "b/easy": [2, 1, 3]}
    assert chosen("50%", "instances = 2") == {"a/easy": [50], "a/hard": [5], "b/easy": [2]}


def test_instances_come_in_rounds_that_cover_domains_first_and_then_difficulties(tmp_path: Path) -> None:
    for place in ("a/hard", "a/moderate", "b/hard", "b/moderate", "c/moderate", "d/hard", "d/moderate"):
        for size, name in enumerate(("small", "middle", "large")[: 1 if place == "d/hard" else 3]):
            path = tmp_path / "bench" / place / name
            path.mkdir(parents=True)
            (path / "domain.pddl").touch()
            (path / "problem.pddl").write_text("x" * size)
    found = [
        f"{one.domain}/{one.difficulty}/{one.name}" for one in find_instances(config(tmp_path / "bench", ""), tmp_path)
    ]
    groups = ["a/hard", "b/moderate", "c/moderate", "d/moderate", "a/moderate", "b/hard", "d/hard"]
    assert found[:7] == [f"{group}/{'small' if group == 'd/hard' else 'middle'}" for group in groups]
    assert found[7:] == [f"{group}/{size}" for size in ("small", "large") for group in groups[:-1]]


SHARED = """\
[[methods]]
label = "again"
method = "rsl"
model_of = "rsl"
[[methods]]
method = "hgn"
train = "9s"
"""


def test_methods_may_share_models_and_models_of_a_domain_are_trained_once(folder: Path, tmp_path: Path) -> None:
    for size, place in enumerate(("a/hard/p3", "a/easy/p10", "a/easy/p2"), start=1):
        (folder / place / "problem.pddl").write_text("x" * size)
    chosen = config(folder, SHARED, 'seeds = 2\nstates = ["p1"]')
    schedule = Schedule(chosen, find_instances(chosen, tmp_path), tmp_path)
    trainings = [unit.id for unit in schedule.units if unit.kind == "train"]
    assert not any("again" in unit for unit in trainings)
    assert [unit for unit in trainings if "hgn" in unit] == [
        f"train/{domain}/all/all/hgn/{seed}" for domain in ("a", "b") for seed in (0, 1)
    ]
    waiting = {unit.id: schedule.training_of(unit) for unit in schedule.units if unit.kind == "search"}
    of = {name: training.id for name, training in waiting.items() if training is not None}
    assert of["search/a/hard/p3/again/1/p1"] == "train/a/hard/p3/rsl/1"
    assert of["search/a/hard/p3/hgn/1/p1"] == of["search/a/easy/p2/hgn/1/p1"] == "train/a/all/all/hgn/1"
    first = next(unit for unit in schedule.units if unit.method == "hgn")
    job = schedule.job(first, tmp_path / "x")
    assert job.domain_instances == (str(folder / "a/hard/p3"), str(folder / "a/easy/p10")), "the smallest two"
    assert job.budgets.train == 9
    assert Job.from_json(job.to_json()) == job


def test_the_time_of_all_units_is_that_of_their_limits(folder: Path, tmp_path: Path) -> None:
    top = 'seeds = 2\nstates = ["p1"]'
    limits = '[budgets]\ntrain = "100s"\nsearch = "10s"\n[validation]\nstates = 3\nsearch = "2s"\n'
    chosen = config(folder, f'domains = ["b"]\n{limits}{SHARED}', top)
    schedule = Schedule(chosen, find_instances(chosen, tmp_path), tmp_path)
    # rsl and hgn train twice, and four methods search: ff once, the others with two seeds
    assert schedule.max_seconds() == 2 * (100 + 3 * 2) + 2 * 9 + (1 + 2 + 2 + 2) * 10


def test_a_limit_of_cpu_time_leaves_room_for_other_work(folder: Path, tmp_path: Path) -> None:
    chosen = config(folder, '[budgets]\nsearch = "10s"\ntrain = "20s"\ngrace = "1s"\nclock = "cpu"', "seeds = 1")
    schedule = Schedule(chosen, find_instances(chosen, tmp_path), tmp_path)
    jobs = {unit.kind: schedule.job(unit, tmp_path / "x") for unit in schedule.units}
    assert (jobs["train"].hard_limit, jobs["train"].hard_cpu_limit) == (20001, 21)
    assert (jobs["search"].hard_limit, jobs["search"].hard_cpu_limit) == (10001, 11)
