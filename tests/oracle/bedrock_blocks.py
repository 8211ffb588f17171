"""Rules on a single message of a Bedrock Converse request."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.oracle import bedrock_models
from tests.oracle.bedrock_reading import Block, Message
from tests.oracle.violation import MALFORMED, Violation
from tests.oracle.wire import as_mapping, holds_only_objects, objects

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_ANY_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")
_FOR_USERS = ("document", "image", "video")
_KINDS = frozenset(
    {
        "audio",
        "cachePoint",
        "citationsContent",
        "document",
        "guardContent",
        "image",
        "reasoningContent",
        "searchResult",
        "text",
        "toolResult",
        "toolUse",
        "video",
    }
)


def check_message(message: Message, model: str | None) -> Iterator[Violation]:
    """Rules on one message and its blocks."""
    kinds = {block.kind for block in message.blocks}
    if not message.blocks:
        reason = "The content field in the Message object is empty. Add a ContentBlock object."
        yield Violation("bedrock-empty-message", f"{message.path}.content", reason)
    if "document" in kinds and "text" not in kinds:
        reason = "A text block must be included when using documents."
        yield Violation("bedrock-document-needs-text", f"{message.path}.content", reason)
    for block in message.blocks:
        if message.role == "assistant" and block.kind in _FOR_USERS:
            reason = "You can only include images and documents if the role is user."
            yield Violation("recorded-bedrock-assistant-block", block.path, reason)
        match block.kind:
            case "text":
                yield from _check_text(block, model)
            case "toolUse" if not block.is_server_side:
                yield from _check_call(block, model)
            case "toolResult" if not block.is_server_side:
                yield from _check_result(block, model)
            case "reasoningContent":
                yield from _check_reasoning(block, model)
            case "image" | "video":
                yield from _check_media(block.path, block.kind, block.data, model)
            case kind if kind not in _KINDS:
                yield Violation(MALFORMED, block.path, f'Unknown parameter in input: "{kind}"')


def _check_text(block: Block, model: str | None) -> Iterator[Violation]:
    text = block.value
    if not isinstance(text, str):
        yield Violation(MALFORMED, f"{block.path}.text", "Invalid type for parameter text")
    elif not (text if bedrock_models.takes_white_space(model) else text.strip()):
        reason = "The text field in the ContentBlock object is blank. Add text to the text field."
        yield Violation("bedrock-blank-text", f"{block.path}.text", reason)


def _check_constraint(path: str, value: object, pattern: re.Pattern[str]) -> Iterator[Violation]:
    if not isinstance(value, str):
        yield Violation(MALFORMED, path, "Member must not be null")
    elif not pattern.fullmatch(value):
        reason = "failed to satisfy constraint: pattern [a-zA-Z0-9_-]+, length between 1 and 64"
        yield Violation("bedrock-tool-name-constraint", path, reason)


def _id_pattern(model: str | None) -> re.Pattern[str]:
    return _ANY_ID if bedrock_models.takes_any_id(model) else _NAME


def _check_call(block: Block, model: str | None) -> Iterator[Violation]:
    path = f"{block.path}.toolUse"
    yield from _check_constraint(f"{path}.toolUseId", block.data.get("toolUseId"), _id_pattern(model))
    yield from _check_constraint(f"{path}.name", block.data.get("name"), _NAME)
    if not isinstance(block.data.get("input"), Mapping):
        reason = "The format of the value at toolUse.input is invalid. Provide a json object for the field."
        yield Violation("bedrock-tool-input-object", f"{path}.input", reason)


def _check_result(block: Block, model: str | None) -> Iterator[Violation]:
    path = f"{block.path}.toolResult"
    yield from _check_constraint(f"{path}.toolUseId", block.data.get("toolUseId"), _id_pattern(model))
    content = block.data.get("content")
    if not holds_only_objects(content):
        yield Violation(MALFORMED, f"{path}.content", "content must be a list of blocks")
    elif not content and block.data.get("status") == "error":
        reason = "The content field at toolResult cannot be empty when status value is error."
        yield Violation("bedrock-tool-result-error-empty", f"{path}.content", reason)
    for where, part in objects(f"{path}.content", content):
        for kind, media in part.items():
            yield from _check_media(where, kind, as_mapping(media) or {}, model)
        # Blank text is accepted here.
        is_object = isinstance(part.get("json"), Mapping)
        if "json" in part and not is_object and not bedrock_models.takes_any_json(model):
            reason = "The format of the value at toolResult.content.json is invalid. Provide a json object."
            yield Violation("bedrock-tool-result-json-object", f"{where}.json", reason)


def _check_media(path: str, kind: str, media: Mapping[str, Any], model: str | None) -> Iterator[Violation]:
    source = as_mapping(media.get("source")) or {}
    if kind == "video" and not bedrock_models.takes_videos(model):
        reason = "This model doesn't support the video content block that you provided."
        yield Violation("recorded-bedrock-video", path, reason)
    elif kind == "image" and "s3Location" in source and not bedrock_models.reads_images_from_s3(model):
        reason = "This model doesn't support the s3Uri field. Remove s3Uri and try again."
        yield Violation("recorded-bedrock-s3-location", path, reason)


def _check_reasoning(block: Block, model: str | None) -> Iterator[Violation]:
    if not bedrock_models.replays_reasoning(model):
        reason = "User messages cannot contain reasoning content. Please remove the reasoning content."
        yield Violation("bedrock-user-reasoning", block.path, reason)
        return
    if "redactedContent" in block.data:
        return
    path = f"{block.path}.reasoningContent.reasoningText"
    reasoning = as_mapping(block.data.get("reasoningText")) or {}
    if not isinstance(reasoning.get("text"), str):
        reason = "failed to satisfy constraint: Member must not be null"
        yield Violation("bedrock-reasoning-text-null", f"{path}.text", reason)
    elif not reasoning.get("signature"):
        reason = "The model returned the following errors: thinking.signature: Field required"
        yield Violation("anthropic-thinking-signature-required", f"{path}.signature", reason)
