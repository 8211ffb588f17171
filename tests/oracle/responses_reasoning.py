"""Reasoning items, and items that the server is asked to remember."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tests.oracle.responses_reading import Item
from tests.oracle.violation import Violation
from tests.oracle.wire import as_text

# OpenAI's models, wherever served; others take reasoning items as they come.
_OPENAI = frozenset({"azure", "bedrock_mantle", "chatgpt_codex", "copilot", "openai"})
_REJECTS_DUPLICATES = _OPENAI | {"openrouter"}
# Whatever OpenAI encrypts is a Fernet token, whose first byte and time stamp give these letters.
_TOKEN = "gAAAA"
_BLANKED = "REDACTED"


def check_reasoning(items: list[Item], provider: str, model: str | None) -> Iterator[Violation]:
    """A reasoning item comes directly before what the model wrote after thinking."""
    if provider not in _OPENAI:
        return
    for index, item in enumerate(items):
        if item.type != "reasoning":
            continue
        follower = next((other for other in items[index + 1 :] if other.type != "reasoning"), None)
        if follower is None or not _may_follow(follower, item, model):
            reason = f"Item '{item.id}' of type 'reasoning' was provided without its required following item."
            yield Violation("responses-reasoning-without-following", item.path, reason)


def _may_follow(follower: Item, reasoning: Item, model: str | None) -> bool:
    if follower.type != "message":
        return follower.is_model_output
    # Recorded: gpt-5 refuses a message without its own id behind stored reasoning; o3-mini takes it.
    stored = bool(reasoning.id) and (model or "").startswith("gpt-")
    return follower.is_model_output and (bool(follower.id) or not stored)


def check_storage(request: Mapping[str, Any], items: list[Item], provider: str) -> Iterator[Violation]:
    """What the server has not stored, it cannot look up; and nothing stands in the input twice."""
    if request.get("store") is False and provider in _OPENAI:
        for item in items:
            bodiless = item.type == "reasoning" and item.id and not item.data.get("encrypted_content")
            if bodiless or item.type == "item_reference" or not item.type:
                reason = f"Item with id '{item.id}' not found. Items are not persisted when `store` is set to false"
                yield Violation("responses-item-not-found-store-false", item.path, reason)
    seen: Counter[str] = Counter()
    for item in items:
        seen[item.id] += 1
        if item.id and seen[item.id] > 1 and provider in _REJECTS_DUPLICATES:
            reason = f"Duplicate item found with id {item.id}. Remove duplicate items from your input"
            yield Violation("responses-duplicate-item", f"{item.path}.id", reason)


def check_encrypted(items: list[Item], *, native: bool) -> Iterator[Violation]:
    """Encrypted content in a form that OpenAI never makes. Whether a token is its own, only OpenAI can tell."""
    for item in items:
        content = as_text(item.data.get("encrypted_content"))
        if native and content and not content.startswith(_TOKEN) and _BLANKED not in content:
            reason = "The encrypted content could not be verified. Reason: could not be decrypted or parsed."
            yield Violation("responses-encrypted-content", f"{item.path}.encrypted_content", reason)
