"""Amazon Bedrock's Converse API: Claude, the models of others, and those that don't say who made them."""

from __future__ import annotations

from typing import Final

from ...media import media_kind
from ...messages import (
    AssistantMessage,
    ContentPart,
    FilePart,
    Message,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ..evidence import Evidence
from ..provider import Provider
from ..rule import Example
from ..rules.content import files_as_text
from ..rules.foreign_parts import complete_reasoning
from ..rules.making import for_models, message_rule
from ..rules.reasoning import drop_bare_reasoning
from ..rules.reasoning_fields import without_reasoning
from ..rules.tool_results import files_after_results
from ..rules.wire_fields import options_of
from .anthropic import STRIP_FOREIGN_REASONING, STRIP_FOREIGN_SIGNED_REASONING
from .anthropic_files import FILE_RULES
from .anthropic_turns import LAST_USER, NO_TRAILING_SPACE, TEXT_BEFORE_CALLS, THINKING_RULES
from .bedrock_models import API, made_by, made_by_others, made_by_unknown
from .bedrock_parts import PART_RULES
from .bedrock_turns import ALTERNATE, BRIDGED, DROP_BLANK, DROP_EMPTY, JOINED, OPENED, SYSTEM_POSITION
from .claude_models import thinks_by_default
from .claude_reasoning import is_claudes

__all__ = ["BEDROCK", "BEDROCK_CLAUDE", "BEDROCK_OTHERS"]

_ANTHROPIC: Final = "anthropic"
_AMAZON: Final = "amazon"
# Seen in the traffic that its tests record.
_RECORDED: Final = "https://github.com/pydantic/pydantic-ai"
_PDF: Final = FilePart(media_type="application/pdf", data="JVBERg==")
_PNG: Final = FilePart(media_type="image/png", data="iVBORw0KGgo=")

# --- Claude ---------------------------------------------------------------------------------------------------------


def _is_in_s3(part: FilePart) -> bool:
    # On this wire a file has no other id.
    return (part.file_id is not None and bool(options_of(part, API))) or (part.url or "").startswith("s3:")


def _refuses_media(part: FilePart | OpaquePart, message: Message) -> bool:
    """Videos, images in S3, and documents in S3 outside of results, all of them seen to be refused."""
    if part.type != "file":
        return False
    kind = media_kind(part)
    return kind == "video" or (
        _is_in_s3(part) and (kind == "image" or (kind == "document" and message.role != "tool"))
    )


CLAUDE_MEDIA: Final = files_as_text(
    "bedrock-claude-media",
    refused=_refuses_media,
    summary="A video, and an image or a document by its place in S3, becomes a text that names it, for Claude.",
    evidence=(
        Evidence(
            text="This model doesn't support the video content block that you provided. Update the content block and try"
            " again.",
            pattern=r"This model doesn't support the video content block that you provided",
            cause="A message or a result holds a video, which this model does not see.",
            status=400,
            link=_RECORDED,
        ),
        Evidence(
            text="This model doesn't support the s3Uri field. Remove s3Uri and try again.",
            pattern=r"This model doesn't support the s3Uri field",
            cause="A file is given by its place in S3, from where this model reads none.",
            status=400,
            link=_RECORDED,
        ),
        Evidence(
            text="The model returned the following errors: messages.{i}.content.{j}.document.source.type: Field required",
            pattern=r"\.document\.source\.type: Field required",
            cause="A document is given by its place in S3, from where this model reads none.",
            status=400,
            link=_RECORDED,
        ),
    ),
    examples=(
        Example(
            title="A video",
            before=(UserMessage([FilePart(media_type="video/mp4", data="AAAA"), "What is this?"]),),
            after=(UserMessage(["[video/mp4 omitted: not supported here]", "What is this?"]),),
        ),
    ),
)

REASONING_TEXT: Final = complete_reasoning(
    "bedrock-reasoning-text",
    api=API,
    field="text",
    summary="Reasoning of which only the signature was stored is sent with an empty text.",
    evidence=(
        Evidence(
            entry="bedrock-reasoning-text-null",
            text="Value at 'messages.{i}.member.content.{j}.member.reasoningContent.reasoningText.text' failed to satisfy"
            " constraint: Member must not be null",
            pattern=r"reasoningContent\.reasoningText\.(?:text|signature)' failed to satisfy constraint",
            cause="A reasoning block was stored without its text.",
            status=400,
            link="https://github.com/danny-avila/LibreChat/pull/13888",
        ),
    ),
    examples=(
        Example(
            title="Only the signature was stored",
            before=(
                AssistantMessage(
                    [
                        ReasoningPart(signature="c2ln", provider_options={API: {"$absent": ["text"]}}),
                        TextPart("Norway."),
                    ],
                    api=API,
                ),
            ),
            after=(AssistantMessage([ReasoningPart(signature="c2ln"), TextPart("Norway.")], api=API),),
        ),
    ),
)

BARE_REASONING: Final = drop_bare_reasoning(
    "bedrock-bare-reasoning",
    when=for_models(thinks_by_default),
    summary="An answer of nothing but reasoning leaves the prompt, for Claude 5 and later.",
    evidence=(
        Evidence(
            entry="bedrock-prefill-reasoning-only",
            text="This model does not support assistant message prefill. The conversation must end with a user message.",
            pattern=r"This model does not support assistant message prefill",
            cause="An answer holds nothing but reasoning: Converse leaves it out, so that the model sees its neighbours as an"
            " answer to continue.",
            status=400,
            link="https://github.com/NousResearch/hermes-agent/issues/105780",
        ),
    ),
    examples=(
        Example(
            title="A stream that broke off while the model thought",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage([ReasoningPart(text="Hm.", signature="c2ln")]),
                UserMessage("Well?"),
            ),
            after=(UserMessage("Where is Oslo?"), UserMessage("Well?")),
        ),
    ),
)

BEDROCK_CLAUDE: Final = Provider(
    name="bedrock-claude",
    recognise=made_by(_ANTHROPIC),
    api=API,
    owns_reasoning=is_claudes,
    rules=(
        STRIP_FOREIGN_REASONING,
        STRIP_FOREIGN_SIGNED_REASONING,
        REASONING_TEXT,
        *PART_RULES,
        CLAUDE_MEDIA,
        *FILE_RULES,
    ),
    structure=(
        DROP_BLANK,
        SYSTEM_POSITION,
        *THINKING_RULES,
        TEXT_BEFORE_CALLS,
        BARE_REASONING,
        LAST_USER,
        *OPENED,
        *JOINED,
        *ALTERNATE,
        NO_TRAILING_SPACE,
    ),
)

# --- everybody else ---------------------------------------------------------------------------------------------------

NO_REASONING: Final = message_rule(
    "bedrock-strip-reasoning",
    without_reasoning,
    when=for_models(made_by_others(_ANTHROPIC)),
    summary="Reasoning leaves the prompt, for all models but Claude: they refuse even their own.",
    evidence=(
        Evidence(
            entry="bedrock-user-reasoning",
            text="User messages cannot contain reasoning content. Please remove the reasoning content and try again.",
            pattern=r"User messages cannot contain reasoning content",
            cause="An answer holds reasoning, which this model does not take back.",
            status=400,
            link="https://github.com/can1357/oh-my-pi/pull/9086",
        ),
    ),
    examples=(
        Example(
            title="The model's own reasoning",
            before=(UserMessage("2 + 2?"), AssistantMessage([ReasoningPart(text="Simple."), TextPart("4")])),
            after=(UserMessage("2 + 2?"), AssistantMessage("4")),
        ),
    ),
)


def _moves(part: ContentPart) -> bool:
    return part.type == "file" and media_kind(part) != "image"


RESULT_FILES: Final = files_after_results(
    "bedrock-nova-result-files",
    moves=_moves,
    when=for_models(made_by(_AMAZON)),
    summary="Documents and videos of results follow them in a user message, for Amazon's own models.",
    evidence=(
        Evidence(
            text="The model returned the following errors: Malformed input request: #/messages/{i}/content/{j}: extraneous key"
            " [toolResult] is not permitted, please reformat your input and try again.",
            pattern=r"extraneous key \[toolResult\] is not permitted",
            cause="A result holds a document or a video; Amazon's models take texts, JSON and images there.",
            status=400,
            link=_RECORDED,
        ),
    ),
    examples=(
        Example(
            title="A document that a tool returned",
            before=(
                UserMessage("Fetch it."),
                AssistantMessage([ToolCallPart(tool_call_id="tooluse_1", tool_name="fetch", input={})]),
                ToolMessage([ToolResultPart(tool_call_id="tooluse_1", content=(_PDF,))]),
            ),
            after=(
                UserMessage("Fetch it."),
                AssistantMessage([ToolCallPart(tool_call_id="tooluse_1", tool_name="fetch", input={})]),
                ToolMessage(
                    [
                        ToolResultPart(
                            tool_call_id="tooluse_1",
                            content=(TextPart("[application/pdf: see the next user message]"),),
                        )
                    ]
                ),
                UserMessage([_PDF]),
            ),
        ),
    ),
)

FILES_IN_ANSWERS: Final = files_as_text(
    "bedrock-files-in-answers",
    refused=lambda part, message: message.role == "assistant" and part.type == "file",
    summary="A file in an answer becomes a text that names it: only the user's messages may hold files.",
    evidence=(
        Evidence(
            text="You can only include images and documents if the role is user.",
            cause="An answer holds a file: another model drew it.",
            link="https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html",
        ),
    ),
    examples=(
        Example(
            title="A drawing",
            before=(UserMessage("Draw."), AssistantMessage([_PNG]), UserMessage("Larger.")),
            after=(
                UserMessage("Draw."),
                AssistantMessage("[image/png omitted: not supported here]"),
                UserMessage("Larger."),
            ),
        ),
    ),
)

BEDROCK_OTHERS: Final = Provider(
    name="bedrock-others",
    recognise=made_by_others(_ANTHROPIC),
    api=API,
    owns_reasoning=lambda message, part: False,
    rules=(NO_REASONING, *PART_RULES, FILES_IN_ANSWERS, RESULT_FILES),
    structure=(SYSTEM_POSITION, DROP_BLANK, DROP_EMPTY, *OPENED, *JOINED, *BRIDGED, *ALTERNATE),
)

BEDROCK: Final = Provider(
    name="bedrock",
    recognise=made_by_unknown,
    api=API,
    # Signed thinking may be Claude's own; the rest nobody takes back.
    rules=(STRIP_FOREIGN_REASONING, *PART_RULES, FILES_IN_ANSWERS),
    structure=(SYSTEM_POSITION, DROP_BLANK, *OPENED, *JOINED, *ALTERNATE),
)
"""For an inference profile by its ARN and the like: what Converse asks of all."""
