"""Domains whose actions ask about all objects of a type: a lift, a workshop, a taxiway and guards who recharge.

Each is a function from a size to the texts of domain and problem. Facts that no action changes say which objects matter
to which action; written out without looking at them, the conditions would have 2^size cases and more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

Texts = tuple[str, str]

LIFT = """
(define (domain lift)
 (:requirements :adl)
 (:types passenger floor - object alone escort reds blues guest - passenger)
 (:predicates (lift-at ?f - floor) (origin ?p - passenger ?f - floor) (wants ?p - passenger ?f - floor)
  (above ?f ?g - floor) (closed ?p - passenger ?f - floor) (inside ?p - passenger) (served ?p - passenger))
 (:action ride
  :parameters (?f ?g - floor)
  :precondition (and (lift-at ?f) (or (above ?f ?g) (above ?g ?f))
   (forall (?p - passenger) (imply (inside ?p) (not (closed ?p ?g))))
   (forall (?p - alone) (imply (inside ?p) (exists (?q - escort) (inside ?q)))))
  :effect (and (lift-at ?g) (not (lift-at ?f))))
 (:action enter
  :parameters (?p - passenger ?f - floor)
  :precondition (and (lift-at ?f) (origin ?p ?f) (not (inside ?p)) (not (served ?p))
   (imply (exists (?r - reds) (or (= ?r ?p) (inside ?r)))
    (forall (?b - blues) (and (not (= ?b ?p)) (not (inside ?b)))))
   (imply (exists (?v - guest) (not (served ?v))) (exists (?v - guest) (and (origin ?v ?f) (not (served ?v))))))
  :effect (inside ?p))
 (:action leave
  :parameters (?p - passenger ?f - floor)
  :precondition (and (lift-at ?f) (wants ?p ?f) (inside ?p)
   (forall (?q - guest) (imply (and (wants ?q ?f) (inside ?q)) (= ?p ?q))))
  :effect (and (served ?p) (not (inside ?p)))))
"""


def lift(size: int) -> Texts:
    """So many passengers of each of five kinds, and as many floors."""
    kinds = ("alone", "escort", "reds", "blues", "guest")
    floors = [f"f{i}" for i in range(size + 2)]
    people = {kind: [f"{kind}{i}" for i in range(size)] for kind in kinds}
    everybody = [name for names in people.values() for name in names]
    facts = [f"(above {high} {low})" for i, low in enumerate(floors) for high in floors[i + 1 :]]
    facts += [f"(origin {p} {floors[i % len(floors)]})" for i, p in enumerate(everybody)]
    facts += [f"(wants {p} {floors[(i + 1) % len(floors)]})" for i, p in enumerate(everybody)]
    facts += [f"(closed {p} {floors[(i + 2) % len(floors)]})" for i, p in enumerate(everybody[::3])]
    objects = f"{' '.join(floors)} - floor " + " ".join(f"{' '.join(p)} - {kind}" for kind, p in people.items())
    return LIFT, _problem("lift", objects, ["(lift-at f0)", *facts], [f"(served {p})" for p in everybody])


WORKSHOP = """
(define (domain workshop)
 (:requirements :adl)
 (:types piece tool)
 (:predicates (needs ?w - piece ?t - tool) (part-of ?p ?w - piece) (before ?p ?q ?w - piece) (ready ?p - piece)
  (built-in ?p ?w - piece) (lent ?t - tool ?w - piece) (free ?t - tool))
 (:action lend
  :parameters (?t - tool ?w - piece)
  :precondition (and (free ?t) (needs ?w ?t))
  :effect (and (lent ?t ?w) (not (free ?t))))
 (:action give-back
  :parameters (?t - tool ?w - piece)
  :precondition (lent ?t ?w)
  :effect (and (free ?t) (not (lent ?t ?w))))
 (:action build-in
  :parameters (?p ?w - piece)
  :precondition (and (ready ?p) (part-of ?p ?w)
   (forall (?t - tool) (imply (needs ?w ?t) (lent ?t ?w)))
   (forall (?q - piece) (imply (before ?q ?p ?w) (built-in ?q ?w))))
  :effect (and (built-in ?p ?w) (not (ready ?p))))
 (:action finish
  :parameters (?w - piece)
  :precondition (and (not (ready ?w)) (exists (?p - piece) (part-of ?p ?w))
   (forall (?p - piece) (or (not (part-of ?p ?w)) (built-in ?p ?w)))
   (forall (?v - piece) (not (built-in ?w ?v))))
  :effect (ready ?w)))
"""


def workshop(size: int) -> Texts:
    """A tree of pieces, three below each that is no leaf, with so many of those, and as many tools."""
    pieces = [f"p{i}" for i in range(3 * size + 1)]
    tools = [f"t{i}" for i in range(size)]
    below = {pieces[i]: pieces[3 * i + 1 : 3 * i + 4] for i in range(size)}
    facts = [f"(part-of {p} {whole})" for whole, parts in below.items() for p in parts]
    facts += [f"(before {p} {q} {whole})" for whole, parts in below.items() for p, q in pairwise(parts)]
    facts += [f"(needs {whole} {tools[(i + k) % size]})" for i, whole in enumerate(below) for k in range(min(size, 3))]
    facts += [f"(free {tool})" for tool in tools]
    facts += [f"(ready {piece})" for piece in pieces if piece not in below]
    objects = f"{' '.join(pieces)} - piece {' '.join(tools)} - tool"
    return WORKSHOP, _problem("workshop", objects, facts, ["(ready p0)"])


TAXIWAY = """
(define (domain taxiway)
 (:requirements :adl)
 (:types plane segment heading)
 (:predicates (at ?a - plane ?s - segment) (faces ?a - plane ?d - heading) (flying ?a - plane)
  (leads ?s ?t - segment ?d ?e - heading) (blast ?s ?t - segment ?d - heading) (runway ?s - segment)
  (taken ?s - segment) (blocked ?s - segment ?a - plane))
 (:action taxi
  :parameters (?a - plane ?s ?t - segment ?d ?e - heading)
  :precondition (and (at ?a ?s) (faces ?a ?d) (leads ?s ?t ?d ?e)
   (forall (?b - plane) (imply (not (= ?a ?b)) (not (blocked ?t ?b))))
   (forall (?u - segment) (imply (and (blast ?u ?t ?e) (not (= ?u ?s))) (not (taken ?u)))))
  :effect (and (at ?a ?t) (not (at ?a ?s)) (taken ?t) (not (taken ?s)) (faces ?a ?e)
   (when (not (= ?d ?e)) (not (faces ?a ?d)))
   (forall (?u - segment) (when (blast ?u ?s ?d) (not (blocked ?u ?a))))
   (forall (?u - segment) (when (blast ?u ?t ?e) (blocked ?u ?a)))))
 (:action take-off
  :parameters (?a - plane ?s - segment ?d - heading)
  :precondition (and (at ?a ?s) (runway ?s) (faces ?a ?d)
   (forall (?u - segment) (imply (blast ?u ?s ?d) (or (= ?u ?s) (not (taken ?u))))))
  :effect (and (flying ?a) (not (at ?a ?s)) (not (taken ?s))
   (forall (?u - segment) (when (blast ?u ?s ?d) (not (blocked ?u ?a)))))))
"""


def taxiway(size: int) -> Texts:
    """A line of so many segments with a runway at its end, and two planes on it."""
    segments = [f"s{i}" for i in range(size)]
    facts = []
    for near, far in pairwise(segments):
        facts += [f"(leads {near} {far} east east)", f"(leads {far} {near} west west)"]
    for i, segment in enumerate(segments):
        facts += [f"(blast {other} {segment} east)" for other in segments[max(i - 1, 0) : i]]
        facts += [f"(blast {other} {segment} west)" for other in segments[i + 1 : i + 2]]
    facts += ["(at a s0)", "(taken s0)", f"(at b s{size // 2})", f"(taken s{size // 2})"]
    facts += ["(faces a east)", "(faces b east)", f"(runway s{size - 1})", f"(blocked s{size // 2 - 1} b)"]
    objects = f"a b - plane {' '.join(segments)} - segment east west - heading"
    return TAXIWAY, _problem("taxiway", objects, facts, ["(flying a)", "(flying b)"])


GUARDS = """
(define (domain guards)
 (:requirements :adl)
 (:types robot place level setting)
 (:predicates (at ?r - robot ?x - place) (charge ?r - robot ?b - level) (next ?b ?c - level) (road ?x ?y - place)
  (stopped ?r - robot) (sees ?x ?y - place) (watches ?g - setting ?x - place) (done ?g - setting))
 (:action move
  :parameters (?r - robot ?x ?y - place ?b ?c - level)
  :precondition (and (at ?r ?x) (not (stopped ?r)) (charge ?r ?c) (next ?b ?c) (or (road ?x ?y) (road ?y ?x)))
  :effect (and (at ?r ?y) (not (at ?r ?x)) (charge ?r ?b) (not (charge ?r ?c))))
 (:action recharge
  :parameters (?r ?s - robot ?x - place ?a ?b ?c ?d - level)
  :precondition (and (not (= ?r ?s)) (at ?r ?x) (at ?s ?x) (charge ?r ?b) (next ?a ?b) (charge ?s ?c) (next ?c ?d))
  :effect (and (charge ?r ?a) (not (charge ?r ?b)) (charge ?s ?d) (not (charge ?s ?c))))
 (:action stop
  :parameters (?r - robot)
  :precondition (not (stopped ?r))
  :effect (stopped ?r))
 (:action start
  :parameters (?r - robot)
  :precondition (stopped ?r)
  :effect (not (stopped ?r)))
 (:action check
  :parameters (?g - setting)
  :precondition (forall (?x - place) (imply (watches ?g ?x)
   (exists (?r - robot ?y - place) (and (stopped ?r) (at ?r ?y) (sees ?y ?x)))))
  :effect (done ?g)))
"""


def guards(size: int) -> Texts:
    """A ring of so many places and two robots, who see their neighbours; three places are to be watched at once."""
    places = [f"x{i}" for i in range(size)]
    roads = [(places[i], places[(i + 1) % size]) for i in range(size)]
    levels = [f"b{i}" for i in range(size + 1)]
    facts = [f"(road {x} {y})" for x, y in roads] + [f"(sees {x} {x})" for x in places]
    facts += [f"(sees {x} {y}) (sees {y} {x})" for x, y in roads]
    facts += [f"(next {low} {high})" for low, high in pairwise(levels)]
    facts += ["(at r x0)", "(at q x0)", f"(charge r b{size})", f"(charge q b{size})"]
    facts += ["(watches g x0)", "(watches g x1)", f"(watches g x{size - 1})", "(watches h x2)"]
    objects = f"r q - robot {' '.join(places)} - place {' '.join(levels)} - level g h - setting"
    return GUARDS, _problem("guards", objects, facts, ["(done g)", "(done h)"])


def _problem(domain: str, objects: str, init: Iterable[str], goal: Iterable[str]) -> str:
    return (
        f"(define (problem made) (:domain {domain}) (:objects {objects})\n (:init {' '.join(init)})\n"
        f" (:goal (and {' '.join(goal)})))\n"
    )


QUANTIFIED: dict[str, Callable[[int], Texts]] = {
    "lift": lift,
    "workshop": workshop,
    "taxiway": taxiway,
    "guards": guards,
}
