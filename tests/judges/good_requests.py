"""Requests of our own that use much of each API and that the SDKs' types accept."""

from __future__ import annotations

from typing import Any

_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def _anthropic(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": list(messages), **fields}


def _chat(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"model": "gpt-4o", "messages": list(messages), **fields}


def _call(arguments: str = '{"city": "Oslo"}') -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": arguments}}


ANTHROPIC: dict[str, dict[str, Any]] = {
    "text": _anthropic({"role": "user", "content": "Hello"}),
    "system_blocks": _anthropic(
        {
            "role": "user",
            "content": [{"type": "text", "text": "Hello", "cache_control": {"type": "ephemeral"}}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "Hi", "citations": None}]},
        {"role": "user", "content": "Bye"},
        system=[{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
        stop_sequences=["END"],
        metadata={"user_id": "u1"},
    ),
    "tools": _anthropic(
        {"role": "user", "content": "Weather?"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "A tool helps.", "signature": "c2ln"},
                {"type": "redacted_thinking", "data": "ZGF0YQ=="},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Oslo"}},
                {"type": "tool_use", "id": "toolu_2", "name": "map", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "12 °C"},
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_2",
                    "is_error": False,
                    "cache_control": {"type": "ephemeral"},
                    "content": [
                        {"type": "text", "text": "A map"},
                        {
                            "type": "image",
                            "source": {"type": "base64", "media_type": "image/png", "data": _PIXEL},
                        },
                    ],
                },
                {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}},
            ],
        },
        thinking={"type": "enabled", "budget_tokens": 1024},
        tools=[
            {"name": "weather", "description": "Weather of a city", "input_schema": _SCHEMA},
            {"name": "map", "type": "custom", "input_schema": {"type": "object"}},
        ],
        tool_choice={"type": "auto", "disable_parallel_tool_use": True},
    ),
}

ANTHROPIC_BETA: dict[str, dict[str, Any]] = {
    "context_management": _anthropic(
        {"role": "user", "content": "Hello"},
        context_management={"edits": [{"type": "clear_tool_uses_20250919"}]},
    ),
}

OPENAI_CHAT: dict[str, dict[str, Any]] = {
    "text": _chat({"role": "user", "content": "Hello"}, temperature=1, max_completion_tokens=10),
    "parts": _chat(
        {"role": "developer", "content": [{"type": "text", "text": "Be brief."}]},
        {
            "role": "user",
            "name": "ann",
            "content": [
                {"type": "text", "text": "What is this?"},
                {
                    "type": "image_url",
                    "image_url": {"url": f"data:image/png;base64,{_PIXEL}", "detail": "low"},
                },
                {"type": "file", "file": {"file_id": "file-1"}},
                {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
            ],
        },
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}], "refusal": None},
        {"role": "user", "content": "Why?"},
    ),
    "tools": _chat(
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": None, "tool_calls": [_call()]},
        {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "12 °C"}]},
        {"role": "assistant", "tool_calls": [_call("")]},
        {"role": "tool", "tool_call_id": "call_1", "content": ""},
        tools=[{"type": "function", "function": {"name": "weather", "parameters": _SCHEMA, "strict": True}}],
        tool_choice={"type": "function", "function": {"name": "weather"}},
        response_format={"type": "json_object"},
        parallel_tool_calls=False,
    ),
    "legacy": _chat(
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": None, "function_call": {"name": "weather", "arguments": "{}"}},
        {"role": "function", "name": "weather", "content": "12 °C"},
        functions=[{"name": "weather", "parameters": _SCHEMA}],
        function_call="auto",
    ),
}

OPENAI_RESPONSES: dict[str, dict[str, Any]] = {
    "text": {"model": "gpt-5", "input": "Hello"},
    "parts": {
        "model": "gpt-5",
        "instructions": "Be brief.",
        "input": [
            {"type": "message", "role": "developer", "content": "In English."},
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "What is this?"},
                    {"type": "input_image", "image_url": f"data:image/png;base64,{_PIXEL}", "detail": "low"},
                    {
                        "type": "input_file",
                        "file_data": "data:application/pdf;base64,QQ==",
                        "filename": "a.pdf",
                    },
                    {"type": "input_file", "file_url": "https://example.org/a.pdf"},
                    {"type": "input_image", "file_id": "file-1", "detail": "auto"},
                ],
            },
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": [
                    {"type": "output_text", "text": "A dot.", "annotations": []},
                    {"type": "refusal", "refusal": "No more."},
                ],
            },
            {"role": "user", "content": "Why?"},
        ],
        "reasoning": {"effort": "none"},
    },
    "tools": {
        "model": "gpt-5",
        "input": [
            {"role": "user", "content": "Weather?"},
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [
                    {"type": "summary_text", "text": "A tool"},
                    {"type": "summary_text", "text": "helps."},
                ],
                "encrypted_content": "gAAAAABoOslo",
            },
            {"role": "assistant", "content": "I look."},
            {
                "type": "function_call",
                "id": "fc_1",
                "call_id": "call_1",
                "name": "weather",
                "arguments": '{"city": "Oslo"}',
                "status": "completed",
            },
            {"type": "function_call", "call_id": "call_2", "name": "weather", "arguments": "{broken"},
            {"type": "function_call_output", "call_id": "call_2", "output": "No such city"},
            {
                "type": "function_call_output",
                "call_id": "call_1",
                "output": [{"type": "input_text", "text": "12 °C"}],
            },
            {"type": "custom_tool_call", "call_id": "call_3", "name": "sql", "input": "SELECT 1"},
            {"type": "custom_tool_call_output", "call_id": "call_3", "output": "1"},
        ],
        "tools": [
            {"type": "function", "name": "weather", "parameters": _SCHEMA, "strict": True},
            {"type": "custom", "name": "sql"},
            {"type": "web_search"},
        ],
        "tool_choice": {"type": "function", "name": "weather"},
        "parallel_tool_calls": True,
        "reasoning": {"effort": "high", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "store": False,
    },
    "hosted": {
        "model": "gpt-5",
        "input": [
            {"role": "user", "content": "Look around."},
            {
                "type": "web_search_call",
                "id": "ws_1",
                "status": "completed",
                "action": {"type": "search", "query": "Oslo"},
            },
            {
                "type": "code_interpreter_call",
                "id": "ci_1",
                "container_id": "cntr_1",
                "code": "1 + 1",
                "outputs": [{"type": "logs", "logs": "2"}],
                "status": "completed",
            },
            {
                "type": "mcp_call",
                "id": "mcp_1",
                "server_label": "wiki",
                "name": "ask",
                "arguments": '{"q": "Oslo"}',
                "output": "A city",
            },
            {
                "type": "file_search_call",
                "id": "fs_1",
                "queries": ["Oslo"],
                "status": "completed",
                "results": None,
            },
            {
                "type": "apply_patch_call",
                "call_id": "call_1",
                "status": "completed",
                "operation": {"type": "delete_file", "path": "a.txt"},
            },
            {
                "type": "shell_call",
                "call_id": "call_2",
                "action": {"commands": ["ls"], "timeout_ms": 1000},
            },
            {"type": "apply_patch_call_output", "call_id": "call_1", "status": "completed", "output": "Gone"},
            {
                "type": "shell_call_output",
                "call_id": "call_2",
                "output": [{"stdout": "", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}],
            },
            {
                "type": "computer_call",
                "id": "cu_1",
                "call_id": "call_3",
                "action": {"type": "screenshot"},
                "pending_safety_checks": [],
                "status": "completed",
            },
            {
                "type": "computer_call_output",
                "call_id": "call_3",
                "output": {"type": "computer_screenshot", "image_url": f"data:image/png;base64,{_PIXEL}"},
            },
        ],
        "tools": [{"type": "web_search"}, {"type": "apply_patch"}],
    },
    "server_state": {
        "model": "gpt-5",
        "previous_response_id": "resp_1",
        "input": [
            {"type": "item_reference", "id": "fc_1"},
            {"type": "function_call_output", "call_id": "call_1", "output": "12 °C"},
        ],
        "tool_choice": {
            "type": "allowed_tools",
            "mode": "auto",
            "tools": [{"type": "function", "name": "weather"}],
        },
    },
}
