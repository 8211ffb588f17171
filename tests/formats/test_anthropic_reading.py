"""What is read from Anthropic's Messages API, and that all of it goes back, by identity and by value."""

from __future__ import annotations

from typing import Any, Final

import pytest

from replayable import (
    AssistantMessage,
    FilePart,
    OpaquePart,
    Prompt,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
    fix,
)
from replayable.edits import replace
from replayable.formats import anthropic
from replayable.messages import Message, Part
from replayable.prompt import ProviderTool, ToolChoice, with_messages
from tests.formats.comparing import decoded, renamed, touched

_API: Final = "anthropic"
_CACHED: Final[dict[str, Any]] = {"cache_control": {"type": "ephemeral"}}


def _request(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": list(messages), **fields}


def _said(role: str, *blocks: Any) -> dict[str, Any]:
    return {"role": role, "content": list(blocks)}


def _text(text: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **fields}


def _use(call_id: str = "c1", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "weather", "input": {"city": "Oslo"}, **fields}


def _result(call_id: str = "c1", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, **fields}


def _own(**fields: Any) -> dict[str, Any]:
    return {_API: fields}


def _block(role: str, block: dict[str, Any]) -> Part:
    """The part that a block becomes; it stands beside a text, and goes back in a touched message too."""
    request = _request(_said(role, block, _text("x")))
    prompt = decoded(_API, request)
    assert anthropic.encode(touched(prompt)).request == request
    return prompt.messages[0].parts[0]


@pytest.mark.parametrize(
    ("system", "parts", "options"),
    [
        ("Be brief.", (TextPart("Be brief."),), None),
        ("", (TextPart(""),), None),
        ([_text("Be brief.")], (TextPart("Be brief."),), _own(**{"$content": "list"})),
        (
            [_text("a"), _text("b", **_CACHED)],
            (TextPart("a"), TextPart("b", provider_options=_own(**_CACHED))),
            None,
        ),
        ([], (), _own(**{"$content": "list"})),
    ],
)
@pytest.mark.parametrize("placement", ["top", "list"])
def test_system(system: Any, parts: Any, options: Any, placement: Any) -> None:
    """The system prompt is history, and remembers whether it stood beside the list or in it."""
    user = {"role": "user", "content": "Hi"}
    request = (
        _request(user, system=system)
        if placement == "top"
        else _request(user, {"role": "system", "content": system})
    )
    prompt = decoded(_API, request)

    message = SystemMessage(parts, placement=placement, provider_options=options)
    assert message in prompt.messages
    assert anthropic.encode(touched(prompt)).request == request


def test_a_null_system() -> None:
    """It says nothing, and stays among the request's other fields."""
    assert decoded(_API, _request(system=None)).messages == ()


def test_a_removed_system_prompt() -> None:
    """Without its message, the request has no `system`."""
    prompt = decoded(_API, _request({"role": "user", "content": "Hi"}, system="Be brief."))

    request = anthropic.encode(with_messages(prompt, prompt.messages[1:])).request

    assert request == _request({"role": "user", "content": "Hi"})


def test_provenance() -> None:
    """The caller may say who made the answers; else they are known by their API alone."""
    request = [{"role": "assistant", "content": "Hi"}]

    known = anthropic.decode(request, provider="bedrock", model="claude").messages
    unknown = anthropic.decode(request).messages

    assert known == (AssistantMessage("Hi", provider="bedrock", api=_API, model="claude"),)
    assert unknown == (AssistantMessage("Hi", api=_API),)


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize(
    ("fields", "form"),
    [
        ({"content": "Hi"}, None),
        ({"content": [_text("Hi")]}, "list"),
        ({"content": [_text("a"), _text("b")]}, None),
        ({"content": ""}, None),
        ({"content": []}, "list"),
        ({"content": None}, "null"),
        ({}, "absent"),
        ({"x": 1}, "absent"),
    ],
)
def test_forms_of_content(role: str, fields: dict[str, Any], form: str | None) -> None:
    """Text, list, empty, null and absent; the form is a note where the parts don't tell."""
    message = decoded(_API, _request({"role": role, **fields})).messages[0]

    own = (message.provider_options or {}).get(_API, {})
    assert (own.get("$content"), own.get("x")) == (form, fields.get("x"))


@pytest.mark.parametrize(
    ("block", "part"),
    [
        (
            {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
            ReasoningPart(text="Hm.", signature="c2ln"),
        ),
        ({"type": "thinking", "thinking": "", "signature": "c2ln"}, ReasoningPart(signature="c2ln")),
        ({"type": "thinking", "thinking": "Hm."}, ReasoningPart(text="Hm.")),
        (
            {"type": "thinking", "signature": "c2ln", "x": 1},
            ReasoningPart(signature="c2ln", provider_options=_own(x=1, **{"$absent": ["thinking"]})),
        ),
        ({"type": "redacted_thinking", "data": "ZW5j"}, ReasoningPart(encrypted="ZW5j")),
        (
            {"type": "redacted_thinking"},
            OpaquePart(api=_API, value={"type": "redacted_thinking"}),
        ),
        (
            _use(**_CACHED),
            ToolCallPart(
                tool_call_id="c1",
                tool_name="weather",
                input={"city": "Oslo"},
                provider_options=_own(**_CACHED),
            ),
        ),
        (
            {"type": "tool_use", "name": "weather", "x": 1},
            ToolCallPart(tool_name="weather", provider_options=_own(x=1, **{"$absent": ["id", "input"]})),
        ),
        (
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "Oslo"}},
            ToolCallPart(
                tool_call_id="s1",
                tool_name="web_search",
                input={"query": "Oslo"},
                provider_executed=True,
                provider_options=_own(**{"$type": "server_tool_use"}),
            ),
        ),
        (
            {"type": "mcp_tool_use", "id": "m1", "name": "f", "input": {}, "server_name": "s"},
            ToolCallPart(
                tool_call_id="m1",
                tool_name="f",
                input={},
                provider_executed=True,
                provider_options=_own(server_name="s", **{"$type": "mcp_tool_use"}),
            ),
        ),
        (
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "x"}]},
            ToolResultPart(
                tool_call_id="s1",
                output=[{"type": "x"}],
                provider_executed=True,
                provider_options=_own(**{"$type": "web_search_tool_result"}),
            ),
        ),
        ({"type": ["odd"]}, OpaquePart(api=_API, value={"type": ["odd"]})),
    ],
    ids=lambda value: str(value.get("type")) if isinstance(value, dict) else "",
)
def test_blocks_of_answers(block: dict[str, Any], part: Part) -> None:
    """Thinking, calls, tools that the server ran, and what nobody knows."""
    assert _block("assistant", block) == part


def _file(kind: str, **fields: Any) -> FilePart:
    return FilePart(provider_options=_own(**{"$type": kind}, **fields.pop("options", {})), **fields)


@pytest.mark.parametrize(
    ("block", "part"),
    [
        (
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
                **_CACHED,
            },
            _file("image", media_type="image/png", data="iVBORw0KGgo=", options=_CACHED),
        ),
        (
            {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png", "x": 1}},
            _file(
                "image",
                media_type="image/*",
                url="https://example.com/a.png",
                options={"source": {"x": 1}},
            ),
        ),
        (
            {"type": "document", "source": {"type": "url", "url": "https://example.com/a"}, "title": "A"},
            _file(
                "document", media_type="application/pdf", url="https://example.com/a", options={"title": "A"}
            ),
        ),
        (
            {"type": "document", "source": {"type": "file", "file_id": "f1"}},
            _file("document", file_id="f1"),
        ),
        (
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}},
            OpaquePart(
                api=_API,
                value={
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": "x"},
                },
            ),
        ),
        ({"type": "image"}, OpaquePart(api=_API, value={"type": "image"})),
    ],
    ids=lambda value: str(value.get("type")) if isinstance(value, dict) else "",
)
def test_files(block: dict[str, Any], part: Part) -> None:
    """Images and documents by data, URL and id; other sources are kept verbatim."""
    assert _block("user", block) == part


@pytest.mark.parametrize(
    ("block", "part"),
    [
        (_result(content="rain"), ToolResultPart(tool_call_id="c1", output="rain")),
        (_result(content=""), ToolResultPart(tool_call_id="c1", output="")),
        (_result(content=[]), ToolResultPart(tool_call_id="c1", content=())),
        (
            _result(content=[_text("rain", **_CACHED), {"type": "tool_reference", "tool_name": "f"}]),
            ToolResultPart(
                tool_call_id="c1",
                content=(
                    TextPart("rain", provider_options=_own(**_CACHED)),
                    OpaquePart(api=_API, value={"type": "tool_reference", "tool_name": "f"}),
                ),
            ),
        ),
        (
            _result(content=None, is_error=None),
            ToolResultPart(tool_call_id="c1", provider_options=_own(is_error=None, **{"$content": "null"})),
        ),
        (
            _result(**_CACHED),
            ToolResultPart(tool_call_id="c1", provider_options=_own(**_CACHED, **{"$content": "absent"})),
        ),
        (
            {"type": "tool_result", "content": "rain", "is_error": True, "x": 1},
            ToolResultPart(
                output="rain", is_error=True, provider_options=_own(x=1, **{"$absent": ["tool_use_id"]})
            ),
        ),
    ],
)
def test_results(block: dict[str, Any], part: Part) -> None:
    """Every form of a tool result, those that lack a field and have another one included."""
    assert _block("user", block) == part


@pytest.mark.parametrize("odd", [1, 0, "true", []])
def test_an_is_error_that_is_no_boolean_is_kept(odd: Any) -> None:
    """One odd field makes no request unreadable, which would turn every repair off: the server shall say what it thinks."""
    assert _block("user", _result(content="x", is_error=odd)) == ToolResultPart(
        tool_call_id="c1", output="x", provider_options=_own(is_error=odd)
    )


def test_what_a_rule_sets_stands_above_a_null_field() -> None:
    """A null `is_error` of the original never overrides what a rule put in its place."""
    prompt = decoded(_API, _request(_said("user", _result(content="x", is_error=None))))
    message: Message = prompt.messages[0]
    message = replace(message, parts=(replace(message.parts[0], is_error=True),))

    request = anthropic.encode(with_messages(prompt, (message,))).request

    assert request["messages"] == [_said("user", _result(content="x", is_error=True))]


def test_a_turn_of_results_and_text() -> None:
    """It becomes several messages; with one piece touched it goes back as one, and only that piece differs."""
    turn = _said(
        "user",
        _text("First."),
        _result("a:b", content="rain", **_CACHED),
        _result("c2", content=[_text("x")]),
        _text("Well?", **_CACHED),
    )
    request = _request(_said("assistant", _use("a:b"), _use("c2")), turn)
    prompt = decoded(_API, request)
    assert [message.role for message in prompt.messages] == ["assistant", "user", "tool", "user"]
    assert isinstance(prompt.messages[2], ToolMessage)

    new = anthropic.encode(renamed(prompt, "a:b", "a_b")).request

    assert new["messages"] == [
        _said("assistant", _use("a_b"), _use("c2")),
        {
            **turn,
            "content": [turn["content"][0], _result("a_b", content="rain", **_CACHED), *turn["content"][2:]],
        },
    ]
    for index in (2, 3):
        assert new["messages"][1]["content"][index] is turn["content"][index]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"type": "auto"}, ToolChoice(type="auto")),
        ({"type": "any", "disable_parallel_tool_use": True}, ToolChoice(type="required", parallel=False)),
        ({"type": "none"}, ToolChoice(type="none")),
        ({"type": "tool", "name": "f", "x": 1}, ToolChoice(type="tool", tool_name="f")),
        ({"type": "tool"}, None),
        ({"type": ["odd"]}, None),
        ("auto", None),
        (None, None),
    ],
)
def test_tool_choice(choice: Any, expected: ToolChoice | None) -> None:
    """Every form of the choice; one that is not known stays among the request's other fields."""
    prompt = decoded(
        _API, _request(tools=[{"name": "f", "input_schema": {"type": "object"}}], tool_choice=choice)
    )

    read = prompt.tool_choice and prompt.tool_choice.model_copy(update={"provider_options": None})
    assert read == expected
    assert prompt.request is not None
    assert ("tool_choice" in prompt.request) == (expected is None)


def test_a_changed_tool_choice_is_sent() -> None:
    """What was remembered of the wire counts only as long as it says the same."""
    tools = [{"name": "f", "input_schema": {"type": "object"}}]
    prompt = decoded(_API, _request(tools=tools, tool_choice={"type": "any"}))
    assert prompt.tool_choice is not None
    changed = replace(prompt, tool_choice=prompt.tool_choice.model_copy(update={"type": "auto"}))

    assert anthropic.encode(changed).request["tool_choice"] == {"type": "auto"}


def test_a_tool_of_another_api_is_listed() -> None:
    """In a prompt put together by hand: it leaves, and `changes` says so."""
    web_search = ProviderTool(api="openai_chat", value={"type": "web_search"})
    prompt = Prompt(messages=(UserMessage("Hi"),), api=_API, tools=(web_search,), request={"max_tokens": 9})

    assert [change.rule for change in anthropic.encode(prompt).changes] == ["provider-tool-left-out"]


@pytest.mark.parametrize(
    ("thinking", "expected"),
    [
        ({"type": "enabled", "budget_tokens": 1024}, True),
        ({"type": "adaptive"}, True),
        ({"type": "disabled"}, False),
        ({"type": {}}, None),
        (None, None),
    ],
)
def test_thinking(thinking: Any, expected: bool | None) -> None:
    """Whether thinking is on, where the request says so."""
    assert decoded(_API, _request(thinking=thinking)).thinking is expected


@pytest.mark.parametrize(
    ("thread", "held"),
    [
        ({"type": "continue", "previous_message_id": "msg_1"}, True),
        ({"type": "create"}, None),
        ("continue", None),
        (None, None),
    ],
)
def test_a_thread_that_goes_on_is_held_by_the_server(thread: Any, held: bool | None) -> None:
    """The request has the new turn alone: its results answer calls that stand there."""
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 degrees"}
    request = {
        "model": "claude-sonnet-5",
        "messages": [{"role": "user", "content": [result]}],
        "thread": thread,
    }
    assert anthropic.decode(request).server_state is held
    assert (fix(request, model="anthropic/claude-sonnet-5").request is request) is bool(held)


def test_a_bare_list() -> None:
    """A list comes back as the very list, or as a new one when something changed."""
    messages = [{"role": "user", "content": "Hi"}, _said("assistant", _use("a:b"))]
    prompt = decoded(_API, messages)
    assert prompt.request is None

    changed = anthropic.encode(renamed(prompt, "a:b", "x"))

    assert (changed.request, changed.system) == ([messages[0], _said("assistant", _use("x"))], None)
    assert changed.request[0] is messages[0]
