"""Small OpenAI Chat histories, good ones and broken ones, for judges that read messages."""

from __future__ import annotations

from typing import Any, Final

Messages = list[dict[str, Any]]

_SYSTEM: Final = {"role": "system", "content": "Be short."}
_ASK: Final = {"role": "user", "content": "How warm is it in Oslo?"}
_ANSWER: Final = {"role": "assistant", "content": "Warm."}
_THANK: Final = {"role": "user", "content": "Thanks."}
_ID: Final = "callAAAA1"

TOOLS: Final[list[dict[str, Any]]] = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "Looks up the weather of a city.",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
        },
    }
]


def _call(identifier: str = _ID, arguments: str = '{"city": "Oslo"}', name: str = "weather") -> Any:
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": arguments}}


def _calling(*calls: Any, content: str | None = "", **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls), **fields}


def _tool(identifier: str = _ID, content: str = "12 degrees") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identifier, "content": content}


GOOD: Final[dict[str, Messages]] = {
    "question": [_ASK],
    "conversation": [_ASK, _ANSWER, _THANK],
    "system": [_SYSTEM, _ASK, _ANSWER, _THANK],
    "tool": [_ASK, _calling(_call()), _tool()],
    "tool and answer": [_SYSTEM, _ASK, _calling(_call()), _tool(), _ANSWER, _THANK],
}
"""Histories that nothing is wrong with. Some templates know no system message, or no tools."""

BROKEN: Final[dict[str, Messages]] = {
    "two questions": [_ASK, _THANK],
    "two answers": [_ASK, _ANSWER, _ANSWER, _THANK],
    "answer first": [_ANSWER, _ASK],
    "answer last": [_ASK, _ANSWER],
    "system late": [_ASK, _ANSWER, _SYSTEM, _THANK],
    "system twice": [_SYSTEM, {"role": "system", "content": "Be kind."}, _ASK],
    "system alone": [_SYSTEM],
    "developer": [{"role": "developer", "content": "Be short."}, _ASK],
    "question after result": [_ASK, _calling(_call()), _tool(), _THANK],
    "result alone": [_ASK, _tool()],
    "result twice": [_ASK, _calling(_call()), _tool(), _tool()],
    "no result": [_ASK, _calling(_call()), _THANK],
    "one of two results": [_ASK, _calling(_call(), _call("callAAAA2")), _tool()],
    "two calls of one id": [_ASK, _calling(_call(), _call()), _tool(), _tool()],
    "long id": [_ASK, _calling(_call("call_0123456789")), _tool("call_0123456789")],
    "odd name": [_ASK, _calling(_call(name="met weather")), _tool()],
    "broken arguments": [_ASK, _calling(_call(arguments='{"city": "Os')), _tool()],
    "list as arguments": [_ASK, _calling(_call(arguments="[]")), _tool()],
    "answer without content": [_ASK, {"role": "assistant", "content": None}, _THANK],
    "blank answer": [_ASK, {"role": "assistant", "content": ""}, _THANK],
    "content and thinking": [
        _ASK,
        _calling(_call(), content="Let me look.", reasoning_content="Hm.", thinking="Hm."),
        _tool(),
    ],
    "parallel calls": [_ASK, _calling(_call(), _call("callAAAA2")), _tool(), _tool("callAAAA2")],
}
"""Histories that at least one judge refuses. Which of them a judge refuses stands in its own test."""


def request(messages: Messages) -> dict[str, Any]:
    """The body of a request with these messages, declaring the tool where it is used."""
    uses_tools = any(message.get("tool_calls") or message["role"] == "tool" for message in messages)
    return {"model": "m", "messages": messages, **({"tools": TOOLS} if uses_tools else {})}


def requests(table: dict[str, Messages]) -> dict[str, dict[str, Any]]:
    """The bodies of a table of histories."""
    return {title: request(messages) for title, messages in table.items()}
