"""Reads arguments that are plainly right: texts, paths, numbers, and what an option's own parser takes.

typer reads everything with pydantic, which takes longer to load than an easy state to solve. It still does so, and says
what is wrong, wherever a value is not plainly right or of another type.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, get_args, get_origin

NUMBERS: dict[type, re.Pattern[str]] = {
    int: re.compile(r"[+-]?[0-9]{1,18}"),
    float: re.compile(r"[+-]?[0-9]{1,18}(\.[0-9]{1,18})?(e[+-]?[0-9]{1,2})?"),
}
PATH_CHECKS = ("exists", "writable", "resolve_path", "allow_dash", "path_type")
"""What a parameter may ask of a path; ours ask nothing but that what is there can be read."""


class NotPlainError(ValueError):
    """The value needs somebody who knows more."""


def read_plainly(parameters: Iterable[Any]) -> None:
    """Let these parameters of a command read plain values by themselves.

    typer keeps what reads a parameter in ``_runtime_param``, and makes it when there is none yet. In a version of typer
    that does not, this has no effect.
    """
    for parameter in parameters:
        if getattr(parameter, "_runtime_param", parameter) is None:
            parameter._runtime_param = _Reader(parameter)


class _Reader:
    """Reads the values of one parameter; typer's own reader is made when it is needed."""

    def __init__(self, parameter: Any) -> None:
        self._parameter = parameter

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """What the command gets for what was typed, or for the default."""
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        try:
            read = _reader(self._parameter.type_descriptor, several)
            return [read(one) for one in _several(value)] if several else read(value)
        except ValueError:
            self._parameter._runtime_param = None
            return self._parameter.get_runtime_param().coerce(value, param=param, ctx=ctx)


def _reader(descriptor: Any, several: bool) -> Callable[[Any], Any]:
    annotation, info = descriptor.annotation, descriptor.parameter_info
    if several and get_origin(annotation) is list:
        (annotation,) = get_args(annotation)
    elif several:
        raise NotPlainError
    if info.parser is not None:
        return info.parser  # type: ignore[no-any-return]
    if annotation is str:
        return _text
    if annotation is Path and not any(getattr(info, check) for check in PATH_CHECKS):
        return _path
    if annotation in NUMBERS and not info.clamp:
        return lambda value: _number(value, annotation, info.min, info.max)
    raise NotPlainError


def _several(value: Any) -> list[Any] | tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise NotPlainError
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise NotPlainError
    return value


def _path(value: Any) -> Path:
    path = value if isinstance(value, Path) else Path(_text(value))
    if os.path.exists(path) and not os.access(path, os.R_OK):
        raise NotPlainError
    return path


def _number(value: Any, kind: Any, least: float | None, most: float | None) -> Any:
    if isinstance(value, str):
        if not NUMBERS[kind].fullmatch(value):
            raise NotPlainError
        value = kind(value)
    inside = type(value) is kind and (least is None or value >= least) and (most is None or value <= most)
    if not inside:
        raise NotPlainError
    return value
