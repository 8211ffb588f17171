"""Where thinking blocks must and must not stand."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.oracle import claude_models
from tests.oracle.anthropic_turns import Turn, open_loop
from tests.oracle.violation import Violation
from tests.oracle.wire import as_mapping, as_text


def check_thinking(turns: list[Turn], request: Mapping[str, Any], model: str | None) -> Iterator[Violation]:
    """Rules that tie the thinking blocks of a history to the `thinking` parameter of the request."""
    mode = _mode(request)
    # With "adaptive", assistant turns need not begin with thinking.
    if mode != "adaptive":
        yield from _check_first_block(turns)
    loop = open_loop(turns)
    if mode == "enabled":
        yield from _check_loop_begins_with_thinking(loop)
    elif mode == "disabled" or (not mode and not claude_models.thinks_by_default(model)):
        yield from _check_loop_without_thinking(loop)


def _check_first_block(turns: list[Turn]) -> Iterator[Violation]:
    for turn in turns:
        if turn.role != "assistant" or not any(block.is_thinking for block in turn.blocks):
            continue
        first = turn.blocks[0]
        if not first.is_thinking:
            reason = (
                "If an assistant message contains any thinking blocks, the first block must be `thinking` "
                f"or `redacted_thinking`. Found `{first.type}`."
            )
            yield Violation("anthropic-thinking-not-first", first.path, reason)


def _check_loop_begins_with_thinking(loop: list[Turn]) -> Iterator[Violation]:
    # Later turns of the loop may lack it: the model thinks once, before its first call.
    blocks = loop[0].blocks if loop else ()
    if blocks and not any(block.is_thinking for block in blocks):
        reason = f"Expected `thinking` or `redacted_thinking`, but found `{blocks[0].type}`."
        yield Violation("anthropic-thinking-first-block", blocks[0].path, reason)


def _check_loop_without_thinking(loop: list[Turn]) -> Iterator[Violation]:
    for turn in loop:
        for block in turn.blocks:
            if block.is_thinking:
                reason = (
                    "When thinking is disabled, an `assistant` message in the final position cannot "
                    f"contain `{block.type}`."
                )
                yield Violation("anthropic-thinking-when-disabled", block.path, reason)


def _mode(request: Mapping[str, Any]) -> str:
    return as_text((as_mapping(request.get("thinking")) or {}).get("type"))


def check_deepseek_thinking(turns: list[Turn], request: Mapping[str, Any]) -> Iterator[Violation]:
    """DeepSeek's rules, whose thinking is unsigned and never encrypted: while it is on, each answer begins with some."""
    for turn in turns:
        for block in turn.of_type("redacted_thinking"):
            reason = "content, array, type='redacted_thinking': Not Supported"
            yield Violation("reported-deepseek-redacted-thinking", block.path, reason)
    for turn in turns if _mode(request) == "enabled" else ():
        if turn.role == "assistant" and turn.blocks and not turn.of_type("thinking"):
            reason = "The `content[].thinking` in the thinking mode must be passed back to the API."
            yield Violation("deepseek-anthropic-thinking-required", turn.blocks[0].path, reason)
