"""Judge a request body by the parameter types that the providers' own SDKs declare."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from anthropic.types import message_create_params as anthropic_params
from anthropic.types.beta import message_create_params as anthropic_beta_params
from openai.types.chat import completion_create_params as openai_params
from openai.types.responses import response_create_params as responses_params
from pydantic_core import ErrorDetails, SchemaValidator, ValidationError

from tests.judges.closed_types import TAG, closed_validator

_MAX_ERRORS = 5
_MAX_PART = 40
_MAX_REASON = 100


def anthropic_errors(request: Mapping[str, Any], *, beta: bool = False) -> list[str]:
    """Say what `client.messages.create` would find wrong with the body.

    Args:
        request: The body of a non-streaming request.
        beta: Whether the types of `client.beta.messages.create` may accept what the plain ones refuse.

    Returns:
        At most five lines `path: reason`, from the beta types if those were asked last; empty when valid.
    """
    errors = _errors(anthropic_params.MessageCreateParamsNonStreaming, request)
    if errors and beta:
        return _errors(anthropic_beta_params.MessageCreateParamsNonStreaming, request)
    return errors


def openai_chat_errors(request: Mapping[str, Any]) -> list[str]:
    """Say what `client.chat.completions.create` would find wrong with the body.

    Args:
        request: The body of a non-streaming request.

    Returns:
        At most five lines `path: reason`; empty when valid.
    """
    return _errors(openai_params.CompletionCreateParamsNonStreaming, request)


def openai_responses_errors(request: Mapping[str, Any]) -> list[str]:
    """Say what `client.responses.create` would find wrong with the body.

    The types ask for more than the API: `strict` of a function tool, which is filled in here, and the `id` and
    `status` of what the model wrote.

    Args:
        request: The body of a non-streaming request.

    Returns:
        At most five lines `path: reason`; empty when valid.
    """
    tools = request.get("tools")
    if isinstance(tools, list) and all(isinstance(tool, Mapping) for tool in tools):
        request = {**request, "tools": [_with_strict(tool) for tool in tools]}
    return _errors(responses_params.ResponseCreateParamsNonStreaming, request)


def _with_strict(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"strict": None, **tool} if tool.get("type") == "function" else tool


@cache
def _validator(params: Any) -> SchemaValidator:
    return closed_validator(params)


def _errors(params: Any, request: Mapping[str, Any]) -> list[str]:
    problem = not_json(request)
    if problem:
        return problem
    try:
        _validator(params).validate_python(dict(request))
    except ValidationError as error:
        return error_lines(error)
    return []


def not_json(request: Mapping[str, Any]) -> list[str]:
    """Say why a body can't be sent as JSON; empty when it can."""
    try:
        # Free-form parts (a tool's input) may hold anything for the types, but only JSON can be sent.
        json.dumps(dict(request), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        return [f"body: not JSON: {error}"[:_MAX_REASON]]
    return []


def error_lines(error: ValidationError) -> list[str]:
    """Say of the first errors where each stands and what is wrong."""
    details = error.errors(include_url=False, include_context=False, include_input=False)
    return [_line(detail) for detail in details[:_MAX_ERRORS]]


def _line(detail: ErrorDetails) -> str:
    parts = (str(part) for part in detail["loc"])
    path = ".".join(part[:_MAX_PART] for part in parts if not part.startswith(TAG))
    return f"{path or 'body'}: {detail['msg'][:_MAX_REASON]}"
