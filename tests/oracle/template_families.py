"""What the chat templates of open models raise, by family; servers such as vLLM render them with Jinja."""

import re
from collections.abc import Iterator

from tests.oracle.openai_reading import Message
from tests.oracle.violation import Violation

# Ollama has templates of its own, in Go, which raise nothing.
RENDERS_JINJA = frozenset({"huggingface", "llamacpp", "lmstudio", "sglang", "vllm"})

_SYSTEM = ("system", "developer")
_SYSTEM_FIRST = re.compile(r"qwen-?3\.[5-9]", re.IGNORECASE)
_ALTERNATING = re.compile(r"gemma|llama-?2|mistral-7b|mixtral", re.IGNORECASE)
# Mistral's later templates leave calls and results out of the alternation.
_ALTERNATING_AROUND_TOOLS = re.compile(
    r"mistral-7b-instruct-v0\.3|mixtral-8x22b|mistral-(nemo|small|large)|ministral", re.IGNORECASE
)
_NO_SYSTEM = re.compile(r"gemma-?(2-|\d+b)|(mistral-7b|mixtral-8x7b)-instruct-v0\.[12]", re.IGNORECASE)
_THINKS_BY_DEFAULT = re.compile(r"qwen-?3(?!.*(coder|instruct))|thinking", re.IGNORECASE)


def check_template(messages: list[Message], model: str | None) -> Iterator[Violation]:
    """What rendering the messages raises first."""
    name = model or ""
    if _SYSTEM_FIRST.search(name):
        yield from _check_system_first(messages)
    is_first_system = messages[0].role in _SYSTEM
    if is_first_system and _NO_SYSTEM.search(name):
        yield Violation(
            "template-system-unsupported", f"{messages[0].path}.role", "System role not supported"
        )
        return
    turns = messages[1:] if is_first_system else messages
    if _ALTERNATING_AROUND_TOOLS.search(name):
        yield from _check_alternation([turn for turn in turns if turn.role != "tool" and not turn.calls])
    elif _ALTERNATING.search(name):
        yield from _check_alternation(turns)


def thinks_by_default(model: str | None) -> bool:
    """Whether the template opens a thinking block unless the request says otherwise."""
    return bool(_THINKS_BY_DEFAULT.search(model or ""))


def _check_alternation(turns: list[Message]) -> Iterator[Violation]:
    for index, turn in enumerate(turns):
        if turn.role != ("user", "assistant")[index % 2]:
            reason = "Conversation roles must alternate user/assistant/user/assistant/..."
            yield Violation("template-roles-alternate", f"{turn.path}.role", reason)
            return


def _check_system_first(messages: list[Message]) -> Iterator[Violation]:
    for index, message in enumerate(messages):
        if index and message.role in _SYSTEM:
            reason = "System message must be at the beginning."
            yield Violation("template-system-first", f"{message.path}.role", reason)
    if not any(message.role == "user" and not message.is_blank for message in messages):
        reason = "No user query found in messages."
        yield Violation("template-no-user-query", "messages", reason)
