"""Trials compete: validation searches say what each has learned, and which of them goes on.

Without a race every trial is trained to its end, one after the other. In a race there are rounds: after each, the worse
half of the trials drops out, and the others go on from where they are. The last round, in which one is left, takes
longest.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from goalward.learning.leads import best_lead, compare_leads
from goalward.learning.options import LearnOptions, SupervisedOptions
from goalward.learning.results import TrainingResult
from goalward.learning.side_by_side import SharedWatcher, run_together, trials_at_once
from goalward.learning.trials import LEAST_SECONDS, Learner, Trial, Watcher
from goalward.learning.validation import NEARER, Score, TooLateError, nearer_states, score, search_without
from goalward.search.network import bind_network
from goalward.search.strategy import default_search
from goalward.task.strips import Ints, Task

VALIDATION_SHARE = 0.2
"""The share of a trial's time that goes at most into its validation, where trials compete."""
LAST_SHARE = 0.1
"""The same in the last round of a race, where validation says how the network is used best."""
VERDICT_SHARE = 0.05
"""The same where there is one trial, and validation only says what it is worth."""
LAST_ROUND = 2.0
"""The last round of a race takes so many times as long as each of the others."""
SEARCHES = 4.0
"""Validation searches of the last round take so many times what a score is given: with the network and by it alone, and
when that is the best, without it and with each part leading; a half is for what each takes to begin."""
FEWEST_STATES, ENOUGH_SECONDS = 3, 1.0
"""Where time is short, fewer validation states are searched from, but these for long enough to tell anything.
The others follow where the network solves these in a moment."""
SHORT_ROUND = 0.1
"""A share of the time limit that is not begun where an epoch takes longer: in huge tasks, no part of it ends early."""
NEARER_SHARE = 0.2
"""Of the time limit at most, for finding states nearer to the goal and searching from there with each trial."""
DOUBTFUL_SHARE = 0.2
"""A network that solves less than this of its validation states alone, and does not help h_FF and landmarks, is of no
use."""


@dataclass(frozen=True, eq=False)
class Learned:
    """What a trial has learned so far and what that is worth.

    ``overhead`` are seconds on other things than epochs; for ``sure`` validation states there is time in any case.
    """

    trial: Trial[Any]
    result: TrainingResult
    score: Score | None
    overhead: float
    sure: int
    rounds: int = 1
    dropped: str | None = None
    nearer: Score | None = None
    """From states nearer to the goal, after the last round in which no trial solved any validation state."""

    @property
    def number(self) -> int:
        """Which of the trials, from 0."""
        return self.trial.number

    @property
    def rank(self) -> tuple[float, ...]:
        """What validation searches say; the loss, which compares less well between samplers, only among equals."""
        return (*(self.score.rank if self.score else (0, -math.inf, 0, 0, 0)), -self.result.validation_loss)

    def worse_than(self, before: Learned) -> bool:
        """Did more training do harm? Longer training is better as a rule, so a few searches must say it clearly."""
        if self.score and before.score:
            return self.score.clearly_below(before.score)
        return self.rank < before.rank

    @property
    def settles_it(self) -> bool:
        """Can more training hardly make anything better?"""
        solved_all = self.score is not None and self.score.alone == self.score.states
        return solved_all and self.result.end == "validation states solved"

    @property
    def verdict(self) -> str:
        """What validation searches said."""
        return self.score.describe() if self.score else f"loss {self.result.validation_loss:.2f}"


def round_sizes(n_trials: int, *, race: bool) -> list[int]:
    """How many trials are in each round: all of them once, or half as many in each round until one is left."""
    sizes = [n_trials]
    while race and sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // 2))
    return sizes


class Race:
    """The trials of one training; ``run`` gives what became of each and which was the best."""

    def __init__(
        self,
        task: Task,
        method: str,
        learn: Learner[Any],
        options: LearnOptions,
        states: list[Ints],
        watcher: Watcher | None,
        spent: float = 0.0,
    ) -> None:
        self.task = task
        self.method = method
        self.learn = learn
        self.options = options
        self.states = states
        self.shared = SharedWatcher(watcher) if trials_at_once(options) > 1 else None
        self.watcher = self.shared or watcher
        self.started = time.monotonic() - spent
        self.latest = math.inf if options.time_limit is None else self.started + options.time_limit + LEAST_SECONDS
        """When validation ends, though it have no verdict."""
        self.sizes = round_sizes(options.n_trials, race=isinstance(options, SupervisedOptions) and options.race is True)
        self.lengths = [1.0] * (len(self.sizes) - 1) + [LAST_ROUND]

    def run(self) -> tuple[list[Learned], Learned]:
        """All trials, by number, and the one to keep."""
        trials: dict[int, Learned] = {}
        running = list(range(self.options.n_trials))
        for turn, size in enumerate(self.sizes):
            running = self._drop(trials, running, size, turn)
            for learned in self._round(trials, running, turn):
                trials[learned.number] = learned
                if learned.result.end == "interrupted" or (self.options.trials is None and learned.settles_it):
                    return _ended(trials)
            running = [number for number in running if number in trials]
        return _ended(trials)

    def _round(self, trials: dict[int, Learned], running: list[int], turn: int) -> Iterator[Learned]:
        """Every trial that is still in learns for a while, and for as long as the others."""
        limit = self.options.time_limit
        share = self.lengths[turn] / sum(self.lengths[turn:])
        ends = None if limit is None else time.monotonic() + max(self._left(), 0.0) * share
        at_once = trials_at_once(self.options)
        for begin in range(0, len(running), at_once):
            together = running[begin : begin + at_once]
            seconds = None
            if ends is not None:
                turns_left = -(-(len(running) - begin) // at_once)
                seconds = max((ends - time.monotonic()) / turns_left, LEAST_SECONDS)
                if not all(self._time_for(trials, number) for number in together):
                    return
            going = [number for number in together if number not in trials or trials[number].result.more]
            jobs = [partial(self._learn_on, number, trials.get(number), seconds, turn) for number in going]
            if self.shared and len(jobs) > 1:
                yield from run_together(jobs, self.shared, self.options.threads)
            else:
                yield from (job() for job in jobs)

    def _time_for(self, trials: dict[int, Learned], number: int) -> bool:
        """Is there more time than a trial needs beside its epochs, by what the last one needed, and for an epoch?

        Long epochs may be cut short, so a good part of the time limit is worth while in any case.
        """
        before = trials.get(number)
        spent = before or next(reversed(trials.values()), None)
        if spent is None:
            return True
        assert self.options.time_limit is not None
        epoch = spent.result.last.seconds / max(len(spent.result.curve), 1)
        short = max(min(epoch, SHORT_ROUND * self.options.time_limit), LEAST_SECONDS)
        return self._left() > short + (0.0 if before else spent.overhead)

    def _learn_on(self, number: int, before: Learned | None, seconds: float | None, turn: int) -> Learned:
        """One trial begins, or goes on; more training that made it clearly worse is undone."""
        trial = Trial(
            self.task, self.method, self.options, number, seconds, self.states, self.watcher, time.monotonic(),
            share=self.lengths[turn] / sum(self.lengths),
        )  # fmt: skip
        first, last = turn == 0 and number == 0, turn == len(self.sizes) - 1
        learned = self._run_trial(trial, before, first=first, last=last)
        if before is not None:
            learned = dataclasses.replace(learned, nearer=before.nearer)
        if self.shared:
            self.shared.rests(number)
        if before is None or not learned.worse_than(before):
            return learned
        return dataclasses.replace(before, rounds=learned.rounds)

    def _left(self) -> float:
        assert self.options.time_limit is not None
        return self.options.time_limit - (time.monotonic() - self.started)

    def _drop(self, trials: dict[int, Learned], running: list[int], size: int, turn: int) -> list[int]:
        """The best of the trials, in their order; the others are told why they are out."""
        if turn == 0 or len(running) <= size:
            return running
        scores = [trials[number].score for number in running]
        nearer = {} if any(s and s.solved + s.alone for s in scores) else self._search_nearer(trials, running)
        for number, found in nearer.items():
            trials[number] = dataclasses.replace(trials[number], nearer=found)

        def rank(number: int) -> tuple[float, ...]:
            return (*(nearer[number].rank if nearer else ()), *trials[number].rank)

        def verdict(number: int) -> str:
            said = trials[number].verdict
            return f"{said}; nearer to the goal {nearer[number].describe()}" if nearer else said

        ranked = sorted(running, key=rank, reverse=True)
        for number in ranked[size:]:
            why = f"{verdict(number)}; trial {ranked[0] + 1}: {verdict(ranked[0])}"
            trials[number] = dataclasses.replace(trials[number], dropped=f"after round {turn}")
            if self.watcher:
                self.watcher.message(f"Trial {number + 1} is dropped after round {turn}: {why}")
        return sorted(ranked[:size])

    def _search_nearer(self, trials: dict[int, Learned], running: list[int]) -> dict[int, Score]:
        """What trials that solve nothing are worth nearer to the goal; nothing where no plan leads there in time.

        The search for that plan has as much time as those with each trial.
        """
        each = self.options.validation_seconds * len(NEARER)
        if self.options.time_limit is not None:
            each = min(each, NEARER_SHARE * self.options.time_limit / (1 + len(running)))
        states = nearer_states(self.task, self.states, each, self.latest)
        search = dataclasses.replace(default_search(learned=True), time_limit=each / len(NEARER))
        found = {}
        try:
            for number in running if states else []:
                heuristic = bind_network(self.task, trials[number].result.weights)
                found[number] = score(heuristic, states, search, self.latest)
        except TooLateError:
            return {}
        return found

    def _run_trial(self, trial: Trial[Any], before: Learned | None, *, first: bool, last: bool) -> Learned:
        """Learn, and let validation states say what came out; that search counts towards the trial's time."""
        options, sure, total = self.options, len(self.states), trial.seconds
        if total is not None:
            decided = last and len(self.sizes) > 1
            share = (LAST_SHARE if decided else VALIDATION_SHARE) if options.n_trials > 1 else VERDICT_SHARE
            reserve = min(options.validation_seconds * sure, share * total)
            enough = (SEARCHES if last else 1.0) * min(ENOUGH_SECONDS, options.validation_seconds)
            sure = min(sure, max(FEWEST_STATES, int(reserve / enough)))
            trial = dataclasses.replace(trial, seconds=max(total - reserve, LEAST_SECONDS))
        if before is None:
            result = self.learn(trial)
        else:
            assert before.result.more is not None
            result = before.result.more(trial)
        trained = time.monotonic() - trial.begun
        verdict = None
        # After Ctrl-C in the first trial there is nothing to choose from, so nobody has to wait for validation.
        if sure and not (first and result.end == "interrupted"):
            trial.phase("validation")
            left = math.inf if total is None else max(total - trained, LEAST_SECONDS)
            seconds = left / (SEARCHES if last else 1.0)
            if before and before.score:  # as long as the last time, so that the two compare
                seconds = max(seconds, min(before.score.seconds * sure, left / 2))
            verdict = self._score(trial, result, sure, seconds)
        epochs = result.last.seconds - (before.result.last.seconds if before else 0.0)
        overhead = time.monotonic() - trial.begun - epochs
        return Learned(trial, result, verdict, overhead, sure, 1 + (before.rounds if before else 0))

    def _score(self, trial: Trial[Any], result: TrainingResult, sure: int, seconds: float) -> Score | None:
        """What validation searches say in so many seconds, from some states, or from all where that takes a moment."""
        heuristic = bind_network(trial.task, result.weights)
        limit = min(self.options.validation_seconds, seconds / sure)
        search = dataclasses.replace(default_search(learned=True), time_limit=limit)
        verdict = None
        with contextlib.suppress(TooLateError):
            begun = time.monotonic()
            verdict = score(heuristic, self.states[:sure], search, self.latest)
            spent = time.monotonic() - begun
            if verdict.alone == sure < len(self.states) and spent * (1 + len(self.states) / sure) <= seconds / 2:
                verdict = score(heuristic, self.states, search, min(self.latest, begun + seconds))
        return verdict


def _ended(trials: dict[int, Learned]) -> tuple[list[Learned], Learned]:
    """The best of those that were not dropped; of equals the first."""
    everything = [trials[number] for number in sorted(trials)]
    return everything, max((t for t in everything if t.dropped is None), key=lambda learned: learned.rank)


def judge(best: Learned, task: Task, states: list[Ints], until: float = math.inf) -> dict[str, Any]:
    """Is the network worth its time in search? With the figures that say so, unless there is no time for them.

    It is not where searches with it solve fewer states than searches without it. Where they solve as many, it is if it
    should lead, if it makes the search with h_FF and landmarks better, or if it solves some states alone. Where no
    search solves anything in the time it has, nobody knows.
    """
    if best.score is not None:
        with contextlib.suppress(TooLateError):
            return _judge(best, best.score, task, states, until)
    return {"likely_to_help": None}


def _judge(best: Learned, verdict: Score, task: Task, states: list[Ints], until: float) -> dict[str, Any]:
    sure = states[: best.sure]
    without = search_without(task, sure, verdict.seconds, until)
    share, share_without = verdict.solved / verdict.states, without.solved / len(sure)
    helps: bool | None = verdict.alone >= DOUBTFUL_SHARE * verdict.states
    if verdict.solved == without.solved == verdict.alone == 0:
        helps = None
    elif share != share_without:
        helps = share > share_without
    heuristic = bind_network(task, best.result.weights)
    compared = compare_leads(heuristic, states, best.trial.options.validation_seconds, until)
    lead = best_lead(compared)
    # The same search with and without the network says what it adds, whatever leads.
    adds = helps is False and best_lead({name: compared[name] for name in ("landmarks", "hybrid")}) == "hybrid"
    if (adds or lead in {"hybrid", "network"}) and share >= share_without:
        helps = True
    return {
        "likely_to_help": helps,
        "lead": lead,
        "head_start": compared[lead].head_start,
        "seconds_by_lead": {name: round(leading.seconds, 6) for name, leading in compared.items()},
        "expansions_by_lead": {name: round(leading.expanded) for name, leading in compared.items()},
        "solved_without": without.solved,
        "states_without": len(sure),
        "seconds_per_state": round(compared[lead].seconds, 6),
        "seconds_per_state_without": round(without.each, 6),
    }
