"""The rules of OpenAI's Responses API where they are finer than their examples."""

from __future__ import annotations

from typing import Any

import pytest

from replayable import ModelRef, ProviderError, check, explain, fix
from replayable.compat.providers.response_items import BY_VALUE, ENCRYPTED_CONTENT, FOLLOWED_REASONING
from replayable.compat.rule import CompatRule
from replayable.formats import openai_responses

TOKEN = "gAAAAABo"
ASK = {"role": "user", "content": "Where is Oslo?"}
THANKS = {"role": "user", "content": "Thanks."}


def reasoning(item_id: str | None = "rs_1", **fields: Any) -> dict[str, Any]:
    """A reasoning item."""
    named = {} if item_id is None else {"id": item_id}
    return {"type": "reasoning", **named, "summary": [], "encrypted_content": TOKEN, **fields}


def call(item_id: str | None = "fc_1", call_id: str = "call_1") -> dict[str, Any]:
    """A call."""
    named = {} if item_id is None else {"id": item_id}
    return {"type": "function_call", **named, "call_id": call_id, "name": "search", "arguments": "{}"}


def output(call_id: str = "call_1") -> dict[str, Any]:
    """Its output."""
    return {"type": "function_call_output", "call_id": call_id, "output": "In Norway."}


def said(item_id: str | None = "msg_1", text: str = "In Norway.") -> dict[str, Any]:
    """What an answer says."""
    named = {} if item_id is None else {"id": item_id}
    return {
        "type": "message",
        "role": "assistant",
        **named,
        "content": [{"type": "output_text", "text": text}],
    }


def sent(*items: Any, model: str = "openai.responses/gpt-5", **fields: Any) -> list[Any]:
    """The items that reach the provider."""
    request = {"input": list(items), **fields}
    found: list[Any] = fix(request, model=model, source="openai_responses").request["input"]
    return found


def repaired(rule: CompatRule, *items: Any, said: str = "") -> list[Any]:
    """The items after a rejection."""
    prompt = openai_responses.decode({"input": list(items)})
    assert rule.fix is not None
    messages = rule.fix(prompt.messages, ProviderError.of(said) if said else ProviderError())
    changed = prompt if messages is None else prompt.model_copy(update={"messages": messages})
    found: list[Any] = openai_responses.encode(changed).request["input"]
    return found


def test_ids_leave_with_the_reasoning_before_them() -> None:
    """Dropped reasoning takes the ids behind it, up to the next reasoning, whose own stay."""
    foreign = reasoning(encrypted_content="rsn_5ZVr")
    items = [ASK, foreign, call(), reasoning("rs_2"), call("fc_2", "call_2"), output(), output("call_2")]
    assert sent(*items) == [
        ASK,
        call(None),
        reasoning("rs_2"),
        call("fc_2", "call_2"),
        output(),
        output("call_2"),
    ]


def test_reasoning_may_be_followed_by_the_next_answer() -> None:
    """What the model wrote next counts, whatever the messages are into which the items were read."""
    items = [ASK, reasoning(), reasoning("rs_2"), call(), output()]
    assert sent(*items) == items
    assert sent(ASK, reasoning(), THANKS) == [ASK, THANKS]


def test_reasoning_before_a_message_without_id() -> None:
    """It stays by value where its content is there; o3-mini takes it as it is, and what is stored alone can't stay."""
    assert sent(ASK, reasoning(), said(None)) == [ASK, reasoning(None), said(None)]
    as_it_is = [ASK, reasoning(), said(None)]
    assert sent(*as_it_is, model="openai.responses/o3-mini") == as_it_is
    assert sent(ASK, reasoning(encrypted_content=None), said(None)) == [ASK, said(None)]


def test_ids_leave_with_the_id_of_the_reasoning_before_them() -> None:
    """However many messages the response has, up to the next reasoning or to what the client says."""
    assert sent(ASK, reasoning(), said(None), said("msg_2")) == [ASK, reasoning(None), said(None), said(None)]
    assert sent(ASK, reasoning(None), said(), THANKS) == [ASK, reasoning(None), said(None), THANKS]
    assert sent(ASK, reasoning(None), call(), output(), said()) == [
        ASK,
        reasoning(None),
        call(None),
        output(),
        said(),
    ]
    as_it_is = [ASK, reasoning(None), reasoning("rs_2"), said(), THANKS]
    assert sent(*as_it_is) == as_it_is
    # What left altogether: the whole response comes by value.
    assert sent(ASK, reasoning(encrypted_content=None), said(None), said("msg_2"), THANKS) == [
        ASK,
        said(None),
        said(None),
        THANKS,
    ]


def test_the_named_reasoning_goes_where_nothing_is_seen() -> None:
    """The server may miss what looks complete: then the item goes that it names."""
    text = "Item 'rs_1' of type 'reasoning' was provided without its required following item."
    items = [ASK, reasoning(), call(), output()]
    assert repaired(FOLLOWED_REASONING, *items, said=text) == [ASK, call(None), output()]


def test_refused_encrypted_content_takes_compaction_along() -> None:
    """Once the server could not read some, nothing encrypted is sent again."""
    compaction = {"type": "compaction", "id": "cmp_1", "encrypted_content": TOKEN}
    items = [ASK, reasoning(), call(), output(), compaction, said("msg_2"), THANKS]
    assert repaired(ENCRYPTED_CONTENT, *items) == [ASK, call(None), output(), said("msg_2"), THANKS]


def test_nothing_left_is_a_repair() -> None:
    """A history of nothing but what was refused is emptied."""
    prompt = openai_responses.decode([reasoning()])
    assert ENCRYPTED_CONTENT.fix is not None
    assert ENCRYPTED_CONTENT.fix(prompt.messages, ProviderError()) == ()
    # Before a call something is said in its place, unless the server holds a history.
    foreign = reasoning(encrypted_content="rsn_5ZVr")
    assert [item["role"] for item in sent(foreign)] == ["user"]
    assert sent(foreign, previous_response_id="resp_1") == []


def test_what_is_not_stored_is_not_pointed_at() -> None:
    """With store=false references leave, with results whose calls they were; stored traffic keeps them."""
    reference = {"type": "item_reference", "id": "fc_9"}
    items = [ASK, reference, output("call_9"), reasoning(encrypted_content=None), call(), output()]
    assert sent(*items, store=False) == [ASK, call(None), output()]
    assert sent(ASK, reference, output("call_9")) == [ASK, reference, output("call_9")]


def test_by_value_after_a_rejection() -> None:
    """All ids go, reasoning stays where its content is there."""
    items = [ASK, reasoning(), call(), output(), reasoning("rs_2", encrypted_content=None), said()]
    assert repaired(BY_VALUE, *items) == [ASK, reasoning(None), call(None), output(), said(None)]


def test_an_item_that_comes_again_comes_by_value() -> None:
    """Nothing is lost: the second message has the same words and no id. All parts of a message are one item."""
    parts = said()
    parts["content"].append({"type": "output_text", "text": "At the fjord."})
    assert sent(ASK, parts, THANKS) == [ASK, parts, THANKS]
    assert sent(ASK, said(), THANKS, said(), THANKS) == [ASK, said(), THANKS, said(None), THANKS]


def test_files_in_an_answer_move_behind_its_results() -> None:
    """An image that an answer holds stands in a user message, behind the outputs of the answer's calls."""
    image = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}
    drawn = said("msg_1", "Look:")
    drawn["content"].append(image)
    moved = {"role": "user", "content": [image]}
    assert sent(ASK, drawn, THANKS) == [ASK, said("msg_1", "Look:"), moved, THANKS]
    assert sent(ASK, drawn, call(), output(), THANKS) == [
        ASK,
        said("msg_1", "Look:"),
        call(),
        output(),
        moved,
        THANKS,
    ]
    assert sent(ASK, {**drawn, "content": [image]}, THANKS) == [ASK, moved, THANKS]


@pytest.mark.parametrize("provider", ["azure", "openai", "chatgpt_codex"])
@pytest.mark.parametrize("item_id", ["chatcmpl-1", "msg_" + "x" * 61, "msg_1:2"])
def test_ids_of_others_leave(provider: str, item_id: str) -> None:
    """By their beginning, length or characters; models of others, and other servers, are left alone."""
    model = ModelRef.of({"provider": provider, "model": "gpt-5"}, api="openai_responses")
    found = {finding.rule for finding in check({"input": [ASK, said(item_id), THANKS]}, model=model)}
    assert found == {"openai-item-id-format"}
    other = ModelRef.of({"provider": "openrouter", "model": "x"}, api="openai_responses")
    assert check({"input": [ASK, said(item_id), THANKS]}, model=other) == []


def test_calls_beside_state_are_answered_where_nobody_did() -> None:
    """Results may answer what the server holds; a call of the request can't be answered there."""
    items = [output("call_0"), call(None), THANKS]
    found = sent(*items, previous_response_id="resp_1")
    assert [item.get("call_id") for item in found] == ["call_0", "call_1", "call_1", None]
    late = [call(None), THANKS, output()]
    rules = {
        f.rule for f in check({"input": late, "previous_response_id": "r"}, model="openai.responses/gpt-5")
    }
    assert rules == {"clean-messages"}


def test_a_response_that_is_gone_is_explained() -> None:
    """What the server held can't be made up: no rule answers, and the caller is told what to send."""
    found = explain("Previous response with id 'resp_1' not found.")
    assert found is not None
    assert (found.entry, found.rule) == ("responses-previous-not-found", None)
    assert "whole history" in found.remedy


def test_a_llama_server_reads_items_by_the_letter() -> None:
    """Typed messages, readable reasoning, no references and nobody else's tools."""
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    reference = {"type": "item_reference", "id": "msg_0"}
    readable = {"type": "reasoning", "id": "rs_2", "summary": [{"type": "summary_text", "text": "Hm."}]}
    items = [ASK, reasoning(), search, {"role": "assistant", "content": "Norway."}, reference, THANKS]
    model = "llamacpp.responses/qwen3-4b"
    assert sent(*items, model=model) == [
        ASK,
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Norway."}],
        },
        THANKS,
    ]
    found = sent(ASK, readable, said(), THANKS, model=model)
    assert found[1]["content"] == [{"type": "reasoning_text", "text": "Hm."}]
    assert found[2:] == [said(), THANKS]


@pytest.mark.parametrize("nothing", [{"output": None}, {}])
@pytest.mark.parametrize("kind", ["function_call_output", "custom_tool_call_output"])
def test_an_output_that_is_null_says_an_empty_text(kind: str, nothing: dict[str, Any]) -> None:
    """And so does a question without content; what the tools of others return stays."""
    calling = {"function_call_output": call(None), "custom_tool_call_output": _custom_call()}[kind]
    empty = {"type": kind, "call_id": "call_1", **nothing}
    asked = {"role": "user", **({"content": None} if nothing else {})}
    request = {"input": [asked, calling, empty]}
    found = {finding.rule for finding in check(request, model="openai.responses/gpt-5")}
    assert found == {"openai-responses-content-present", "openai-responses-outputs-present"}
    assert sent(asked, calling, empty) == [
        {"role": "user", "content": ""},
        calling,
        {"type": kind, "call_id": "call_1", "output": ""},
    ]


def _custom_call() -> dict[str, Any]:
    return {"type": "custom_tool_call", "call_id": "call_1", "name": "shell", "input": "ls"}


def test_the_output_of_a_call_that_was_a_reference_leaves_with_it() -> None:
    """Where the server knows no references."""
    reference = {"type": "item_reference", "id": "fc_1"}
    model = "llamacpp.responses/qwen3-4b"
    assert sent(ASK, reference, output(), THANKS, model=model) == [ASK, THANKS]
    assert sent(ASK, reference, call(None, "call_2"), output("call_2"), model=model)[1:] == [
        call(None, "call_2"),
        output("call_2"),
    ]
