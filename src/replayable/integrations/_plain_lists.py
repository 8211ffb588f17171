"""Requests with tuples, which JSON writes as lists: the SDKs take any sequence for a list."""

from __future__ import annotations

from operator import is_
from typing import Any

__all__ = ["with_lists"]


def with_lists(request: Any) -> Any:
    """Return a request with lists in place of its tuples, at any depth; the same object when there is none."""
    try:
        return _listed(request)
    except RecursionError:
        return request


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        fields = {key: _listed(item) for key, item in value.items()}
        return fields if any(fields[key] is not value[key] for key in fields) else value
    if isinstance(value, list | tuple):
        items = [_listed(item) for item in value]
        same = isinstance(value, list) and all(map(is_, items, value))
        return value if same else items
    return value
