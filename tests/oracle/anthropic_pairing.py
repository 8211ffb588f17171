"""Calls and results of Anthropic conversations."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tests.oracle.anthropic_turns import Block, Turn
from tests.oracle.violation import Violation


def check_pairing(turns: list[Turn]) -> Iterator[Violation]:
    """Rules on calls that the client answers: each is answered in the directly following user turn."""
    for index, turn in enumerate(turns):
        following = turns[index + 1] if index + 1 < len(turns) else None
        before = turns[index - 1] if index else None
        if turn.role == "assistant":
            yield from _check_calls(turn, following if following and following.role == "user" else None)
        elif turn.role == "user":
            yield from _check_results(turn, before if before and before.role == "assistant" else None)


def _check_calls(turn: Turn, following: Turn | None) -> Iterator[Violation]:
    answered = {block.answers for block in following.of_type("tool_result")} if following else set()
    # "Immediately after" is broken by text of the assistant itself, too.
    last_text = max((i for i, block in enumerate(turn.blocks) if block.type == "text"), default=-1)
    seen: set[str] = set()
    for index, block in enumerate(turn.blocks):
        if block.type != "tool_use":
            continue
        if block.id in seen:
            # The same id in a later turn is accepted.
            reason = "`tool_use` ids must be unique"
            yield Violation("anthropic-tool-use-ids-unique", f"{block.path}.id", reason)
            continue
        seen.add(block.id)
        if block.id not in answered or index < last_text:
            reason = f"`tool_use` ids were found without `tool_result` blocks immediately after: {block.id}"
            yield Violation("anthropic-tool-use-without-result", f"{block.path}.id", reason)


def _check_results(turn: Turn, before: Turn | None) -> Iterator[Violation]:
    called = {block.id for block in before.of_type("tool_use")} if before else set()
    seen: Counter[str] = Counter()
    other_block_first = False
    for block in turn.blocks:
        if block.type != "tool_result":
            other_block_first = True
            continue
        if not isinstance(block.data.get("tool_use_id"), str):
            continue
        path = f"{block.path}.tool_use_id"
        seen[block.answers] += 1
        if block.answers not in called:
            reason = (
                f"unexpected `tool_use_id` found in `tool_result` blocks: {block.answers}. "
                "Each must have a corresponding `tool_use` block in the previous message."
            )
            yield Violation("anthropic-unexpected-tool-use-id", path, reason)
        elif seen[block.answers] > 1:
            reason = f"each tool_use must have a single result. Found multiple with id: {block.answers}"
            yield Violation("anthropic-duplicate-tool-result", path, reason)
        elif other_block_first:
            reason = "Messages following `tool_use` blocks must begin with `tool_result` blocks."
            yield Violation("anthropic-did-not-find-tool-result", block.path, reason)


def check_server_pairing(turns: list[Turn], request: Mapping[str, Any]) -> Iterator[Violation]:
    """Rules on calls that the provider runs: the pair lives inside the assistant's turn.

    A call may wait while the client answers calls of the same turn, and at the end of the conversation (a
    paused turn): recorded traffic holds such requests, accepted.
    """
    pending: dict[str, Block] = {}
    for turn in turns:
        if turn.role == "assistant":
            seen: set[str] = set()
            for block in turn.blocks:
                if block.is_server_call:
                    if block.id in seen:
                        reason = "`tool_use` ids must be unique"
                        yield Violation("anthropic-tool-use-ids-unique", f"{block.path}.id", reason)
                    seen.add(block.id)
                    pending[block.id] = block
                elif block.is_server_result and pending.pop(block.answers, None) is None:
                    reason = (
                        f"unexpected `tool_use_id` found in `{block.type}` blocks: {block.answers}. "
                        "Each must have a corresponding `server_tool_use` block before it."
                    )
                    path = f"{block.path}.tool_use_id"
                    yield Violation("anthropic-unexpected-server-tool-result", path, reason)
        elif turn.role == "user" and not turn.of_type("tool_result"):
            for block in pending.values():
                reason = f"tool use with id `{block.id}` was found without a corresponding result block"
                yield Violation("anthropic-server-tool-use-without-result", f"{block.path}.id", reason)
            pending = {}
    waiting = [block for block in pending.values() if "code_execution" in str(block.data.get("name"))]
    if waiting and turns[-1].of_type("tool_result") and not request.get("container"):
        reason = "container_id is required when there are pending tool uses generated by code execution"
        yield Violation("anthropic-container-required", "container", reason)
