"""Options that are declared once: each field of an options class carries its type, default, bounds and help text.

    @dataclass(frozen=True)
    class WalkOptions(Options):
        steps: int = option(200, "steps of a random walk", 1, 100_000)
        limit: float | None = option(None, "time limit for all walks together", kind=DURATION)

Command-line flags, config keys and ``name=value`` settings are derived from the fields. An object checks its values
when it is created: ``WalkOptions(limit="2m").limit`` is 120.0, and ``WalkOptions(steps=0)`` raises ``UsageError``.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import numbers
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from goalward.errors import GoalwardError, UsageError, did_you_mean
from goalward.measures import format_batches, format_memory, parse_batches, parse_duration, parse_share, parse_size


@dataclass(frozen=True)
class Kind:
    """The type of an option's values.

    ``read`` takes a value from Python or TOML, ``from_text`` the text from a command line; both raise ValueError if
    it is not valid. ``to_text`` is the inverse of ``from_text``.
    """

    expected: str
    metavar: str
    read: Callable[[Any], Any]
    from_text: Callable[[str], Any]
    to_text: Callable[[Any], str] = str

    def named(self, name: str, value: Any) -> Any:
        """The value as :attr:`read` returns it; a UsageError that begins with ``name`` if it is not valid."""
        try:
            return self.read(value)
        except (ValueError, GoalwardError):
            raise UsageError(f"{name} must be {self.expected}, but is {value!r}") from None


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise ValueError
    return int(value)


def _number(value: Any) -> float:
    """The value as a float; ValueError unless it is a finite number."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ValueError
    try:
        number = float(value)
    except OverflowError:  # a whole number of hundreds of digits
        raise ValueError from None
    if not math.isfinite(number):
        raise ValueError
    return number


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _flag_from_text(text: str) -> bool:
    return {"true": True, "yes": True, "false": False, "no": False}[text.lower()]


def _name(value: Any) -> str:
    """The value; ValueError unless it is a string."""
    if not isinstance(value, str):
        raise ValueError
    return value


def _names(value: Any) -> tuple[str, ...]:
    """One or more names, as a list or as a text with commas."""
    listed = value.split(",") if isinstance(value, str) else value
    if not isinstance(listed, (list, tuple)) or not listed:
        raise ValueError
    return tuple(_name(name).strip() for name in listed)


WHOLE = Kind("a whole number", "N", _whole, int)
NUMBER = Kind("a number", "X", _number, float)
FLAG = Kind("true or false", "true|false", _flag, _flag_from_text, lambda value: str(value).lower())
NAME = Kind("a name", "NAME", _name, str)
NAMES = Kind("one or more names", "NAME[,NAME…]", _names, str, ",".join)
DURATION = Kind("a duration such as 90s, 5m or 1h30m", "DURATION", parse_duration, str, "{:g}s".format)
SHARE = Kind("a share such as 50% or 0.5", "SHARE", parse_share, str)
SIZE = Kind("a size such as 512M or 4G", "SIZE", parse_size, str, format_memory)
BATCHES = Kind("a batch size such as 32, or several such as 1,32,256", "N[,N…]", parse_batches, str, format_batches)

_KIND_OF_TYPE: dict[Any, Kind] = {int: WHOLE, float: NUMBER, bool: FLAG, str: NAME, tuple[str, ...]: NAMES}


def option(
    default: Any,
    help_text: str,
    low: float | None = None,
    high: float | None = None,
    *,
    choices: Iterable[str] = (),
    kind: Kind | None = None,
    by_preset: bool = False,
    flag: str | None = None,
) -> Any:
    """A field of an :class:`Options` class; its kind follows from the field's type unless one is given.

    ``choices`` are the allowed names. With ``by_preset`` the default is None until the preset fills it in. ``flag`` is
    the command-line flag if it is not named after the field.
    """
    metadata = {"help": help_text, "low": low, "high": high, "choices": tuple(choices)}
    return dataclasses.field(default=default, metadata=metadata | {"kind": kind, "by_preset": by_preset, "flag": flag})


@dataclass(frozen=True)
class Option:
    """One declared option: what its values must be, and how it is spelled on the command line."""

    name: str
    kind: Kind
    default: Any
    help: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    by_preset: bool
    flag: str
    """On the command line: ``--walk-steps``."""

    @property
    def expected(self) -> str:
        """Description of the allowed values, to follow "must be"."""
        if self.choices:
            return f"one{' or more' if self.kind is NAMES else ''} of {', '.join(self.choices)}"
        return f"{self.kind.expected} {self._bounds}".rstrip()

    @property
    def _bounds(self) -> str:
        """``between LOW and HIGH``, ``of at least LOW``, ``of at most HIGH``, or an empty text."""
        if self.low is not None and self.high is not None:
            return f"between {self.low:.15g} and {self.high:.15g}"
        if self.low is not None:
            return f"of at least {self.low:.15g}"
        return "" if self.high is None else f"of at most {self.high:.15g}"

    def read(self, value: Any) -> Any:
        """The value as the options object holds it; UsageError if it is not allowed."""
        return self._read(value, self.name)

    def from_text(self, text: str, name: str | None = None) -> Any:
        """The value in a text from the command line; UsageError, with ``name`` or the flag, if it is not allowed."""
        try:
            value = self.kind.from_text(text.strip())
        except (ValueError, KeyError):
            raise self._wrong(name or self.flag, text) from None
        return self._read(value, name or self.flag)

    def _read(self, value: Any, name: str) -> Any:
        if value is None and self.default is None:
            return None
        try:
            found = self.kind.read(value)
        except (ValueError, GoalwardError):
            raise self._wrong(name, value) from None
        within = (self.low is None or self.low <= found) and (self.high is None or found <= self.high)
        known = not self.choices or {*([found] if isinstance(found, str) else found)} <= {*self.choices}
        if not within:
            raise UsageError(f"{name} must be {self._bounds.removeprefix('of ')}, but is {value!r}")
        if not known:
            raise self._wrong(name, value)
        return found

    def _wrong(self, name: str, value: Any) -> UsageError:
        return UsageError(f"{name} must be {self.expected}, but is {value!r}")


def declared(owner: type[Options]) -> dict[str, Option]:
    """The options of a class by name, in the order of the fields."""
    if owner not in _DECLARED:
        _DECLARED[owner] = _declared(owner)
    return _DECLARED[owner]


_DECLARED: dict[type[Options], dict[str, Option]] = {}


def _declared(owner: type[Options]) -> dict[str, Option]:
    hints = typing.get_type_hints(owner)
    found = {}
    for field in fields(owner):
        known = dict(field.metadata)
        kind = known.pop("kind") or _KIND_OF_TYPE[_without_none(hints[field.name])]
        flag = known.pop("flag") or flag_for(field.name)
        found[field.name] = Option(field.name, kind, field.default, **known, flag=flag)
    return found


def own_first(owner: type[Options]) -> list[Option]:
    """The options of a class: its own first, then those of its base classes."""
    known = declared(owner)
    bases = [base for base in owner.__mro__ if issubclass(base, Options)]
    names = dict.fromkeys(name for base in bases for name in inspect.get_annotations(base))
    return [known[name] for name in names if name in known]


def flag_for(name: str) -> str:
    """The flag of an option that has none of its own."""
    return "--" + name.replace("_", "-")


def _without_none(hint: Any) -> Any:
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        (hint,) = (part for part in typing.get_args(hint) if part is not types.NoneType)
    return hint


@dataclass(frozen=True)
class Options:
    """Base class of all declared options."""

    def __post_init__(self) -> None:
        for known in declared(type(self)).values():
            object.__setattr__(self, known.name, known.read(getattr(self, known.name)))

    @classmethod
    def of(
        cls,
        owner: str,
        values: Mapping[str, Any] | None = None,
        texts: Mapping[str, str] | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> Self:
        """Options from values by name (from Python or TOML), and from texts of flags and of ``--set NAME=VALUE``.

        ``owner`` is named in the error about an unknown option.
        """
        given = {cls.find(name, owner).name: value for name, value in (values or {}).items()}
        given |= {name: cls.find(name, owner).from_text(text) for name, text in (texts or {}).items()}
        for name, text in (settings or {}).items():
            given[name] = cls.find(name, owner).from_text(text, f"--set {name}")
        return cls(**given)

    @classmethod
    def find(cls, name: str, owner: str) -> Option:
        """The option with this name."""
        known = declared(cls)
        if name not in known:
            listed = ", ".join(known) or "none"
            raise UsageError(f"{owner} has no option {name!r}{did_you_mean(name, known)} (its options: {listed})")
        return known[name]

    def left_open(self) -> list[str]:
        """Names of the options that the preset must fill in."""
        known = declared(type(self)).values()
        return [option.name for option in known if option.by_preset and getattr(self, option.name) is None]


def split_setting(setting: str, form: str = "NAME=VALUE") -> tuple[str, str]:
    """Name and value of a ``--set`` argument; ``form`` is how the error says that it must be written."""
    name, equals, value = setting.partition("=")
    if not equals:
        raise UsageError(f"--set {setting}: write it as {form}")
    return name.strip(), value.strip()


def split_settings(settings: Iterable[str]) -> dict[str, str]:
    """Values by name from ``name=value``. Names may have hyphens; the last value of a name counts."""
    return {name.replace("-", "_"): value for name, value in map(split_setting, settings)}
