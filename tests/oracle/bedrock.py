"""Requests in the Bedrock Converse format, whose rules depend on the family of the model."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from tests.oracle import bedrock_models, claude_models
from tests.oracle.bedrock_blocks import check_message
from tests.oracle.bedrock_pairing import check_pairing
from tests.oracle.bedrock_reading import Message, read_messages
from tests.oracle.violation import Violation

_NO_PREFILL = "This model does not support assistant message prefill. It must end with a user message."


def check(request: Mapping[str, Any], provider: str, model: str | None) -> Iterator[Violation]:
    """Every reason for a rejection, message by message first, then for the conversation as a whole."""
    messages, faults = read_messages(request)
    yield from faults
    for message in messages:
        yield from check_message(message, model)
    yield from check_pairing(messages, request, model)
    yield from _check_roles(messages, model)
    yield from _check_prefill(messages, model)


def _check_roles(messages: list[Message], model: str | None) -> Iterator[Violation]:
    if messages and messages[0].role != "user" and bedrock_models.must_start_with_user(model):
        reason = "A conversation must start with a user message."
        yield Violation("bedrock-start-user", messages[0].path, reason)
    for before, message in pairwise(messages):
        if before.role == message.role:
            reason = "A conversation must alternate between user and assistant roles."
            yield Violation("bedrock-alternate", message.path, reason)


def _check_prefill(messages: list[Message], model: str | None) -> Iterator[Violation]:
    if claude_models.refuses_prefill(model) and messages:
        last = messages[-1]
        if last.role == "assistant" and not last.of_kind("toolUse"):
            yield Violation("anthropic-no-prefill", last.path, _NO_PREFILL)
    if not claude_models.thinks_by_default(model):
        return
    for message in messages[:-1]:
        # Converse drops such a message, and the model sees its neighbours as a prefill.
        if message.blocks and all(block.kind == "reasoningContent" for block in message.blocks):
            yield Violation("bedrock-prefill-reasoning-only", message.path, _NO_PREFILL)
