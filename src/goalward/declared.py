"""Options that are declared once: type, default, bounds and help text of each stand where its field does.

    @dataclass(frozen=True)
    class WalkOptions(Options):
        steps: int = option(200, "steps of a random walk", 1, 100_000)
        limit: float | None = option(None, "for all walks together", kind=DURATION)

Flags of the command line, keys of configs and ``name=value`` settings are derived from the fields. An object checks
itself when it is made: ``WalkOptions(limit="2m").limit`` is 120.0, and ``WalkOptions(steps=0)`` is a ``UsageError``.
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
from goalward.measures import parse_duration, parse_share


@dataclass(frozen=True)
class Kind:
    """What the values of an option are.

    ``read`` takes a value as programs and TOML give it, ``from_text`` one as it stands on a command line; both raise
    ValueError for what is none. ``to_text`` is the inverse of ``from_text``.
    """

    expected: str
    metavar: str
    read: Callable[[Any], Any]
    from_text: Callable[[str], Any]
    to_text: Callable[[Any], str] = str


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise ValueError
    return int(value)


def _number(value: Any) -> float:
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
    if not isinstance(value, str):
        raise ValueError
    return value


def _names(value: Any) -> tuple[str, ...]:
    """One name, or several: in a list, or after one another with commas between them."""
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
    """A field of an :class:`Options` class; its kind follows from its type unless one is given.

    ``choices`` are the names that it may take. With ``by_preset`` the default is None until the preset fills it in.
    ``flag`` is for a flag of the command line that is not called as the field is.
    """
    metadata = {"help": help_text, "low": low, "high": high, "choices": tuple(choices)}
    return dataclasses.field(default=default, metadata=metadata | {"kind": kind, "by_preset": by_preset, "flag": flag})


@dataclass(frozen=True)
class Option:
    """What is known of one option, for those who show it or read it from somewhere."""

    name: str
    kind: Kind
    default: Any
    help: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    by_preset: bool
    flag: str
    """As the command line spells it."""

    @property
    def expected(self) -> str:
        """What a value must be, to stand after "it is"."""
        if self.choices:
            return f"one{' or more' if self.kind is NAMES else ''} of {', '.join(self.choices)}"
        if self.low is None:
            return self.kind.expected
        return f"{self.kind.expected} from {self.low:.15g} to {self.high:.15g}"

    def read(self, value: Any) -> Any:
        """The value as the options object holds it; a UsageError where it is none."""
        if value is None and self.default is None:
            return None
        try:
            found = self.kind.read(value)
        except (ValueError, GoalwardError):
            raise self._wrong(value) from None
        within = self.low is None or self.high is None or self.low <= found <= self.high
        known = not self.choices or {*([found] if isinstance(found, str) else found)} <= {*self.choices}
        if not within or not known:
            raise self._wrong(value)
        return found

    def from_text(self, text: str) -> Any:
        """The value in a text from the command line."""
        try:
            return self.read(self.kind.from_text(text.strip()))
        except (ValueError, KeyError):
            raise self._wrong(text) from None

    def _wrong(self, value: Any) -> UsageError:
        spelt = "" if self.flag == flag_for(self.name) else f" ({self.flag})"
        return UsageError(f"{self.name}{spelt} is {value!r}; it is {self.expected}")


def declared(owner: type[Options]) -> dict[str, Option]:
    """The options of a class by name, in the order of their fields."""
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
    """The options of a class, those of its own before those of its bases."""
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
    """Base of all classes of declared options."""

    def __post_init__(self) -> None:
        for known in declared(type(self)).values():
            object.__setattr__(self, known.name, known.read(getattr(self, known.name)))

    @classmethod
    def of(cls, owner: str, values: Mapping[str, Any] | None = None, texts: Mapping[str, str] | None = None) -> Self:
        """Options by name, from values as Python and TOML give them and from texts as a command line does.

        ``owner`` is whose options they are, for the error about an unknown name.
        """
        given = {cls.find(name, owner).name: value for name, value in (values or {}).items()}
        given |= {name: cls.find(name, owner).from_text(text) for name, text in (texts or {}).items()}
        return cls(**given)

    @classmethod
    def find(cls, name: str, owner: str) -> Option:
        """The option of that name."""
        known = declared(cls)
        if name not in known:
            listed = ", ".join(known) or "none"
            raise UsageError(f"{owner} has no option {name!r}{did_you_mean(name, known)} (its options: {listed})")
        return known[name]

    def left_open(self) -> list[str]:
        """Names of the options that the preset has to fill in."""
        known = declared(type(self)).values()
        return [option.name for option in known if option.by_preset and getattr(self, option.name) is None]


def split_settings(settings: Iterable[str]) -> dict[str, str]:
    """Names and texts in ``name=value``; the last one counts, and a name may be written with hyphens."""
    texts = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise UsageError(f"--set {setting}: write it as name=value")
        texts[name.strip().replace("-", "_")] = text.strip()
    return texts
