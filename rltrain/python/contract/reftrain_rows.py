"""Rows in the form of ``planproof export`` of a domain that a tiny model learns in seconds:
a walk from place to place, some steps of which may be forbidden."""

import hashlib
import random
from collections import deque

from tests.support import PACKAGE  # noqa: F401 - puts the package on the path

from planproof.reftrain.data import Row

DOMAIN = """(define (domain walk)
  (:requirements :strips :negative-preconditions)
  (:predicates (at ?x) (way ?x ?y) (forbidden-move ?x ?y))
  (:action move
    :parameters (?x ?y)
    :precondition (and (at ?x) (way ?x ?y) (not (forbidden-move ?x ?y)))
    :effect (and (not (at ?x)) (at ?y))))
"""


def walk(start, goal, ways, forbidden):
    """A shortest walk, or None."""
    came, queue = {start: None}, deque([start])
    while queue:
        x = queue.popleft()
        if x == goal:
            steps = []
            while came[x]:
                steps.append(f"(move {came[x]} {x})")
                x = came[x]
            return steps[::-1]
        for a, b in ways:
            if a == x and b not in came and (a, b) not in forbidden:
                came[b] = a
                queue.append(b)
    return None


def prompt(places, facts, forbidden, goal):
    lines = ["objects: " + " ".join(places), "init: " + " ".join(facts)]
    if forbidden:
        lines.append("never: " + " ".join(f"(move {a} {b})" for a, b in sorted(forbidden)))
    return "\n".join(lines + ([f"goal: (at {goal})"] if goal else []) + ["plan:"]) + "\n"


def rows(count, seed=0, split="train"):
    """Different tasks with one forbidden step each, which the shortest walk would take."""
    rng, out, seen = random.Random(seed), [], set()
    places = list("abcd")
    while len(out) < count:
        ways = sorted(rng.sample([(x, y) for x in places for y in places if x != y], 6))
        start, goal = rng.sample(places, 2)
        free = walk(start, goal, ways, set())
        if not free:
            continue
        a, b = rng.choice(free)[6:-1].split()
        forbidden = {(a, b)}
        steps = walk(start, goal, ways, forbidden)
        facts = [f"(at {start})"] + [f"(way {x} {y})" for x, y in ways]
        if not steps or (key := (tuple(facts), goal, a, b)) in seen:
            continue
        seen.add(key)
        problem = (f"(define (problem walk) (:domain walk) (:objects {' '.join(places)})\n (:init {' '.join(facts)} "
                   f"(forbidden-move {a} {b}))\n (:goal (at {goal})))\n")
        out.append(Row(
            id=f"{split}-{len(out)}", task="sha256:" + hashlib.sha256((DOMAIN + "\0" + problem).encode()).hexdigest(),
            structure="sha256:" + "0" * 64, split=split, domain_text=DOMAIN, problem_text=problem,
            prompt=prompt(places, facts, forbidden, goal), prompt_unconstrained=prompt(places, facts, set(), goal),
            prompt_goal_masked=prompt(places, facts, forbidden, None), prompt_both_masked=prompt(places, facts, set(), None),
            answer="[PLAN]\n" + "\n".join(steps) + "\n[PLAN END]",
            gold={"plan": steps, "steps": len(steps), "cost": str(len(steps)), "optimal": True},
            difficulty=float(len(steps)), bin="1", constraints=(f"(move {a} {b})",)))
    return out
