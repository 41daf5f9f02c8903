"""The page in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goalward.experiments.store import FILE_NAME, Store
from goalward.report import load, write_report
from goalward.report.data import Experiment
from goalward.report.side_by_side import WINDOW, pairwise, rates
from report.browser import Watched, opened
from report.examples import CONFIG, search, small, store_of
from report.test_queues import META, entries


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    with store_of(folder, small()) as store:
        write_report(store, folder / "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def desktop(browser: Any, report: Path) -> Iterator[Watched]:
    """One page for all tests that put back what they change; opening a page is what takes time."""
    with opened(browser, report) as found:
        yield found


def column_of(page: Any, index: int, difficulty: str = "hard") -> list[str]:
    rows = page.query_selector_all(f"#coverage-table tr[data-domain][data-difficulty={difficulty}]")
    return [row.query_selector_all("th, td")[index].inner_text() for row in rows]


def texts(page: Any, selector: str) -> list[str]:
    return [found.inner_text() for found in page.query_selector_all(selector)]


def test_it_loads_without_complaints_and_asks_for_nothing_else(desktop: Watched, report: Path) -> None:
    assert desktop.complaints == []
    assert desktop.requests == [report.as_uri()]


def test_it_would_not_be_let_out(desktop: Watched) -> None:
    policy = desktop.page.get_attribute("meta[http-equiv=Content-Security-Policy]", "content")
    assert "default-src 'none'" in policy
    assert "http" not in policy


def test_a_name_with_special_letters_is_text(desktop: Watched) -> None:
    assert desktop.page.inner_text("#title") == "small & <plain>"
    assert desktop.page.title() == "small & <plain> – goalward"


def test_the_table_has_our_figures_and_the_best_learned_in_bold(desktop: Watched) -> None:
    assert column_of(desktop.page, 0) == ["blocks", "rovers"]
    assert column_of(desktop.page, 1) == ["50.0", "50.0"]
    assert column_of(desktop.page, 2) == ["75.0", "50.0"]
    assert column_of(desktop.page, 4) == ["100.0", "0.0"]
    assert texts(desktop.page, "tr[data-domain=blocks][data-difficulty=hard] td.best") == ["75.0"]
    assert texts(desktop.page, "tr.total[data-difficulty=hard] td") == ["50.0", "62.5", "37.5", "50.0"]


def test_the_table_sorts(desktop: Watched) -> None:
    page = desktop.page
    heading = "#coverage-table thead th:last-child button"
    page.click(heading)
    assert column_of(page, 0) == ["blocks", "rovers"]
    assert page.get_attribute("#coverage-table thead th:last-child", "aria-sort") == "descending"
    page.click(heading)
    assert column_of(page, 0) == ["rovers", "blocks"]
    page.click("#coverage-table thead th:first-child button")
    assert column_of(page, 0) == ["blocks", "rovers"]


def test_domains_can_be_left_out(desktop: Watched) -> None:
    page = desktop.page
    desktop.drawn_after(lambda: page.click(".chip[data-domain=rovers]"))
    assert column_of(page, 0) == ["blocks"]
    assert texts(page, "tr.total[data-difficulty=hard] td") == ["50.0", "75.0", "25.0", "100.0"]
    assert page.evaluate("document.getElementById('plot-expansions').data.map(t => t.name)") == ["blocks"]
    assert all("rovers" not in name for name in texts(page, "#along-instance option"))
    desktop.drawn_after(lambda: page.click("#all-domains"))
    assert column_of(page, 0) == ["blocks", "rovers"]


def test_pairs_can_be_switched_and_agree_with_the_python_side(desktop: Watched, report: Path) -> None:
    page = desktop.page
    with Store(report.parent / FILE_NAME) as store:
        experiment = load(store)
    for first, second in (("n-rsl", "ff"), ("short", "n-rsl"), ("ff", "short")):
        page.select_option("#first-method", first)
        page.select_option("#second-method", second)
        desktop.settled()
        for measure in ("expansions", "plan_length"):
            pair = pairwise(experiment, first, second, measure)  # type: ignore[arg-type]
            words = page.inner_text(f"#{measure}-verdict")
            assert words.startswith(first)
            for share in pair.shares:
                assert f"{share:.1f} %" in words
            drawn = page.evaluate(f"document.getElementById('plot-{measure}').data.reduce((n, t) => n + t.x.length, 0)")
            assert drawn == len(pair.points)
    hover = page.evaluate("document.getElementById('plot-expansions').data[0].text[0]")
    assert hover.startswith("blocks · hard · p1 · s0")


def test_the_papers_figures_stand_beside_ours(desktop: Watched) -> None:
    page = desktop.page
    page.check("#paper-toggle")
    heads = texts(page, "#coverage-table thead th")
    ours = next(place for place, text in enumerate(heads) if "best of 2" in text)
    assert "paper, with validation" in heads[ours + 1].replace("\n", " ")
    assert column_of(page, ours + 1) == ["68.0", "0.1"]
    assert "Table 1" in page.inner_text("#coverage-note")
    page.uncheck("#paper-toggle")
    assert len(texts(page, "#coverage-table thead th")) == 5


def test_tables_are_copied_as_csv_and_latex(desktop: Watched) -> None:
    page = desktop.page
    csv = page.evaluate("asCsv(document.getElementById('coverage-table'))").splitlines()
    assert csv[0] == "Domain,n-rsl (mean of 2 seeds),n-rsl (best of 2 by validation),short,ff"
    assert "blocks,50.0,75.0,25.0,100.0" in csv
    latex = page.evaluate("asLatex(document.getElementById('coverage-table'))")
    assert latex.startswith("\\begin{tabular}{lrrrr}")
    assert r"blocks & 50.0 & \textbf{75.0} & 25.0 & 100.0 \\" in latex
    page.click("button.copy[data-as=csv] >> nth=0")
    page.wait_for_selector("#toast.shown")
    assert page.inner_text("#toast") == "Copied as CSV"


def test_all_figures_are_drawn(desktop: Watched) -> None:
    for figure in ("expansions", "plan_length", "cactus", "speed", "along", "curves", "parameter-L"):
        assert desktop.page.query_selector(f"#plot-{figure} .main-svg") is not None, figure
    steps = desktop.page.evaluate("document.getElementById('plot-cactus').data.find(t => t.name === 'n-rsl')")
    assert steps["x"] == [1, 1, 2, 3]
    assert steps["y"][-1] == pytest.approx(400 / 6)
    average = desktop.page.evaluate("movingAverage([[0, 1], [500, 3], [1000, 5], [3000, 7]], 2000)")
    assert average == [[0, 3], [500, 3], [1000, 3], [3000, 7]]


def cactus(experiment: Experiment, method: str) -> list[tuple[float, float]]:
    """Seconds, and the percent of the method's states solved by then."""
    entries = [result for unit, result in experiment.representatives if unit.method == method]
    times = sorted(result.total_time for result in entries if result.solved and result.total_time is not None)
    return [(seconds, 100 * count / len(entries)) for count, seconds in enumerate(times, start=1)]


def moving_average(points: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """At each x, the mean y of all points at most half a window away."""
    near = {x: [v for u, v in points if abs(u - x) <= WINDOW / 2] for x, _ in sorted(points)}
    return [(x, sum(values) / len(values)) for x, values in near.items()]


def test_lines_are_those_that_python_computes(desktop: Watched, report: Path) -> None:
    with Store(report.parent / FILE_NAME) as store:
        experiment = load(store)
    lines = "document.getElementById('plot-%s').data.filter(t => t.mode === 'lines').map(t => [t.name, t.x, t.y])"
    drawn = {name: list(zip(x, y, strict=True)) for name, x, y in desktop.page.evaluate(lines % "cactus")}
    wanted = {method: [pytest.approx(step) for step in cactus(experiment, method)] for method in experiment.methods}
    assert drawn == wanted
    drawn = {name: list(zip(x, y, strict=True)) for name, x, y in desktop.page.evaluate(lines % "speed")}
    assert drawn.keys() == rates(experiment).keys()
    for method, points in rates(experiment).items():
        average = moving_average([(experiment.atoms[instance], rate) for instance, rate in points])
        assert drawn[method] == [pytest.approx(point) for point in average]


def test_queues_are_listed_where_a_search_has_several(browser: Any, desktop: Watched, tmp_path: Path) -> None:
    assert not desktop.page.is_visible("#queues")
    with store_of(tmp_path, entries(), META) as store:
        write_report(store, tmp_path / "report.html")
    with opened(browser, tmp_path / "report.html") as found:
        rows = [row.split("\t") for row in found.page.inner_text("#queue-table").splitlines()]
        assert rows[1:3] == [["ours", "ff", "13", "72.2 %", "1"], ["ours", "landmarks", "5", "27.8 %", "1"]]
        assert "network\t90" in found.page.inner_text("#evaluation-table")
        assert found.complaints == []


LIMITED = {"config": CONFIG | {"budgets": {"search": 30.0}}, "versions": {"goalward": "1"}}


@pytest.fixture(scope="module")
def limited(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """The same experiment with a known limit, and with what was said of its training data."""
    folder = tmp_path_factory.mktemp("limited")
    found = small()
    for unit, result in found:
        if unit.kind == "train":
            result.extra["data"] = [{"sampler": "uniform", "beyond": 40, "label histogram": [1, 0, 2, 1]}]
    with store_of(folder, found, LIMITED) as store:
        write_report(store, folder / "report.html")
    with opened(browser, folder / "report.html") as page:
        yield page


def test_what_is_solved_stays_solved_up_to_the_limit(limited: Watched) -> None:
    lines = "document.getElementById('plot-cactus').data.map(t => [t.x.at(-1), t.y.at(-1), t.y.at(-2)])"
    for x, y, before in limited.page.evaluate(lines):
        assert (x, y) == (30, before)
    assert limited.page.evaluate("document.getElementById('plot-cactus').layout.shapes.map(s => s.x0)") == [30]


def test_log_axes_have_one_kind_of_tick(limited: Watched) -> None:
    ticks = limited.page.evaluate("logAxis('', [0.004, 30000]).ticktext")
    assert ticks == ["0.0001", "0.001", "0.01", "0.1", "1", "10", "100", "1k", "10k", "100k", "1M"]
    assert limited.page.evaluate("logAxis('', [30, 900]).ticktext").count("200") == 1


def test_labels_of_the_training_data_are_drawn(limited: Watched) -> None:
    drawn = limited.page.evaluate("document.getElementById('plot-labels').data.map(t => [t.name, t.x, t.y])")
    assert drawn[0] == ["n-rsl, uniform", [5, 15, 25, 35], [25, 0, 50, 25]]


def test_states_can_be_looked_up_and_copied(limited: Watched) -> None:
    page = limited.page
    page.fill("#state-filter", "rovers not ff")
    assert texts(page, "#state-table tbody td:first-child") == ["rovers · hard · p1 · s0", "rovers · hard · p1 · s1"]
    assert page.evaluate("statesAsCsv()").splitlines() == [
        "state,method,outcome,seconds,expansions,steps,cost,plan",
        "rovers · hard · p1 · s0,ff,not solved,,,,,",
        "rovers · hard · p1 · s1,ff,not solved,,,,,",
    ]
    page.fill("#state-filter", "rovers solved s0 n-rsl")
    assert page.evaluate("statesAsCsv()").splitlines()[1:] == [
        "rovers · hard · p1 · s0,n-rsl,solved,1,10,20,,plans/rovers/hard/p1/n-rsl/1/s0.plan"
    ]
    page.fill("#state-filter", "")
    assert page.inner_text("#state-note") == "19 rows"


def test_states_that_were_not_solved_are_named(limited: Watched) -> None:
    rows = [row.split("\t") for row in limited.page.inner_text("#unsolved-table").splitlines()]
    assert ["short", "blocks · hard · p1", "out of time", "3", "s1, s2, s3"] in rows
    assert ["ff", "blocks · moderate · p0", "failed", "1", "s0"] in rows


def test_a_long_name_keeps_its_beginning_and_end(limited: Watched) -> None:
    shown = limited.page.evaluate("short('transport · hard · ' + 'x'.repeat(80) + '-p17')")
    assert shown.startswith("transport · hard · x")
    assert shown.endswith("x-p17")
    assert len(shown) <= 48


def test_failures_and_versions_are_told(desktop: Watched) -> None:
    assert "the worker was lost" in desktop.page.inner_text("#failure-table")
    assert "goalward" in desktop.page.inner_text("#provenance-tables")


def test_dark_follows_the_system_and_the_button_switches(browser: Any, report: Path) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    with opened(browser, report, scheme="dark") as dark:
        page = dark.page
        assert page.evaluate(background) == "rgb(21, 24, 28)"
        dark.drawn_after(lambda: page.click("#theme"))
        assert page.evaluate(background) == "rgb(251, 250, 248)"
        assert dark.complaints == []


def test_on_a_phone_only_tables_scroll_sideways(browser: Any, report: Path) -> None:
    with opened(browser, report, width=390) as phone:
        page = phone.page
        page.check("#paper-toggle")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate(
            "document.querySelector('.scroll').scrollWidth > document.querySelector('.scroll').clientWidth"
        )
        page.evaluate("markAllScrollable()")
        assert page.get_attribute(".scroll", "data-more") == "right"
        assert phone.complaints == []


def test_an_experiment_without_any_result_is_a_page_too(browser: Any, tmp_path: Path) -> None:
    with store_of(tmp_path, [], {}) as store:
        write_report(store, tmp_path / "empty.html")
    with opened(browser, tmp_path / "empty.html") as empty:
        assert empty.complaints == []
        assert empty.page.inner_text("#failure-note") == "Nothing failed."


def test_one_method_alone_and_unfinished(browser: Any, tmp_path: Path) -> None:
    with store_of(tmp_path, [search("d/bundled/p", "ff", "s", total_time=1.0)], {"config": CONFIG}) as store:
        store.add_units([search("d/bundled/p", "ff", "later")[0]])
        write_report(store, tmp_path / "one.html")
    with opened(browser, tmp_path / "one.html") as one:
        assert one.complaints == []
        assert "1 of 2 units" in one.page.inner_text("#coverage-note")
        assert not one.page.is_visible("#pairs")
        assert not one.page.is_visible("#paper-switch")
