"""Damage of the kinds that happen to requests: what is deleted, swapped, doubled, of another type, or no JSON at all."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any, Final

from openai.types.chat import ChatCompletionMessage

__all__ = ["JUNK", "MEMBERS", "damaged"]


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


class _Text(str):
    __slots__ = ()


class _Object(dict[str, Any]):
    pass


class _List(list[Any]):
    pass


# What finds its way into histories: other types, empty and huge values, broken emoji, keys that are no strings.
JUNK: Final[tuple[Any, ...]] = (
    None,
    True,
    0,
    -1.5,
    float("nan"),
    float("inf"),
    10**5000,
    "",
    "x",
    "\ud83d",
    "\x00",
    "data:image/png;base64,",
    "[" * 100_000,
    "{" + '"a":{' * 300 + "}" * 301,
    '{"a": NaN}',
    "null",
    "[]",
    b"x",
    (),
    (1, 2),
    [],
    [[]],
    [None],
    ["x"],
    {},
    {"type": "text"},
    {"type": ["text"]},
    {"type": {}},
    {"type": "tool_use", "id": "a", "name": "b"},
    {"type": "thinking", "thinking": [{"text": 1}, 2]},
    {1: 2},
    {b"a": 1},
    {None: None},
    {"$wire": 1, "$type": [], "$content": "list"},
    ChatCompletionMessage(role="assistant", content="Hi"),
    object(),
)
_DEEP: Final = _nested(300)
_KINDS: Final = (
    "text",
    "tool_use",
    "tool_result",
    "server_tool_use",
    "web_search_tool_result",
    "thinking",
    "redacted_thinking",
    "image",
    "document",
    "image_url",
    "input_audio",
    "file",
    "custom",
    "function",
    "refusal",
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "mcp_call",
    "shell_call",
    "shell_call_output",
    "computer_call_output",
    "web_search_call",
    "tool_search_call",
    "tool_search_output",
    "item_reference",
    "input_text",
    "output_text",
    "input_image",
    "input_file",
)
# What a block holds under its own name, where there is no type.
MEMBERS: Final = (
    "toolUse",
    "toolResult",
    "reasoningContent",
    "guardContent",
    "citationsContent",
    "cachePoint",
    "json",
)
_KEYS: Final[tuple[Any, ...]] = (
    *("text", "parts", "type", "role", "content", "id", "name", "output", "summary"),
    *MEMBERS,
    *(1, b"k", None, ("a",)),
)

# A place in a request, as the container and the key or index.
_Place = tuple[Any, Any]
_Damage = Callable[[Any, Any, random.Random], None]


def damaged(request: Any, draw: random.Random) -> Any:
    """A copy of the request with up to three damages."""
    copied = _copied(request)
    for _ in range(draw.randint(1, 3)):
        places = _places(copied)
        if not places:
            break
        if draw.random() < 0.1:
            _swap(draw.choice(places), draw.choice(places))
        else:
            draw.choice(_DAMAGES)(*draw.choice(places), draw)
    return copied


def _places(value: Any) -> list[_Place]:
    found: list[_Place] = []
    todo: list[Any] = [value]
    while todo:
        item = todo.pop()
        keys = list(item) if isinstance(item, dict) else list(range(len(item)))
        found.extend((item, key) for key in keys)
        todo.extend(
            item[key] for key in keys if isinstance(item[key], dict | list) and item[key] is not _DEEP
        )
    return found


def _copied(value: Any) -> Any:
    """A deep copy, so that what is put in may itself be damaged next; what is deep stays itself: it is never put into itself."""
    return copy.deepcopy(value, {id(_DEEP): _DEEP})


def _swap(one: _Place, other: _Place) -> None:
    """Each in the place of the other; copies, since one may stand within the other."""
    values = [_copied(container[key]) for container, key in (other, one)]
    for (container, key), value in zip((one, other), values, strict=True):
        container[key] = value


def _delete(container: Any, key: Any, _: random.Random) -> None:
    del container[key]


def _put_junk(container: Any, key: Any, draw: random.Random) -> None:
    container[key] = _copied(draw.choice(JUNK))


def _put_deep(container: Any, key: Any, _: random.Random) -> None:
    container[key] = _DEEP


def _put_under_another_key(container: Any, key: Any, draw: random.Random) -> None:
    if isinstance(container, dict):
        container[draw.choice((*_KEYS, *container))] = _copied(container[key])


def _cut_short(container: Any, _: Any, draw: random.Random) -> None:
    if isinstance(container, list):
        del container[draw.randrange(len(container)) :]


def _double(container: Any, key: Any, draw: random.Random) -> None:
    """The same object twice, or a copy of it somewhere else in the list."""
    if isinstance(container, list):
        value = container[key] if draw.random() < 0.5 else _copied(container[key])
        container.insert(draw.randrange(len(container) + 1), value)


def _shuffle(container: Any, _: Any, draw: random.Random) -> None:
    if isinstance(container, list):
        draw.shuffle(container)


def _change_value(container: Any, key: Any, draw: random.Random) -> None:
    """Another kind of the same: a tuple, a subclass, an odd text; a ``type`` that is known elsewhere."""
    value = container[key]
    if key == "type":
        container[key] = draw.choice(_KINDS)
    elif isinstance(value, str):
        odd = (
            _Text(value),
            value * 300,
            value + "\ud83d",
            value.encode("utf8", "replace"),
            [value],
            {value: value},
        )
        container[key] = draw.choice(odd)
    elif isinstance(value, list):
        container[key] = draw.choice((tuple, _List))(value)
    elif isinstance(value, dict):
        container[key] = draw.choice((_Object(value), list(value), list(value.values()), [value]))


_DAMAGES: Final[tuple[_Damage, ...]] = (
    _delete,
    _put_junk,
    _put_junk,
    _put_deep,
    _put_under_another_key,
    _cut_short,
    _double,
    _shuffle,
    _change_value,
    _change_value,
)
