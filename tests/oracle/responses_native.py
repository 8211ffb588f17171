"""What OpenAI itself, Azure and the Codex backend check on every item."""

import re
from collections.abc import Iterator

from tests.oracle.responses_reading import Item
from tests.oracle.violation import Violation
from tests.oracle.wire import as_text, objects

_MODEL = re.compile(r"(gpt-|o\d|codex|chatgpt|computer-use)", re.IGNORECASE)
_ID = re.compile(r"[a-zA-Z0-9_-]*")
_FUNCTION_NAME = re.compile(r"[a-zA-Z0-9_-]+")
_MAX_ID = 64
_PREFIXES = {
    "code_interpreter_call": "ci",
    "compaction": "cmp",
    "computer_call": "cu",
    "custom_tool_call": "ctc",
    "file_search_call": "fs",
    "function_call": "fc",
    "image_generation_call": "ig",
    "local_shell_call": "lsh",
    "mcp_call": "mcp",
    "mcp_list_tools": "mcpl",
    "message": "msg",
    "reasoning": "rs",
    "tool_search_call": "tsc",
    "web_search_call": "ws",
}
_FIELDS = {
    "function_call": frozenset({"id", "call_id", "name", "arguments", "status", "namespace", "caller"}),
    "function_call_output": frozenset({"id", "call_id", "output", "status", "caller"}),
    "message": frozenset({"id", "role", "content", "status", "phase"}),
    # `status` is in the documented type, and refused.
    "reasoning": frozenset({"id", "summary", "content", "encrypted_content"}),
}
_PART_FIELDS = {"output_text": frozenset({"text", "annotations", "logprobs"})}
_ASSISTANT_PARTS = ("output_text", "refusal")
_CLIENT_PARTS = ("input_text", "input_image", "input_file", "input_audio")


def is_native(provider: str, model: str | None) -> bool:
    """Whether OpenAI's own validation sees the request."""
    return provider in ("openai", "azure", "chatgpt_codex") and (model is None or bool(_MODEL.match(model)))


def check_native(item: Item) -> Iterator[Violation]:
    """Rules on one item."""
    yield from _check_ids(item)
    yield from _check_fields(item)
    if item.type == "message":
        yield from _check_parts(item)
    content = item.data.get("content")
    if item.type == "reasoning" and isinstance(content, list) and content:
        reason = f"array too long. Expected an array with maximum length 0, but got length {len(content)}"
        yield Violation("responses-reasoning-content-array", f"{item.path}.content", reason)
    name = as_text(item.data.get("name"))
    if item.type == "function_call" and name and not _FUNCTION_NAME.fullmatch(name):
        reason = "name: string does not match pattern '^[a-zA-Z0-9_-]+$'"
        yield Violation("openai-message-name-pattern", f"{item.path}.name", reason)


def _check_ids(item: Item) -> Iterator[Violation]:
    prefix = _PREFIXES.get(item.type, "")
    if item.id and not item.id.startswith(prefix):
        reason = f"Invalid id: '{item.id}'. Expected an ID that begins with '{prefix}'."
        yield Violation("responses-invalid-id-prefix", f"{item.path}.id", reason)
    for name in ("id", "call_id", "name"):
        value = as_text(item.data.get(name))
        if len(value) > _MAX_ID:
            reason = f"string too long. Expected a string with maximum length 64, but got {len(value)}"
            yield Violation("responses-string-too-long", f"{item.path}.{name}", reason)
        elif name != "name" and not _ID.fullmatch(value):
            reason = "Expected an ID that contains letters, numbers, underscores, or dashes"
            yield Violation("responses-id-charset", f"{item.path}.{name}", reason)


def _check_fields(item: Item) -> Iterator[Violation]:
    known = _FIELDS.get(item.type)
    if known is not None:
        for name in sorted(set(item.data) - known - {"type"}):
            yield _unknown(f"{item.path}.{name}")
    for path, part in objects(f"{item.path}.content", item.data.get("content")):
        fields = _PART_FIELDS.get(as_text(part.get("type")))
        if fields is not None:
            for name in sorted(set(part) - fields - {"type"}):
                yield _unknown(f"{path}.{name}")


def _unknown(path: str) -> Violation:
    return Violation("responses-unknown-parameter", path, f"Unknown parameter: '{path}'.")


def _check_parts(item: Item) -> Iterator[Violation]:
    supported = _ASSISTANT_PARTS if item.role == "assistant" else _CLIENT_PARTS
    for path, part in objects(f"{item.path}.content", item.data.get("content")):
        if part.get("type") not in supported:
            reason = f"Invalid value: '{part.get('type')}'. Supported values are: {', '.join(supported)}."
            yield Violation("responses-assistant-input-text", f"{path}.type", reason)
