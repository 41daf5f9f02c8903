"""Bundled domains with generators of solvable problems, for examples, tests and documentation.

Other packages use :data:`DOMAINS` and :func:`generate`. To add a domain, add a file and a line in the table below.
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
"""The bundled domains by name."""


def generate(domain: str, *, seed: int = 0, size: int | None = None, **parameters: int) -> Instance:
    """Generate a solvable problem of a bundled domain.

    ``size`` sets all parameters of the generator, and named ``parameters`` override it. Without ``size``, the other
    parameters have their defaults. The same domain, parameters and seed give the same bytes on every machine.
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
    """The value of every option, in the order of declaration; raises :class:`UsageError` for values out of bounds."""
    values = domain.defaults
    if size is not None:
        if not 1 <= size <= domain.max_size:
            raise UsageError(f"{domain.name}: size must be between 1 and {domain.max_size}, but is {size}")
        values = domain.scaled(size)
    options = {option.name: option for option in domain.options}
    for name, value in parameters.items():
        if name not in options:
            known = ", ".join(f"{option.name} ({option.low} to {option.high})" for option in domain.options)
            raise UsageError(f"{domain.name} has no parameter '{name}'{did_you_mean(name, options)} (it has {known})")
        option = options[name]
        if not option.admits(value):
            raise UsageError(
                f"{domain.name}: {name} must be between {option.low} and {option.high}, but is {value} ({option.help})"
            )
    merged = values | parameters
    return {option.name: merged[option.name] for option in domain.options}
