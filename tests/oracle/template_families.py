"""What the chat templates of open models raise, by family; servers such as vLLM render them with Jinja."""

import re
from collections.abc import Iterator

from tests.oracle.openai_reading import Message
from tests.oracle.violation import Violation

# Ollama has templates of its own, in Go, which raise nothing.
RENDERS_JINJA = frozenset({"huggingface", "llamacpp", "lmstudio", "sglang", "vllm"})

_SYSTEM_FIRST = re.compile(r"qwen-?3\.[5-9]", re.IGNORECASE)
# Gemma 4 takes any order.
_ALTERNATING = re.compile(r"gemma(?!-?[4-9]-)|llama-?2|mistral-7b|mixtral", re.IGNORECASE)
# These leave calls and results out of the alternation, and want ids of nine characters.
_ALTERNATING_AROUND_TOOLS = re.compile(r"mistral-7b-instruct-v0\.3|mixtral-8x22b|mistral-nemo", re.IGNORECASE)
# Mistral's templates since the end of 2025 check what its API checks.
_ORDERED = re.compile(r"devstral-small-2|devstral-2|ministral-3-\d+b|mistral-large-3", re.IGNORECASE)
_NO_SYSTEM = re.compile(r"gemma-?(2-|\d+b)|(mistral-7b|mixtral-8x7b)-instruct-v0\.1", re.IGNORECASE)
# These take the field for calls, whatever it holds.
_READS_CALLS = re.compile(r"llama-?3\.[1-3]|gpt-oss|" + _ALTERNATING_AROUND_TOOLS.pattern, re.IGNORECASE)
_ID_LENGTH = 9
_THINKS_BY_DEFAULT = re.compile(r"qwen-?3(?!.*(coder|instruct))|thinking", re.IGNORECASE)


def check_template(messages: list[Message], model: str | None) -> Iterator[Violation]:
    """What rendering the messages raises first."""
    name = model or ""
    if _SYSTEM_FIRST.search(name):
        yield from _check_system_first(messages)
    # No template knows the role "developer".
    is_first_system = messages[0].role == "system"
    if is_first_system and _NO_SYSTEM.search(name):
        yield Violation(
            "template-system-unsupported", f"{messages[0].path}.role", "System role not supported"
        )
        return
    if _READS_CALLS.search(name):
        for message in messages:
            if message.data.get("tool_calls") == []:
                reason = "This model only supports single tool-calls at once! | list object has no element 0"
                yield Violation("reported-template-empty-tool-calls", f"{message.path}.tool_calls", reason)
    turns = messages[1:] if is_first_system else messages
    if _ORDERED.search(name):
        yield from _check_order(messages)
    elif _ALTERNATING_AROUND_TOOLS.search(name):
        yield from _check_alternation([turn for turn in turns if turn.role != "tool" and not turn.calls])
        yield from _check_id_length(messages)
    elif _ALTERNATING.search(name):
        yield from _check_alternation(turns)


def thinks_by_default(model: str | None) -> bool:
    """Whether the template opens a thinking block unless the request says otherwise."""
    return bool(_THINKS_BY_DEFAULT.search(model or ""))


def _check_alternation(turns: list[Message]) -> Iterator[Violation]:
    for index, turn in enumerate(turns):
        # Whatever is no user stands for the assistant.
        if (turn.role == "user") == bool(index % 2):
            reason = "Conversation roles must alternate user/assistant/user/assistant/..."
            yield Violation("template-roles-alternate", f"{turn.path}.role", reason)
            return


def _check_id_length(messages: list[Message]) -> Iterator[Violation]:
    for message in messages:
        for call in message.calls:
            if len(call.id) != _ID_LENGTH:
                reason = "Tool call IDs should be alphanumeric strings with length 9!"
                yield Violation("mistral-tool-id-9", f"{call.path}.id", reason)


def _check_order(messages: list[Message]) -> Iterator[Violation]:
    before = ""
    for message in messages:
        starts_wrong = not before and message.role not in ("system", "user")
        # An assistant's calls come before a result, as do further results.
        follows_wrong = (message.role == "system" and before not in ("", "system")) or (
            message.role == "tool" and before not in ("assistant", "tool")
        )
        if starts_wrong or follows_wrong or message.role == "developer":
            reason = f"Unexpected role '{message.role}' after role '{before}'"
            yield Violation("mistral-unexpected-role", f"{message.path}.role", reason)
            return
        if message.role == "assistant" and message.is_blank and not message.calls:
            reason = "Assistant message must have a string or a list of chunks in content or tool calls."
            yield Violation("mistral-assistant-none", f"{message.path}.content", reason)
            return
        before = message.role


def _check_system_first(messages: list[Message]) -> Iterator[Violation]:
    for index, message in enumerate(messages):
        if message.role == "developer" or (index and message.role == "system"):
            reason = "System message must be at the beginning."
            yield Violation("template-system-first", f"{message.path}.role", reason)
    if not any(message.role == "user" and not message.is_blank for message in messages):
        reason = "No user query found in messages."
        yield Violation("template-no-user-query", "messages", reason)
