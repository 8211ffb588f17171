"""Message-history processors for LLM agents.

Give ``replayable`` any agent's message history and the model that will read it next; the request that comes out is one
that model's provider accepts, nothing the provider could accept is lost, and every change is listed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from ._version import __version__

if TYPE_CHECKING:
    from .changes import Change
    from .checking import Finding, check
    from .clean import CleanMessages
    from .compat.evidence import Evidence, KnownRejection
    from .compat.explaining import Explanation, explain
    from .compat.processor import ProviderHistoryCompat
    from .compat.provider import Dialect, Provider
    from .compat.providers import PROVIDERS
    from .compat.rule import CompatRule, Example
    from .errors import (
        ConfigurationError,
        HistoryFormatError,
        MissingExtraError,
        ProcessorError,
        ReplayableError,
        RunAborted,
    )
    from .fixing import Fixed, fix
    from .messages import (
        AssistantMessage,
        FilePart,
        Message,
        OpaquePart,
        ReasoningPart,
        SystemMessage,
        TextPart,
        ToolCallPart,
        ToolMessage,
        ToolResultPart,
        UserMessage,
        messages_from_json,
        messages_to_json,
        validate_messages,
    )
    from .model_ref import ModelRef
    from .pairing import clean_messages
    from .pipeline import Pipeline
    from .processor import APIErrorArgs, ErrorRepair, InputArgs, InputStepArgs, LLMRequestArgs, Processor
    from .prompt import Prompt, ProviderTool, ToolChoice, ToolDefinition
    from .provider_error import ProviderError
    from .rule_memory import RuleMemory
    from .run import Prepared, Run
    from .tool_call_filter import ToolCallFilter

__all__ = [
    "PROVIDERS",
    "APIErrorArgs",
    "AssistantMessage",
    "Change",
    "CleanMessages",
    "CompatRule",
    "ConfigurationError",
    "Dialect",
    "ErrorRepair",
    "Evidence",
    "Example",
    "Explanation",
    "FilePart",
    "Finding",
    "Fixed",
    "HistoryFormatError",
    "InputArgs",
    "InputStepArgs",
    "KnownRejection",
    "LLMRequestArgs",
    "Message",
    "MissingExtraError",
    "ModelRef",
    "OpaquePart",
    "Pipeline",
    "Prepared",
    "Processor",
    "ProcessorError",
    "Prompt",
    "Provider",
    "ProviderError",
    "ProviderHistoryCompat",
    "ProviderTool",
    "ReasoningPart",
    "ReplayableError",
    "RuleMemory",
    "Run",
    "RunAborted",
    "SystemMessage",
    "TextPart",
    "ToolCallFilter",
    "ToolCallPart",
    "ToolChoice",
    "ToolDefinition",
    "ToolMessage",
    "ToolResultPart",
    "UserMessage",
    "__version__",
    "check",
    "clean_messages",
    "explain",
    "fix",
    "messages_from_json",
    "messages_to_json",
    "validate_messages",
]

# Where each name stands. It is looked up when somebody first asks for it, so that nobody pays for what isn't used.
_MODULES: Final = {
    "PROVIDERS": "compat.providers",
    "APIErrorArgs": "processor",
    "AssistantMessage": "messages",
    "Change": "changes",
    "CleanMessages": "clean",
    "CompatRule": "compat.rule",
    "ConfigurationError": "errors",
    "Dialect": "compat.provider",
    "ErrorRepair": "processor",
    "Evidence": "compat.evidence",
    "Example": "compat.rule",
    "Explanation": "compat.explaining",
    "FilePart": "messages",
    "Finding": "checking",
    "Fixed": "fixing",
    "HistoryFormatError": "errors",
    "InputArgs": "processor",
    "InputStepArgs": "processor",
    "KnownRejection": "compat.evidence",
    "LLMRequestArgs": "processor",
    "Message": "messages",
    "MissingExtraError": "errors",
    "ModelRef": "model_ref",
    "OpaquePart": "messages",
    "Pipeline": "pipeline",
    "Prepared": "run",
    "Processor": "processor",
    "ProcessorError": "errors",
    "Prompt": "prompt",
    "Provider": "compat.provider",
    "ProviderError": "provider_error",
    "ProviderHistoryCompat": "compat.processor",
    "ProviderTool": "prompt",
    "ReasoningPart": "messages",
    "ReplayableError": "errors",
    "RuleMemory": "rule_memory",
    "Run": "run",
    "RunAborted": "errors",
    "SystemMessage": "messages",
    "TextPart": "messages",
    "ToolCallFilter": "tool_call_filter",
    "ToolCallPart": "messages",
    "ToolChoice": "prompt",
    "ToolDefinition": "prompt",
    "ToolMessage": "messages",
    "ToolResultPart": "messages",
    "UserMessage": "messages",
    "check": "checking",
    "clean_messages": "pairing",
    "explain": "compat.explaining",
    "fix": "fixing",
    "messages_from_json": "messages",
    "messages_to_json": "messages",
    "validate_messages": "messages",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
