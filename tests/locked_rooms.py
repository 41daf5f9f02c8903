"""Problems that differ in their initial states alone: in one a door is open that is locked in another."""

from __future__ import annotations

# Rooms in a row, a key in the first. A badge that someone has or has not matters for nothing but is never lost.
ROOMS = """
(define (domain rooms) (:requirements :strips :typing :negative-preconditions)
  (:types room door key)
  (:predicates (in ?r - room) (joins ?d - door ?a ?b - room) (open ?d - door) (locked ?d - door)
    (key-in ?k - key ?r - room) (carry ?k - key) (fits ?k - key ?d - door) (badge) (jammed ?d - door))
  (:action walk :parameters (?a ?b - room ?d - door) :precondition (and (in ?a) (joins ?d ?a ?b) (open ?d))
    :effect (and (in ?b) (not (in ?a))))
  (:action take :parameters (?k - key ?r - room) :precondition (and (in ?r) (key-in ?k ?r))
    :effect (and (carry ?k) (not (key-in ?k ?r))))
  (:action unlock :parameters (?d - door ?k - key ?a ?b - room)
    :precondition (and (in ?a) (joins ?d ?a ?b) (locked ?d) (carry ?k) (fits ?k ?d) (not (jammed ?d)))
    :effect (and (open ?d) (not (locked ?d))))
  (:action oil :parameters (?d - door) :precondition (badge) :effect (not (jammed ?d)))
  (:action sign :parameters (?r - room) :precondition (in ?r) :effect (badge)))
"""
SAME = "(joins d1 a b) (joins d1 b a) (joins d2 b c) (joins d2 c b) (fits k d2) (open d1)"
INITS = {
    "open": "(in a) (key-in k a) (open d2) (badge)",
    "shut": "(in b) (key-in k a) (locked d2) (badge)",
    "stuck": "(in b) (carry k) (locked d2) (jammed d2)",
}


def text_of(name: str, init: str = "", goal: str = "(in c)") -> str:
    facts = f"{SAME} {init or INITS[name]}"
    objects = "a b c - room d1 d2 - door k - key"
    return f"(define (problem {name}) (:domain rooms) (:objects {objects}) (:init {facts}) (:goal {goal}))"
