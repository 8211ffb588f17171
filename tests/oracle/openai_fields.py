"""Providers that refuse message fields they don't know."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.oracle.openai_reading import Message
from tests.oracle.violation import Violation

_COMMON = frozenset({"role", "content", "name", "tool_calls", "tool_call_id"})


@dataclass(frozen=True, slots=True)
class _Policy:
    entry: str
    fields: frozenset[str]
    wording: str


_POLICIES = {
    "groq": _Policy(
        "groq-unsupported-property",
        _COMMON | {"reasoning", "function_call"},
        "property '{}' is unsupported",
    ),
    "cerebras": _Policy(
        "cerebras-wrong-api-format",
        _COMMON | {"reasoning"},
        "property '{}' is unsupported",
    ),
    # Fireworks takes `reasoning_content` but not `reasoning`: the opposite of Cerebras.
    "fireworks": _Policy(
        "fireworks-extra-inputs",
        (_COMMON - {"name"}) | {"reasoning_content"},
        "Extra inputs are not permitted, field: '{}'",
    ),
}
_GROQ_REASONING = ("gpt-oss", "qwen3", "qwen-qwq", "deepseek-r1")


def check_fields(message: Message, provider: str, model: str | None) -> Iterator[Violation]:
    """Fields that are not in the provider's list."""
    policy = _POLICIES.get(provider)
    if policy is None:
        return
    for name in sorted(set(message.data) - policy.fields):
        yield Violation(policy.entry, f"{message.path}.{name}", policy.wording.format(name))
    knows_reasoning = provider != "groq" or not model or any(name in model for name in _GROQ_REASONING)
    if message.data.get("reasoning") is not None and not knows_reasoning:
        reason = "reasoning is not supported with this model"
        yield Violation("groq-reasoning-not-supported", f"{message.path}.reasoning", reason)
