"""Histories to try: paired ones, broken ones, and ones to append."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final, TypeVar

from hypothesis import strategies as st

from replayable.messages import (
    AssistantMessage,
    FilePart,
    Message,
    Messages,
    OpaquePart,
    Part,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)

__all__ = [
    "CALLS_AND_TEXT",
    "MODELS",
    "SERVER_ANSWERED",
    "SERVER_CALL",
    "SIGNED_BY_CLAUDE",
    "broken_histories",
    "continuations",
    "deeply_nested",
    "histories",
    "json_values",
    "paired_histories",
    "rows_of_ingredients",
]

T = TypeVar("T")

MODELS: Final[tuple[Any, ...]] = (
    None,
    "anthropic/claude-sonnet-4-5",
    "anthropic/claude-opus-4-8",
    "openai/gpt-5",
    "azure/gpt-4o",
    "cerebras/qwen-3-32b",
    "groq/llama-3.3-70b",
    "deepseek/deepseek-reasoner",
    "openrouter/anthropic/claude-sonnet-4.5",
    "google/gemini-3-pro-preview",
    "google/gemini-1.0-pro",
    "vertex/gemini-2.0-flash",
    "openai.responses/gpt-5",
    "a-house-nobody-knows/some-model",
    ["anthropic/claude-sonnet-4-5", "openai/gpt-5", "cerebras/qwen-3-32b"],
)

# Few ids, so that they meet; among them what other ids are renamed to, what a replacement of characters would make of
# others, and what is too long for some.
_IDS: Final = (
    "a",
    "b",
    "a-2",
    "a.b",
    "a:b",
    "a_b",
    "functions.search:0",
    "call 0",
    "\ud83d",
    "é",
    "toolu_" + "7" * 40,
)
_NO_IDS: Final = (None, "")
_NAMES: Final = ("search", "weather")
_TEXTS: Final = (
    "Hello",
    "Take care.",
    "",
    " ",
    "\n\t",
    "\ud83d",
    "<system-reminder>x</system-reminder>",
    "4 degrees",
)


def deeply_nested(depth: int) -> dict[str, Any]:
    """A JSON object that nests deeper than Python's own recursion follows."""
    value: Any = 1
    for _ in range(depth // 2):
        value = [{"x": value}]
    return {"x": value}


def json_values() -> st.SearchStrategy[Any]:
    """Any JSON value: NaN, infinities and lone surrogates included."""
    return _JSON


_KEYS: Final = st.sampled_from(("a", "b", "", "\udc00", "$form", "cache_control"))
_JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.sampled_from(_TEXTS),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_KEYS, inner, max_size=2),
    max_leaves=4,
)
_OBJECTS: Final = st.dictionaries(_KEYS, _JSON, max_size=2)
_OPTIONS: Final = st.none() | st.dictionaries(
    st.sampled_from(("openai_chat", "anthropic")), _OBJECTS, max_size=2
)


def _rarely(strategy: st.SearchStrategy[T], otherwise: T, one_in: int = 5) -> st.SearchStrategy[T]:
    """Mostly ``otherwise``; that is also what a counter-example shrinks to."""
    return st.integers(0, one_in - 1).flatmap(lambda n: strategy if n == one_in - 1 else st.just(otherwise))


def _maybe(strategy: st.SearchStrategy[T], one_in: int = 5) -> st.SearchStrategy[T | None]:
    return st.integers(0, one_in - 1).flatmap(lambda n: strategy if n == one_in - 1 else st.none())


# --- parts ------------------------------------------------------------------------------------------------------

_texts: Final = st.builds(TextPart, st.sampled_from(_TEXTS), provider_options=_maybe(_OPTIONS, 8))
_files: Final = st.builds(
    FilePart,
    media_type=st.sampled_from((None, "image/png", "application/pdf", "odd\ntype")),
    data=st.none() | st.just("QQ=="),
    url=st.none() | st.just("https://example.org/a.png"),
)
_opaques: Final = st.builds(OpaquePart, api=st.sampled_from(("anthropic", "gemini")), value=_JSON)
_reasoning: Final = st.builds(
    ReasoningPart,
    text=st.sampled_from(_TEXTS),
    signature=st.sampled_from((None, None, "", "sig")),
    encrypted=st.sampled_from((None, None, "opaque")),
    id=st.sampled_from((None, None, "rs_1", "")),
    provider=st.sampled_from((None, "anthropic", "cerebras", "deepseek")),
    provider_options=_maybe(st.just({"openai_chat": {"$field": "reasoning"}})),
)
_content: Final = st.none() | st.lists(st.one_of(_texts, _files, _opaques), max_size=2).map(tuple)
_states: Final = st.sampled_from(("complete", "complete", "partial", "awaiting-approval", "denied"))


def _call(tool_call_id: str | None, *, provider_executed: bool = False) -> st.SearchStrategy[ToolCallPart]:
    return st.builds(
        ToolCallPart,
        tool_call_id=st.just(tool_call_id),
        tool_name=st.sampled_from(_NAMES),
        input=st.sampled_from(({}, {"q": 1}, {"q": True}, None, "text")) | _OBJECTS,
        raw_input=st.sampled_from((None, None, "{", '{"q": 1}')),
        state=_states,
        provider_executed=st.just(provider_executed),
        provider_options=_maybe(_OPTIONS, 8),
    )


def _result(
    tool_call_id: str | None, *, provider_executed: bool = False
) -> st.SearchStrategy[ToolResultPart]:
    def build(content: Any, output: Any, **fields: Any) -> ToolResultPart:
        answer = {"output": output} if content is None else {"content": content}
        return ToolResultPart(
            tool_call_id=tool_call_id, provider_executed=provider_executed, **answer, **fields
        )

    return st.builds(
        build,
        content=_maybe(_content),
        output=st.sampled_from(("ok", "", None)) | _JSON,
        tool_name=st.sampled_from((None, *_NAMES)),
        is_error=st.sampled_from((None, None, False, True)),
        synthesized=_rarely(st.booleans(), False),
        provider_options=_maybe(_OPTIONS, 8),
    )


# --- messages ---------------------------------------------------------------------------------------------------

_common: Final[dict[str, st.SearchStrategy[Any]]] = {
    "id": st.sampled_from((None, None, "m1", "m2")),
    "metadata": _maybe(_OBJECTS, 8),
    "created_at": _maybe(
        st.sampled_from(
            (
                datetime(2026, 1, 2, 3, 4, 5, 678901),
                datetime(2026, 1, 2, tzinfo=UTC),
                datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=45))),
                datetime(1890, 1, 1, tzinfo=timezone(-timedelta(minutes=19, seconds=32, microseconds=130))),
            )
        )
    ),
}
_provenance: Final[dict[str, st.SearchStrategy[Any]]] = {
    "provider": st.sampled_from((None, None, "anthropic", "openai", "cerebras", "\ud800")),
    "api": st.sampled_from((None, None, "anthropic", "openai_chat")),
    "model": st.sampled_from((None, "claude-sonnet-4-5", "gpt-5")),
    "status": st.sampled_from(("complete", "complete", "aborted", "error")),
    "provider_options": _maybe(
        st.just({"openai_chat": {"reasoning_content": "Hm.", "reasoning": "Hm."}}) | _OPTIONS
    ),
}


def _message(
    kind: type[Any], parts: st.SearchStrategy[Any], **fields: st.SearchStrategy[Any]
) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({**_common, **fields}).flatmap(
        lambda drawn: parts.map(lambda given: kind(given, **drawn))
    )


_users: Final = _message(UserMessage, st.lists(st.one_of(_texts, _texts, _files, _opaques), max_size=2))
_systems: Final = _message(
    SystemMessage, st.lists(_texts, max_size=2), placement=st.sampled_from((None, "top", "list"))
)
_said: Final = st.one_of(_texts, _reasoning, _texts, _files, _opaques)


def _assistant(parts: st.SearchStrategy[list[Part]]) -> st.SearchStrategy[AssistantMessage]:
    return _message(AssistantMessage, parts, **_provenance)


def _tool(parts: Sequence[Part]) -> st.SearchStrategy[ToolMessage]:
    return _message(ToolMessage, st.just(tuple(parts)))


# --- paired histories -------------------------------------------------------------------------------------------


@st.composite
def _server_parts(draw: st.DrawFn) -> list[Part]:
    """A call that the provider executed, mostly answered inline."""
    tool_call_id = draw(st.sampled_from(("srv_1", "srv:2", None)))
    parts: list[Part] = [draw(_call(tool_call_id, provider_executed=True))]
    if draw(st.booleans()):
        parts.append(draw(_result(tool_call_id, provider_executed=True)))
    return parts


@st.composite
def _paired_turn(draw: st.DrawFn, ids: st.SearchStrategy[str | None]) -> list[Message]:
    """An assistant message, and the tool messages that answer it: in any order, in one message or in several."""
    tool_call_ids = draw(st.lists(ids, max_size=3, unique_by=lambda x: x or object()))
    parts: list[Part] = draw(st.lists(_said, max_size=2))
    if draw(st.integers(0, 5)) == 5:
        parts += draw(_server_parts())
    parts += [draw(_call(tool_call_id)) for tool_call_id in tool_call_ids]
    results = [draw(_result(draw(_rarely(st.just(None), tool_call_id)))) for tool_call_id in tool_call_ids]
    results = draw(st.permutations(results))
    messages: list[Message] = [draw(_assistant(st.just(parts)))]
    while results:
        size = draw(st.integers(1, len(results)))
        extra: list[Part] = draw(_rarely(_opaques.map(lambda part: [part]), []))
        messages.append(draw(_tool([*results[:size], *extra])))
        results = results[size:]
    return messages


_own_ids: Final = st.sampled_from(_IDS)
_any_ids: Final = st.sampled_from((*_IDS, "a", "b", *_NO_IDS))


def _joined(turns: Any) -> Messages:
    return tuple(message for turn in turns for message in turn)


def paired_histories(ids: st.SearchStrategy[str | None] = _any_ids) -> st.SearchStrategy[Messages]:
    """Histories in which every call has its result; each message is an object of its own."""
    others = st.one_of(_users, _users, _systems).map(lambda message: [message])
    return st.lists(st.one_of(others, _paired_turn(ids), _paired_turn(ids)), max_size=5).map(_joined)


# --- broken histories -------------------------------------------------------------------------------------------

_any_assistants: Final = _assistant(
    st.lists(
        st.one_of(
            _any_ids.flatmap(_call),
            _any_ids.flatmap(_call),
            _said,
            _any_ids.flatmap(_result),
            _any_ids.flatmap(lambda x: _call(x, provider_executed=True)),
            _any_ids.flatmap(lambda x: _result(x, provider_executed=True)),
        ),
        max_size=4,
    )
)
_any_tools: Final = _message(
    ToolMessage,
    st.lists(
        st.one_of(
            _any_ids.flatmap(_result),
            _any_ids.flatmap(_result),
            _opaques,
            _any_ids.flatmap(lambda x: _result(x, provider_executed=True)),
        ),
        max_size=3,
    ),
)
_messages: Final = st.one_of(_any_assistants, _any_tools, _any_assistants, _any_tools, _users, _systems)


def _damage(messages: list[Message], kind: str, at: int, to: int) -> None:
    if not messages:
        return
    at, to = at % len(messages), to % len(messages)
    if kind == "lose":
        del messages[at]
    elif kind == "double":
        messages.insert(to, messages[at])
    elif kind == "move":
        messages.insert(to, messages.pop(at))
    elif messages[at].parts:
        message = messages[at]
        parts = list(message.parts)
        if kind == "lose a part":
            del parts[to % len(parts)]
        else:
            parts.insert(0, parts[to % len(parts)])
        messages[at] = type(message).model_validate({**message.__dict__, "parts": parts})


_damages: Final = st.lists(
    st.tuples(
        st.sampled_from(("lose", "double", "move", "lose a part", "double a part")),
        st.integers(0, 20),
        st.integers(0, 20),
    ),
    min_size=1,
    max_size=3,
)


@st.composite
def _damaged(draw: st.DrawFn) -> Messages:
    messages = list(draw(paired_histories()))
    for kind, at, to in draw(_damages):
        _damage(messages, kind, at, to)
    return tuple(messages)


def broken_histories() -> st.SearchStrategy[Messages]:
    """Paired histories that were damaged, and messages in no order at all."""
    return st.one_of(_damaged(), st.lists(_messages, max_size=6).map(tuple))


def histories() -> st.SearchStrategy[Messages]:
    """Whatever the models can express, short of what no JSON text can carry."""
    return st.one_of(broken_histories(), paired_histories())


def continuations() -> st.SearchStrategy[Messages]:
    """Messages that refer to no call of a history above: a new question, and turns whose ids are new."""
    new_ids = st.sampled_from(("n1", "n2", "n:3", "n" * 41))
    return st.tuples(
        _users.filter(
            lambda message: any(part.type == "text" and part.text.strip() for part in message.parts)
        ),
        paired_histories(new_ids),
    ).map(lambda pair: (pair[0], *pair[1]))


# --- rows of ingredients ----------------------------------------------------------------------------------------

_IMAGE: Final = FilePart(media_type="image/png", data="iVBORw0KGgo=")
_SIGNED_BY_GEMINI: Final = {"gemini": {"thoughtSignature": "c2ln"}}


def _plain_call(tool_call_id: str, **fields: Any) -> ToolCallPart:
    return ToolCallPart(tool_call_id=tool_call_id, tool_name="search", input={}, **fields)


CALLS_AND_TEXT: Final = AssistantMessage([_plain_call("a"), TextPart("Wait.")])
SIGNED_BY_CLAUDE: Final = AssistantMessage(
    [ReasoningPart(text="Simple.", signature="sig"), TextPart("")],
    provider="anthropic",
    api="anthropic",
    model="claude-sonnet-5",
)
SERVER_CALL: Final = AssistantMessage([_plain_call("s", provider_executed=True)])
SERVER_ANSWERED: Final = AssistantMessage(
    [
        _plain_call("s", provider_executed=True),
        ToolResultPart(tool_call_id="s", tool_name="search", output="ok", provider_executed=True),
    ]
)
# What rules about places, about emptiness and about who made a message do to each other shows where many of these stand
# in a row.
_INGREDIENTS: Final[tuple[Message, ...]] = (
    SystemMessage("Be brief."),
    SystemMessage("Be kind.", placement="list"),
    SystemMessage(""),
    UserMessage("Hello"),
    UserMessage(""),
    UserMessage([]),
    UserMessage([_IMAGE]),
    AssistantMessage("Hi"),
    AssistantMessage("Hi "),
    AssistantMessage(""),
    AssistantMessage([]),
    AssistantMessage([ReasoningPart(text="Simple.")]),
    AssistantMessage([_IMAGE]),
    AssistantMessage([OpaquePart(api="mastra", value={"type": "source"})]),
    SIGNED_BY_CLAUDE,
    AssistantMessage(
        [ReasoningPart(text="Simple.", signature="c2ln"), TextPart("Hi")],
        provider="google",
        api="gemini",
        model="gemini-3-pro-preview",
    ),
    AssistantMessage(
        [_plain_call("a", provider_options=_SIGNED_BY_GEMINI)],
        provider="google",
        api="gemini",
        model="gemini-3-pro-preview",
    ),
    AssistantMessage([_plain_call("a")]),
    CALLS_AND_TEXT,
    AssistantMessage([ReasoningPart(text="Simple."), _plain_call("a"), _plain_call("b")]),
    SERVER_CALL,
    SERVER_ANSWERED,
    ToolMessage([ToolResultPart(tool_call_id="a", output="ok")]),
    ToolMessage([ToolResultPart(tool_call_id="b", output="ok")]),
    ToolMessage([ToolResultPart(tool_call_id="a", tool_name="search", content=(TextPart("ok"), _IMAGE))]),
    ToolMessage([]),
)


def rows_of_ingredients() -> st.SearchStrategy[Messages]:
    """Short plain messages in any order, the same ones often."""
    return st.lists(st.sampled_from(_INGREDIENTS), min_size=1, max_size=6).map(tuple)
