"""The ways in which a network that knows something already makes better labels than the first ones.

To add one: a class or function that has the form of :data:`~goalward.learning.region_lessons.Improve`, in a file of its
own, and a line in :data:`IMPROVEMENTS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from goalward.learning.led_lessons import STATES, LedPlans
from goalward.learning.lesson import STEADY, Pace
from goalward.learning.met_lessons import MetStates
from goalward.learning.plan_lessons import PlansOfWalks
from goalward.learning.ranked_lessons import RankedPlans
from goalward.learning.region_lessons import Improve, RegionsOfWalks, bellman
from goalward.task.strips import Task


@dataclass(frozen=True)
class Improvement:
    """A named way; ``make`` prepares it for a task and a seed, None: labels stay what they were at first.

    ``pace`` says how its lessons follow one another.
    """

    name: str
    summary: str
    make: Callable[[Task, int], Improve] | None
    pace: Pace = STEADY


CLOSELY = Pace(first_share=0.1, states=STATES)
"""Many small lessons, so that search and what it learns follow one another closely."""

IMPROVEMENTS: dict[str, Improvement] = {
    improvement.name: improvement
    for improvement in [
        Improvement("none", "labels stay what they were at first", None),
        Improvement("bellman", "one step ahead the network tells the rest", lambda task, seed: bellman),
        Improvement(
            "regions", "short searches with the network tell what the states they expand are worth", RegionsOfWalks
        ),
        Improvement(
            "plans", "the same, and walked states are solved, their plans improved and regressed", PlansOfWalks
        ),
        Improvement(
            "ranked", "the same, and each step of a plan is ranked before others that were possible", RankedPlans
        ),
        Improvement(
            "led",
            "ranked plans, half of them from where searches with the network were led",
            LedPlans,
            CLOSELY,
        ),
        Improvement(
            "met", "the same, and what relaxed plans say of the states that these searches met", MetStates, CLOSELY
        ),
    ]
}
