"""What only boto3 has."""

from __future__ import annotations

import base64
import json
import logging
from typing import Any, Final

import pytest
from botocore.exceptions import EventStreamError

from replayable import ConfigurationError
from replayable.integrations import collect_changes, unguarded
from replayable.integrations.boto3 import wrap
from tests.integrations.loopback import Reply, event_stream, serving
from tests.integrations.sdks import AnthropicMessages, Boto3

SDK = Boto3()
CLAUDE = AnthropicMessages()
NOVA: Final = "us.amazon.nova-pro-v1:0"
PROMPT: Final = "arn:aws:bedrock:us-east-1:123456789012:prompt/ABCDEFGHIJ:1"


# What a model itself answers, in pieces; what a piece is made of is not looked at.
_PIECES: Final = event_stream([("chunk", {"bytes": base64.b64encode(b"{}").decode()})] * 2)


def _answer(path: str, body: Any) -> Reply:
    if path.endswith("/invoke-with-response-stream"):
        return _PIECES
    return Reply(body={"inputTokens": 3}) if "count-tokens" in path else SDK.reply((path, body), "Norway.")


def _sent(call: Any) -> Any:
    """What goes out, in a call that repairs something."""
    with serving(_answer) as server, collect_changes() as changes:
        call(SDK.wrap(server.url, "sync"))
    ((_, body),) = server.requests
    assert {change.processor for change in changes} == {"clean-messages"}
    return body


def _claude(**fields: Any) -> dict[str, Any]:
    return {
        "anthropic_version": "bedrock-2023-05-31",
        "max_tokens": 100,
        "messages": CLAUDE.messages(orphan=True),
        **fields,
    }


def test_counted_tokens_are_those_of_the_repaired_history() -> None:
    """Converse's arguments stand one level down; what stands beside them stays."""
    converse = {"messages": SDK.messages(orphan=True), "system": [{"text": "Be brief."}]}

    body = _sent(lambda client: client.count_tokens(modelId=SDK.model, input={"converse": converse}))

    told = body["input"]["converse"]
    assert [message["role"] for message in told["messages"]] == ["user", "assistant", "user"]
    assert told["system"] == converse["system"]


@pytest.mark.parametrize("as_bytes", [True, False])
@pytest.mark.parametrize("operation", ["invoke_model", "invoke_model_with_response_stream"])
def test_claudes_bodies_are_repaired(operation: str, as_bytes: bool) -> None:
    """They are those of Anthropic's Messages API, as bytes or text of JSON."""
    text = json.dumps(_claude(temperature=0.5))
    given = text.encode() if as_bytes else text

    body = _sent(lambda client: list(getattr(client, operation)(modelId=SDK.model, body=given)["body"]))

    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    assert (body["temperature"], body["anthropic_version"]) == (0.5, "bedrock-2023-05-31")


def test_the_bodies_of_amazons_own_models_are_repaired() -> None:
    """They have the fields of Converse."""
    given = json.dumps({"schemaVersion": "messages-v1", "messages": SDK.messages(orphan=True)})

    body = _sent(lambda client: client.invoke_model(modelId=NOVA, body=given))

    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    assert body["schemaVersion"] == "messages-v1"


@pytest.mark.parametrize(
    ("model", "body"),
    [
        ("meta.llama3-70b-instruct-v1:0", {"prompt": "Where is Oslo?"}),
        (
            "mistral.mistral-large-2407-v1:0",
            {"messages": [{"role": "tool", "tool_call_id": "a", "content": ""}]},
        ),
        (SDK.model, {"anthropic_version": "bedrock-2023-05-31", "messages": [{"role": "nobody"}]}),
    ],
)
def test_other_bodies_go_out_as_they_are(model: str, body: dict[str, Any]) -> None:
    """Those of other models, and those that can't be read: the provider shall say what it thinks of them."""
    with serving(_answer) as server, collect_changes() as changes:
        SDK.wrap(server.url, "sync").invoke_model(modelId=model, body=json.dumps(body))
    assert [sent for _, sent in server.requests] == [body]
    assert not changes


def test_a_rejected_body_is_repaired_and_sent_once_more() -> None:
    """And the stream that comes back for it is the one that is read."""
    case = CLAUDE.rejected()
    text = json.dumps(_claude(messages=case.messages))

    def answer(path: str, body: Any) -> Reply:
        return SDK.refused_stream(case.refusal) if case.mark in json.dumps(body) else _PIECES

    with serving(answer) as server:
        client = SDK.wrap(server.url, "sync")
        events = list(client.invoke_model_with_response_stream(modelId=SDK.model, body=text)["body"])
    assert len(events) == 2
    assert len(server.requests) == 2


def test_a_prompt_that_the_server_holds_stays_whole(caplog: pytest.LogCaptureFixture) -> None:
    """Its messages stand before those of the request, and its tools may not be declared again."""
    result = SDK.messages()[2]
    later = json.loads(json.dumps(SDK.messages()[1:3]).replace("tooluse_1", "tooluse_2"))
    more = [result, *later]
    variables = {"city": {"text": "Oslo"}}
    with caplog.at_level(logging.WARNING), serving(_answer) as server, collect_changes() as changes:
        client = SDK.wrap(server.url, "sync")
        client.converse(modelId=PROMPT, promptVariables=variables)
        client.converse(modelId=PROMPT, promptVariables=variables, messages=[])
        client.converse(modelId=PROMPT, promptVariables=variables, messages=more)
    assert [body.get("messages") for _, body in server.requests] == [None, [], more]
    assert not any("toolConfig" in body for _, body in server.requests)
    assert not changes
    assert not caplog.records


def test_who_iterates_once_more_gets_no_second_answer() -> None:
    """Once an event was handed out, a rejection behind it reaches the caller, whoever reads on."""
    case = SDK.rejected()
    begun = SDK.streamed("Norway.", cut=True).body
    refused = begun + SDK.refused_stream(case.refusal).body
    with serving(
        lambda path, body: Reply(body=refused, content_type="application/vnd.amazon.eventstream")
    ) as server:
        stream = SDK.stream(SDK.wrap(server.url, "sync"), case.messages)
        assert next(iter(stream))
        with pytest.raises(EventStreamError, match="signature"):
            list(stream)
    assert len(server.requests) == 1


def test_boto3s_own_ways_stay() -> None:
    """Its complaint about positional arguments, its hooks, which see what is sent, its exceptions."""
    seen: list[Any] = []

    def before(params: Any, **_: Any) -> None:
        seen.append(json.loads(params["body"])["messages"])

    with serving(lambda path, body: SDK.refusal("temperature: must be at most 1")) as server:
        client = SDK.wrap(server.url, "sync")
        client.meta.events.register("before-call.bedrock-runtime.Converse", before)
        with pytest.raises(TypeError, match=r"^converse\(\) only accepts keyword arguments\.$"):
            client.converse(SDK.model)
        with pytest.raises(client.exceptions.ValidationException, match="temperature"):
            SDK.call(client, SDK.messages(orphan=True))
    assert [[message["role"] for message in messages] for messages in seen] == [["user", "assistant", "user"]]


def test_a_call_can_be_left_alone() -> None:
    """A body within ``unguarded()`` goes out as it was given, byte for byte."""
    text = json.dumps(_claude(), indent=2)
    sizes: list[int] = []
    with serving(_answer) as server, unguarded():
        client = SDK.wrap(server.url, "sync")
        client.meta.events.register(
            "before-call.bedrock-runtime.InvokeModel", lambda params, **_: sizes.append(len(params["body"]))
        )
        client.invoke_model(modelId=SDK.model, body=text)
    assert sizes == [len(text)]


def test_async_clients_are_refused() -> None:
    """Those of aioboto3 are made of boto3's classes."""
    with serving(_answer) as server:
        client = SDK.wrap(server.url, "sync")

    class Runtime(type(client)):  # type: ignore[misc]
        async def _make_api_call(self, operation_name: str, api_params: Any) -> Any:
            return {}

    client.__class__ = Runtime
    with pytest.raises(ConfigurationError, match="Runtime is an async client"):
        wrap(client)
