"""Rejections as SDKs and gateways wrap them; shapes as the catalogue of wrappers tells them."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from typing import Any

import anthropic
import openai


class StatusError(Exception):
    """Like the exceptions of openai and anthropic: a message, the decoded body, the status."""

    def __init__(self, message: str, *, body: object, status_code: int) -> None:
        super().__init__(message)
        self.message = message
        self.body = body
        self.status_code = status_code


class GenaiError(Exception):
    """Like google-genai's APIError: `code`, `details`."""

    def __init__(self, code: int, details: object) -> None:
        super().__init__(f"{code} INVALID_ARGUMENT. {details}")
        self.code = code
        self.details = details


class BotocoreError(Exception):
    """Like botocore's ClientError: everything in `response`."""

    def __init__(self, message: str) -> None:
        super().__init__(
            f"An error occurred (ValidationException) when calling the Converse operation: {message}"
        )
        self.response = {
            "Error": {"Code": "ValidationException", "Message": message},
            "ResponseMetadata": {"HTTPStatusCode": 400},
        }


def _anthropic_body(text: str) -> dict[str, Any]:
    return {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": text},
        "request_id": "req_1",
    }


def _sdk(text: str) -> Exception:
    body = _anthropic_body(text)
    return StatusError(f"Error code: 400 - {body}", body=body, status_code=400)


def _of_real_sdk(sdk: Any, text: str) -> Exception:
    """The exception that the SDK itself raises, on the HTTP library's response that this version of it is built on."""
    http = importlib.import_module(sdk.APIStatusError.__init__.__annotations__["response"].partition(".")[0])
    body = _anthropic_body(text)
    response = http.Response(400, json=body, request=http.Request("POST", "http://127.0.0.1"))
    error: Exception = sdk.BadRequestError(f"Error code: 400 - {body}", response=response, body=body)
    return error


def _bodyless_with_cause(text: str) -> Exception:
    error = StatusError("400 status code (no body)", body=None, status_code=400)
    error.__cause__ = ValueError(json.dumps({"message": text, "code": "wrong_api_format"}))
    return error


def _litellm(text: str) -> Exception:
    inner = f"litellm.BadRequestError: AnthropicException - {json.dumps(_anthropic_body(text))}. Received Model Group=x"
    return StatusError(
        f"litellm.BadRequestError: OpenAIException - {json.dumps({'error': {'message': inner}})}. Received Model Group=y",
        body=None,
        status_code=400,
    )


def _openrouter(text: str) -> dict[str, Any]:
    raw = json.dumps(_anthropic_body(text))
    return {
        "error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": raw}},
        "user_id": "u",
    }


WRAPPERS: dict[str, Callable[[str], Any]] = {
    "plain string": lambda text: text,
    "SDK exception": _sdk,
    "openai's exception": lambda text: _of_real_sdk(openai, text),
    "anthropic's exception": lambda text: _of_real_sdk(anthropic, text),
    "SDK exception's text alone": lambda text: str(_sdk(text)),
    "empty exception with a telling cause": _bodyless_with_cause,
    "LiteLLM, two hops": _litellm,
    "LiteLLM with bytes": lambda text: (
        f"litellm.BadRequestError: AnthropicException - {json.dumps(_anthropic_body(text)).encode()!r}"
    ),
    "OpenRouter": _openrouter,
    "Vertex": lambda text: GenaiError(
        400, {"error": {"code": 400, "message": json.dumps(_anthropic_body(text))}}
    ),
    "Gemini list": lambda text: [
        {"error": {"message": json.dumps({"error": {"code": 400, "message": text}})}}
    ],
    "Bedrock": BotocoreError,
    "xAI": lambda text: {"code": "Client specified an invalid argument", "error": text},
    "Mistral": lambda text: {
        "object": "error",
        "message": text,
        "type": "invalid_request_message_order",
        "code": "3230",
    },
    "bytes": lambda text: json.dumps(_anthropic_body(text)).encode(),
    "group of exceptions": lambda text: ExceptionGroup("several", [TypeError("other"), _sdk(text)]),
    "without backticks": lambda text: text.replace("`", ""),
}
