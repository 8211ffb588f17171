"""The judge by botocore's model of Converse: what it accepts and refuses, and how it takes real traffic."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import pytest

from tests.judges.converse_model import converse_errors
from tests.judges.verdicts import verdicts
from tests.recorded.rows import rows

_MODEL: Final = {"modelId": "us.anthropic.claude-sonnet-4-5-20250929-v1:0"}
_TEXT: Final = {"text": "Hi"}
_CALL: Final = {"toolUseId": "tooluse_1", "name": "weather", "input": {"city": "Oslo"}}
_SPEC: Final = {"name": "weather", "inputSchema": {"json": {"type": "object"}}}
_DOCUMENT: Final = {"name": "a", "format": "pdf", "source": {"bytes": b"x"}}


def _user(*blocks: Any, **fields: Any) -> dict[str, Any]:
    return {**_MODEL, "messages": [{"role": "user", "content": list(blocks)}], **fields}


@pytest.mark.parametrize(
    "request_",
    [
        _user(_TEXT, {"cachePoint": {"type": "default"}}, system=[{"text": "Be brief."}]),
        _user({"document": _DOCUMENT}, {"image": {"format": "png", "source": {"bytes": "QQ=="}}}),
        _user({"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://bucket/a.mp4"}}}}),
        _user({"toolUse": _CALL}, {"toolResult": {"toolUseId": "a.b:c-d", "content": [{"json": {"a": 1}}]}}),
        _user({"reasoningContent": {"reasoningText": {"text": "", "signature": "s"}}}),
        _user(_TEXT, toolConfig={"tools": [{"toolSpec": _SPEC}], "toolChoice": {"auto": {}}}),
    ],
)
def test_accepts(request_: dict[str, Any]) -> None:
    """A well-formed request has no errors."""
    assert converse_errors(request_) == []


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ({"messages": []}, 'Missing required parameter in input: "modelId"'),
        (_user("x"), "Invalid type"),
        (_user({"text": 1}), "Invalid type"),
        (_user({"note": "x"}), "note"),
        (_user({"text": "x", "cachePoint": {"type": "default"}}), "union structure"),
        (_user({**_TEXT}, temperature=1), "temperature"),
        ({**_MODEL, "messages": [{"role": "tool", "content": []}]}, "messages[0].role"),
        (_user(_TEXT, system=[{"text": ""}]), "system[0].text, value: 0, valid min length: 1"),
        (
            _user({"image": {"format": "tiff", "source": {"bytes": b"x"}}}),
            "ImageFormat is none of its values",
        ),
        (_user({"image": {"format": "png", "source": {"bytes": b""}}}), "is below 1"),
        (_user({"document": {**_DOCUMENT, "name": "a" * 201}}), "is over 200"),
        (
            _user({"document": {"name": "a", "source": {"s3Location": {"uri": "https://a"}}}}),
            "S3Uri does not",
        ),
        (_user({"toolUse": {**_CALL, "toolUseId": "functions/a"}}), "ToolUseId does not match"),
        (_user({"toolUse": {**_CALL, "toolUseId": "a" * 65}}), "ToolUseId is over 64"),
        (_user({"toolUse": {**_CALL, "name": "mcp.search"}}), "ToolName does not match"),
        (_user({"toolUse": {**_CALL, "input": b"x"}}), "Invalid type"),
        (
            _user({"toolResult": {"toolUseId": "a", "content": [{"text": "x"}], "status": "ok"}}),
            "ToolResultStatus",
        ),
        (_user(_TEXT, toolConfig={"tools": []}), "toolConfig.tools, value: 0, valid min length: 1"),
        (_user(_TEXT, inferenceConfig={"maxTokens": 0}), "maxTokens, value: 0, valid min value: 1"),
    ],
)
def test_refuses(request_: dict[str, Any], told: str) -> None:
    """A fault is told with its place or kind."""
    assert any(told in line for line in converse_errors(request_)), converse_errors(request_)


def test_errors_are_short() -> None:
    """At most five short lines are given."""
    secret = "s" * 5000
    errors = converse_errors(_user(*[{"toolUse": {**_CALL, "name": secret}}] * 20))

    assert len(errors) == 5
    assert all(len(line) < 200 for line in errors)


def test_real_traffic() -> None:
    """Accepted requests pass; of those that a recorder blanked, what it blanked is told."""
    tried, told = 0, Counter[str]()
    for row in rows("accepted", "bedrock_converse"):
        tried += 1
        told.update(
            line.split(": ", 1)[-1] for line in converse_errors({"modelId": row.model, **row.request})
        )
    print(f"{tried} accepted requests of Converse, against botocore's model: {dict(told)}")
    assert told.total() <= 0.02 * tried


_ASK: Final = {"role": "user", "content": [{"text": "How warm is it in Oslo?"}]}
_THANK: Final = {"role": "user", "content": [{"text": "Thanks."}]}


def _asked(
    call: dict[str, Any], result: dict[str, Any] | None = None, *before: dict[str, Any]
) -> dict[str, Any]:
    """A history with one call and its result, which names the call unless given."""
    answer = (
        {"toolUseId": call["toolUseId"], "content": [{"text": "12 degrees"}]} if result is None else result
    )
    return _history(
        _ASK,
        {"role": "assistant", "content": [*before, {"toolUse": call}]},
        {"role": "user", "content": [{"toolResult": answer}]},
    )


def _history(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"messages": list(messages), "toolConfig": {"tools": [{"toolSpec": _SPEC}]}}


_REFUSED: Final = {
    "odd id": _asked({**_CALL, "toolUseId": "functions/weather#0"}),
    "long id": _asked({**_CALL, "toolUseId": "a" * 65}),
    "empty id": _asked({**_CALL, "toolUseId": ""}),
    "odd name": _asked({**_CALL, "name": "met.weather"}),
    "long name": _asked({**_CALL, "name": "w" * 65}),
    "result without id": _asked(_CALL, {"content": [{"text": "12 degrees"}]}),
    "reasoning without text": _asked(
        _CALL, None, {"reasoningContent": {"reasoningText": {"signature": "c2ln"}}}
    ),
    "document without a name": _history(
        {"role": "user", "content": [_TEXT, {"document": {**_DOCUMENT, "name": ""}}]}
    ),
}
# What only the service refuses.
_TAKEN: Final = {
    "two questions": _history(_ASK, _THANK),
    "answer first": _history({"role": "assistant", "content": [{"text": "Warm."}]}, _THANK),
    "list as input": _asked({**_CALL, "input": ["Oslo"]}),
}


@pytest.mark.parametrize("model", ["us.anthropic.claude-sonnet-5", "us.meta.llama3-3-70b-instruct-v1:0"])
def test_broken_histories_are_refused_until_repaired(model: str) -> None:
    """The model refuses its list of broken histories, and takes them after the repair."""
    found = verdicts(
        lambda body: next(iter(converse_errors({"modelId": model, **body})), None),
        _REFUSED | _TAKEN,
        name=f"botocore's Converse for {model}",
        model=f"bedrock/{model}",
        format="bedrock",
    )
    assert found.raw == _REFUSED.keys()
    assert found.repaired == frozenset()
