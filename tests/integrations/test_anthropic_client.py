"""What only the anthropic package has."""

from __future__ import annotations

from typing import Any

import anthropic
import pytest

from replayable import ConfigurationError
from replayable.integrations.anthropic import _model_of, collect_changes, wrap
from tests.integrations.loopback import Reply, serving
from tests.integrations.sdks import AnthropicMessages

SDK = AnthropicMessages()


def _ask(client: Any, how: str, messages: list[Any]) -> None:
    given = {"model": SDK.model, "messages": messages}
    if how == "stream helper":
        with client.messages.stream(max_tokens=100, **given) as stream:
            assert stream.get_final_text() == "Norway."
    elif how == "count_tokens":
        client.messages.count_tokens(**given)
    elif how == "beta":
        client.beta.messages.create(max_tokens=100, betas=["b"], **given)
    elif how == "raw response":
        assert client.messages.with_raw_response.create(max_tokens=100, **given).parse().content
    else:
        client.with_options(timeout=5).messages.create(max_tokens=100, **given)


@pytest.mark.parametrize("how", ["stream helper", "count_tokens", "beta", "raw response", "with_options"])
def test_every_way_to_call_is_guarded(how: str) -> None:
    """They end in one method; the caller's body goes out repaired."""

    def answer(path: str, body: Any) -> Reply:
        return Reply(body={"input_tokens": 3}) if "count" in path else SDK.reply((path, body), "Norway.")

    with serving(answer) as server, collect_changes() as changes:
        _ask(SDK.wrap(server.url, "sync"), how, SDK.messages(orphan=True))
    ((_, body),) = server.requests
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    assert {change.processor for change in changes} == {"clean-messages"}


@pytest.mark.parametrize("orphan", [False, True])
def test_what_can_be_read_but_once_is_guarded(orphan: bool) -> None:
    """The SDK takes any iterable of messages: all of them arrive."""
    with serving(lambda path, body: SDK.answer("Norway.")) as server:
        system: Any = iter([{"type": "text", "text": "Be brief."}])
        messages: Any = iter(SDK.messages(orphan=orphan))
        SDK.call(SDK.wrap(server.url, "sync"), messages, system=system)
    ((_, body),) = server.requests
    assert body["system"] == [{"type": "text", "text": "Be brief."}]
    assert len(body["messages"]) == (3 if orphan else 5)


def test_the_sdks_own_loop_goes_on() -> None:
    """Its tool runner lets the server hold the conversation and sends nothing but the results, which answer calls there."""
    call = {"type": "tool_use", "id": "toolu_9", "name": "weather", "input": {"city": "Oslo"}}
    asked = {**SDK.answer("").body, "content": [call], "stop_reason": "tool_use"}

    @anthropic.beta_tool
    def weather(city: str) -> str:
        """Tell the weather."""
        return f"4 degrees in {city}"

    def answer(path: str, body: Any) -> Reply:
        told = "4 degrees in Oslo" in str(body["messages"])
        return SDK.answer("Cold.") if told else Reply(body=asked)

    with serving(answer) as server, collect_changes() as changes:
        runner = SDK.wrap(server.url, "sync").beta.messages.tool_runner(
            messages=SDK.messages(), tools=[weather], model=SDK.model, max_tokens=100, max_iterations=2
        )
        assert runner.until_done().content[0].text == "Cold."
    assert len(server.requests) == 2
    assert not changes


def test_answers_as_they_came_are_read() -> None:
    """The loop that everybody writes appends ``response.content``: its call without a result is repaired as any other."""
    call = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Oslo"}}
    answer = anthropic.types.ToolUseBlock.model_validate(call)
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [answer]},
        {"role": "user", "content": "Well?"},
    ]

    with (
        serving(lambda path, body: SDK.reply((path, body), "Norway.")) as server,
        collect_changes() as changes,
    ):
        SDK.call(SDK.wrap(server.url, "sync"), messages)

    ((_, body),) = server.requests
    assert body["messages"][1]["content"] == [call]
    assert body["messages"][2]["content"][0]["tool_use_id"] == "toolu_1"
    assert {change.processor for change in changes} == {"clean-messages"}


def test_class_and_url_tell_who_serves() -> None:
    """Bedrock and Vertex by their class, others by their URL."""

    class AsyncAnthropicBedrock(anthropic.AsyncAnthropic):
        """Named as the SDK names it, whose own asks for a further package."""

    bedrock = AsyncAnthropicBedrock(api_key="k")
    assert _model_of(bedrock, "anthropic.claude-sonnet-5", "anthropic").provider == "bedrock"
    deepseek = anthropic.Anthropic(base_url="https://api.deepseek.com/anthropic", api_key="k")
    assert _model_of(deepseek, "deepseek-chat", "anthropic").provider == "deepseek"
    assert _model_of(anthropic.Anthropic(api_key="k"), SDK.model, "anthropic").provider == "anthropic"


def test_what_is_no_client_is_refused() -> None:
    """At once, by name."""
    with pytest.raises(ConfigurationError, match="int is no client of the anthropic package"):
        wrap(3)  # type: ignore[type-var]
