"""The base of all message models: frozen, closed, with a wire cache that no copy inherits.

A decoded model remembers the wire object it was read from, so that what nobody touched can be sent back as the
very same object. The memory lives in ``__slots__`` beside pydantic's fields: comparing, dumping, copying, pickling
and ``model_copy`` all ignore it, so every copy counts as touched. (A ``PrivateAttr`` would survive ``model_copy``
and send stale wire.)
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, ClassVar, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict
from typing_extensions import override

__all__ = ["Node", "Piece", "build", "defaults", "make", "piece_of", "replace", "wire_of"]


class Piece(NamedTuple):
    """Which part of which API's wire object a node was read from: piece ``position`` of ``total``."""

    api: str
    position: int
    total: int


@lru_cache(maxsize=4096)
def piece_of(api: str, position: int = 0, total: int = 1) -> Piece:
    """Return the shared ``Piece`` for these values, so that a decoded history holds few of them."""
    return Piece(api, position, total)


class Node(BaseModel):
    """A frozen model that refuses unknown fields, so that a typo fails."""

    __slots__ = ("_piece", "_wire")

    # Deferred: importing the package must not build validators that nobody may need.
    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True, extra="forbid", defer_build=True, ser_json_inf_nan="constants"
    )

    @override
    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        # Most fields of most parts are unset; what is left out here is at its default.
        fields = type(self).model_fields
        return [(name, value) for name, value in self.__dict__.items() if value != fields[name].default]


NodeT = TypeVar("NodeT", bound=Node)

# Writing the slots directly is what makes decoding fast: `model_construct` takes four times as long, and pydantic's
# own validation would check again what the decoder has just checked.
_new = object.__new__
_set_fields = BaseModel.__dict__["__dict__"].__set__
_set_fields_set = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private = BaseModel.__dict__["__pydantic_private__"].__set__
_set_wire = Node.__dict__["_wire"].__set__
_set_piece = Node.__dict__["_piece"].__set__
_get_wire = Node.__dict__["_wire"].__get__
_get_piece = Node.__dict__["_piece"].__get__
_fields_sets: dict[type[Node], set[str]] = {}


def build(cls: type[NodeT], fields: dict[str, Any], wire: object = None, piece: Piece | None = None) -> NodeT:
    """Construct a node without validation; ``fields`` holds every field and is owned by the node from now on."""
    node = _new(cls)
    _set_fields(node, fields)
    fields_set = _fields_sets.get(cls)
    if fields_set is None:
        # Shared by all nodes of the class: they are frozen, and pydantic copies it where it changes it.
        fields_set = _fields_sets[cls] = set(cls.model_fields)
    _set_fields_set(node, fields_set)
    _set_extra(node, None)
    _set_private(node, None)
    _set_wire(node, wire)
    _set_piece(node, piece)
    return node


@cache
def defaults(cls: type[Node]) -> dict[str, Any]:
    """Return the fields of a class that have a default, by name. Shared: copy it before changing it."""
    return {name: field.default for name, field in cls.model_fields.items() if not field.is_required()}


def make(cls: type[NodeT], **fields: Any) -> NodeT:
    """Construct a node without validation; what is left out is at its default."""
    return build(cls, {**defaults(cls), **fields})


def replace(node: NodeT, **changes: Any) -> NodeT:
    """Return a copy with some fields changed, unvalidated, which remembers no wire object."""
    return build(type(node), {**node.__dict__, **changes})


def wire_of(node: Node) -> tuple[object, Piece | None]:
    """Return the wire object a node was read from, and which piece of it; ``(None, None)`` if touched or made by hand."""
    try:
        return _get_wire(node), _get_piece(node)
    except AttributeError:
        return None, None
