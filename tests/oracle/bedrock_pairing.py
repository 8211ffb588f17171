"""Calls and results of Bedrock Converse requests."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.oracle import bedrock_models
from tests.oracle.bedrock_reading import Block, Message
from tests.oracle.violation import Violation


def check_pairing(
    messages: list[Message], request: Mapping[str, Any], model: str | None
) -> Iterator[Violation]:
    """The message directly behind a call turn holds exactly one result for each call."""
    for index, message in enumerate(messages):
        before = messages[index - 1] if index else None
        following = messages[index + 1] if index + 1 < len(messages) else None
        yield from _check_calls(message, following)
        yield from _check_results(message, before, model)
    has_tools = any(message.of_kind("toolUse") or message.of_kind("toolResult") for message in messages)
    if has_tools and not request.get("toolConfig"):
        reason = "The toolConfig field must be defined when using toolUse and toolResult content blocks."
        yield Violation("bedrock-toolconfig-required", "toolConfig", reason)


def _check_calls(message: Message, following: Message | None) -> Iterator[Violation]:
    answered = {block.id for block in following.of_kind("toolResult")} if following else set()
    for call in message.of_kind("toolUse"):
        if call.id not in answered:
            reason = f"Expected toolResult blocks for the following Ids: {call.id}"
            yield Violation("bedrock-expected-tool-result", f"{call.path}.toolUse.toolUseId", reason)


def _check_results(message: Message, before: Message | None, model: str | None) -> Iterator[Violation]:
    results = message.of_kind("toolResult")
    calls = before.of_kind("toolUse") if before else []
    if len(results) > len(calls):
        reason = "The number of toolResult blocks exceeds the number of toolUse blocks of previous turn."
        yield Violation("bedrock-too-many-tool-results", f"{message.path}.content", reason)
    if results and bedrock_models.keeps_results_apart(model):
        others = [block for block in message.blocks if not _may_stand_beside(block)]
        if others:
            reason = "Conversation blocks and tool result blocks cannot be provided in the same turn."
            yield Violation("bedrock-mixed-conversation-tool-result", others[0].path, reason)


def _may_stand_beside(block: Block) -> bool:
    return block.kind in ("toolResult", "cachePoint")
