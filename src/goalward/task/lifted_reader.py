"""Reads PDDL files into checked domains and problems."""

from __future__ import annotations

from pathlib import Path

from goalward.task.lifted import Domain, Problem
from goalward.task.lifted_domain import parse_domain
from goalward.task.lifted_problem import init_line, parse_problem
from goalward.task.sexpr import read_text

__all__ = ["init_line", "parse_domain", "parse_problem", "read_domain", "read_problem"]


def read_domain(path: str | Path) -> Domain:
    """Read and check a domain file."""
    return parse_domain(read_text(path), str(path))


def read_problem(path: str | Path, domain: Domain) -> Problem:
    """Read and check a problem file of ``domain``."""
    return parse_problem(read_text(path), str(path), domain)
