"""Selection: which network is kept, and what the verdict on it says."""

from __future__ import annotations

import pytest

from goalward.learning.budget import Budget
from goalward.learning.leads import Leading
from goalward.learning.selection import FEWEST_STATES, decide, validate, verdict
from goalward.learning.validation import Score, Without, validation_states
from goalward.search import bind_heuristic
from goalward.search.portfolio import LEADS, Lead
from goalward.task.strips import Task
from helpers import make_tiny


def equal_leads() -> dict[Lead, Leading]:
    return dict.fromkeys(LEADS, Leading(0.5, 100.0, 20.0))


@pytest.mark.parametrize(
    ("without", "alone", "helps"),
    [
        (10, 0, False),
        (10, 1, False),
        (10, 2, True),  # as many as without it, and some by itself
        (10, 10, True),
        (9, 0, True),  # more than without it
        (11, 10, False),  # fewer
    ],
)
def test_a_network_that_does_not_beat_the_search_without_it_is_of_no_use(without: int, alone: int, helps: bool) -> None:
    said = decide(Score(10, 10, alone, 9, 0.1), Without(without, 0.5), equal_leads())
    assert said["likely_to_help"] is helps
    assert (said["solved_without"], said["states_without"], said["seconds_per_state_without"]) == (without, 10, 0.5)


@pytest.mark.parametrize(("without", "alone", "helps"), [(0, 0, None), (1, 0, False), (0, 2, True)])
def test_nobody_knows_if_no_search_solves_anything(without: int, alone: int, helps: bool | None) -> None:
    said = decide(Score(0, 3, alone, 9, 0.1), Without(without, 0.1), equal_leads())
    assert said["likely_to_help"] is helps


@pytest.mark.parametrize(
    ("prices", "lead", "helps"),
    [
        ((50, 50, 50, 50, 50), "landmarks", False),
        ((50, 46, 46, 46, 46), "landmarks", False),  # nobody is clearly better
        ((50, 10, 50, 50, 50), "agenda", False),
        ((50, 50, 10, 50, 50), "novelty", False),
        ((50, 50, 10, 9.5, 50), "novelty", True),  # the network makes h_FF and landmarks better
        ((50, 50, 10, 46, 50), "novelty", False),  # but not by much
        ((50, 50, 40, 10, 9.5), "hybrid", True),
        ((50, 50, 50, 50, 10), "network", True),
    ],
)
def test_what_is_best_on_validation_states_leads_and_a_network_that_leads_or_adds_something_helps(
    prices: tuple[float, ...], lead: Lead, helps: bool
) -> None:
    compared = {name: Leading(price / 100, 10 * price, price, 0.2) for name, price in zip(LEADS, prices, strict=True)}
    said = decide(Score(3, 3, 0, 9, 0.1), Without(3, 0.5), compared)
    assert (said["lead"], said["likely_to_help"], said["head_start"]) == (lead, helps, 0.4)
    assert said["seconds_per_state"] == prices[list(LEADS).index(lead)] / 100


def test_all_states_follow_the_first_few_if_there_is_time() -> None:
    task = make_tiny("blocks").task
    heuristic, states = bind_heuristic(task, "goalcount"), validation_states(task, 8, 0)
    everything = validate(heuristic, states, 600.0, 2.0)
    assert everything is not None
    assert (everything.states, everything.solved) == (8, 8)
    few = validate(heuristic, states, 1e-9, 2.0)
    assert few is not None
    assert few.states == FEWEST_STATES


def test_there_is_no_verdict_without_time_for_it(roomy: Task) -> None:
    heuristic, states = bind_heuristic(roomy, "blind"), validation_states(roomy, 3, 0)
    past = Budget(-1.0)
    assert validate(heuristic, states, 5.0, 2.0, past) is None
    assert verdict(heuristic, None, states, 2.0) == {"likely_to_help": None}
    assert verdict(heuristic, Score(3, 3, 0, 0, 2.0), states, 2.0, past) == {"likely_to_help": None}
