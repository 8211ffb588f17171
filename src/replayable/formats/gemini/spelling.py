"""Gemini's field names: the API takes camelCase and snake_case; what is read is known by the former."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..wire import Wire
from .names import SNAKE

__all__ = ["camel_case", "snake_case", "spelled"]

_SNAKE: Final = {
    "functionCall": "function_call",
    "functionResponse": "function_response",
    "inlineData": "inline_data",
    "fileData": "file_data",
    "thoughtSignature": "thought_signature",
    "executableCode": "executable_code",
    "codeExecutionResult": "code_execution_result",
    "toolCall": "tool_call",
    "toolResponse": "tool_response",
    "toolType": "tool_type",
    "mimeType": "mime_type",
    "fileUri": "file_uri",
    "displayName": "display_name",
    "systemInstruction": "system_instruction",
    "toolConfig": "tool_config",
    "generationConfig": "generation_config",
    "thinkingConfig": "thinking_config",
    "thinkingBudget": "thinking_budget",
    "thinkingLevel": "thinking_level",
    "cachedContent": "cached_content",
    "functionCallingConfig": "function_calling_config",
    "allowedFunctionNames": "allowed_function_names",
    "functionDeclarations": "function_declarations",
    "parametersJsonSchema": "parameters_json_schema",
}
_CAMEL: Final = {snake: camel for camel, snake in _SNAKE.items()}
_IN_SNAKE_CASE: Final = frozenset(_CAMEL)


def camel_case(wire: Wire, found: list[str]) -> Wire:
    """Return the fields by their camelCase names; the names of those that weren't spelled so are added to ``found``.

    A field that stands there in both spellings keeps them.
    """
    if _IN_SNAKE_CASE.isdisjoint(wire):
        return wire
    fields: Wire = {}
    for key, value in wire.items():
        name = _CAMEL.get(key, key)
        if name is not key and name not in wire:
            found.append(name)
            key = name
        fields[key] = value
    return fields


def snake_case(name: str) -> str:
    """Return the snake_case spelling of a field."""
    return _SNAKE[name]


def spelled(wire: Wire, options: Wire) -> Wire:
    """Return the fields, and those of the objects that they hold, in the spelling that they had."""
    names = options.get(SNAKE)
    if not isinstance(names, list) or not names:
        return wire
    return {
        _spelled(key, names): {_spelled(name, names): item for name, item in value.items()}
        if key in _SNAKE and isinstance(value, dict)
        else value
        for key, value in wire.items()
    }


def _spelled(key: str, names: Sequence[str]) -> str:
    return _SNAKE.get(key, key) if key in names else key
