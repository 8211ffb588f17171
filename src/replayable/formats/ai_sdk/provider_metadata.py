"""What one provider alone understands: ``providerOptions`` and ``providerMetadata``, kept verbatim.

Of it, replayable's models hold what proves who made some reasoning, and the model-facing form of a tool's output.
"""

from __future__ import annotations

from typing import Any, Final

from ...messages import AssistantMessage, Message, ReasoningPart
from ..wire import Wire

__all__ = ["METADATA_KEYS", "MODEL_OUTPUT", "reasoning_fields", "take_model_output", "with_reasoning"]

METADATA_KEYS: Final = ("providerOptions", "providerMetadata", "experimental_providerMetadata")
MODEL_OUTPUT: Final = "modelOutput"

_CLAUDE: Final = {"signature": "signature", "redactedData": "encrypted"}
_OPENAI: Final = {"itemId": "id", "reasoningEncryptedContent": "encrypted"}
_GOOGLE: Final = {"thoughtSignature": "signature"}
# The SDK's name of a provider -> who made the reasoning, and which of its keys are which of our fields.
# https://ai-sdk.dev/providers/ai-sdk-providers; signatures on Bedrock are Claude's.
_STATE: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "anthropic": ("anthropic", _CLAUDE),
    "bedrock": ("anthropic", _CLAUDE),
    "openai": ("openai", _OPENAI),
    "azure": ("azure", _OPENAI),
    "google": ("google", _GOOGLE),
    "vertex": ("vertex", _GOOGLE),
}
_MAKER_OF_API: Final = {"anthropic": "anthropic", "openai_responses": "openai", "gemini": "google"}


def _state_in(metadata: Any) -> tuple[str, str, dict[str, str]] | None:
    """The name under which some metadata holds reasoning state, who made it, and its keys."""
    if isinstance(metadata, dict):
        for name, (maker, keys) in _STATE.items():
            options = metadata.get(name)
            if isinstance(options, dict) and any(isinstance(options.get(key), str) for key in keys):
                return name, maker, keys
    return None


def reasoning_fields(wire: Wire) -> Wire:
    """Return the fields of a ``ReasoningPart`` that its metadata tells."""
    for key in METADATA_KEYS:
        found = _state_in(wire.get(key))
        if found is not None:
            name, maker, keys = found
            options = wire[key][name]
            told = {field: options[key] for key, field in keys.items() if isinstance(options.get(key), str)}
            return {"provider": maker, **told}
    return {}


def with_reasoning(sent: Wire, part: ReasoningPart, message: Message, key: str) -> tuple[Wire, bool]:
    """Return the wire fields of some reasoning with its state among the metadata, and whether all of it found a place.

    Args:
        sent: The fields as they were kept.
        part: The reasoning as it is now.
        message: The message that holds it.
        key: The name of the metadata field, where there is none yet.
    """
    for name in METADATA_KEYS:
        found = _state_in(sent.get(name))
        if found is not None:
            return {**sent, name: _updated(sent[name], found[0], found[2], part)}, True
    if part.signature is None and part.encrypted is None and part.id is None:
        return sent, True
    maker = _maker(part, message)
    if maker not in _STATE:
        return sent, False
    keys = _STATE[maker][1]
    held = {key: getattr(part, field) for key, field in keys.items() if getattr(part, field) is not None}
    lost = {"id", "signature", "encrypted"} - set(keys.values())
    complete = all(getattr(part, field) is None for field in lost)
    if not held:
        return sent, complete
    metadata = sent.get(key)
    return {**sent, key: {**(metadata if isinstance(metadata, dict) else {}), maker: held}}, complete


def _maker(part: ReasoningPart, message: Message) -> str:
    provider = part.provider
    if provider is None and isinstance(message, AssistantMessage):
        provider = message.provider or _MAKER_OF_API.get(message.api or "")
    return provider or ""


def _updated(metadata: Wire, name: str, keys: dict[str, str], part: ReasoningPart) -> Wire:
    options = dict(metadata[name])
    for key, field in keys.items():
        value = getattr(part, field)
        if value is not None:
            options[key] = value
        elif isinstance(options.get(key), str):
            del options[key]
    return {**metadata, name: options}


def take_model_output(options: Wire, key: str) -> tuple[Wire, Any]:
    """Return some wire fields without the ``mastra.modelOutput`` in the metadata under ``key``, and that output."""
    metadata = options.get(key)
    own = metadata.get("mastra") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(own, dict) or own.get(MODEL_OUTPUT) is None:
        return options, None
    left = {name: value for name, value in own.items() if name != MODEL_OUTPUT}
    return {**options, key: {**metadata, "mastra": left}}, own[MODEL_OUTPUT]


def with_model_output(options: Wire, key: str, model_output: Any) -> Wire:
    """Return some wire fields with ``mastra.modelOutput`` in the metadata under ``key``; unchanged where it is None."""
    if model_output is None:
        return options
    metadata = options.get(key)
    metadata = metadata if isinstance(metadata, dict) else {}
    own = metadata.get("mastra")
    own = own if isinstance(own, dict) else {}
    return {**options, key: {**metadata, "mastra": {**own, MODEL_OUTPUT: model_output}}}
