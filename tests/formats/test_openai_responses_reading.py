"""OpenAI Responses read: what each item becomes, and that it goes back as it was."""

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
    clean_messages,
)
from replayable.formats import format_named
from replayable.messages import Part
from tests.formats.comparing import decoded, renamed, text_of, touched
from tests.judges.good_requests import OPENAI_RESPONSES

_API: Final = "openai_responses"
_FORMAT: Final = format_named(_API)
_ASKED: Final = {"role": "user", "content": "Hi"}


def _request(*items: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "gpt-5", "input": list(items), **fields}


def _read(*items: Any, **fields: Any) -> Prompt:
    """The prompt, after checking that it goes back as it was: whole, by value, and with every message touched."""
    request = _request(*items, **fields)
    prompt = decoded(_API, request)
    again = _FORMAT.encode(touched(prompt)).request
    assert text_of(again) == text_of(request)
    # A part of an answer, and a result, remembers its item by itself.
    assert all(one is other for one, other in zip(again["input"], items, strict=True) if "role" not in other)
    return prompt


def _options(**fields: Any) -> dict[str, Any]:
    return {_API: fields}


def _function(call_id: str | None = "c1", **fields: Any) -> dict[str, Any]:
    call = {"type": "function_call", "name": "weather", "arguments": '{"city": "Oslo"}', **fields}
    return call if call_id is None else {**call, "call_id": call_id}


def _said(*content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": list(content), **fields}


def _output(text: str, **fields: Any) -> dict[str, Any]:
    return {"type": "output_text", "text": text, **fields}


def _answered(call_id: str = "c1", output: Any = "4 degrees", **fields: Any) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": output, **fields}


def _roles(prompt: Prompt) -> list[tuple[str, ...]]:
    return [(message.role, *(part.type for part in message.parts)) for message in prompt.messages]


def _parts(*items: Any) -> tuple[Part, ...]:
    """The parts of the one message that the items are read as."""
    (message,) = _read(*items).messages
    return message.parts


# --- the request ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OPENAI_RESPONSES)
def test_whole_requests(name: str) -> None:
    """Requests that use much of the API come back as the very object, and by value."""
    decoded(_API, OPENAI_RESPONSES[name])


def test_a_string_is_the_user() -> None:
    """The input may be a string; it goes back as one as long as nothing is added."""
    prompt = decoded(_API, {"model": "gpt-5", "input": "Hi"})
    assert prompt.messages == (UserMessage("Hi", provider_options=_options(**{"$input": True})),)

    grown = prompt.model_copy(update={"messages": (*prompt.messages, AssistantMessage("Hello"))})
    assert _FORMAT.encode(grown).request["input"] == [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
    ]


def test_instructions_are_a_system_message() -> None:
    """They remember their place, and a changed text goes back there."""
    prompt = decoded(_API, _request(_ASKED, instructions="Be brief."))
    assert prompt.messages[0] == SystemMessage("Be brief.", placement="top")

    changed = prompt.model_copy(
        update={"messages": (SystemMessage("Be long.", placement="top"), *prompt.messages[1:])}
    )
    assert _FORMAT.encode(changed).request == _request(_ASKED, instructions="Be long.")
    without = prompt.model_copy(update={"messages": prompt.messages[1:]})
    assert _FORMAT.encode(without).request == _request(_ASKED)


def test_a_bare_list() -> None:
    """A list of items without a request around it comes back as the list."""
    items = [_ASKED, _function(), _answered()]
    prompt = decoded(_API, items)

    assert prompt.request is None
    assert prompt.server_state is None
    assert _roles(prompt) == [("user", "text"), ("assistant", "tool_call"), ("tool", "tool_result")]


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({}, False),
        ({"store": True}, False),
        ({"previous_response_id": None}, False),
        ({"previous_response_id": "resp_1"}, True),
        ({"conversation": {"id": "conv_1"}}, True),
    ],
)
def test_server_state(fields: dict[str, Any], state: bool) -> None:
    """What the request builds on is the server's."""
    assert _read(_ASKED, **fields).server_state is state


@pytest.mark.parametrize("reference", [{"type": "item_reference", "id": "msg_1"}, {"id": "msg_1"}])
def test_references_are_server_state(reference: dict[str, Any]) -> None:
    """An item reference stands for a part of an answer that the server holds."""
    prompt = _read(_ASKED, reference, _answered())

    assert prompt.server_state is True
    assert prompt.messages[1].parts == (OpaquePart(api=_API, value=reference),)
    assert decoded(_API, [reference]).server_state is True


def test_a_request_without_input() -> None:
    """The server may hold all of it."""
    request = {"model": "gpt-5", "conversation": "conv_1"}

    assert decoded(_API, request).messages == ()


@pytest.mark.parametrize(
    ("reasoning", "thinking"),
    [
        (None, None),
        ({}, None),
        ({"summary": "auto"}, None),
        ({"effort": "none"}, False),
        ({"effort": "minimal"}, True),
    ],
)
def test_thinking(reasoning: Any, thinking: bool | None) -> None:
    """The effort says whether the model thinks."""
    assert _read(_ASKED, reasoning=reasoning).thinking is thinking


# --- answers --------------------------------------------------------------------------------------------------------


def test_one_answer_is_one_message() -> None:
    """Reasoning, what is said, and parallel calls stand as items of their own and are one answer."""
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"}
    said = _said(_output("I look.", annotations=[]), id="msg_1", status="completed")
    prompt = _read(
        _ASKED, reasoning, said, _function(id="fc_1"), _function("c2"), _answered("c2"), _answered()
    )

    assert _roles(prompt) == [
        ("user", "text"),
        ("assistant", "reasoning", "text", "tool_call", "tool_call"),
        ("tool", "tool_result"),
        ("tool", "tool_result"),
    ]
    assert prompt.messages[1] == AssistantMessage(
        parts=[
            ReasoningPart(id="rs_1", encrypted="gAAAA"),
            TextPart(
                "I look.",
                provider_options=_options(
                    id="msg_1",
                    status="completed",
                    content={"annotations": []},
                    **{"$content": "list", "$type": "message"},
                ),
            ),
            ToolCallPart(
                tool_call_id="c1",
                tool_name="weather",
                input={"city": "Oslo"},
                raw_input='{"city": "Oslo"}',
                provider_options=_options(id="fc_1"),
            ),
            ToolCallPart(
                tool_call_id="c2",
                tool_name="weather",
                input={"city": "Oslo"},
                raw_input='{"city": "Oslo"}',
            ),
        ],
        api=_API,
    )


_EASY: Final = {"role": "assistant", "content": "Hello"}
_REASONED: Final = {"type": "reasoning", "id": "rs_1", "summary": []}


@pytest.mark.parametrize(
    ("items", "roles"),
    [
        # What a client put together, without ids, says one thing.
        ([_EASY, _EASY], [("assistant", "text"), ("assistant", "text")]),
        ([_EASY, _REASONED, _EASY], [("assistant", "text"), ("assistant", "reasoning", "text")]),
        ([_EASY, _function()], [("assistant", "text", "tool_call")]),
        # Results follow the whole answer, so what was said behind a call belongs to it.
        ([_function(), _EASY], [("assistant", "tool_call", "text")]),
        ([_function(), _EASY, _EASY], [("assistant", "tool_call", "text"), ("assistant", "text")]),
        # With ids the items are as the model made them.
        ([_said(_output("a"), id="1"), _said(_output("b"), id="2")], [("assistant", "text", "text")]),
        ([_function(), _said(_output("b"), id="2")], [("assistant", "tool_call", "text")]),
        (
            [_said(_output("a"), id="1", phase="commentary"), _said(_output("b"), id="2")],
            [("assistant", "text", "text")],
        ),
        (
            [_said(_output("a"), id="1", phase="final_answer"), _said(_output("b"), id="2")],
            [("assistant", "text"), ("assistant", "text")],
        ),
        # One that says nothing stands alone.
        ([_EASY, _said()], [("assistant", "text"), ("assistant",)]),
    ],
)
def test_where_an_answer_ends(items: list[Any], roles: list[tuple[str, ...]]) -> None:
    """Several answers may follow each other."""
    assert _roles(_read(*items)) == roles


@pytest.mark.parametrize(
    "item",
    [
        {"role": "assistant", "content": "Hello"},
        {"type": "message", "role": "assistant", "content": ""},
        _said(_output("Hello")),
        _said(_output("Hello", annotations=[], logprobs=None), id="msg_1"),
        _said(_output("a"), {"type": "refusal", "refusal": "No."}, _output("b", x=1), id="msg_1", status="x"),
        _said({"type": "input_text", "text": "Hello"}),
        _said({"type": "odd"}),
        {"role": "assistant", "content": []},
        {"role": "assistant", "content": None, "status": "completed"},
        {"role": "assistant"},
    ],
)
def test_what_is_said(item: dict[str, Any]) -> None:
    """In whatever form, it goes back so."""
    _read(item)


def test_a_touched_piece_of_an_item() -> None:
    """Only the item that holds it is written anew, under the same id; the others go back as they are."""
    said = _said(_output("a"), _output("b", annotations=[]), id="msg_1")
    call = _function(id="fc_1")
    prompt = _read(said, call, _answered())
    message = prompt.messages[0]
    first = message.parts[0].model_copy(update={"text": "A"})

    changed = message.model_copy(update={"parts": (first, *message.parts[1:])})
    items = _FORMAT.encode(prompt.model_copy(update={"messages": (changed, prompt.messages[1])})).request[
        "input"
    ]

    assert items[0] == _said(_output("A"), _output("b", annotations=[]), id="msg_1")
    assert items[1] is call

    without = message.model_copy(update={"parts": message.parts[1:]})
    items = _FORMAT.encode(prompt.model_copy(update={"messages": (without, prompt.messages[1])})).request[
        "input"
    ]
    assert items[0] == _said(_output("b", annotations=[]), id="msg_1")


# --- reasoning ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "part"),
    [
        ({"id": "rs_1", "summary": []}, ReasoningPart(id="rs_1")),
        (
            {
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": "Hm."}],
                "encrypted_content": "gAAAA",
            },
            ReasoningPart(text="Hm.", id="rs_1", encrypted="gAAAA"),
        ),
        (
            {"summary": [{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}]},
            ReasoningPart(
                text="a\n\nb",
                provider_options=_options(
                    summary=[{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}]
                ),
            ),
        ),
        (
            {
                "id": None,
                "summary": [],
                "content": [{"type": "reasoning_text", "text": "Long."}],
                "encrypted_content": None,
                "status": "completed",
            },
            ReasoningPart(
                text="Long.",
                provider_options=_options(
                    content=[{"type": "reasoning_text", "text": "Long."}],
                    status="completed",
                    summary=[],
                    id=None,
                    encrypted_content=None,
                ),
            ),
        ),
        (
            {"id": "rs_1", "encrypted_content": "gAAAA"},
            ReasoningPart(
                id="rs_1", encrypted="gAAAA", provider_options=_options(**{"$absent": ["summary"]})
            ),
        ),
        (
            {"id": "rs_1", "summary": "odd"},
            ReasoningPart(id="rs_1", provider_options=_options(summary="odd")),
        ),
    ],
)
def test_reasoning(item: dict[str, Any], part: ReasoningPart) -> None:
    """The text is what can be read of it; the opaque state and the id stand beside."""
    assert _parts({"type": "reasoning", **item}) == (part,)


def test_changed_reasoning() -> None:
    """Another text becomes the summary; what said the old one goes."""
    prompt = _read(
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [],
            "content": [{"type": "reasoning_text", "text": "Old"}],
        }
    )
    message = prompt.messages[0]
    part = message.parts[0].model_copy(update={"text": "New"})
    changed = prompt.model_copy(update={"messages": (message.model_copy(update={"parts": (part,)}),)})

    assert _FORMAT.encode(changed).request["input"] == [
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "New"}]}
    ]


# --- calls and results ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "value", "raw"),
    [
        ('{"a": 1}', {"a": 1}, '{"a": 1}'),
        ("{broken", None, "{broken"),
        ("", None, ""),
        ("null", None, "null"),
        ({"a": 1}, {"a": 1}, None),
        (None, None, None),
    ],
)
def test_arguments(arguments: Any, value: Any, raw: str | None) -> None:
    """The text goes back letter by letter, whatever it means."""
    (part,) = _parts(_function(arguments=arguments))

    assert isinstance(part, ToolCallPart)
    assert (part.input, part.raw_input) == (value, raw)


@pytest.mark.parametrize("call_id", ["call_1", None])
def test_ids_are_kept_apart(call_id: str | None) -> None:
    """The item's id is not the call's."""
    (part,) = _parts({**_function(None, id="fc_1", status="completed"), "call_id": call_id})

    assert isinstance(part, ToolCallPart)
    assert part.tool_call_id == call_id
    assert part.provider_options is not None
    assert part.provider_options[_API]["id"] == "fc_1"


def test_a_renamed_call() -> None:
    """A rule that renames a call leaves its item's id, and the reasoning before, as they are."""
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    prompt = _read(reasoning, _function(id="fc_1", namespace="n"), _answered(id="fco_1"))
    items = _FORMAT.encode(renamed(prompt, "c1", "c9")).request["input"]

    assert items[0] is reasoning
    assert items[1:] == [_function("c9", id="fc_1", namespace="n"), _answered("c9", id="fco_1")]


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (
            {"type": "custom_tool_call", "call_id": "c1", "name": "sql", "input": "SELECT 1"},
            ToolCallPart(
                tool_call_id="c1",
                tool_name="sql",
                input="SELECT 1",
                provider_options=_options(**{"$type": "custom_tool_call"}),
            ),
        ),
        (
            {"type": "shell_call", "call_id": "c1", "action": {"commands": ["ls"]}, "status": "completed"},
            ToolCallPart(
                tool_call_id="c1",
                tool_name="shell",
                input={"action": {"commands": ["ls"]}},
                provider_options=_options(status="completed", **{"$type": "shell_call"}),
            ),
        ),
        (
            {"type": "tool_search_call", "call_id": "c1", "execution": "client", "arguments": {"q": "x"}},
            ToolCallPart(
                tool_call_id="c1",
                tool_name="tool_search",
                input={"q": "x"},
                provider_options=_options(execution="client", **{"$type": "tool_search_call"}),
            ),
        ),
        (
            {"type": "tool_search_call", "id": "ts_1", "call_id": None, "arguments": {"q": "x"}},
            ToolCallPart(
                tool_call_id="ts_1",
                tool_name="tool_search",
                input={"q": "x"},
                provider_executed=True,
                provider_options=_options(id="ts_1", call_id=None, **{"$type": "tool_search_call"}),
            ),
        ),
        (
            {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"query": "q"}},
            ToolCallPart(
                tool_call_id="ws_1",
                tool_name="web_search",
                input={"action": {"query": "q"}},
                provider_executed=True,
                provider_options=_options(id="ws_1", status="completed", **{"$type": "web_search_call"}),
            ),
        ),
    ],
)
def test_calls_of_other_tools(call: dict[str, Any], part: ToolCallPart) -> None:
    """Tools that OpenAI knows by type are named after it; what the server runs is marked so."""
    assert _parts(call) == (part,)


def test_a_call_with_its_result() -> None:
    """What came of a tool that the server ran stands in the call's own item, and goes back there."""
    item = {
        "type": "mcp_call",
        "id": "mcp_1",
        "name": "ask",
        "arguments": "{}",
        "output": "A city",
        "error": None,
    }
    prompt = _read(_ASKED, item)
    call, result = prompt.messages[1].parts

    assert isinstance(call, ToolCallPart)
    assert (call.provider_executed, call.tool_call_id, call.input) == (True, "mcp_1", {})
    assert result == ToolResultPart(
        tool_call_id="mcp_1",
        tool_name="ask",
        output="A city",
        provider_executed=True,
        provider_options=_options(**{"$result": "output"}),
    )
    changed = prompt.messages[1].model_copy(
        update={"parts": (call, result.model_copy(update={"output": "x"}))}
    )
    again = _FORMAT.encode(prompt.model_copy(update={"messages": (prompt.messages[0], changed)}))
    assert again.request["input"][1] == {**item, "output": "x"}
    # Without its call it has no place.
    alone = prompt.messages[1].model_copy(update={"parts": (result,)})
    again = _FORMAT.encode(prompt.model_copy(update={"messages": (prompt.messages[0], alone)}))
    assert again.request["input"] == [_ASKED]
    assert [change.rule for change in again.changes] == ["provider-executed-tool"]


def test_what_the_server_found() -> None:
    """A search for tools that the server ran is answered within the same answer."""
    prompt = _read(
        {"type": "tool_search_call", "call_id": None, "execution": "server", "arguments": {}},
        {"type": "tool_search_output", "call_id": None, "execution": "server", "tools": []},
        _function(),
    )

    assert _roles(prompt) == [("assistant", "tool_call", "tool_result", "tool_call")]


@pytest.mark.parametrize(
    "item",
    [
        _answered(),
        _answered(output=""),
        _answered(output=None),
        _answered(output=[]),
        _answered(
            output=[{"type": "input_text", "text": "a"}, {"type": "odd"}], status="completed", id="fco_1"
        ),
        _answered(
            output=[{"type": "input_image", "image_url": "data:image/png;base64,QQ==", "detail": "auto"}]
        ),
        {"type": "function_call_output", "call_id": None, "output": "x"},
        {"type": "function_call_output", "call_id": "c1"},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "x"},
        {"type": "shell_call_output", "call_id": "c1", "output": [{"stdout": "x"}], "max_output_length": 5},
        {"type": "local_shell_call_output", "id": "c1", "output": "x"},
        {"type": "local_shell_call_output", "call_id": "c1", "output": "x"},
        {"type": "apply_patch_call_output", "call_id": "c1", "status": "failed"},
        {
            "type": "computer_call_output",
            "call_id": "c1",
            "output": {"type": "computer_screenshot", "file_id": "file-1"},
            "acknowledged_safety_checks": [],
        },
        {
            "type": "tool_search_output",
            "call_id": "c1",
            "execution": "client",
            "tools": [{"type": "function"}],
        },
    ],
)
def test_outputs(item: dict[str, Any]) -> None:
    """Each is a tool message, and goes back in its form."""
    prompt = _read(item)

    assert _roles(prompt) == [("tool", "tool_result")]
    assert isinstance(prompt.messages[0], ToolMessage)


@pytest.mark.parametrize("answered", ["c1", "lsh_1"])
def test_a_shell_s_output_names_its_call_by_id(answered: str) -> None:
    """The call's id, or that of its item: it is the call's result, and goes back under the id that it had."""
    items = [
        {"type": "local_shell_call", "id": "lsh_1", "call_id": "c1", "action": {"type": "exec"}},
        {"type": "local_shell_call_output", "id": answered, "output": "x"},
    ]
    prompt = _read(_ASKED, *items)
    result = prompt.messages[2].parts[0]
    copies = tuple(message.model_copy() for message in prompt.messages)

    assert isinstance(result, ToolResultPart)
    assert result.tool_call_id == "c1"
    assert clean_messages(prompt.messages) is prompt.messages
    assert _FORMAT.encode(prompt.model_copy(update={"messages": copies})).request["input"][1:] == items


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (
            {"type": "custom_tool_call", "call_id": "c1", "name": "sql", "input": "x"},
            {"type": "custom_tool_call_output", "output": "x"},
        ),
        (
            {"type": "shell_call", "call_id": "c1", "action": {}},
            {
                "type": "shell_call_output",
                "output": [{"stdout": "x", "stderr": "", "outcome": {"type": "exit", "exit_code": 1}}],
            },
        ),
        (
            {"type": "apply_patch_call", "call_id": "c1", "operation": {}},
            {"type": "apply_patch_call_output", "status": "failed", "output": "x"},
        ),
        (
            {"type": "local_shell_call", "call_id": "c1", "action": {}},
            {"type": "local_shell_call_output", "output": "x"},
        ),
        (
            {"type": "tool_search_call", "call_id": "c1", "execution": "client", "arguments": {}},
            {"type": "tool_search_output", "execution": "client", "status": "completed", "tools": []},
        ),
    ],
)
def test_an_answer_that_was_missing(call: dict[str, Any], answer: dict[str, Any]) -> None:
    """An answer that did not come from this API takes the form that the call's answers have."""
    prompt = _read(_ASKED, call)
    result = ToolResultPart(tool_call_id="c1", output="x", is_error=True, synthesized=True)
    grown = prompt.model_copy(update={"messages": (*prompt.messages, ToolMessage(parts=[result]))})

    assert _FORMAT.encode(grown).request["input"][2] == {"call_id": "c1", **answer}


# --- the rest -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"type": "input_text", "text": "Hi"}, TextPart("Hi")),
        ({"type": "text", "text": "Hi"}, TextPart("Hi", provider_options=_options(**{"$type": "text"}))),
        (
            {"type": "input_image", "image_url": "https://example.org/a.png", "detail": "low"},
            FilePart(
                media_type="image/*",
                url="https://example.org/a.png",
                provider_options=_options(detail="low", **{"$type": "input_image"}),
            ),
        ),
        (
            {"type": "input_image", "file_id": "file-1", "image_url": None},
            FilePart(
                media_type="image/*",
                file_id="file-1",
                provider_options=_options(image_url=None, **{"$type": "input_image"}),
            ),
        ),
        (
            {"type": "input_file", "file_data": "data:application/pdf;base64,QQ==", "filename": "a.pdf"},
            FilePart(
                media_type="application/pdf",
                data="QQ==",
                filename="a.pdf",
                provider_options=_options(**{"$type": "input_file"}),
            ),
        ),
        (
            {"type": "input_file", "file_data": "QQ=="},
            FilePart(data="QQ==", provider_options=_options(**{"$type": "input_file"})),
        ),
        (
            {"type": "input_file", "file_url": "https://example.org/a.pdf"},
            FilePart(url="https://example.org/a.pdf", provider_options=_options(**{"$type": "input_file"})),
        ),
        (
            {"type": "input_audio", "input_audio": {"data": "QQ=="}},
            OpaquePart(api=_API, value={"type": "input_audio", "input_audio": {"data": "QQ=="}}),
        ),
        ({"type": "input_image"}, OpaquePart(api=_API, value={"type": "input_image"})),
    ],
)
def test_content(part: dict[str, Any], expected: Part) -> None:
    """Texts, images and files by bytes, URL or id; what is not known stays verbatim."""
    prompt = _read({"role": "user", "content": [part, {"type": "input_text", "text": "?"}]})

    assert prompt.messages[0].parts[0] == expected


@pytest.mark.parametrize("role", ["system", "developer"])
def test_system_messages_in_the_list(role: str) -> None:
    """Both roles are the system's, and stay where and what they are."""
    prompt = _read(
        _ASKED, {"type": "message", "role": role, "content": [{"type": "input_text", "text": "x"}]}
    )

    message = prompt.messages[1]
    assert isinstance(message, SystemMessage)
    assert message.placement == "list"
    assert message.parts == (TextPart("x"),)


@pytest.mark.parametrize(
    ("item", "role"),
    [
        ({"type": "compaction", "encrypted_content": "gAAAA"}, "assistant"),
        ({"type": "mcp_list_tools", "id": "1", "tools": []}, "assistant"),
        ({"type": "mcp_approval_request", "id": "1"}, "assistant"),
        ({"type": "mcp_approval_response", "approve": True}, "user"),
        ({"type": "program_output", "result": "1"}, "user"),
        ({"type": "additional_tools", "role": "developer", "tools": []}, "system"),
        ({"type": ["odd"]}, "assistant"),
    ],
)
def test_unknown_items(item: dict[str, Any], role: str) -> None:
    """They are kept verbatim, on the side where they belong."""
    prompt = _read(_ASKED, item)

    assert prompt.messages[1].role == role
    (part,) = prompt.messages[1].parts
    assert isinstance(part, OpaquePart)
    assert part.value == item
