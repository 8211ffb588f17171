"""What LiteLLM has beside plain calls: a router, callbacks, objects among the messages, streams that open late."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import pytest

from replayable import ModelRef, RuleMemory
from replayable.integrations import collect_changes
from replayable.integrations.litellm import HistoryCompat, model_ref, repair, wrap
from tests.frameworks.drivers.litellm import litellm
from tests.frameworks.providers import ANTHROPIC, CEREBRAS
from tests.frameworks.test_scenarios import SIGNATURE, STALE_ID, conversation
from tests.integrations.loopback import Reply, serving
from tests.integrations.sdks import GoogleGenai, OpenAIResponses

_REFUSAL = "messages.1.content.0: Invalid `signature` in `thinking` block"


def _thinking() -> list[dict[str, Any]]:
    history = conversation()
    history[1]["thinking_blocks"] = [{"type": "thinking", "thinking": "Oslo.", "signature": SIGNATURE}]
    return history


def _arguments(url: str, messages: list[Any]) -> dict[str, Any]:
    return {
        "model": "anthropic/claude-sonnet-5",
        "api_base": url,
        "api_key": "none",
        "max_tokens": 2000,
        "messages": messages,
    }


def _router(*urls: str, **options: Any) -> Any:
    deployments = [{"api_base": url, "api_key": "none", "model": "anthropic/claude-sonnet-5"} for url in urls]
    named = [{"model_name": "house-model", "litellm_params": one} for one in deployments]
    return litellm.Router(model_list=named, num_retries=0, **options)


@pytest.mark.parametrize(
    ("model", "given", "expected"),
    [
        ("anthropic/claude-sonnet-5", {}, ("anthropic", "anthropic", "claude-sonnet-5")),
        ("claude-sonnet-5", {}, ("anthropic", "anthropic", "claude-sonnet-5")),
        ("claude-sonnet-5", {"custom_llm_provider": "anthropic"}, ("anthropic", "anthropic", "claude-sonnet-5")),
        ("openai/gpt-5", {}, ("openai", "openai_chat", "gpt-5")),
        ("openai/responses/gpt-5", {}, ("openai", "openai_responses", "gpt-5")),
        ("azure/responses/mine", {}, ("azure", "openai_responses", "mine")),
        ("openai/x", {"api_base": "https://api.cerebras.ai/v1"}, ("cerebras", "openai_chat", "x")),
        ("anthropic/MiniMax-M2", {"api_base": "https://api.minimax.io/anthropic"}, ("minimax", "anthropic", "MiniMax-M2")),
        ("github_copilot/gpt-4.1", {}, ("copilot", "openai_chat", "gpt-4.1")),
        ("ollama_chat/llama3", {}, ("ollama", "ollama_chat", "llama3")),
        ("vertex_ai/gemini-2.5-pro", {}, ("vertex", "gemini", "gemini-2.5-pro")),
        ("vertex_ai/claude-sonnet-5", {}, ("vertex", "anthropic", "claude-sonnet-5")),
        ("vertex_ai/mistral-large@2411", {}, ("vertex", "openai_chat", "mistral-large@2411")),
        ("bedrock/converse/anthropic.claude-3-haiku-20240307-v1:0", {}, ("bedrock", "bedrock", "anthropic.claude-3-haiku-20240307-v1:0")),
        ("bedrock/invoke/anthropic.claude-3-haiku-20240307-v1:0", {}, ("bedrock", "anthropic", "anthropic.claude-3-haiku-20240307-v1:0")),
        ("litellm_proxy/claude-sonnet-5", {}, ("anthropic", "openai_chat", "claude-sonnet-5")),
        (None, {}, (None, None, None)),
    ],
)  # fmt: skip
def test_who_serves(
    model: Any, given: Any, expected: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told by what tells LiteLLM."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    ref = model_ref(model, **given)
    assert (ref.provider, ref.api, ref.model) == expected


def test_an_openai_url_in_the_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it does for LiteLLM."""
    monkeypatch.setenv("OPENAI_BASE_URL", "https://api.deepseek.com/v1")
    assert model_ref("openai/deepseek-chat").provider == "deepseek"


def test_objects_among_the_messages_stay_objects() -> None:
    """An answer is usually put back into the list as LiteLLM's own object, or its calls are."""
    call = litellm.ChatCompletionMessageToolCall(id="toolu_1", function={"name": "search", "arguments": "{}"})
    answer = litellm.Message(role="assistant", content=None, tool_calls=[call])
    beside = {"role": "assistant", "content": None, "tool_calls": [call]}
    for one in (answer, beside):
        stored = [{"role": "user", "content": "Where?"}, one, {"role": "user", "content": "And?"}]
        healed = repair(stored)
        assert [healed[0] is stored[0], healed[1] is one, healed[3] is stored[2]] == [True] * 3
        assert healed[2]["tool_call_id"] == "toolu_1"
    assert repair([answer, {"role": "tool", "tool_call_id": "toolu_1", "content": ""}])[0] is answer


def test_the_arguments_stay_as_they_are() -> None:
    """Whoever calls keeps their list and its messages, positional ones as well."""
    history = conversation(dangling=True)
    before = copy.deepcopy(history)
    with serving(ANTHROPIC.judge) as server:
        arguments = _arguments(server.url, history)
        model, messages = arguments.pop("model"), arguments.pop("messages")
        answer = wrap(litellm.completion)(model, messages, **arguments)
    assert answer.choices[0].message.content == "Norway."
    assert history == before


@pytest.mark.parametrize("stream", [False, True])
def test_a_router(stream: bool) -> None:
    """The deployments behind the name tell who serves it; a rejection is repaired as one of a plain call is."""

    async def main(url: str) -> list[str]:
        texts = []
        router = _router(url)
        complete = wrap(router.acompletion)
        for history in (conversation(dangling=True), _thinking()):
            answer: Any = await complete(
                model="house-model", messages=history, max_tokens=2000, stream=stream
            )
            if stream:
                texts.append("".join([chunk.choices[0].delta.content or "" async for chunk in answer]))
            else:
                texts.append(answer.choices[0].message.content)
        return texts

    with serving(ANTHROPIC.refusing(SIGNATURE, _REFUSAL)) as server:
        assert asyncio.run(main(server.url)) == ["Norway."] * 2
    assert len(server.requests) == 3
    assert "tool_result" in str(server.requests[0][1])


def test_a_sync_router() -> None:
    """The same for its sync method; who serves may be said, too."""
    with serving(ANTHROPIC.judge) as server, collect_changes() as changes:
        complete = wrap(_router(server.url).completion, served_by="anthropic/claude-sonnet-5")
        history = conversation(tool_call_id=STALE_ID)
        complete(model="house-model", messages=history, max_tokens=2000)
    assert {change.rule for change in changes} == {"anthropic-tool-id-format"}


def test_a_callback_repairs_for_the_deployment_that_was_chosen() -> None:
    """A fallback's request is repaired for the fallback."""

    async def main(anthropic: str, cerebras: str) -> str:
        router = litellm.Router(
            model_list=[
                {"model_name": "a", "litellm_params": _deployment("anthropic/claude-sonnet-5", anthropic)},
                {"model_name": "b", "litellm_params": _deployment("cerebras/qwen-3-32b", f"{cerebras}/v1")},
            ],
            fallbacks=[{"a": ["b"]}],
            num_retries=0,
        )
        answer: Any = await router.acompletion(model="a", messages=_thinking(), max_tokens=2000)
        return str(answer.choices[0].message.content)

    litellm.callbacks.append(HistoryCompat())
    down = Reply(
        body={"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, status=529
    )
    with serving(lambda path, body: down) as first, serving(CEREBRAS.judge) as second:
        assert asyncio.run(main(first.url, second.url)) == "Norway."
    assert SIGNATURE in str(first.requests[0][1])
    assert "Oslo." not in str(second.requests[-1][1])


def _deployment(model: str, url: str) -> dict[str, Any]:
    return {"model": model, "api_base": url, "api_key": "none"}


def test_a_callback_learns_from_a_rejection() -> None:
    """LiteLLM hands the first one to the caller; the next request of its kind is repaired before it is sent."""
    memory = RuleMemory()
    litellm.callbacks.append(HistoryCompat(memory=memory))

    async def main(url: str) -> Any:
        with pytest.raises(litellm.BadRequestError, match="Invalid `signature`"):
            await litellm.acompletion(**_arguments(url, _thinking()))
        return await litellm.acompletion(**_arguments(url, _thinking()))

    with serving(ANTHROPIC.refusing(SIGNATURE, _REFUSAL)) as server:
        assert asyncio.run(main(server.url)).choices[0].message.content == "Norway."
    assert len(server.requests) == 2
    assert memory.rules_for(ModelRef.of("anthropic/claude-sonnet-5"))


@pytest.mark.parametrize("stream", [False, True])
def test_a_router_that_retries_sends_what_a_callback_repaired(stream: bool) -> None:
    """That is how a rejection is recovered from in the proxy, whose router has such a policy, too."""
    litellm.callbacks.append(HistoryCompat())

    async def main(url: str) -> str:
        router = _router(url, retry_policy={"BadRequestErrorRetries": 1})
        answer: Any = await router.acompletion(
            model="house-model", messages=_thinking(), max_tokens=2000, stream=stream
        )
        if stream:
            return "".join([chunk.choices[0].delta.content or "" async for chunk in answer])
        return str(answer.choices[0].message.content)

    with serving(ANTHROPIC.refusing(SIGNATURE, _REFUSAL)) as server:
        assert asyncio.run(main(server.url)) == "Norway."
    assert len(server.requests) == 2


def test_a_callback_forgets_what_does_not_help() -> None:
    """A second rejection says so, though the callback sends nothing itself."""
    memory = RuleMemory()
    litellm.callbacks.append(HistoryCompat(memory=memory))

    async def main(url: str) -> None:
        for remembered in (True, False):
            with pytest.raises(litellm.BadRequestError, match="Invalid `signature`"):
                await litellm.acompletion(**_arguments(url, _thinking()))
            assert bool(memory.to_dict()) is remembered

    with serving(lambda path, body: ANTHROPIC.sdk.refusal(_REFUSAL)) as server:
        asyncio.run(main(server.url))


def test_a_callback_repairs_requests_of_the_messages_api() -> None:
    """The proxy takes those, too."""
    litellm.callbacks.append(HistoryCompat())
    history = ANTHROPIC.sdk.messages(dangling=True)

    async def main(url: str) -> Any:
        return await litellm.anthropic_messages(**_arguments(url, history))

    with serving(ANTHROPIC.judge) as server:
        asyncio.run(main(server.url))
    assert "tool_result" in str(server.requests[0][1])


def test_a_callback_repairs_requests_of_the_responses_api() -> None:
    """Those, too."""
    sdk = OpenAIResponses()
    litellm.callbacks.append(HistoryCompat())

    async def main(url: str) -> Any:
        given = {"model": "openai/gpt-5", "api_base": f"{url}/v1", "api_key": "none"}
        return await litellm.aresponses(input=sdk.messages(dangling=True), **given)

    with serving(lambda path, body: sdk.reply((path, body), "Norway.")) as server:
        asyncio.run(main(server.url))
    assert "function_call_output" in str(server.requests[0][1]["input"])


# --- Gemini's signatures ------------------------------------------------------------------------------------------------

_GEMINI = GoogleGenai()
_MARK = _GEMINI.rejected().mark
# In words that LiteLLM does not look for: it begins anew by itself after others.
_REFUSED = "Invalid thought_signature."
_STAND_IN = "skip_thought_signature_validator"
_SIGNED = {"thought_signature": _MARK}


def _signed(place: str) -> list[dict[str, Any]]:
    """A conversation with Gemini's signature in one of the places where LiteLLM keeps it."""
    call_id = f"call_1__thought__{_MARK}" if place == "id" else "call_1"
    function: dict[str, Any] = {"name": "search", "arguments": '{"q": "Oslo"}'}
    call: dict[str, Any] = {"id": call_id, "type": "function", "function": function}
    answer: dict[str, Any] = {"role": "assistant", "content": "I'll look.", "tool_calls": [call]}
    match place:
        case "call":
            call["provider_specific_fields"] = {**_SIGNED, "kept": 1}
        case "function":
            function["provider_specific_fields"] = _SIGNED
        case "text":
            answer["provider_specific_fields"] = {"thought_signatures": [_MARK]}
        case "call and message":
            call["provider_specific_fields"] = _SIGNED
            answer["provider_specific_fields"] = {"thought_signatures": [_MARK]}
    result = {"role": "tool", "tool_call_id": call_id, "content": "In Norway."}
    question = {"role": "user", "content": "Where?"}
    return [question, answer, result]


_PLACES = ("call", "function", "id", "text", "call and message")


def _gemini(path: str, body: Any) -> Reply:
    """Refuse what was sealed elsewhere."""
    if any(part.get("thoughtSignature") == _MARK for turn in body["contents"] for part in turn["parts"]):
        return _GEMINI.refusal(_REFUSED)
    if not _GEMINI.is_stream((path, body)):
        whole = _GEMINI.answer("Norway.").body
        return Reply(body={**whole, "usageMetadata": {"totalTokenCount": 1}})
    events = _GEMINI.streamed("Norway.").body.replace(b'"index": 0', b'"index": 0, "finishReason": "STOP"')
    return Reply(body=events, content_type="text/event-stream")


def _of_gemini(url: str, messages: list[Any], **more: Any) -> dict[str, Any]:
    base = {"model": "gemini/gemini-3-pro-preview", "api_base": url, "api_key": "none", "max_retries": 0}
    return {**base, "messages": messages, **more}


@pytest.mark.parametrize("earlier", [False, True])
@pytest.mark.parametrize("place", _PLACES)
def test_signatures_that_gemini_refuses_leave(place: str, earlier: bool) -> None:
    """From wherever LiteLLM would take them; calls of the current turn say that they have none."""
    history = _signed(place)
    if earlier:
        history += [{"role": "assistant", "content": "In Norway."}, {"role": "user", "content": "And so?"}]
    before = copy.deepcopy(history)
    with serving(_gemini) as server:
        answer = wrap(litellm.completion)(**_of_gemini(server.url, history))
    assert answer.choices[0].message.content == "Norway."
    assert history == before
    assert len(server.requests) == 2
    parts = [part for turn in server.requests[-1][1]["contents"] for part in turn["parts"]]
    signatures = [part["thoughtSignature"] for part in parts if part.get("thoughtSignature")]
    assert earlier or signatures in ([_STAND_IN], [])


@pytest.mark.parametrize("place", _PLACES)
def test_signatures_that_gemini_takes_stay(place: str) -> None:
    """Nothing is changed, and nobody told of changes: the messages go out as the same objects."""
    history = _signed(place)
    sent: list[Any] = []

    def completion(**given: Any) -> None:
        sent.append(given["messages"])

    with collect_changes() as changes:
        wrap(completion)(**_of_gemini("http://127.0.0.1:1", history))
    if place == "text":
        # Gemini wants one beside the call, too.
        assert {change.rule for change in changes} == {"gemini-signed-calls"}
    else:
        assert (sent[0] is history, changes) == (True, [])


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_stream_that_opens_with_its_first_chunk(mode: str) -> None:
    """LiteLLM asks Gemini only then: the rejection is repaired all the same, and the stream stays the same object."""

    async def astream(url: str) -> list[Any]:
        stream: Any = await wrap(litellm.acompletion)(**_of_gemini(url, _signed("call"), stream=True))
        assert isinstance(stream, litellm.CustomStreamWrapper)
        return [chunk async for chunk in stream]

    with serving(_gemini) as server:
        if mode == "async":
            chunks = asyncio.run(astream(server.url))
        else:
            chunks = list(wrap(litellm.completion)(**_of_gemini(server.url, _signed("call"), stream=True)))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert len(server.requests) == 2
