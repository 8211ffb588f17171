"""The base of all message models: frozen, closed, with a wire cache that no copy inherits.

A decoded model remembers the wire object it was read from, so that what nobody touched can be sent back as the
very same object. The memory lives in ``__slots__`` beside pydantic's fields: comparing, dumping, copying, pickling
and ``model_copy`` all ignore it, so every copy counts as touched. (A ``PrivateAttr`` would survive ``model_copy``
and send stale wire.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict
from typing_extensions import override

__all__ = [
    "Node",
    "Piece",
    "build",
    "defaults",
    "fields_of",
    "make",
    "piece_of",
    "remember",
    "replace",
    "unfinished",
    "wire_of",
]


class Piece(NamedTuple):
    """Which part of which API's wire object a node was read from: piece ``position`` of ``total``."""

    api: str
    position: int
    total: int


@lru_cache(maxsize=4096)
def piece_of(api: str, position: int = 0, total: int = 1) -> Piece:
    """Return the shared ``Piece`` for these values, so that a decoded history holds few of them."""
    return Piece(api, position, total)


_fields_set_slot = BaseModel.__dict__["__pydantic_fields_set__"]


class _FieldsSet:
    """Which fields were given: all of them, where nobody has said so. Spares the decoders a write for each node."""

    __set__ = _fields_set_slot.__set__

    def __get__(self, node: Node, owner: object = None) -> set[str]:
        try:
            given: set[str] = _fields_set_slot.__get__(node)
        except AttributeError:
            given = set(type(node).model_fields)
        return given


class _Nothing:
    """In place of pydantic's slots for extra fields and private attributes, which no node has: never written either."""

    def __get__(self, node: Node, owner: object = None) -> None:
        return None

    def __set__(self, node: Node, value: object) -> None:
        if value:
            raise TypeError(f"{type(node).__name__} has neither extra fields nor private attributes")


class Node(BaseModel):
    """A frozen model that refuses unknown fields, so that a typo fails."""

    __slots__ = ("_piece", "_wire")

    if not TYPE_CHECKING:
        __pydantic_fields_set__ = _FieldsSet()
        __pydantic_extra__ = _Nothing()
        __pydantic_private__ = _Nothing()

    # Deferred: importing the package must not build validators that nobody may need.
    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True, extra="forbid", defer_build=True, ser_json_inf_nan="constants"
    )

    @classmethod
    @override
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        _defaults[cls] = _blank(cls)
        _unfinished[cls] = _unfinished_class(cls)

    @override
    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        # Most fields of most parts are unset; what is left out here is at its default.
        fields = type(self).model_fields
        return [(name, value) for name, value in self.__dict__.items() if value != fields[name].default]


NodeT = TypeVar("NodeT", bound=Node)

fields_of: Final[Callable[[Node], dict[str, Any]]] = BaseModel.__dict__["__dict__"].__get__
"""Return the fields of a node, not to be changed: quicker to read several from than by attribute."""

_set_wire = Node.__dict__["_wire"].__set__
_get_wire = Node.__dict__["_wire"].__get__
_get_piece = Node.__dict__["_piece"].__get__

_defaults: dict[type[Node], dict[str, Any]] = {}


def _blank(cls: type[Node]) -> dict[str, Any]:
    """The fields of a node at their defaults, as the dict of an instance.

    CPython lets the instances of a class share the keys of their dicts, and a copy of such a dict shares them still: it
    takes half of the time and the memory of a dict of its own. Only the first instances settle the keys, so the class
    is still without any.
    """
    node = object.__new__(cls)
    for name, field in cls.model_fields.items():
        object.__setattr__(node, name, None if field.is_required() else field.default)
    return fields_of(node)


def defaults(cls: type[Node]) -> dict[str, Any]:
    """Return the fields of a class, each at its default; None where it has none. Shared: copy it before changing it.

    A decoder copies it, fills in what it read and hands it to ``build``; that is quicker than a literal dict::

        fields = defaults(TextPart).copy()
        fields["text"] = text
        part = build(TextPart, fields, wire, piece)
    """
    return _defaults[cls]


_unfinished: dict[type[Node], type[Any]] = {}
unfinished: Final[Callable[[type[Node]], type[Any]]] = _unfinished.__getitem__
"""Return a class whose instances become nodes of a class when their ``__class__`` is set to it: see ``build``."""


def _unfinished_class(cls: type[Node]) -> type[Any]:
    """The class that stands in for this one while a node is built: one for all classes of the same layout."""
    for other in dict.fromkeys(_unfinished.values()):
        with suppress(TypeError):
            other().__class__ = cls
            return other
    namespace = {
        "__slots__": (),
        "__init__": object.__init__,
        "__setattr__": object.__setattr__,
        "__delattr__": object.__delattr__,
    }
    # Not by pydantic's metaclass, which would collect fields and validators for it.
    return type.__new__(type(cls), f"Unfinished{cls.__name__}", (cls,), namespace)


def build(cls: type[NodeT], fields: dict[str, Any], wire: object = None, piece: Piece | None = None) -> NodeT:
    """Construct a node without validation; ``fields`` holds every field and is owned by the node from now on.

    Decoding is this for the most part. pydantic's own validation would check again what the decoder has just checked, and
    `model_construct` takes six times as long. What freezes a model takes each write through Python, so the node is
    written to as an object of another class, which takes attributes as any object does, and then becomes what it is. All
    parts share one such class, and all messages: the interpreter is quick where it meets the same class again.
    """
    node = _unfinished[cls]()
    node.__dict__ = fields
    if piece is not None:
        node._wire = wire
        node._piece = piece
    node.__class__ = cls
    finished: NodeT = node
    return finished


def remember(node: NodeT, wire: object) -> NodeT:
    """Let a node that was read just now remember the object that its wire object was made of; return the node."""
    _set_wire(node, wire)
    return node


def make(cls: type[NodeT], **fields: Any) -> NodeT:
    """Construct a node without validation; what is left out is at its default."""
    values = _defaults[cls].copy()
    values.update(fields)
    return build(cls, values)


def replace(node: NodeT, **changes: Any) -> NodeT:
    """Return a copy with some fields changed, unvalidated, which remembers no wire object."""
    fields = fields_of(node).copy()
    fields.update(changes)
    return build(type(node), fields)


def wire_of(node: Node) -> tuple[object, Piece | None]:
    """Return the wire object a node was read from, and which piece of it; ``(None, None)`` if touched or made by hand."""
    try:
        return _get_wire(node), _get_piece(node)
    except AttributeError:
        return None, None
