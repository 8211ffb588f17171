"""Items of OpenAI's Responses API, in each form in which langchain-openai keeps them: left alone, and mended after OpenAI's rejections."""

from __future__ import annotations

from typing import Any, Final

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from typing_extensions import override

from replayable import Change, LLMRequestArgs, Processor, Prompt
from replayable.edits import map_parts, replace
from replayable.integrations.langchain import HistoryCompat, repair
from replayable.prompt import with_messages
from tests.integrations.loopback import Loopback, Reply, serving
from tests.integrations.sdks import OpenAIResponses
from tests.oracle import violations

RESPONSES: Final = OpenAIResponses()
SEALED: Final = "gAAAAABo"
OUTPUT: Final[tuple[Any, ...]] = (
    {
        "type": "reasoning",
        "id": "rs_1",
        "encrypted_content": SEALED,
        "summary": [{"type": "summary_text", "text": text} for text in ("Oslo?", "Oslo!")],
    },
    {
        "type": "message",
        "id": "msg_0",
        "role": "assistant",
        "status": "completed",
        "phase": "commentary",
        "content": [
            {"type": "output_text", "text": "One", "annotations": [], "logprobs": []},
            {"type": "output_text", "text": "moment.", "annotations": [], "logprobs": []},
        ],
    },
    {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "search",
        "arguments": '{"q": "Oslo"}',
        "status": "completed",
    },
)
FORMS: Final = ("v0", "responses/v1", "v1")
UNREADABLE: Final = "The encrypted content gAAA could not be verified. Reason: Encrypted content could not be decrypted or parsed."
NOT_FOUND: Final = "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."
INCOMPLETE: Final = (
    "Item 'msg_0' of type 'message' was provided without its required 'reasoning' item: 'rs_1'."
)


def search(q: str) -> str:
    """Search for something."""
    return "In Norway."


def agent(server: Loopback, form: str, compat: HistoryCompat) -> Any:
    """An agent whose model keeps items in a form."""
    model: Any = ChatOpenAI(
        model="gpt-5",
        base_url=f"{server.url}/v1",
        api_key=lambda: "none",
        max_retries=0,
        use_responses_api=True,
        output_version=form,
    )
    return create_agent(model, tools=[search], middleware=[compat])


def provider(refusal: str | None = None, *, mark: str = "") -> Any:
    """OpenAI, which calls a tool first, refuses what has the mark in it, or what the oracle has something against, else answers."""

    def answer(path: str, body: Any) -> Reply:
        if not any(item.get("type") == "function_call" for item in body["input"]):
            whole = RESPONSES.answer("").body
            return Reply(body={**whole, "id": "resp_0", "output": list(OUTPUT)})
        if refusal is not None and mark in str(body["input"]):
            return RESPONSES.refusal(refusal)
        found = violations(body, api="openai_responses", provider="openai", model="gpt-5")
        return RESPONSES.refusal(found[0].message) if found else RESPONSES.answer("Norway.")

    return answer


@pytest.mark.parametrize("form", FORMS)
def test_items_stay_as_they_are(form: str) -> None:
    """What is read is what langchain-openai makes of an answer."""
    told: list[tuple[Change, ...]] = []
    with serving(provider()) as server:
        state = agent(server, form, HistoryCompat(on_change=told.append)).invoke({"messages": "Where?"})
    assert state["messages"][-1].text == "Norway."
    assert (told, len(server.requests)) == ([], 2)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("refusal", "mark", "keeps_reasoning"),
    [(UNREADABLE, SEALED, False), (NOT_FOUND, "rs_1", True), (INCOMPLETE, "msg_0", True)],
    ids=["unreadable", "not found", "incomplete"],
)
def test_what_openai_can_not_find_comes_by_value(
    form: str, refusal: str, mark: str, keeps_reasoning: bool
) -> None:
    """It refuses an item whose reasoning is missing; without its id it is new to it."""
    with serving(provider(refusal, mark=mark)) as server:
        state = agent(server, form, HistoryCompat()).invoke({"messages": "Where?"})
    assert state["messages"][-1].text == "Norway."
    _, (_, refused), (_, sent) = server.requests
    assert mark in str(refused)
    reasoning, *others = sent["input"][1:] if keeps_reasoning else [None, *sent["input"][1:]]
    assert (reasoning is not None and reasoning["encrypted_content"] == SEALED) is keeps_reasoning
    assert [item.get("id") for item in others] == [None] * len(others)
    *said, call, result = others
    assert [part["text"] for item in said for part in item["content"]] == ["One", "moment."]
    assert (call["type"], result["type"]) == ("function_call", "function_call_output")


def gpt(**options: Any) -> ChatOpenAI:
    """GPT by the Responses API."""
    return ChatOpenAI(model="gpt-5", api_key=lambda: "none", use_responses_api=True, **options)


def sent(messages: list[Any]) -> list[Any]:
    """The items that langchain-openai sends."""
    items: list[Any] = gpt()._get_request_payload(messages)["input"]
    return items


LONG: Final = "call_" + "x" * 80


@pytest.mark.parametrize("call_id", ["call_1", LONG])
def test_calls_of_custom_tools_keep_their_text(call_id: str) -> None:
    """Be they renamed or not: the item, LangChain's entry and the result have the same id."""
    block = {"type": "custom_tool_call", "id": "ctc_1", "call_id": call_id, "name": "run", "input": "1 + 1"}
    entry: Any = {"type": "tool_call", "name": "run", "args": {"__arg1": "1 + 1"}, "id": call_id}
    history: list[Any] = [
        HumanMessage("Run!"),
        AIMessage([block], tool_calls=[entry]),
        ToolMessage([{"type": "custom_tool_call_output", "output": "2"}], tool_call_id=call_id),
    ]
    repaired = repair(history, gpt())
    assert (repaired == history) is (call_id == "call_1")
    _, call, result = sent(repaired)
    assert call == {**block, "call_id": result["call_id"]}
    assert len(call["call_id"]) <= 64


@pytest.mark.parametrize("wrapped", [False, True])
def test_what_a_computer_did_answers_its_call(wrapped: bool) -> None:
    """LangChain keeps no entry of such calls beside their blocks."""
    block: Any = {"type": "computer_call", "id": "cu_1", "call_id": LONG, "action": {"type": "screenshot"}}
    picture = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}
    history: list[Any] = [
        HumanMessage("Look!"),
        AIMessage([{"type": "non_standard", "value": block} if wrapped else block]),
        ToolMessage([picture], tool_call_id=LONG, additional_kwargs={"type": "computer_call_output"}),
    ]
    repaired: list[Any] = repair(history, gpt())
    _, call, result = sent(repaired)
    assert call == {**block, "call_id": result["call_id"]}
    assert len(call["call_id"]) <= 64
    assert (result["type"], result["output"]) == ("computer_call_output", picture)
    assert repaired[1].tool_calls == []


def test_a_search_that_lost_its_reasoning_leaves() -> None:
    """LangChain's own blocks of it can be sent under its id alone, which OpenAI would not take; it is listed."""
    history: list[Any] = [
        HumanMessage("Where?"),
        AIMessage(
            [
                {"type": "server_tool_call", "name": "web_search", "id": "ws_1", "args": {"query": "Oslo"}},
                {"type": "server_tool_result", "tool_call_id": "ws_1", "status": "success"},
                {"type": "text", "text": "In Norway.", "id": "msg_1"},
            ],
            response_metadata={"model_provider": "openai", "output_version": "v1"},
        ),
        HumanMessage("Sure?"),
    ]
    told: list[Change] = []
    guard = HistoryCompat(on_change=told.extend)
    request: Any = ModelRequest(model=gpt(), messages=history)
    given: list[Any] = []

    def handler(request: Any) -> Any:
        given.append(request.messages)
        if len(given) == 1:
            raise RuntimeError(INCOMPLETE.replace("msg_0", "ws_1"))
        return ModelResponse(result=[AIMessage("Yes.")])

    guard.wrap_model_call(request, handler)
    first, second = map(sent, given)
    assert [item.get("id") for item in first] == [None, "ws_1", "msg_1", None]
    assert [(item["type"], item.get("id")) for item in second] == [("message", None)] * 3
    assert [change.rule for change in told if change.action == "removed"] == ["not-supported-here"] * 2


class Shouting(Processor):
    """A user's own."""

    id = "shouting"

    @override
    def process_llm_request(self, args: LLMRequestArgs) -> Prompt | None:
        """Shout all texts."""
        louder = map_parts(
            args.prompt.messages,
            lambda message, part: replace(part, text=part.text.upper()) if part.type == "text" else part,
            needs=-1,
        )
        return None if louder is None else with_messages(args.prompt, louder)


def test_a_text_that_has_changed_is_no_longer_its_item() -> None:
    """OpenAI would take its own copy."""
    text = {"type": "text", "text": "In Norway.", "id": "msg_1", "annotations": []}
    history: list[Any] = [HumanMessage("Where?"), AIMessage([text])]
    _, answer = sent(repair(history, gpt(), processors=[Shouting()]))
    assert "id" not in answer
    assert answer["content"][0]["text"] == "IN NORWAY."


def test_ids_that_langchain_made_up_are_no_items() -> None:
    """It never sends them."""
    text = {"type": "text", "text": "In Norway.", "id": "lc_1"}
    history: list[Any] = [HumanMessage("Where?"), AIMessage([text]), HumanMessage("Sure?")]
    assert [id(one) for one in repair(history, gpt())] == [id(one) for one in history]


def test_a_refusal_keeps_its_words_without_its_id() -> None:
    """An id that OpenAI did not make leaves; what was said stays."""
    block = {"type": "refusal", "refusal": "I'd rather not.", "id": "chatcmpl-1"}
    _, answer = sent(repair([HumanMessage("Help!"), AIMessage([block])], gpt()))
    assert "id" not in answer
    assert answer["content"] == [{"type": "refusal", "refusal": "I'd rather not."}]
