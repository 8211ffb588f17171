"""The functions of LiteLLM that can be wrapped beside ``completion``, and ways of calling them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from replayable.integrations import collect_changes
from replayable.integrations._litellm_models import serving as who_serves
from replayable.integrations.litellm import wrap
from tests.frameworks.drivers.litellm import litellm
from tests.frameworks.providers import ANTHROPIC
from tests.frameworks.test_scenarios import SIGNATURE, conversation
from tests.integrations.loopback import Loopback, Reply, serving
from tests.integrations.sdks import OpenAIChat, OpenAIResponses
from tests.oracle import violations

_RESPONSES = OpenAIResponses()
_CHAT = OpenAIChat()


def _judging(api: str, provider: str, model: str) -> Callable[[str, Any], Reply]:
    sdk = _RESPONSES if api == "openai_responses" else _CHAT

    def answer(path: str, body: Any) -> Reply:
        found = violations(body, api=api, provider=provider, model=model)
        return sdk.refusal(found[0].message) if found else sdk.reply((path, body), "Norway.")

    return answer


def _gpt(server: Loopback) -> dict[str, Any]:
    return {"model": "openai/gpt-5", "api_base": f"{server.url}/v1", "api_key": "none", "max_retries": 0}


def _claude(server: Loopback) -> dict[str, Any]:
    return {
        "model": "anthropic/claude-sonnet-5",
        "api_base": server.url,
        "api_key": "none",
        "max_tokens": 2000,
    }


async def _events(stream: Any) -> list[Any]:
    return [event async for event in stream]


@pytest.mark.parametrize("mode", ["sync", "stream", "async", "async stream"])
def test_responses(mode: str) -> None:
    """A call that nobody answered is answered, and what only the provider can know is repaired and sent once more."""
    rejected = _RESPONSES.rejected()

    def answer(path: str, body: Any) -> Reply:
        if rejected.mark in json.dumps(body):
            return _RESPONSES.refusal(rejected.refusal)
        return _judging("openai_responses", "openai", "gpt-5")(path, body)

    def ask(server: Loopback, items: Any, **parameters: Any) -> Any:
        given = {"input": items, **_gpt(server), **parameters}
        match mode:
            case "sync":
                return wrap(litellm.responses)(**given).output[0].content[0].text
            case "stream":
                return [event.type for event in wrap(litellm.responses)(stream=True, **given)]
            case "async":
                return asyncio.run(wrap(litellm.aresponses)(**given)).output[0].content[0].text
            case _:

                async def main() -> list[Any]:
                    return await _events(await wrap(litellm.aresponses)(stream=True, **given))

                return [event.type for event in asyncio.run(main())]

    with serving(answer) as server:
        assert ask(server, _RESPONSES.messages(dangling=True))
        assert len(server.requests) == 1
        assert "function_call_output" in json.dumps(server.requests[0][1])
        assert ask(server, rejected.messages, **rejected.parameters)
    assert len(server.requests) == 3


def test_the_messages_api() -> None:
    """Requests in Anthropic's form are read as such."""

    async def main(server: Loopback) -> list[Any]:
        history = ANTHROPIC.sdk.messages(dangling=True)
        given = {"messages": history, **_claude(server)}
        calls = (litellm.anthropic_messages, litellm.anthropic.messages.acreate)
        return [await wrap(call)(**given) for call in calls]

    with serving(ANTHROPIC.judge) as server:
        answers = asyncio.run(main(server))
    assert [answer["content"][0]["text"] for answer in answers] == ["Norway."] * 2
    assert len(server.requests) == 2


def test_methods_of_a_router() -> None:
    """Some are closures that have neither a name nor a router of their own."""

    async def main(server: Loopback) -> None:
        named = [
            {"model_name": "gpt", "litellm_params": _gpt(server)},
            {"model_name": "claude", "litellm_params": _claude(server)},
        ]
        router = litellm.Router(model_list=named, num_retries=0)
        await wrap(router.aresponses)(model="gpt", input=_RESPONSES.messages(dangling=True))
        await wrap(router.aanthropic_messages)(
            model="claude", messages=ANTHROPIC.sdk.messages(dangling=True), max_tokens=50
        )

    def answer(path: str, body: Any) -> Reply:
        if "responses" in path:
            return _judging("openai_responses", "openai", "gpt-5")(path, body)
        return ANTHROPIC.judge(path, body)

    with serving(answer) as server:
        asyncio.run(main(server))
    assert len(server.requests) == 2


@pytest.mark.parametrize("mode", ["stream", "async stream"])
def test_a_stream_that_begins_with_a_rejection(mode: str) -> None:
    """The server had already said 200: the stream is begun anew."""
    history = conversation()
    history[1]["thinking_blocks"] = [{"type": "thinking", "thinking": "Oslo.", "signature": SIGNATURE}]
    refusal = "messages.1.content.0: Invalid `signature` in `thinking` block"

    def answer(path: str, body: Any) -> Reply:
        refused = SIGNATURE in json.dumps(body)
        return ANTHROPIC.sdk.refused_stream(refusal) if refused else ANTHROPIC.reply(path, body)

    async def astream(server: Loopback) -> list[Any]:
        stream: Any = await wrap(litellm.acompletion)(messages=history, stream=True, **_claude(server))
        return await _events(stream)

    with serving(answer) as server:
        if mode == "stream":
            chunks = list(wrap(litellm.completion)(messages=history, stream=True, **_claude(server)))
        else:
            chunks = asyncio.run(astream(server))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "Norway."
    assert len(server.requests) == 2


def test_arguments_without_names() -> None:
    """What comes by its place goes on by its place, the third one too."""
    with serving(ANTHROPIC.judge) as server:
        given = _claude(server)
        answer = wrap(litellm.completion)(given.pop("model"), conversation(dangling=True), 30.0, **given)
    assert answer.choices[0].message.content == "Norway."
    with serving(_judging("openai_responses", "openai", "gpt-5")) as server:
        given = _gpt(server)
        wrap(litellm.responses)(_RESPONSES.messages(dangling=True), given.pop("model"), **given)
    assert len(server.requests) == 1


def test_a_method_of_ones_own() -> None:
    """What it is a method of need not be a router."""

    class Agent:
        def ask(self, **given: Any) -> Any:
            return litellm.completion(**given)

    with serving(ANTHROPIC.judge) as server:
        answer = wrap(Agent().ask)(messages=conversation(dangling=True), **_claude(server))
    assert answer.choices[0].message.content == "Norway."


def test_an_empty_content_that_has_to_be_there() -> None:
    """LiteLLM sends no None, and DeepSeek takes no answer without ``content``."""
    judge = _judging("openai_chat", "deepseek", "deepseek-chat")
    with serving(judge) as server, collect_changes() as changes:
        given = {**_gpt(server), "model": "deepseek/deepseek-chat"}
        assert wrap(litellm.completion)(messages=conversation(), **given).choices[0].message.content
    assert server.requests[0][1]["messages"][1]["content"] == ""
    assert {change.rule for change in changes} == {"deepseek-content-present"}


@pytest.mark.parametrize(
    ("model", "wire", "expected"),
    [
        ("openai/gpt-5", "openai_responses", ("openai", "openai_responses")),
        ("azure/mine", "openai_responses", ("azure", "openai_responses")),
        ("anthropic/claude-sonnet-5", "openai_responses", ("anthropic", "anthropic")),
        ("groq/qwen/qwen3-32b", "openai_responses", ("groq", "openai_chat")),
        ("vertex_ai/claude-sonnet-5", "anthropic", ("vertex", "anthropic")),
        ("bedrock/anthropic.claude-3-haiku-20240307-v1:0", "anthropic", ("bedrock", "anthropic")),
        ("bedrock/converse/amazon.nova-pro-v1:0", "anthropic", ("bedrock", "bedrock")),
        ("gemini/gemini-2.5-pro", "anthropic", ("google", "gemini")),
        ("openai/gpt-5-pro", "openai_chat", ("openai", "openai_responses")),
        ("nobody/knows", "anthropic", ("nobody", "openai_chat")),
    ],
)
def test_the_api_that_is_spoken(
    model: str, wire: str, expected: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call's own for those who have it; some models have no Chat API."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    ref = who_serves({"model": model}, wire)
    assert (ref.provider, ref.api) == expected
