"""Rules on a single Anthropic content block."""

import re
from collections.abc import Iterator

from tests.oracle.anthropic_turns import Block, read_blocks
from tests.oracle.violation import MALFORMED, Violation

_TOOL_ID = re.compile(r"[a-zA-Z0-9_-]+")
# Only the length of a called name is checked: whole shell commands went through until one was longer.
_MAX_CALLED_NAME = 200
# "String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'": unlike a client tool's id, without a hyphen.
_SERVER_TOOL_ID = re.compile(r"srvtoolu_[a-zA-Z0-9_]+")

_SERVER_TOOLS = frozenset(
    {
        "advisor",
        "bash_code_execution",
        "code_execution",
        "text_editor_code_execution",
        "tool_search_tool_bm25",
        "tool_search_tool_regex",
        "web_fetch",
        "web_search",
    }
)

_CALL = frozenset({"id", "name", "input", "caller", "cache_control"})
_SERVER_RESULT = frozenset({"tool_use_id", "content", "caller", "cache_control"})

# Fields beside `type`. `None`: any, because the field set is not known well enough to judge.
_FIELDS: dict[str, frozenset[str] | None] = {
    "text": frozenset({"text", "citations", "cache_control"}),
    "thinking": frozenset({"thinking", "signature"}),
    "redacted_thinking": frozenset({"data"}),
    "tool_use": _CALL,
    "tool_result": frozenset({"tool_use_id", "content", "is_error", "cache_control"}),
    "image": frozenset({"source", "cache_control"}),
    "document": frozenset({"source", "title", "context", "citations", "cache_control"}),
    "search_result": frozenset({"source", "title", "content", "citations", "cache_control"}),
    "container_upload": frozenset({"file_id", "cache_control"}),
    "compaction": None,
    "server_tool_use": _CALL,
    "web_search_tool_result": _SERVER_RESULT,
    "web_fetch_tool_result": _SERVER_RESULT,
    "code_execution_tool_result": _SERVER_RESULT,
    "bash_code_execution_tool_result": _SERVER_RESULT,
    "text_editor_code_execution_tool_result": _SERVER_RESULT,
    "tool_search_tool_result": _SERVER_RESULT,
    "advisor_tool_result": None,
    "mcp_tool_use": None,
    "mcp_tool_result": None,
}
_SYSTEM_FIELDS: dict[str, frozenset[str] | None] = {
    "text": _FIELDS["text"],
    "tool_addition": None,
    "tool_removal": None,
}
_RESULT_FIELDS: dict[str, frozenset[str] | None] = {
    **{kind: _FIELDS[kind] for kind in ("text", "image", "document", "search_result")},
    "tool_reference": frozenset({"tool_name", "cache_control"}),
}
_ASSISTANT_ONLY = frozenset(
    {"thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use", "mcp_tool_result"}
)


def check_block(block: Block, role: str, *, is_signed: bool) -> Iterator[Violation]:
    """Rules on a block of a message with this role; only those who serve Claude sign thinking."""
    yield from _check_kind(block, _SYSTEM_FIELDS if role == "system" else _FIELDS)
    if role != "user" and block.type == "tool_result":
        reason = "`tool_result` blocks can only be in `user` messages"
        yield Violation("anthropic-tool-result-role", block.path, reason)
    if role == "user" and (block.type in _ASSISTANT_ONLY or block.is_server_result):
        reason = f"`{block.type}` blocks can only be in `assistant` messages"
        yield Violation(MALFORMED, block.path, reason)
    match block.type:
        case "text":
            yield from check_text(block)
        case "tool_use" | "server_tool_use" | "mcp_tool_use":
            yield from _check_call(block)
        case "tool_result":
            yield from _check_result(block)
        case "thinking" if is_signed:
            yield from _check_thinking(block)


def check_text(block: Block) -> Iterator[Violation]:
    """Rules on a text block, wherever it stands."""
    text = block.data.get("text")
    # A string `content` has no `text` field of its own.
    path = block.path if block.path.endswith(".content") else f"{block.path}.text"
    if not isinstance(text, str):
        yield Violation(MALFORMED, path, "text: Input should be a valid string")
    elif not text and block.data.get("cache_control"):
        reason = "cache_control cannot be set for empty text blocks"
        yield Violation("anthropic-cache-control-empty", path, reason)
    elif not text:
        yield Violation("anthropic-empty-text-block", path, "text content blocks must be non-empty")
    elif not text.strip():
        reason = "text content blocks must contain non-whitespace text"
        yield Violation("anthropic-whitespace-text-block", path, reason)


def _check_kind(block: Block, known: dict[str, frozenset[str] | None]) -> Iterator[Violation]:
    if block.type not in known:
        # A result in the system or assistant role has an error of its own.
        if block.type != "tool_result":
            reason = f"Input tag '{block.type}' does not match any of the expected tags"
            yield Violation("anthropic-unknown-block-type", block.path, reason)
        return
    fields = known[block.type]
    if fields is not None:
        for name in sorted(set(block.data) - fields - {"type"}):
            reason = f"{block.type}.{name}: Extra inputs are not permitted"
            yield Violation("anthropic-extra-inputs", f"{block.path}.{name}", reason)


def _check_call(block: Block) -> Iterator[Violation]:
    identifier, name = block.data.get("id"), block.data.get("name")
    if not isinstance(identifier, str):
        yield Violation(MALFORMED, f"{block.path}.id", "a call must have an id")
    elif block.type == "tool_use" and not _TOOL_ID.fullmatch(identifier):
        reason = "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
        yield Violation("anthropic-tool-id-pattern", f"{block.path}.id", reason)
    elif block.type == "server_tool_use" and not _SERVER_TOOL_ID.fullmatch(identifier):
        reason = "server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'"
        yield Violation("anthropic-server-tool-id-pattern", f"{block.path}.id", reason)
    if not isinstance(name, str) or not name:
        yield Violation(MALFORMED, f"{block.path}.name", "a call must have a name")
    elif len(name) > _MAX_CALLED_NAME:
        reason = f"{block.type}.name: String should have at most {_MAX_CALLED_NAME} characters"
        yield Violation("reported-anthropic-tool-name", f"{block.path}.name", reason)
    elif block.type == "server_tool_use" and name not in _SERVER_TOOLS:
        # "A foreign NAME also fails even with a good id."
        reason = f"server_tool_use.name: {name!r} is none of the provider's own tools"
        yield Violation("anthropic-server-tool-id-pattern", f"{block.path}.name", reason)
    if not isinstance(block.data.get("input"), dict):
        reason = "tool_use.input: Input should be a valid dictionary"
        yield Violation("anthropic-tool-input-dict", f"{block.path}.input", reason)


def _check_result(block: Block) -> Iterator[Violation]:
    identifier = block.data.get("tool_use_id")
    path = f"{block.path}.tool_use_id"
    if not isinstance(identifier, str):
        reason = "tool_result.tool_use_id: Field required"
        yield Violation("anthropic-tool-result-id-missing", path, reason)
    elif not _TOOL_ID.fullmatch(identifier):
        reason = "tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'"
        yield Violation("anthropic-tool-id-pattern", path, reason)
    content = block.data.get("content")
    # Left out, or an empty string: accepted.
    if content is None or isinstance(content, str):
        return
    parts, faults = read_blocks(f"{block.path}.content", content)
    yield from faults
    for part in parts:
        yield from _check_kind(part, _RESULT_FIELDS)
        if part.type == "text":
            yield from check_text(part)


def _check_thinking(block: Block) -> Iterator[Violation]:
    thinking, signature = block.data.get("thinking"), block.data.get("signature")
    if not isinstance(thinking, str):
        reason = "thinking.thinking: Field required"
        yield Violation("anthropic-thinking-field", f"{block.path}.thinking", reason)
    if not isinstance(signature, str):
        reason = "thinking.signature: Field required"
        yield Violation("anthropic-thinking-signature-required", f"{block.path}.signature", reason)
    elif not signature and thinking == "":
        # With a signature, empty thinking is accepted: its text was only omitted from display.
        reason = "each thinking block must contain thinking"
        yield Violation("anthropic-thinking-empty", f"{block.path}.thinking", reason)
    elif not signature:
        reason = "Invalid `signature` in `thinking` block"
        yield Violation("anthropic-invalid-thinking-signature", f"{block.path}.signature", reason)
