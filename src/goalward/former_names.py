"""Former names of fields, accepted for one release with a DeprecationWarning."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def renamed_fields(**new_names: str) -> Callable[[type[T]], type[T]]:
    """Make a dataclass accept former names of its fields: ``@renamed_fields(old="new")`` above ``@dataclass``."""

    def decorate(cls: type[T]) -> type[T]:
        create = cls.__init__

        @functools.wraps(create)
        def __init__(self: T, *args: Any, **values: Any) -> None:  # noqa: N807 - replaces __init__
            for old, new in new_names.items():
                if old in values:
                    _warn(cls, old, new)
                    values[new] = values.pop(old)
            create(self, *args, **values)

        cls.__init__ = __init__  # type: ignore[assignment]
        for old, new in new_names.items():
            setattr(cls, old, property(functools.partial(_read, old=old, new=new)))
        return cls

    return decorate


def _read(instance: Any, *, old: str, new: str) -> Any:
    _warn(type(instance), old, new)
    return getattr(instance, new)


def _warn(cls: type, old: str, new: str) -> None:
    warnings.warn(f"{cls.__name__}.{old} is now called {new}", DeprecationWarning, stacklevel=3)
