"""Requests in the OpenAI Chat Completions format, which many providers speak, each with rules of its own."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.oracle.openai_content import check_arguments, check_content
from tests.oracle.openai_fields import check_fields
from tests.oracle.openai_native import (
    check_call_ids,
    check_no_empty_calls,
    check_openai,
    is_behind_gateway,
)
from tests.oracle.openai_order import check_order
from tests.oracle.openai_pairing import check_pairing
from tests.oracle.openai_reading import check_schema, read_messages
from tests.oracle.openai_reasoning import check_last_turn, check_reasoning
from tests.oracle.violation import Violation


def check(request: Mapping[str, Any], provider: str, model: str | None) -> Iterator[Violation]:
    """Every reason for a rejection, message by message first, then for the conversation as a whole."""
    messages, faults = read_messages(request)
    yield from faults
    for message in messages:
        yield from check_schema(message, provider)
        yield from check_content(message, provider)
        yield from check_arguments(message, provider)
        yield from check_fields(message, provider, model)
        yield from check_reasoning(message, request, provider, model)
        if provider in ("openai", "azure"):
            yield from check_openai(message, model)
        elif provider == "deepseek":
            yield from check_no_empty_calls(message)
        elif is_behind_gateway(provider, model):
            # A gateway translates much, but hands the ids on.
            yield from check_call_ids(message)
    yield from check_pairing(messages, provider)
    yield from check_order(messages, provider, model)
    yield from check_last_turn(messages, request, provider, model)
