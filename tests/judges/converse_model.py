"""Judge a Converse request by the service model that AWS ships with botocore: types, patterns, lengths and enums."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import botocore.session
from botocore.model import Shape
from botocore.validate import ParamValidator

__all__ = ["converse_errors"]

_MAX_ERRORS = 5
_MAX_LINE = 160
# Whose size a `min` or `max` limits; that of a number is its value.
_SIZED = ("string", "blob", "list", "map")


def converse_errors(request: Mapping[str, Any]) -> list[str]:
    """Say what `client.converse` and the service's own constraints would find wrong with the arguments.

    Args:
        request: The arguments, `modelId` included; bytes as Python bytes or in base64.

    Returns:
        At most five lines; empty when valid.
    """
    report = ParamValidator().validate(dict(request), _input_shape())
    if report.has_errors():
        return [line[:_MAX_LINE] for line in report.generate_report().splitlines()[:_MAX_ERRORS]]
    return [line for _, line in zip(range(_MAX_ERRORS), _faults(request, _input_shape(), ""), strict=False)]


@cache
def _input_shape() -> Shape:
    model = botocore.session.get_session().get_service_model("bedrock-runtime")
    return model.operation_model("Converse").input_shape


def _faults(value: Any, shape: Any, path: str) -> Iterator[str]:
    """What is against the constraints of a shape, which botocore itself leaves to the service."""
    if value is None:
        return
    yield from _own_faults(value, shape, path)
    if shape.type_name == "structure" and not getattr(shape, "is_document_type", False):
        for name, member in shape.members.items():
            yield from _faults(value.get(name), member, f"{path}.{name}")
    elif shape.type_name == "list":
        for index, item in enumerate(value):
            yield from _faults(item, shape.member, f"{path}[{index}]")
    elif shape.type_name == "map":
        for key, item in value.items():
            yield from _faults(key, shape.key, f"{path} key")
            yield from _faults(item, shape.value, f"{path}.{key}"[:_MAX_LINE])


def _own_faults(value: Any, shape: Any, path: str) -> Iterator[str]:
    metadata = shape.metadata
    # The service matches a pattern against the whole of a value.
    if "pattern" in metadata and not re.fullmatch(metadata["pattern"], value):
        yield f"{path}: {shape.name} does not match its pattern"
    if "enum" in metadata and value not in metadata["enum"]:
        yield f"{path}: {shape.name} is none of its values"
    size = len(value) if shape.type_name in _SIZED else value
    if "min" in metadata and size < metadata["min"]:
        yield f"{path}: {shape.name} is below {metadata['min']}"
    if "max" in metadata and size > metadata["max"]:
        yield f"{path}: {shape.name} is over {metadata['max']}"
