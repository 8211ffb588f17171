"""Objects like another one, but for a few methods: how a client is guarded without a change to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["class_of", "twin"]


def class_of(value: Any) -> Any:
    """Return the class of an object; of a twin, that of its original: what is guarded anew is guarded once."""
    kind = type(value)
    return vars(kind).get("_replayable_class", kind)


def twin(original: Any, methods: Mapping[str, Any], attributes: dict[str, Any]) -> Any:
    """Return an object of a subclass that looks like the original's class, made without a call of its ``__init__``.

    The twin of a twin is one of the first original's class: it has none of the former one's methods.

    Args:
        original: It stays as it is. Neither it nor its class is asked to copy itself: a subclass of a client's may take
            other arguments than the client.
        methods: What the subclass has of its own.
        attributes: What becomes the object's ``__dict__``: the original's own, where both are to see what is set later.
    """
    kind = class_of(original)
    same = {
        "__doc__": kind.__doc__,
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "_replayable_class": kind,
    }
    made: Any = object.__new__(type(kind.__name__, (kind,), {**same, **methods}))
    made.__dict__ = attributes
    return made
