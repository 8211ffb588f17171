"""Message-history processors for LLM agents.

Give ``replayable`` any agent's message history and the model that will read it next; the request that comes out is one
that model's provider accepts, nothing the provider could accept is lost, and every change is listed.
"""

from __future__ import annotations

from ._version import __version__
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
