"""Requests within lines of batches, logs and traces: found, told of by their place there, and put back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from replayable.cli import main
from tests.cli.running import CLAUDE, PLAIN, write

_CALL: Final = {"id": "call:1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
_CHAT: Final = {
    "model": "gpt-5",
    "messages": [*PLAIN, {"role": "assistant", "content": None, "tool_calls": [_CALL]}, *PLAIN],
}
_ANTHROPIC: Final = {
    "model": "claude-sonnet-5",
    "max_tokens": 10,
    "messages": [
        *PLAIN,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "weather", "input": {}}]},
        *PLAIN,
    ],
}
_GEMINI: Final = {
    "contents": [
        {"role": "user", "parts": [{"text": "Hi"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": {}}}]},
        {"role": "user", "parts": [{"text": "Hi"}]},
    ]
}
_TRACE: Final = {"traceId": "t", "type": "GENERATION", "output": {"role": "assistant", "content": "Hi"}}
# What is around a request, with None in its place; where that is; the request; who reads it.
_KNOWN: Final = [
    pytest.param(
        {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": None},
        "body",
        _CHAT,
        "openai/gpt-5",
        id="OpenAI batch",
    ),
    pytest.param({"custom_id": "1", "params": None}, "params", _ANTHROPIC, CLAUDE, id="Anthropic batch"),
    pytest.param({"key": "1", "request": None}, "request", _GEMINI, "google/gemini-3-pro", id="Gemini batch"),
    pytest.param({**_TRACE, "input": None}, "input", _CHAT, "openai/gpt-5", id="trace of a request"),
    pytest.param(
        {**_TRACE, "input": None}, "input", _CHAT["messages"], "openai/gpt-5", id="trace of messages"
    ),
    pytest.param(
        {"input": {"inputBodyJson": None}, "output": {}},
        "input.inputBodyJson",
        _ANTHROPIC,
        CLAUDE,
        id="Bedrock invocation log",
    ),
    pytest.param(
        {
            "schemaType": "ModelInvocationLog",
            "input": {"inputBodyJson": None},
            "errorCode": "ValidationException",
        },
        "input.inputBodyJson",
        _ANTHROPIC,
        CLAUDE,
        id="Bedrock invocation log of a refused call",
    ),
    pytest.param({"recordId": "1", "modelInput": None}, "modelInput", _ANTHROPIC, CLAUDE, id="Bedrock batch"),
    pytest.param(
        {"run_type": "llm", "error": "400", "inputs": None},
        "inputs",
        _CHAT,
        "openai/gpt-5",
        id="LangSmith run",
    ),
    pytest.param(
        {"level": "debug", "request": {"url": "/", "body": None}, "response": {"body": {}}},
        "request.body",
        _CHAT,
        "openai/gpt-5",
        id="log",
    ),
    pytest.param({"fn": "create", "kwargs": None}, "kwargs", _CHAT, "openai/gpt-5", id="arguments of a call"),
]


def _filled(around: Any, request: Any) -> Any:
    if isinstance(around, dict):
        return {key: request if value is None else _filled(value, request) for key, value in around.items()}
    return around


def _check(*arguments: str, capsys: pytest.CaptureFixture[str]) -> Any:
    main(["check", *arguments, "--format", "json"])
    return json.loads(capsys.readouterr().out)


def _same(value: Any) -> Any:
    return value


@pytest.mark.parametrize("kept", [_same, json.dumps], ids=["as it is", "as text"])
@pytest.mark.parametrize(("around", "place", "request_", "model"), _KNOWN)
def test_known_wrappers(
    around: Any,
    place: str,
    request_: Any,
    model: str,
    kept: Callable[[Any], Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What is found stands under the wrapper's key; the wrapper comes out with what the request alone becomes.

    Exports of traces often hold the request as text that is JSON: then it comes out as such.
    """
    file = write(tmp_path / "wrapped.json", _filled(around, kept(request_)))
    bare = write(tmp_path / "bare.json", request_)

    found = _check(file, "--model", model, capsys=capsys)
    separator = "" if isinstance(request_, list) else "."
    told = _check(bare, "--model", model, capsys=capsys)
    assert told
    assert [item["path"] for item in found] == [f"{place}{separator}{item['path']}" for item in told]

    main(["fix", bare, "--model", model])
    fixed = json.loads(capsys.readouterr().out)
    assert fixed != request_
    assert main(["fix", file, "--model", model]) == 0
    assert json.loads(capsys.readouterr().out) == _filled(around, kept(fixed))

    assert main(["show", file]) == 0
    assert "3 messages" in capsys.readouterr().out


def test_a_line_that_needs_nothing_stays_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """To the byte, spaces and all."""
    line = '{"custom_id":  "1", "body": {"messages": [{"role": "user", "content": "Hi"}]}}\n'
    file = write(tmp_path / "r.jsonl", line.encode())

    assert main(["fix", file, "--model", "openai/gpt-5"]) == 0
    assert capsys.readouterr().out == line


def test_at_a_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Any place, through lists, too; the rest stays; the repair that is offered goes there as well."""
    file = write(tmp_path / "r.json", {"a": [{}, {"body": _CHAT}], "messages": []})

    assert main(["check", file, "--model", "openai/gpt-5", "--at", "a[1].body"]) == 1
    told = capsys.readouterr().out
    assert "a[1].body.messages[1].tool_calls[0]" in told
    assert "--model openai/gpt-5 --at 'a[1].body'" in told
    # As jq writes it.
    assert main(["fix", file, "--model", "openai/gpt-5", "--at", ".a[1].body"]) == 0
    fixed = json.loads(capsys.readouterr().out)
    assert len(fixed["a"][1]["body"].pop("messages")) == 4
    assert fixed == {"a": [{}, {"body": {"model": "gpt-5"}}], "messages": []}


@pytest.mark.parametrize(
    "whole",
    [
        {"gen_ai.prompt": _CHAT, 'odd"[key]': 1},
        {"gen_ai.prompt": json.dumps(_CHAT)},
        json.dumps({"gen_ai.prompt": json.dumps(_CHAT)}),
    ],
    ids=["a key with a dot", "text", "text in text"],
)
def test_keys_with_dots(whole: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The path that is offered is one that ``--at`` takes; what was text stays text."""
    file = write(tmp_path / "r.json", whole)
    at = '["gen_ai.prompt"]'

    assert main(["check", file, "--model", "openai/gpt-5"]) == 2
    assert f"say --at '{at}'" in capsys.readouterr().err
    found = _check(file, "--model", "openai/gpt-5", "--at", at, capsys=capsys)
    assert {item["path"] for item in found} == {f"{at}.messages[1].tool_calls[0]"}

    assert main(["fix", file, "--model", "openai/gpt-5", "--at", at]) == 0
    fixed = json.loads(capsys.readouterr().out)
    assert type(fixed) is type(whole)
    inside = json.loads(fixed) if isinstance(fixed, str) else fixed
    request = inside["gen_ai.prompt"]
    assert len((json.loads(request) if isinstance(request, str) else request)["messages"]) == 4


def test_a_text_that_is_a_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Encoded twice, as it happens on the way to a file: read, and written in the same way."""
    file = write(tmp_path / "r.json", json.dumps(_CHAT))

    assert main(["fix", file, "--model", "openai/gpt-5"]) == 0
    assert len(json.loads(json.loads(capsys.readouterr().out))["messages"]) == 4


@pytest.mark.parametrize(
    ("wrapper", "first"),
    [({"custom_id": "1", "body": _CHAT}, "[0].body"), (_CHAT, "[0]")],
    ids=["batch", "requests"],
)
def test_a_list_of_requests(
    wrapper: Any, first: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a file of one request can't hold: the error says how to split it, or to name one."""
    file = write(tmp_path / "r.json", [wrapper, wrapper])

    assert main(["check", file, "--model", "openai/gpt-5"]) == 2
    told = capsys.readouterr().err
    assert f"{file}: holds 2 requests in a list: write each on a line" in told
    assert f"e.g. --at '{first}'" in told
    assert main(["check", file, "--model", "openai/gpt-5", "--at", first]) == 1


def test_in_place(tmp_path: Path) -> None:
    """The file keeps what is around, too."""
    batch = {"custom_id": "1", "body": _CHAT}
    file = tmp_path / "r.jsonl"
    write(file, [batch, batch])

    assert main(["fix", str(file), "--model", "openai/gpt-5", "--in-place"]) == 0
    assert [json.loads(line)["custom_id"] for line in file.read_text("utf-8").splitlines()] == ["1", "1"]


@pytest.mark.parametrize(
    ("content", "at", "error"),
    [
        (
            {"a": {"b": 1, "c": 2}},
            "a.d.e",
            "--at a.d.e: a is an object with the keys b, c",
        ),
        ({"a": [1]}, "a[1]", "--at a[1]: a is a list of length 1"),
        ([1], "a", "--at a: the input is a list of length 1"),
        ({"a": "b"}, "a.b", "--at a.b: a is a text"),
        ({"a": {"messages": 1}}, "a", "a.messages: expected what one of the formats has there, found int 1"),
        (
            {"a": {"b": [_CHAT]}},
            None,
            (
                "the input: expected a request (an object with a list of messages) or a list of messages,"
                " found object with keys a; one stands further inside: say --at 'a.b[0]'"
            ),
        ),
        (
            {"body": {"messages": [{"role": "user", "content": 5}]}},
            None,
            "body.messages[0].content: expected a string or a list of parts, found int 5",
        ),
        (
            {"kwargs": _CHAT, "body": _CHAT},
            None,
            "holds a request at body and kwargs: say --at and the one that is meant",
        ),
    ],
)
@pytest.mark.parametrize("command", ["check", "fix", "show"])
def test_what_is_not_there(
    command: str,
    content: Any,
    at: str | None,
    error: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The error says what is there instead, or where to look."""
    file = write(tmp_path / "r.json", content)

    where = [] if at is None else ["--at", at]
    assert main([command, file, "--model", "openai/gpt-5", *where]) == 2
    told = capsys.readouterr().err.strip()
    assert told.startswith(f"replayable: {file}:")
    assert error in told


@pytest.mark.parametrize("at", ["a[", 'a["b]', "a..b", "[x]", "a.", "a]", "a[1]b"])
def test_what_is_no_path(at: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Told once, whatever the files hold."""
    file = write(tmp_path / "r.jsonl", [PLAIN, PLAIN])

    assert main(["check", file, "--model", CLAUDE, "--at", at]) == 2
    assert (
        capsys.readouterr().err
        == f"replayable: --at {at}: is no path; write it as in request.body or data[0].request\n"
    )


@pytest.mark.parametrize(
    "whole",
    [
        {"model": "gpt-5", "input": [{"role": "user", "content": "Hi"}], "request": {"messages": PLAIN}},
        {"messages": PLAIN, "key": "1", "request": "text", "body": {"messages": PLAIN}},
    ],
    ids=["a request with an odd field", "a wrapper's key"],
)
def test_what_looks_like_a_wrapper(whole: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A request is not looked into for others; keys that only resemble a wrapper's don't count."""
    file = write(tmp_path / "r.json", whole)

    assert main(["fix", file, "--model", "openai/gpt-5"]) == 0
    assert json.loads(capsys.readouterr().out) == whole
