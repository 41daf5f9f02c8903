"""Bundled domains with generators of solvable problems, for trying things out, tests and documentation.

From outside, use :data:`DOMAINS` and :func:`generate`; a new domain is one file and one line in the table below.
"""

from __future__ import annotations

from random import Random

from goalward.errors import UsageError, did_you_mean, known_names
from goalward.task.domains import blocks, courier, delivery, gripper, lights, painters, storage, tiles, visitall
from goalward.task.domains.bundled import BundledDomain, Instance, Option, problem_text

__all__ = ["DOMAINS", "BundledDomain", "Instance", "Option", "generate"]

DOMAINS: dict[str, BundledDomain] = {
    "blocks": blocks.DOMAIN,
    "courier": courier.DOMAIN,
    "delivery": delivery.DOMAIN,
    "gripper": gripper.DOMAIN,
    "lights": lights.DOMAIN,
    "painters": painters.DOMAIN,
    "storage": storage.DOMAIN,
    "tiles": tiles.DOMAIN,
    "visitall": visitall.DOMAIN,
}
"""The bundled domains that :func:`generate` makes problems of."""


def generate(domain: str, *, seed: int = 0, size: int | None = None, **parameters: int) -> Instance:
    """Make a solvable problem of a bundled domain.

    ``size`` sets all parameters at once, named ``parameters`` override it, and what is left has its default. The same
    domain, parameters and seed give the same bytes everywhere.
    """
    if domain not in DOMAINS:
        raise UsageError(f"unknown domain '{domain}'{known_names(domain, DOMAINS)}")
    for name, value in {"seed": seed, "size": 1 if size is None else size, **parameters}.items():
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise UsageError(f"{domain}: {name} must be a whole number, but is {value!r}")
    bundled = DOMAINS[domain]
    values = _checked_values(bundled, size, parameters)
    listed = [f"{name}={value}" for name, value in values.items()]
    rng = Random(f"goalward {domain} {' '.join(listed)} seed={seed}")
    problem = bundled.make(rng, **values)
    name = "-".join([domain, *(f"{key}{value}" for key, value in values.items()), f"seed{seed}"])
    header = f"goalward generate {domain}: {', '.join([*listed, f'seed={seed}'])}"
    return Instance(domain, name, bundled.text, problem_text(problem, name, domain, header))


def _checked_values(domain: BundledDomain, size: int | None, parameters: dict[str, int]) -> dict[str, int]:
    """A value within bounds for every option, in the order of declaration."""
    values = domain.defaults
    if size is not None:
        if not 1 <= size <= domain.largest_size:
            raise UsageError(f"{domain.name}: size={size} is out of bounds; use 1 to {domain.largest_size}")
        values = domain.scaled(size)
    options = {option.name: option for option in domain.options}
    for name, value in parameters.items():
        if name not in options:
            known = ", ".join(f"{option.name} ({option.low} to {option.high})" for option in domain.options)
            raise UsageError(f"{domain.name} has no parameter '{name}'{did_you_mean(name, options)} (it has {known})")
        option = options[name]
        if not option.admits(value):
            raise UsageError(
                f"{domain.name}: {name}={value} is out of bounds; use {option.low} to {option.high} ({option.help})"
            )
    merged = values | parameters
    return {option.name: merged[option.name] for option in domain.options}
