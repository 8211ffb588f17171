"""Catalogue entries that no checker of requests can find, and why. Their repair begins with the rejection."""

_OPAQUE = "only the provider can open the bytes: the request looks the same when they are right"
_STATE = "depends on what the server has stored, which the request doesn't show"
_WRAPPER = "a gateway's wrapper around the rejections of others, which have entries of their own"
_CLIENT = "raised by a client library before any request exists"
_LENGTH = "the size in tokens is known to the provider's tokenizer alone; nothing in the history is malformed"

UNDECIDABLE = {
    "aisdk-missing-tool-results": _CLIENT,
    "anthropic-thinking-cannot-be-modified": "compares the blocks with the response they came from",
    "copilot-invalid-request-body": _WRAPPER,
    "copilot-item-connection": "item ids are tied to the connection that made them",
    "gemini-corrupted-thought-signature": _OPAQUE,
    "gemini-file-expired": _STATE,
    "langgraph-invalid-chat-history": _CLIENT,
    "openrouter-opaque": _WRAPPER,
    "responses-item-without-reasoning": (
        "the server knows whether the response of an item began with reasoning; recorded traffic holds many "
        "items with ids and no reasoning, accepted, since the model had not reasoned"
    ),
    "responses-previous-not-found": _STATE,
}
"""Entry id to reason. Entries about the size of the context are all covered by `reason_for`."""


def reason_for(entry: str, category: str) -> str | None:
    """Why no request can show the entry; `None` when the oracle should find it."""
    return _LENGTH if category == "context_length" else UNDECIDABLE.get(entry)
