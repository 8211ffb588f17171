"""Requests in the Anthropic Messages format: Anthropic, Azure, Bedrock InvokeModel, Vertex."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from tests.oracle import claude_models
from tests.oracle.anthropic_blocks import check_block, check_text
from tests.oracle.anthropic_media import check_answers, check_media
from tests.oracle.anthropic_pairing import check_pairing, check_server_pairing
from tests.oracle.anthropic_thinking import check_deepseek_thinking, check_thinking
from tests.oracle.anthropic_turns import Block, Turn, merge_turns, read_blocks, read_messages
from tests.oracle.violation import MALFORMED, Violation

_MAX_CACHE_BREAKPOINTS = 4
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_MAX_NAME_ON_BEDROCK = 64
# Who serves Claude. What these say of thinking, signatures and files, no clone of the API is known to say.
_CLAUDE = frozenset({"anthropic", "azure", "bedrock", "bedrock_mantle", "copilot", "openrouter", "vertex"})
# Who takes roles in any order today, or hands on to one who does. Other clones keep the old rule.
_FREE_ROLES = _CLAUDE | {"deepseek"}

_Messages = list[tuple[str, Mapping[str, Any]]]


def check(request: Mapping[str, Any], provider: str, model: str | None) -> Iterator[Violation]:
    """Every reason for a rejection, message by message first, then for the conversation as a whole."""
    messages, faults = read_messages(request)
    yield from faults
    for index, (path, message) in enumerate(messages):
        yield from _check_message(path, message, provider, is_last=index == len(messages) - 1)
    yield from _check_roles(messages, model)
    if provider not in _FREE_ROLES or claude_models.is_legacy(model):
        yield from _check_alternation(messages)
    yield from _check_system(request)
    yield from _check_cache_breakpoints(request)
    yield from _check_tools(request, provider)
    if not messages:
        return
    turns = merge_turns(messages)
    yield from check_pairing(turns)
    yield from check_server_pairing(turns, request)
    if provider == "deepseek":
        yield from check_deepseek_thinking(turns, request)
    yield from _check_prefill(turns, model)
    if provider in _CLAUDE:
        yield from check_thinking(turns, request, model)
        yield from check_media(turns, model)
        yield from check_answers(turns)


def _check_message(
    path: str, message: Mapping[str, Any], provider: str, *, is_last: bool
) -> Iterator[Violation]:
    for name in sorted(set(message) - {"role", "content"}):
        reason = f"{name}: Extra inputs are not permitted"
        yield Violation("anthropic-extra-inputs", f"{path}.{name}", reason)
    content, role = message.get("content"), message["role"]
    blocks, faults = read_blocks(f"{path}.content", content)
    yield from faults
    if content in ("", []) and not (is_last and role == "assistant"):
        reason = "all messages must have non-empty content except for the optional final assistant message"
        yield Violation("anthropic-empty-message", f"{path}.content", reason)
    for block in blocks:
        yield from check_block(block, role, is_signed=provider in _CLAUDE)


def _check_roles(messages: _Messages, model: str | None) -> Iterator[Violation]:
    for index, (path, message) in enumerate(messages):
        role = message["role"]
        if role in ("user", "assistant"):
            continue
        if role != "system" or not claude_models.takes_inline_system(model):
            reason = f'Unexpected role "{role}". The Messages API accepts a top-level `system` parameter'
            yield Violation("anthropic-system-role", f"{path}.role", reason)
            continue
        before = messages[index - 1] if index else None
        if before is None or not _may_precede_system(*before):
            reason = "role 'system' must follow a 'user' message or a server tool use"
            yield Violation("anthropic-system-role", f"{path}.role", reason)
        if index + 1 < len(messages) and messages[index + 1][1]["role"] != "assistant":
            reason = "role 'system' must precede an 'assistant' message or end the array"
            yield Violation("anthropic-system-role", f"{path}.role", reason)


def _check_alternation(messages: _Messages) -> Iterator[Violation]:
    roles = [(path, message["role"]) for path, message in messages if message["role"] != "system"]
    if roles and roles[0][1] == "assistant":
        reason = 'messages: first message must use the "user" role'
        yield Violation("anthropic-first-user", f"{roles[0][0]}.role", reason)
    for (_, before), (path, role) in pairwise(roles):
        if role == before:
            reason = f'messages: roles must alternate, but found multiple "{role}" roles in a row'
            yield Violation("anthropic-roles-alternate", f"{path}.role", reason)


def _may_precede_system(path: str, message: Mapping[str, Any]) -> bool:
    if message["role"] != "assistant":
        return bool(message["role"] == "user")
    blocks, _ = read_blocks(path, message.get("content"))
    return bool(blocks) and _is_server_block(blocks[-1])


def _is_server_block(block: Block) -> bool:
    return block.is_server_call or block.is_server_result


def _check_system(request: Mapping[str, Any]) -> Iterator[Violation]:
    system = request.get("system")
    if system is None or isinstance(system, str):
        return
    blocks, faults = read_blocks("system", system)
    yield from faults
    for block in blocks:
        if block.type == "text":
            yield from check_text(block)
        else:
            yield Violation(MALFORMED, block.path, "system takes text blocks only")


def _check_cache_breakpoints(request: Mapping[str, Any]) -> Iterator[Violation]:
    # Those of tools and system count, and the one at the top level for automatic caching.
    parts = {name: request.get(name) for name in ("cache_control", "messages", "system", "tools")}
    found = _count_breakpoints(parts)
    if found > _MAX_CACHE_BREAKPOINTS:
        reason = f"A maximum of 4 blocks with cache_control may be provided. Found {found}."
        yield Violation("anthropic-cache-control-max4", "messages", reason)


def _check_tools(request: Mapping[str, Any], provider: str) -> Iterator[Violation]:
    tools = request.get("tools")
    for index, tool in enumerate(tools if isinstance(tools, list) else ()):
        # Tools of the provider's own have a type and a name of theirs.
        if not isinstance(tool, Mapping) or tool.get("type") not in (None, "custom"):
            continue
        name, path = tool.get("name"), f"tools[{index}].name"
        if not isinstance(name, str):
            yield Violation(MALFORMED, path, "tools.custom.name: Field required")
        elif not _TOOL_NAME.fullmatch(name):
            reason = "tools.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"
            yield Violation("reported-anthropic-tool-name", path, reason)
        elif provider == "bedrock" and len(name) > _MAX_NAME_ON_BEDROCK:
            reason = "tools.custom.name: String should have at most 64 characters"
            yield Violation("reported-anthropic-tool-name", path, reason)


def _count_breakpoints(value: object) -> int:
    if isinstance(value, list):
        return sum(_count_breakpoints(item) for item in value)
    if not isinstance(value, Mapping):
        return 0
    # What a tool is called with, or its schema, is the user's own data.
    nested = (item for name, item in value.items() if name not in ("input", "input_schema", "cache_control"))
    return bool(value.get("cache_control")) + sum(_count_breakpoints(item) for item in nested)


def _check_prefill(turns: list[Turn], model: str | None) -> Iterator[Violation]:
    last = turns[-1]
    # Calls without results have an error of their own; a paused server tool is resumed, not prefilled.
    if last.role != "assistant" or last.of_type("tool_use"):
        return
    if last.blocks and _is_server_block(last.blocks[-1]):
        return
    path = last.blocks[-1].path if last.blocks else "messages"
    if claude_models.refuses_prefill(model):
        reason = "This model does not support assistant message prefill. It must end with a user message."
        yield Violation("anthropic-no-prefill", path, reason)
    elif last.blocks and last.blocks[-1].type == "text":
        text = last.blocks[-1].data.get("text")
        if isinstance(text, str) and text.strip() and text != text.rstrip():
            reason = "final assistant content cannot end with trailing whitespace"
            yield Violation("anthropic-prefill-trailing-whitespace", path, reason)
