"""Configs: what may stand in one, and what is said of what may not."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from goalward.errors import UsageError
from goalward.experiments import method_configs
from goalward.experiments.config import Config, load_config, read_config, shipped_configs
from goalward.experiments.method_configs import MethodConfig
from goalward.search.planning import LearnedModel
from goalward.search.solving import DEFAULT_IMPROVEMENT, UNLIMITED_IMPROVEMENT, Improvement

GOOD = """\
states = 2
seeds = 3
[budgets]
train = "1m30s"
memory = "512M"
[[generate]]
domain = "blocks"
parameters = { n = 4 }
[[methods]]
method = "n-rsl"
options = { samples = 1000 }
[[methods]]
method = "ff"
"""

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def read(text: str) -> Config:
    return read_config(tomllib.loads(text))


def test_durations_sizes_and_counts_are_read_as_people_write_them() -> None:
    config = read(GOOD)
    assert config.budgets.train == 90
    assert config.budgets.memory == 512 * 2**20
    assert config.seeds == (0, 1, 2)
    assert [one.label for one in config.methods] == ["n-rsl", "ff"]


def test_seeds_that_compete_are_validated_and_a_single_one_is_not() -> None:
    assert read(GOOD).validation.states == 10
    assert read(GOOD.replace("seeds = 3", "seeds = 1")).validation.states == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("states = 2", "state = 2", "unknown key state; did you mean states?"),
        ("seeds = 3", "seed = 3", "unknown key seed; did you mean seeds?"),
        ('train = "1m30s"', 'trian = "1m"', "unknown key budgets.trian; did you mean train?"),
        ('train = "1m30s"', 'train = "soon"', "budgets.train must be a duration such as"),
        ('train = "1m30s"', f"train = {'9' * 400}", "must be a duration such as"),
        ('memory = "512M"', f"memory = {'9' * 400}", "must be a size such as"),
        ('memory = "512M"', "memory = true", "budgets.memory must be a size such as"),
        ("seeds = 3", "seeds = [1, 1]", "seeds must be a number of seeds"),
        ("seeds = 3", "seeds = 0", "seeds must be a number of seeds"),
        ("states = 2", "states = 0", "states must be a number n between 1 and 100000"),
        ("states = 2", f"states = {'9' * 400}", "must be a number n between 1 and 100000"),
        ("states = 2", "states = ['../p1']", "states must be a number n between 1 and 100000"),
        ('memory = "512M"', 'clock = "sun"', "budgets.clock must be one of wall, cpu"),
        ("[[generate]]", "[benchmark]\nshare = 0\n[[generate]]", "benchmark.share must be between 0.001 and 1"),
        ('method = "ff"', 'method = "fff"', "methods[2].method: unknown method 'fff'; did you mean ff?"),
        ('method = "ff"', 'method = "n-rsl"', "two methods have the label n-rsl"),
        ('method = "ff"', 'metod = "ff"', "unknown key methods[2].metod; did you mean method?"),
        ('method = "ff"', 'method = "ff"\nlabel = "a/b"', "methods[2].label must be a name"),
        ("samples = 1000", "sample = 1000", "n-rsl has no option 'sample'; did you mean samples?"),
        ("samples = 1000", "samples = -1", "n-rsl: samples must be between 10 and 50000000"),
        ("samples = 1000", 'samples = "many"', "n-rsl: samples must be a whole number"),
        ("samples = 1000", 'preset = "quick"', "n-rsl: preset must be one of fast, paper"),
        ("samples = 1000", "batch = 1", "n-rsl: batch is an option of the search: write search = { batch = 1 }"),
        ("samples = 1000", "seed = 1", "n-rsl: seed is the same for all methods: set seeds in the config"),
        ("samples = 1000", 'time_limit = "1m"', "n-rsl: time_limit is the same for all methods: set budgets.train"),
        ('method = "ff"', 'method = "ff"\noptions = { batch = 1 }', "ff: batch is an option of the search: write"),
        ('method = "ff"', 'method = "ff"\noptions = { samples = 9 }', "ff: ff has no option 'samples' (known: none)"),
        ('method = "ff"', 'method = "ff"\nsearch = { bach = 1 }', "no option 'bach'; did you mean batch?"),
        ('method = "ff"', 'method = "ff"\nsearch = { batch = 0 }', "ff: batch must be between 1 and 1000000"),
        ('method = "ff"', 'method = "ff"\nsearch = { batch = "one" }', "ff: batch must be a number, but is 'one'"),
        ('method = "ff"', 'method = "ff"\nsearch = { time_limit = 1 }', "ff: time_limit is the same for all methods"),
        ('domain = "blocks"', 'domain = "block"', "generate[1]: unknown domain 'block'; did you mean blocks?"),
        ("{ n = 4 }", "{ m = 4 }", "generate[1]: blocks has no parameter 'm'"),
        ("{ n = 4 }", "{ n = 4, seed = 1 }", "generate[1].parameters must be a table of whole numbers, but is"),
        ('[[generate]]\ndomain = "blocks"\nparameters = { n = 4 }', "", "has no instances: set benchmark.folder"),
    ],
)
def test_what_is_wrong_is_named_with_the_nearest_valid_name(old: str, new: str, said: str) -> None:
    assert GOOD.count(old) == 1
    with pytest.raises(UsageError) as error:
        read(GOOD.replace(old, new))
    assert said in str(error.value)


def test_a_domain_learned_method_needs_its_model() -> None:
    with pytest.raises(UsageError, match=r"hgn: hgn is learned per domain: set options\.model"):
        read(GOOD.replace('method = "ff"', 'method = "hgn"'))


def test_a_domain_learned_method_with_time_for_training_is_trained_here() -> None:
    entry = 'method = "hgn"\ntrain = "5m"\noptions = { latent = 8, near_goal = 3 }'
    one = read(GOOD.replace('method = "ff"', entry)).methods[1]
    options = one.domain_options(7, 20.0)
    assert (one.learns, one.trains, one.train) == (True, True, 300)
    assert (options.latent, options.near_goal, options.seed, options.time_limit) == (8, 3, 7, 20.0)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('method = "hgn"\ntrain = "5m"\noptions = { model = "m" }', "choose one of options.model"),
        ('method = "hgn"\ntrain = "5m"\noptions = { latnt = 8 }', "hgn has no option 'latnt'; did you mean latent?"),
        ('method = "hgn"\ntrain = "5m"\noptions = { seed = 8 }', "hgn: seed is the same for all methods"),
        ('method = "ff"\ntrain = "5m"', "ff: ff learns nothing, so it has neither train nor model_of"),
        (
            'method = "rsl"\nmodel_of = "n-rls"',
            "rsl: no method with the label n-rls trains models; did you mean n-rsl",
        ),
        ('method = "rsl"\nmodel_of = "n-rsl"', "rsl is rsl, but n-rsl is n-rsl"),
        ('label = "x"\nmethod = "n-rsl"\nmodel_of = "n-rsl"\ntrain = "1m"', "x: with model_of nothing is trained"),
        ('label = "x"\nmethod = "n-rsl"\nmodel_of = "n-rsl"\noptions = { length = 9 }', "x: with model_of nothing is"),
    ],
)
def test_models_that_nobody_can_train_are_refused(entry: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        read(GOOD.replace('method = "ff"', entry))
    assert said in str(error.value)


def test_methods_are_searched_as_users_do_unless_the_config_names_a_search() -> None:
    config = read(GOOD + '[[methods]]\nmethod = "portfolio"\n')
    learned, ff, portfolio = (one.search_options(1.0, 1) for one in config.methods)
    assert (learned.algorithm, ff.algorithm, portfolio.algorithm) == ("hybrid", "gbfs", "portfolio")
    assert [one.improvement for one in config.methods] == [DEFAULT_IMPROVEMENT, None, DEFAULT_IMPROVEMENT]
    assert [one["search"] for one in config.as_json()["methods"]] == [
        {"algorithm": "auto", "improve": "auto"}, {}, {"improve": "auto"},
    ]  # fmt: skip
    greedy = read(GOOD.replace("options = { samples = 1000 }", 'search = { algorithm = "gbfs" }')).methods[0]
    assert (greedy.search_options(1.0, 1).batches, greedy.improvement) == ((1, 32, 256), None)
    hybrid = read(GOOD.replace("options = { samples = 1000 }", 'search = { algorithm = "hybrid" }')).methods[0]
    assert (hybrid.search_options(1.0, 1).algorithm, hybrid.improvement) == ("hybrid", None)


@pytest.mark.parametrize(
    ("wish", "improvement"),
    [
        ('"none"', None),
        ('"auto"', DEFAULT_IMPROVEMENT),
        ('"anytime"', UNLIMITED_IMPROVEMENT),
        ('"5s"', Improvement(5.0)),
    ],
)
def test_how_long_plans_are_improved_is_said_in_the_search(wish: str, improvement: Improvement | None) -> None:
    for method in ("n-rsl", "portfolio", "ff"):
        config = read(GOOD + f'[[methods]]\nlabel = "x"\nmethod = "{method}"\nsearch = {{ improve = {wish} }}\n')
        assert config.methods[-1].improvement == improvement


@pytest.mark.parametrize(("use", "algorithm"), [("search", "hybrid"), ("improvement", "portfolio")])
def test_a_model_decides_how_it_is_searched_unless_the_config_does(use: str, algorithm: str) -> None:
    model = cast(LearnedModel, SimpleNamespace(info={"network_use": use}, heuristic=None))
    assert MethodConfig("n-rsl", "n-rsl").search_options(1.0, 1, model).algorithm == algorithm
    for named in ("gbfs", "hybrid"):
        one = MethodConfig("n-rsl", "n-rsl", search={"algorithm": named})
        assert one.search_options(1.0, 1, model).algorithm == named


def test_results_of_greedy_searches_stay_what_they_were_when_those_were_the_default() -> None:
    config = read(GOOD)
    stored = json.loads(json.dumps(config.as_json()))
    assert config.conflict(stored) is None
    stored["methods"][0]["search"] = {}  # as it was written then
    assert config.conflict(stored) == "the method n-rsl"
    greedy = read(GOOD.replace("options = {", 'search = { algorithm = "gbfs" }\noptions = {'))
    assert greedy.conflict(stored) is None


def test_a_grid_is_one_method_for_each_combination() -> None:
    config = read(GOOD + "grid = { search.batch = [1, 32] }\n")
    assert [one.label for one in config.methods] == ["n-rsl", "ff,batch=1", "ff,batch=32"]
    assert config.methods[2].search_options(1.0, 1).batches == (32,)
    config = read(GOOD.replace("options = { samples = 1000 }", "grid = { length = [5, 50], search.batch = [1, 32] }"))
    assert [(one.options, one.search) for one in config.methods[:4]] == [
        ({"length": length}, {"batch": batch}) for length in (5, 50) for batch in (1, 32)
    ]


def test_planners_that_are_not_installed_are_refused_unless_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method_configs, "find_driver", lambda: None)
    with pytest.raises(UsageError, match="lama needs Fast Downward"):
        read(GOOD.replace('method = "ff"', 'method = "lama"'))
    assert read(GOOD + '[[methods]]\nmethod = "lama"\noptional = true\n').missing == ("lama",)


@pytest.mark.parametrize("name", shipped_configs())
def test_shipped_configs_can_be_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method_configs, "find_driver", lambda: Path("driver"))
    folder = None if name == "smoke" else tmp_path
    assert load_config(name, benchmark=folder).name == name


@pytest.mark.parametrize("path", sorted(BENCHMARKS.glob("*.toml")), ids=lambda path: path.stem)
def test_configs_of_the_measurements_can_be_read(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method_configs, "find_driver", lambda: Path("driver"))
    assert load_config(str(path), benchmark=tmp_path).methods


def test_the_grid_of_the_paper_has_sixteen_settings(tmp_path: Path) -> None:
    assert len(load_config("paper-grid", benchmark=tmp_path).methods) == 16


def test_a_config_that_does_not_exist_is_named_with_the_nearest_that_does() -> None:
    with pytest.raises(UsageError, match=r"smok: no such file.*did you mean smoke\?"):
        load_config("smok")


def test_settings_change_a_config(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    config = load_config(str(path), ["budgets.train=5s", "seeds=[7]", "validation.states=4"])
    assert (config.budgets.train, config.seeds, config.validation.states) == (5, (7,), 4)
    with pytest.raises(UsageError, match=r"mine.toml: unknown key budgets.trane; did you mean train\?"):
        load_config(str(path), ["budgets.trane=5s"])


def test_text_that_is_not_toml_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("a = = b")
    with pytest.raises(UsageError, match=r"bad.toml: not TOML: .*line 1"):
        load_config(str(tmp_path / "bad.toml"))
    (tmp_path / "latin.toml").write_bytes(b"name = '\xe9'")
    with pytest.raises(UsageError, match=r"latin.toml: not TOML: .*can't decode"):
        load_config(str(tmp_path / "latin.toml"))


def test_results_whose_options_an_older_goalward_may_have_dropped_are_not_added_to() -> None:
    stored: dict[str, Any] = json.loads(json.dumps(read(GOOD).as_json()))
    for method in stored["methods"]:
        del method["search"]
    greedy = GOOD.replace("options = { samples = 1000 }", 'search = { algorithm = "gbfs" }')  # the search of then
    assert read(GOOD).conflict(stored) == "the method n-rsl"
    assert read(greedy).conflict(stored) == "the method n-rsl"
    stored["methods"][0]["options"] = {}
    assert read(greedy).conflict(stored) is None


@pytest.mark.parametrize(
    ("old", "new", "conflict"),
    [
        ('train = "1m30s"', 'train = "2m"', "budgets"),
        ("samples = 1000", "samples = 2000", "the method n-rsl"),
        ("seeds = 3", "seeds = 4", None),
        ("states = 2", "states = 5", None),
        ('method = "ff"', 'method = "blind"', None),
        ("{ n = 4 }", "{ n = 5 }", None),
    ],
)
def test_a_folder_may_grow_but_what_made_its_results_may_not_change(old: str, new: str, conflict: str | None) -> None:
    stored: dict[str, Any] = json.loads(json.dumps(read(GOOD).as_json()))
    assert read(GOOD).conflict(stored) is None
    assert read(GOOD.replace(old, new)).conflict(stored) == conflict


def test_results_from_before_clocks_and_shared_models_may_be_added_to() -> None:
    config = read(GOOD)
    stored = json.loads(json.dumps(config.as_json()))
    del stored["budgets"]["clock"]
    for method in stored["methods"]:
        del method["train"], method["model_of"]
    assert config.conflict(stored) is None
    assert read(GOOD.replace("[budgets]", '[budgets]\nclock = "cpu"')).conflict(stored) == "budgets"
    changed = read(GOOD.replace('method = "n-rsl"', 'method = "n-rsl"\ntrain = "5s"'))
    assert changed.conflict(stored) == "the method n-rsl"


def test_the_table_of_the_paper_has_every_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method_configs, "find_driver", lambda: Path("driver"))
    config = load_config("paper-table", benchmark=tmp_path)
    learned = ["n-rsl", "rsl", "n-rsl-fast", "sing", "tsl", "boot", "bexp", "avi", "fsm", "hgn"]
    assert [one.label for one in config.methods] == [*learned, "ff", "fd-ff", "lama", "solve", "plan"]
    assert [one.label for one in config.methods if one.trains] == learned
    paper = config.methods[0]
    assert (paper.learn_options(0, 1.0).preset, paper.search_options(1.0, 1).batches) == ("paper", (1,))
    assert {one.train or config.budgets.train for one in config.methods[3:9]} == {120}
    assert (config.budgets.search, config.budgets.clock) == (30, "cpu")
