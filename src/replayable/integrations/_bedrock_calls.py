"""Where a conversation stands in the arguments of the Bedrock runtime's operations."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from ..endpoints import served_model
from ..model_ref import ModelRef

__all__ = ["BedrockCall", "bedrock_call"]

_CONVERSE: Final = frozenset({"Converse", "ConverseStream"})
_INVOKE: Final = frozenset({"InvokeModel", "InvokeModelWithResponseStream"})
# What is counted -> the operation whose arguments stand there.
_COUNTED: Final = {"converse": "Converse", "invokeModel": "InvokeModel"}


class BedrockCall(NamedTuple):
    """A conversation in the arguments of an operation.

    Args:
        format: The name of its format.
        request: The request that holds it.
        model: Who reads it.
        arguments_with: Returns the operation's arguments with another request in its place.
    """

    format: str
    request: Any
    model: ModelRef
    arguments_with: Callable[[Any], dict[str, Any]]


def bedrock_call(operation: str, arguments: Any) -> BedrockCall | None:
    """Return the conversation in an operation's arguments; None when there is none that is known how to read.

    The body of ``InvokeModel`` belongs to each model: Claude's is that of Anthropic's Messages API, and Amazon's own
    models take the fields of Converse (https://docs.aws.amazon.com/nova/latest/nova2-userguide/request-response-schema.html).
    """
    if not isinstance(arguments, dict):
        return None
    model_id = arguments.get("modelId")
    return _call(operation, arguments, model_id if isinstance(model_id, str) else None)


def _call(operation: str, arguments: dict[str, Any], model_id: str | None) -> BedrockCall | None:
    if operation in _CONVERSE:
        if "messages" not in arguments:
            # A prompt that the server holds, or nothing.
            return None
        return BedrockCall("bedrock", arguments, _model(model_id, "bedrock"), _themselves)
    if operation in _INVOKE:
        return _invocation(arguments, model_id)
    if operation == "CountTokens" and isinstance(given := arguments.get("input"), dict):
        return _counted(arguments, given, model_id)
    return None


def _themselves(arguments: Any) -> Any:
    return arguments


def _invocation(arguments: dict[str, Any], model_id: str | None) -> BedrockCall | None:
    body = _json(arguments.get("body"))
    if not isinstance(body, dict) or "messages" not in body:
        return None
    if "anthropic_version" in body:
        api = "anthropic"
    elif _model(model_id, "bedrock").maker == "amazon":
        api = "bedrock"
    else:
        return None

    def arguments_with(request: Any) -> dict[str, Any]:
        return {**arguments, "body": json.dumps(request).encode()}

    return BedrockCall(api, body, _model(model_id, api), arguments_with)


def _counted(arguments: dict[str, Any], given: dict[str, Any], model_id: str | None) -> BedrockCall | None:
    for kind, operation in _COUNTED.items():
        if isinstance(given.get(kind), dict):
            call = _call(operation, given[kind], model_id)
            return call and _one_level_down(call, arguments, given, kind)
    return None


def _one_level_down(
    call: BedrockCall, arguments: dict[str, Any], given: dict[str, Any], kind: str
) -> BedrockCall:
    """The same conversation, whose operation's arguments stand within another one's ``input``."""

    def arguments_with(request: Any) -> dict[str, Any]:
        return {**arguments, "input": {**given, kind: call.arguments_with(request)}}

    return call._replace(arguments_with=arguments_with)


def _json(body: Any) -> Any:
    """What stands in a body of bytes or text; None for a file, which could be read but once, and for what is no JSON."""
    try:
        return json.loads(body) if isinstance(body, (bytes, bytearray, str)) else None
    except (ValueError, RecursionError):
        return None


def _model(model_id: str | None, api: str) -> ModelRef:
    return served_model("bedrock", model_id, api)
