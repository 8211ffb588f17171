"""Histories that hold every documented kind of message, item, part and block of each API.

Each text, input, output and name in them that means something is a mark (``@@U1``), so that a checker can look for it in
whatever a history becomes. The kinds are those of the providers' references: OpenAI's Chat Completions and Responses,
Anthropic's Messages, Gemini's ``Content``, Bedrock's ``ContentBlock``, Cohere's Chat v2, Ollama's ``/api/chat`` and Mistral's
chat completions; and of the AI SDK's and Mastra's types.
"""

from __future__ import annotations

import base64
from typing import Any, Final

__all__ = ["HISTORIES"]

_PNG: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
_PDF: Final = base64.b64encode(b"%PDF-1.4 x").decode()
HISTORIES: Final[dict[str, Any]] = {}
HISTORIES["openai_chat"] = {
    "model": "gpt-5",
    "prediction": {"type": "content", "content": "x"},
    "messages": [
        {"role": "developer", "content": [{"type": "text", "text": "@@S1"}], "name": "dev"},
        {
            "role": "user",
            "name": "bob",
            "content": [
                {"type": "text", "text": "@@U1"},
                {"type": "image_url", "image_url": {"url": "https://x/@@IMG1.png", "detail": "low"}},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64," + _PNG}},
                {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}},
                {"type": "file", "file": {"file_id": "file-@@F1"}},
                {
                    "type": "file",
                    "file": {"filename": "@@F2.pdf", "file_data": "data:application/pdf;base64," + _PDF},
                },
                {"type": "newthing", "newthing": {"x": "@@N1"}},
            ],
        },
        {
            "role": "assistant",
            "content": "@@A1",
            "refusal": None,
            "annotations": [
                {
                    "type": "url_citation",
                    "url_citation": {"url": "https://c", "title": "t", "start_index": 0, "end_index": 1},
                }
            ],
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "fA", "arguments": '{"q": "@@I1", "n": 12345678901234567890123}'},
                },
                {"id": "call_2", "type": "custom", "custom": {"name": "fB", "input": "@@I2 free"}},
                {"id": "call_3", "type": "function", "function": {"name": "fC", "arguments": "{bad @@I3"}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "@@R1"},
        {
            "role": "tool",
            "tool_call_id": "call_2",
            "content": [{"type": "text", "text": "@@R2a"}, {"type": "text", "text": "@@R2b"}],
        },
        {"role": "tool", "tool_call_id": "call_3", "content": ""},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "@@A2"}, {"type": "refusal", "refusal": "@@REF1"}],
        },
        {"role": "user", "content": "@@U2 \ud83d \u202eRTL \x00nul"},
        {"role": "assistant", "content": None, "refusal": "@@REF2"},
        {"role": "user", "content": "@@U3"},
        {"role": "assistant", "content": None, "audio": {"id": "audio_1"}},
        {"role": "user", "content": "@@U4"},
        {"role": "assistant", "content": None, "function_call": {"name": "fD", "arguments": '{"a":"@@I4"}'}},
        {"role": "function", "name": "fD", "content": "@@R4"},
        {"role": "system", "content": "@@S2"},
        {"role": "user", "content": "@@U5"},
    ],
}
HISTORIES["openai_responses"] = {
    "model": "gpt-5",
    "instructions": "@@S0",
    "input": [
        {"role": "developer", "content": "@@S1"},
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "@@U1"},
                {"type": "input_image", "image_url": "data:image/png;base64," + _PNG, "detail": "auto"},
                {"type": "input_image", "file_id": "file-@@F0", "detail": "auto"},
                {"type": "input_file", "file_id": "file-@@F1"},
                {"type": "input_file", "file_url": "https://x/@@F2.pdf"},
                {
                    "type": "input_file",
                    "filename": "@@F3.pdf",
                    "file_data": "data:application/pdf;base64," + _PDF,
                },
            ],
        },
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "@@TH1"}],
            "content": [{"type": "reasoning_text", "text": "@@TH1c"}],
            "encrypted_content": "gAAAA",
        },
        {
            "type": "web_search_call",
            "id": "ws_1",
            "status": "completed",
            "action": {"type": "search", "query": "@@WQ1"},
        },
        {
            "type": "file_search_call",
            "id": "fs_1",
            "status": "completed",
            "queries": ["@@FQ1"],
            "results": [{"file_id": "f", "text": "@@FR1", "filename": "x", "score": 0.5}],
        },
        {
            "type": "code_interpreter_call",
            "id": "ci_1",
            "status": "completed",
            "code": "@@CODE1",
            "container_id": "cntr_1",
            "outputs": [{"type": "logs", "logs": "@@LOG1"}],
        },
        {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": _PNG},
        {
            "type": "mcp_list_tools",
            "id": "mcpl_1",
            "server_label": "srv",
            "tools": [{"name": "t", "input_schema": {}}],
        },
        {
            "type": "mcp_approval_request",
            "id": "mcpr_1",
            "server_label": "srv",
            "name": "mt",
            "arguments": '{"a":"@@MA1"}',
        },
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
        {
            "type": "mcp_call",
            "id": "mcp_1",
            "server_label": "srv",
            "name": "mt",
            "arguments": '{"a":"@@MA2"}',
            "output": "@@MO1",
            "error": None,
            "approval_request_id": "mcpr_1",
        },
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [
                {
                    "type": "output_text",
                    "text": "@@A1",
                    "annotations": [
                        {
                            "type": "url_citation",
                            "url": "https://c",
                            "title": "t",
                            "start_index": 0,
                            "end_index": 1,
                        }
                    ],
                    "logprobs": [],
                },
                {"type": "refusal", "refusal": "@@REF1"},
            ],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "fA",
            "arguments": '{"q":"@@I1"}',
            "status": "completed",
        },
        {"type": "function_call", "id": "fc_2", "call_id": "call_2", "name": "fB", "arguments": "{bad @@I2"},
        {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_3", "name": "fC", "input": "@@I3"},
        {
            "type": "function_call_output",
            "call_id": "call_1",
            "output": [
                {"type": "input_text", "text": "@@R1"},
                {"type": "input_image", "image_url": "data:image/png;base64," + _PNG},
                {"type": "input_file", "file_id": "file-@@F4"},
            ],
        },
        {"type": "function_call_output", "call_id": "call_2", "output": "@@R2"},
        {"type": "custom_tool_call_output", "call_id": "call_3", "output": "@@R3"},
        {
            "type": "computer_call",
            "id": "cu_1",
            "call_id": "call_4",
            "status": "completed",
            "action": {"type": "click", "button": "left", "x": 1, "y": 2},
            "pending_safety_checks": [],
        },
        {
            "type": "computer_call_output",
            "call_id": "call_4",
            "output": {"type": "computer_screenshot", "image_url": "data:image/png;base64," + _PNG},
            "acknowledged_safety_checks": [],
        },
        {
            "type": "local_shell_call",
            "id": "lsh_1",
            "call_id": "call_5",
            "status": "completed",
            "action": {"type": "exec", "command": ["@@SH1"], "env": {}},
        },
        {"type": "local_shell_call_output", "id": "call_5", "output": "@@SHO1"},
        {
            "type": "shell_call",
            "id": "sh_1",
            "call_id": "call_6",
            "status": "completed",
            "action": {"commands": ["@@SH2"], "timeout_ms": 1, "max_output_length": 3},
        },
        {
            "type": "shell_call_output",
            "call_id": "call_6",
            "max_output_length": 3,
            "output": [{"stdout": "@@SHO2", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}],
        },
        {
            "type": "apply_patch_call",
            "id": "ap_1",
            "call_id": "call_7",
            "status": "completed",
            "operation": {"type": "create_file", "path": "p", "diff": "@@DIFF1"},
        },
        {"type": "apply_patch_call_output", "call_id": "call_7", "status": "completed", "output": "@@PO1"},
        {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"},
        {"type": "item_reference", "id": "msg_9"},
        {"type": "brand_new_item", "id": "bn_1", "x": "@@N1"},
        {"role": "user", "content": "@@U2"},
    ],
}
HISTORIES["anthropic"] = {
    "model": "claude-sonnet-5",
    "max_tokens": 99,
    "system": [{"type": "text", "text": "@@S1", "cache_control": {"type": "ephemeral"}}],
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "@@U1", "cache_control": {"type": "ephemeral"}},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _PNG}},
                {"type": "image", "source": {"type": "url", "url": "https://x/@@IMG1.png"}},
                {"type": "image", "source": {"type": "file", "file_id": "file_@@F1"}},
                {
                    "type": "document",
                    "source": {"type": "base64", "media_type": "application/pdf", "data": _PDF},
                    "title": "@@D1",
                },
                {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": "@@D2"},
                    "title": "@@D2t",
                    "context": "@@D2c",
                    "citations": {"enabled": True},
                },
                {
                    "type": "document",
                    "source": {"type": "content", "content": [{"type": "text", "text": "@@D3"}]},
                },
                {"type": "document", "source": {"type": "url", "url": "https://x/@@D4.pdf"}},
                {
                    "type": "search_result",
                    "source": "https://s",
                    "title": "@@SR1t",
                    "content": [{"type": "text", "text": "@@SR1"}],
                },
                {"type": "container_upload", "file_id": "file_@@CU1"},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "@@TH1", "signature": "c2ln"},
                {"type": "redacted_thinking", "data": "cmVk"},
                {
                    "type": "text",
                    "text": "@@A1",
                    "citations": [
                        {
                            "type": "char_location",
                            "cited_text": "@@CIT1",
                            "document_index": 0,
                            "document_title": None,
                            "start_char_index": 0,
                            "end_char_index": 3,
                        }
                    ],
                },
                {
                    "type": "server_tool_use",
                    "id": "srvtoolu_1",
                    "name": "web_search",
                    "input": {"query": "@@WQ1"},
                },
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "srvtoolu_1",
                    "content": [
                        {
                            "type": "web_search_result",
                            "title": "@@WR1",
                            "url": "https://w",
                            "encrypted_content": "e",
                            "page_age": None,
                        }
                    ],
                },
                {
                    "type": "server_tool_use",
                    "id": "srvtoolu_2",
                    "name": "web_fetch",
                    "input": {"url": "https://@@WF1"},
                },
                {
                    "type": "web_fetch_tool_result",
                    "tool_use_id": "srvtoolu_2",
                    "content": {
                        "type": "web_fetch_result",
                        "url": "https://f",
                        "content": {
                            "type": "document",
                            "source": {"type": "text", "media_type": "text/plain", "data": "@@WFR1"},
                        },
                    },
                },
                {
                    "type": "server_tool_use",
                    "id": "srvtoolu_3",
                    "name": "bash_code_execution",
                    "input": {"command": "@@BC1"},
                },
                {
                    "type": "bash_code_execution_tool_result",
                    "tool_use_id": "srvtoolu_3",
                    "content": {
                        "type": "bash_code_execution_result",
                        "stdout": "@@BCR1",
                        "stderr": "",
                        "return_code": 0,
                        "content": [],
                    },
                },
                {
                    "type": "mcp_tool_use",
                    "id": "mcptoolu_1",
                    "name": "mt",
                    "server_name": "srv",
                    "input": {"a": "@@MA1"},
                },
                {
                    "type": "mcp_tool_result",
                    "tool_use_id": "mcptoolu_1",
                    "is_error": False,
                    "content": [{"type": "text", "text": "@@MO1"}],
                },
                {"type": "brand_new", "x": "@@N1"},
                {"type": "tool_use", "id": "toolu_1", "name": "fA", "input": {"q": "@@I1", "f": 1.5}},
                {"type": "tool_use", "id": "toolu_2", "name": "fB", "input": {}},
                {
                    "type": "tool_use",
                    "id": "toolu_3",
                    "name": "fC",
                    "input": {"z": "@@I3"},
                    "caller": {"type": "direct"},
                },
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_2",
                    "content": [
                        {"type": "text", "text": "@@R2"},
                        {
                            "type": "image",
                            "source": {"type": "base64", "media_type": "image/png", "data": _PNG},
                        },
                        {
                            "type": "document",
                            "source": {"type": "text", "media_type": "text/plain", "data": "@@RD2"},
                        },
                        {
                            "type": "search_result",
                            "source": "s",
                            "title": "t",
                            "content": [{"type": "text", "text": "@@RS2"}],
                        },
                        {"type": "tool_reference", "tool_name": "@@TR2"},
                    ],
                },
                {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": True, "content": "@@R1"},
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_3",
                    "content": [
                        {
                            "type": "image",
                            "source": {"type": "base64", "media_type": "image/png", "data": _PNG},
                        }
                    ],
                },
                {"type": "text", "text": "@@U2"},
            ],
        },
        {"role": "system", "content": "@@S2"},
        {
            "role": "assistant",
            "content": [{"type": "compaction", "content": "@@CMP1"}, {"type": "text", "text": "@@A2"}],
        },
        {"role": "user", "content": "@@U3"},
    ],
}
HISTORIES["gemini"] = {
    "systemInstruction": {"parts": [{"text": "@@S1"}]},
    "contents": [
        {
            "role": "user",
            "parts": [
                {"text": "@@U1"},
                {"inlineData": {"mimeType": "image/png", "data": _PNG, "displayName": "@@DN1"}},
                {
                    "fileData": {"fileUri": "https://youtu.be/@@V1", "mimeType": "video/mp4"},
                    "videoMetadata": {"startOffset": "1s", "fps": 2},
                },
                {"inlineData": {"mimeType": "audio/wav", "data": "QUJD"}},
            ],
        },
        {
            "role": "model",
            "parts": [
                {"text": "@@TH1", "thought": True},
                {"text": "@@A1", "thoughtSignature": "c2ln"},
                {"executableCode": {"language": "PYTHON", "code": "@@CODE1"}},
                {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "@@CO1"}},
                {"toolCall": {"id": "tc1", "toolType": "GOOGLE_SEARCH", "args": {"q": "@@TC1"}}},
                {"toolResponse": {"id": "tc1", "toolType": "GOOGLE_SEARCH", "response": {"r": "@@TR1"}}},
                {"inlineData": {"mimeType": "image/png", "data": _PNG}, "thoughtSignature": "eA=="},
                {"brandNew": {"x": "@@N1"}},
                {"functionCall": {"name": "fA", "args": {"q": "@@I1"}}, "thoughtSignature": "c2lnMg=="},
                {"functionCall": {"name": "fA", "args": {"q": "@@I2"}}},
                {"functionCall": {"id": "id3", "name": "fB"}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {
                    "functionResponse": {
                        "name": "fA",
                        "response": {"result": "@@R1"},
                        "parts": [{"inlineData": {"mimeType": "image/png", "data": _PNG}}],
                    }
                },
                {"functionResponse": {"name": "fA", "response": {"x": {"y": "@@R2"}}, "willContinue": False}},
                {"functionResponse": {"id": "id3", "name": "fB", "response": {"error": "@@R3"}}},
                {"text": "@@U2"},
            ],
        },
        {"role": "model", "parts": [{"text": "", "thoughtSignature": "c2lnMw=="}, {"text": "@@A2"}]},
        {"parts": [{"text": "@@U3"}]},
    ],
}
HISTORIES["bedrock"] = {
    "modelId": "anthropic.claude-sonnet-5",
    "system": [{"text": "@@S1"}, {"cachePoint": {"type": "default"}}],
    "messages": [
        {
            "role": "user",
            "content": [
                {"text": "@@U1"},
                {"image": {"format": "png", "source": {"bytes": base64.b64decode(_PNG)}}},
                {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://b/@@S31.png"}}}},
                {
                    "document": {
                        "format": "pdf",
                        "name": "@@D1",
                        "source": {"bytes": b"%PDF"},
                        "citations": {"enabled": True},
                        "context": "@@DC1",
                    }
                },
                {"document": {"format": "txt", "name": "d2", "source": {"text": "@@D2"}}},
                {"document": {"format": "txt", "name": "d3", "source": {"content": [{"text": "@@D3"}]}}},
                {"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://b/@@V1.mp4"}}}},
                {"audio": {"format": "mp3", "source": {"bytes": b"abc"}}},
                {"guardContent": {"text": {"text": "@@G1", "qualifiers": ["query"]}}},
                {
                    "searchResult": {
                        "source": "s",
                        "title": "@@SRT",
                        "content": [{"text": "@@SR1"}],
                        "citations": {"enabled": True},
                    }
                },
                {"cachePoint": {"type": "default"}},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "@@TH1", "signature": "sig"}}},
                {"reasoningContent": {"redactedContent": b"red"}},
                {
                    "citationsContent": {
                        "content": [{"text": "@@A1"}],
                        "citations": [
                            {
                                "title": "t",
                                "sourceContent": [{"text": "@@CIT1"}],
                                "location": {"documentChar": {"documentIndex": 0, "start": 0, "end": 1}},
                            }
                        ],
                    }
                },
                {"text": "@@A1b"},
                {"toolUse": {"toolUseId": "t1", "name": "fA", "input": {"q": "@@I1"}}},
                {"toolUse": {"toolUseId": "t2", "name": "fB", "input": {}}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "toolResult": {
                        "toolUseId": "t1",
                        "status": "error",
                        "content": [
                            {"text": "@@R1"},
                            {"json": {"k": "@@R1j"}},
                            {"image": {"format": "png", "source": {"bytes": base64.b64decode(_PNG)}}},
                            {"document": {"format": "txt", "name": "rd", "source": {"bytes": b"@@RD1"}}},
                            {
                                "searchResult": {
                                    "source": "s",
                                    "title": "t",
                                    "content": [{"text": "@@RS1"}],
                                    "citations": {"enabled": True},
                                }
                            },
                        ],
                    }
                },
                {"toolResult": {"toolUseId": "t2", "content": [{"json": {"k": "@@R2"}}]}},
                {"text": "@@U2"},
            ],
        },
        {"role": "assistant", "content": [{"text": "@@A2"}]},
        {"role": "user", "content": [{"text": "@@U3"}]},
    ],
    "toolConfig": {"tools": [{"toolSpec": {"name": "fA", "inputSchema": {"json": {"type": "object"}}}}]},
}
HISTORIES["cohere_v2"] = {
    "model": "command-a",
    "documents": [{"data": {"x": "y"}}],
    "messages": [
        {"role": "system", "content": "@@S1"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "@@U1"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64," + _PNG}},
            ],
        },
        {
            "role": "assistant",
            "tool_plan": "@@A1",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "fA", "arguments": '{"q":"@@I1"}'}},
                {"id": "c2", "type": "function", "function": {"name": "fB", "arguments": "{}"}},
            ],
        },
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": [
                {"type": "document", "document": {"id": "1", "data": {"x": "@@R1"}}},
                {"type": "document", "document": {"data": "@@R1b"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c2", "content": "@@R2"},
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "@@TH1"}, {"type": "text", "text": "@@A2"}],
            "citations": [{"start": 0, "end": 1, "text": "@@CIT1", "sources": []}],
        },
        {"role": "user", "content": "@@U2"},
    ],
}
HISTORIES["ollama_chat"] = {
    "model": "qwen3",
    "messages": [
        {"role": "system", "content": "@@S1"},
        {"role": "user", "content": "@@U1", "images": [_PNG]},
        {
            "role": "assistant",
            "content": "@@A1",
            "thinking": "@@TH1",
            "tool_calls": [
                {"function": {"name": "fA", "arguments": {"q": "@@I1"}}},
                {"function": {"name": "fB", "arguments": {}}},
            ],
        },
        {"role": "tool", "tool_name": "fA", "content": "@@R1", "images": [_PNG]},
        {"role": "tool", "tool_name": "fB", "content": "@@R2"},
        {"role": "assistant", "content": "@@A2"},
        {"role": "user", "content": "@@U2"},
    ],
}
HISTORIES["mistral"] = {
    "model": "mistral-large-latest",
    "messages": [
        {"role": "system", "content": "@@S1"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "@@U1"},
                {"type": "image_url", "image_url": "https://x/@@IMG1.png"},
                {"type": "document_url", "document_url": "https://x/@@D1.pdf", "document_name": "@@DN"},
                {"type": "file", "file_id": "f-@@F1"},
                {"type": "input_audio", "input_audio": "QUJD"},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {
                    "type": "thinking",
                    "thinking": [
                        {"type": "text", "text": "@@TH1"},
                        {"type": "reference", "reference_ids": [1]},
                    ],
                    "closed": True,
                },
                {"type": "text", "text": "@@A1"},
                {"type": "reference", "reference_ids": [1, 2]},
            ],
            "tool_calls": [
                {
                    "id": "abcdefghi",
                    "type": "function",
                    "index": 0,
                    "function": {"name": "fA", "arguments": '{"q":"@@I1"}'},
                },
                {"id": "abcdefghj", "function": {"name": "fB", "arguments": {"q": "@@I2"}}},
            ],
        },
        {"role": "tool", "name": "fA", "tool_call_id": "abcdefghi", "content": "@@R1"},
        {
            "role": "tool",
            "tool_call_id": "abcdefghj",
            "content": [
                {"type": "text", "text": "@@R2"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64," + _PNG}},
            ],
        },
        {"role": "assistant", "content": "@@A2"},
        {"role": "user", "content": "@@U2"},
        {"role": "assistant", "content": "@@A3", "prefix": True},
    ],
}
HISTORIES["mastra"] = [
    {
        "id": "m1",
        "role": "user",
        "createdAt": "2026-01-01T00:00:00Z",
        "content": {
            "format": 2,
            "parts": [
                {"type": "text", "text": "@@U1"},
                {"type": "file", "mimeType": "image/png", "data": _PNG},
            ],
        },
    },
    {
        "id": "m2",
        "role": "assistant",
        "createdAt": "2026-01-01T00:00:01Z",
        "content": {
            "format": 2,
            "parts": [
                {"type": "step-start"},
                {
                    "type": "reasoning",
                    "reasoning": "",
                    "details": [{"type": "text", "text": "@@TH1", "signature": "s"}],
                },
                {"type": "text", "text": "@@A1"},
                {
                    "type": "tool-invocation",
                    "toolInvocation": {
                        "state": "result",
                        "toolCallId": "c1",
                        "toolName": "fA",
                        "args": {"q": "@@I1"},
                        "result": {"x": "@@R1"},
                    },
                },
                {"type": "step-start"},
                {"type": "source", "source": {"sourceType": "url", "id": "1", "url": "https://@@SRC1"}},
                {"type": "text", "text": "@@A2"},
            ],
        },
    },
    {"id": "m3", "role": "user", "content": {"format": 2, "parts": [{"type": "text", "text": "@@U2"}]}},
]
HISTORIES["ai_sdk"] = {
    "prompt": [
        {"role": "system", "content": "@@S1"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "@@U1"},
                {"type": "file", "mediaType": "image/png", "data": _PNG},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "reasoning", "text": "@@TH1"},
                {"type": "text", "text": "@@A1"},
                {"type": "tool-call", "toolCallId": "c1", "toolName": "fA", "input": {"q": "@@I1"}},
                {"type": "tool-call", "toolCallId": "c2", "toolName": "fB", "input": {}},
            ],
        },
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "c1",
                    "toolName": "fA",
                    "output": {
                        "type": "content",
                        "value": [
                            {"type": "text", "text": "@@R1"},
                            {"type": "media", "mediaType": "image/png", "data": _PNG},
                        ],
                    },
                },
                {
                    "type": "tool-result",
                    "toolCallId": "c2",
                    "toolName": "fB",
                    "output": {"type": "error-json", "value": {"e": "@@R2"}},
                },
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "@@A2"}]},
        {"role": "user", "content": [{"type": "text", "text": "@@U2"}]},
    ]
}
