"""Blocks: one hand rebuilds towers of blocks."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from goalward.task.domains.bundled import BundledDomain, Option, Problem, fact, names

TEXT = """\
; Blocks: one hand takes blocks from the floor or from a tower and puts them down elsewhere.
(define (domain blocks)
  (:requirements :strips :typing)
  (:types block)
  (:predicates
    (on ?upper ?lower - block)
    (on-floor ?b - block)
    (uncovered ?b - block)
    (held ?b - block)
    (hand-free)
  )

  (:action grab
    :parameters (?b - block)
    :precondition (and (on-floor ?b) (uncovered ?b) (hand-free))
    :effect (and (held ?b) (not (on-floor ?b)) (not (uncovered ?b)) (not (hand-free)))
  )

  (:action put-down
    :parameters (?b - block)
    :precondition (held ?b)
    :effect (and (on-floor ?b) (uncovered ?b) (hand-free) (not (held ?b)))
  )

  (:action stack
    :parameters (?b ?lower - block)
    :precondition (and (held ?b) (uncovered ?lower))
    :effect (and (on ?b ?lower) (uncovered ?b) (hand-free) (not (held ?b)) (not (uncovered ?lower)))
  )

  (:action unstack
    :parameters (?b ?lower - block)
    :precondition (and (on ?b ?lower) (uncovered ?b) (hand-free))
    :effect (and (held ?b) (uncovered ?lower) (not (on ?b ?lower)) (not (uncovered ?b)) (not (hand-free)))
  )
)
"""


def make(rng: Random, *, n: int) -> Problem:
    """Two different random arrangements; always solvable, because all towers can be taken apart and rebuilt."""
    blocks = names("b", n)
    start = random_towers(rng, blocks)
    end = random_towers(rng, blocks)
    while sorted(end) == sorted(start):
        end = random_towers(rng, blocks)
    tops = [fact("uncovered", tower[-1]) for tower in start]
    return Problem({"block": blocks}, [fact("hand-free"), *_tower_facts(start), *tops], _tower_facts(end))


def random_towers(rng: Random, blocks: list[str]) -> list[list[str]]:
    """Random towers, each a list of blocks from bottom to top; all arrangements are equally likely.

    There are Lah(n, k) = C(n-1, k-1) n!/k! arrangements with ``k`` towers. So draw k with these weights, then a random
    order of the blocks, then the k-1 positions at which it is split into towers.
    """
    n = len(blocks)
    lah = [1]  # Lah(n, n), Lah(n, n-1), ..., Lah(n, 1)
    for k in range(n - 1, 0, -1):
        lah.append(lah[-1] * k * (k + 1) // (n - k))
    draw = rng.randrange(sum(lah))
    n_towers = n
    for weight in lah:
        if draw < weight:
            break
        draw -= weight
        n_towers -= 1
    order = rng.sample(blocks, n)
    cuts = [0, *sorted(rng.sample(range(1, n), n_towers - 1)), n]
    return [order[low:high] for low, high in pairwise(cuts)]


def _tower_facts(towers: list[list[str]]) -> list[str]:
    facts = []
    for tower in towers:
        facts.append(fact("on-floor", tower[0]))
        facts += [fact("on", upper, lower) for lower, upper in pairwise(tower)]
    return facts


def scaled(size: int) -> dict[str, int]:
    """Three blocks for size 1, and one more block per step."""
    return {"n": size + 2}


DOMAIN = BundledDomain(
    name="blocks",
    summary="one hand rebuilds towers of blocks",
    text=TEXT,
    options=(Option("n", 6, 2, 1000, "number of blocks"),),
    make=make,
    scaled=scaled,
)
