"""Which format a request or a list of messages is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from ..errors import HistoryFormatError
from .foreign import foreign
from .format import Format
from .registry import FORMATS
from .wire import LIST, MISSING, Wire, fault, found, kind_of, sdk_object

__all__ = ["Seen", "detect"]

# So many messages tell enough; a history of a million is not read twice.
_LOOKED_AT: Final = 2000
# Roles that say nothing about the format.
_PLAIN_ROLES: Final = frozenset({"system", "user", "assistant"})
# A stored message keeps its parts one level down.
_OBJECT_OF_PARTS: Final = frozenset({"parts", "toolInvocations", "format"})
_TURNS: Final = tuple(dict.fromkeys(field for known in FORMATS.values() for field in known.marks.turns))
_EXPECTED: Final = "a request (an object with a list of messages) or a list of messages"
_REMEDY: Final = "name the format if you know it"


def detect(value: Any, *, prefer: str | None = None) -> str:
    """Return the name of the format that a request or a list of messages is in.

    What has a role or a shape that a format lacks is not in that format; of those that are left, the one with the most
    marks counts (see ``formats.format.Marks``). A conversation without any mark, for example without tools, reads the
    same in several formats: then it is the preferred one, or else the first of ``FORMATS``, ``openai_chat``.

    Args:
        value: A whole request or a list of messages.
        prefer: The format to assume where it could be several.

    Raises:
        HistoryFormatError: It is in no format, or has the marks of several; the error says why each one fell out. Or it is
            a history as a framework or a trace keeps it, which no provider takes; the error says what to give instead.
    """
    if not isinstance(value, dict | list | tuple):
        raise HistoryFormatError(path="", found=found(value), expected=_EXPECTED)
    _refuse_foreign(value)
    fields: dict[str, str] = {}
    seen: dict[str, Seen] = {}
    fallen: dict[str, HistoryFormatError] = {}
    marks: dict[str, Counter[str]] = {}
    for name, known in FORMATS.items():
        try:
            field = fields[name] = _field_of_turns(value, known)
            if field not in seen:
                seen[field] = Seen(value, field)
            seen[field].check(known)
            marks[name] = seen[field].marks(known)
        except HistoryFormatError as error:
            fallen[name] = error
    if not marks:
        marks = _marks_of_several(seen, fields)
    if not marks:
        raise _in_no_format(value, fallen)
    most = max(counts.total() for counts in marks.values())
    candidates = [name for name, counts in marks.items() if counts.total() == most]
    if prefer in candidates:
        return prefer
    if isinstance(value, dict) and any(marks[name] != marks[candidates[0]] for name in candidates):
        told = "; ".join(f"{name}: {', '.join(sorted(marks[name]))}" for name in candidates)
        raise HistoryFormatError(
            path="",
            found=f"as many marks of several ({told})",
            expected="marks of one format",
            remedy=_REMEDY,
        )
    return candidates[0]


def _refuse_foreign(value: Any) -> None:
    lists = {"": value} if isinstance(value, LIST) else {field: value.get(field) for field in _TURNS}
    for field, messages in lists.items():
        known = foreign(messages[0]) if isinstance(messages, LIST) and messages else None
        if known is not None:
            raise HistoryFormatError(
                path=f"{field}[0]",
                found=known.found,
                expected="a message of a provider's API",
                remedy=known.remedy,
            )


def _marks_of_several(seen: dict[str, Seen], fields: dict[str, str]) -> dict[str, Counter[str]]:
    """Count marks where each message is in one of the formats, though not all in the same: each of them reads the others' too.

    Args:
        seen: What stands in each of the fields that may hold the messages.
        fields: The field in which each format has them.
    """
    marks: dict[str, Counter[str]] = {}
    for name, field in fields.items():
        known = FORMATS[name]
        if any(Seen([message], "").fits(known) for message in seen[field].messages):
            marks[name] = seen[field].marks(known)
    fits_one = all(
        any(Seen([message], "").fits(FORMATS[name]) for name in marks)
        for name, field in fields.items()
        if name in marks
        for message in seen[field].messages
    )
    return marks if fits_one else {}


def _in_no_format(value: Any, fallen: dict[str, HistoryFormatError]) -> HistoryFormatError:
    """The error that says why each format fell out; it names a place where they all found the same fault."""
    places = {(error.path, error.found) for error in fallen.values() if error.path}
    path, what = places.pop() if len(places) == 1 else ("", found(value))
    names: dict[str, list[str]] = {}
    for name, error in fallen.items():
        names.setdefault(f"expected {error.expected}" if error.path in ("", path) else str(error), []).append(
            name
        )
    told = "; ".join(f"{', '.join(group)}: {reason}" for reason, group in names.items())
    expected = "what one of the formats has there" if path else _EXPECTED
    return HistoryFormatError(path=path, found=what, expected=expected, remedy=f"the formats: {told}")


def _field_of_turns(value: Any, known: Format) -> str:
    """The field that holds the messages in this format; empty for a bare list.

    Raises:
        HistoryFormatError: There is none.
    """
    if isinstance(value, LIST):
        return ""
    fields = known.marks.turns
    for field in fields:
        turns = value.get(field)
        if isinstance(turns, LIST) or (isinstance(turns, str) and "text" in known.marks.shapes):
            return field
    for field in fields:
        if field in value:
            raise fault(field, value[field], "a list of messages")
    raise fault("", value, f"an object with a list of messages in {' or '.join(fields)}")


class Seen:
    """What stands in a request or list of messages: counted once, then held against each format."""

    def __init__(self, value: Any, field: str) -> None:
        request: Wire = value if isinstance(value, dict) else {}
        turns = request[field] if field else value
        self._path = field
        self.messages: list[Wire] = []
        self._request = [key for key in request if key != field]
        tools = request.get("tools")
        self._tools = _count(key for tool in _objects(tools) for key in tool)
        self._roles: dict[Any, tuple[str, Any]] = {}
        self._shapes: dict[str, tuple[str, Any]] = {}
        self._role_counts: Counter[Any] = Counter()
        self._fields: Counter[str] = Counter()
        self._types: Counter[str] = Counter()
        self._keys: Counter[str] = Counter()
        for index, given in enumerate(turns[:_LOOKED_AT] if isinstance(turns, LIST) else ()):
            message = _object(given)
            if message is not None:
                self.messages.append(message)
                self._look_at(index, message)

    def _look_at(self, index: int, message: Wire) -> None:
        given = message.get("role", MISSING)
        role = given if isinstance(given, str) else None
        place = (f"{self._path}[{index}].role", given)
        # A reference needs no type.
        if role is None and (kind_of(message) or message.keys() == {"id"}):
            self._shapes.setdefault("item", place)
        else:
            self._roles.setdefault(role, place)
            self._role_counts[role] += 1
        self._fields.update(message.keys())
        self._types[kind_of(message)] += 1
        for field in ("content", "parts"):
            body = message.get(field)
            if isinstance(body, dict):
                form = "object of parts" if body.keys() & _OBJECT_OF_PARTS else "object"
                self._shapes.setdefault(f"{field}: {form}", (f"{self._path}[{index}].{field}", body))
                continue
            if isinstance(body, str):
                self._shapes.setdefault(f"{field}: text", (f"{self._path}[{index}].{field}", body))
            for item in _objects(body):
                shape = f"{field}: {'typed' if 'type' in item else 'untyped'}"
                self._shapes.setdefault(shape, (f"{self._path}[{index}].{field}", body))
                self._types[kind_of(item)] += 1
                self._keys.update(item.keys())

    def check(self, known: Format) -> None:
        """Hold the roles and shapes against those of a format.

        Raises:
            HistoryFormatError: Something is there that the format doesn't have.
        """
        roles, shapes = known.marks.roles, known.marks.shapes
        expected = f"one of the roles {', '.join(sorted(filter(None, roles)))}"
        for role, (path, given) in self._roles.items():
            if role not in roles:
                raise fault(path, given, expected)
        for shape, (path, body) in self._shapes.items():
            if shape not in shapes:
                raise fault(
                    path, body, expected if shape == "item" else " or ".join(sorted(shapes - {"item"}))
                )

    def fits(self, known: Format) -> bool:
        """Whether a format has all the roles and shapes."""
        try:
            self.check(known)
        except HistoryFormatError:
            return False
        return True

    def marks(self, known: Format) -> Counter[str]:
        """Count what this format has, and not every other one."""
        marks = known.marks
        counts = Counter(key for key in self._request if key in marks.request)
        for names, there in (
            (marks.tools, self._tools),
            (marks.fields, self._fields),
            (marks.types, self._types),
            (marks.keys, self._keys),
        ):
            counts.update({name: there[name] for name in names if there[name]})
        for role, count in self._role_counts.items():
            if role in marks.roles and role not in _PLAIN_ROLES:
                counts[f"role {role}"] += count
        if marks.more is not None:
            for message in self.messages:
                counts.update(marks.more(message))
        return counts


def _count(names: Iterator[Any]) -> Counter[str]:
    return Counter(name for name in names if isinstance(name, str))


def _objects(items: Any) -> Iterator[Wire]:
    return filter(None, map(_object, items)) if isinstance(items, LIST) else iter(())


def _object(item: Any) -> Wire | None:
    return item if isinstance(item, dict) else sdk_object(item)
