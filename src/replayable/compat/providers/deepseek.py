"""DeepSeek's API."""

from __future__ import annotations

import re
from typing import Final

from ...messages import (
    AssistantMessage,
    FilePart,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ...prompt import Prompt
from ..provider import Dialect, Provider
from ..rule import Evidence, Example
from ..rules.content import content_as_text, content_present, files_as_text
from ..rules.making import for_models, thinking_said
from ..rules.reasoning_fields import makes_calls, require_reasoning, with_reasoning
from ..rules.roles import merge_runs
from ..rules.system_messages import developer_as_system
from .openai import NO_EMPTY_TOOL_CALLS
from .serving import chat_model

__all__ = ["DEEPSEEK"]

_CHAT: Final = "openai_chat"
_THINKS: Final = re.compile(r"deepseek-v[4-9]")
_FIELD: Final = "reasoning_content"
_CALL: Final = ToolCallPart(tool_call_id="c1", tool_name="search", input={"q": "Oslo"})


def _may_think(prompt: Prompt) -> bool:
    """Thinking is on unless the request switches it off: https://api-docs.deepseek.com/guides/thinking_mode."""
    return thinking_said(prompt, _CHAT) is not False and for_models(
        lambda model: bool(_THINKS.match(model.model or ""))
    )(prompt)


REASONING_REQUIRED: Final = require_reasoning(
    "deepseek-require-reasoning",
    # Answers without calls are accepted without it, in recorded traffic, and the empty string will do.
    of=makes_calls,
    text="",
    api=_CHAT,
    field=_FIELD,
    when=_may_think,
    # The refusal does not say which messages are meant.
    repair=lambda messages: with_reasoning(messages, lambda message: True, "", _CHAT, _FIELD),
    summary="An answer with calls that lacks its reasoning gets an empty `reasoning_content` while the model thinks.",
    evidence=(
        Evidence(
            entry="deepseek-reasoning-required",
            text="The `reasoning_content` in the thinking mode must be passed back to the API.",
            pattern=r"The `reasoning_content` in the thinking mode must be passed back to the API",
            cause="The model thinks, and an answer lacks its reasoning: another model gave it, or the client dropped it.",
            status=400,
            link="https://github.com/earendil-works/pi/issues/3636",
        ),
    ),
    examples=(
        Example(
            title="A call that another model made",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(parts=[_CALL]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="In Norway.")]),
            ),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(parts=[ReasoningPart(provider_options={_CHAT: {"$field": _FIELD}}), _CALL]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="In Norway.")]),
            ),
        ),
    ),
)

REASONING_OF_TURN: Final = require_reasoning(
    "deepseek-require-reasoning-of-turn",
    of=makes_calls,
    text="",
    api=_CHAT,
    field=_FIELD,
    since_last_user=True,
    when=for_models(lambda model: (model.model or "").startswith("deepseek-reasoner")),
    summary="For deepseek-reasoner, an answer with calls behind the last user message that lacks its reasoning gets an empty"
    " `reasoning_content`.",
    evidence=(
        Evidence(
            entry="deepseek-missing-reasoning-index",
            text="Missing `reasoning_content` field in the assistant message at message index {i}.",
            pattern=r"Missing `reasoning_content` field in the assistant message at message index",
            cause="An answer behind the last user message lacks its reasoning.",
            status=400,
            link="https://github.com/abhigyanpatwari/GitNexus/issues/43",
        ),
    ),
    examples=REASONING_REQUIRED.examples,
)

MERGE_RUNS: Final = merge_runs(
    "deepseek-merge-runs",
    "user",
    "assistant",
    # The other models take several in a row, in recorded traffic.
    when=for_models(lambda model: model.model == "deepseek-reasoner"),
    summary="Several user or assistant messages in a row become one for deepseek-reasoner.",
    evidence=(
        Evidence(
            entry="deepseek-successive-roles",
            text="deepseek-reasoner does not support successive user or assistant messages (messages[{i}] and messages[{j}] in"
            " your input).",
            pattern=r"does not support successive user or assistant messages",
            cause="Two user messages, or two answers, follow each other.",
            status=400,
            link="https://github.com/deepseek-ai/DeepSeek-R1/issues/21",
        ),
    ),
    examples=(
        Example(
            title="A failed answer was removed",
            before=(UserMessage("Hello"), UserMessage("Are you there?")),
            after=(UserMessage(["Hello", "Are you there?"]),),
        ),
    ),
)


def _content_evidence(text: str, pattern: str, cause: str) -> Evidence:
    return Evidence(
        entry="deepseek-content-type",
        text=f"Failed to deserialize the JSON body into the target type: messages[{{i}}]: {text}",
        pattern=pattern,
        cause=cause,
        status=400,
        link="https://github.com/tailcallhq/forgecode/issues/2008",
    )


CONTENT_AS_TEXT: Final = content_as_text(
    "deepseek-content-as-text",
    "system",
    "assistant",
    "tool",
    api=_CHAT,
    summary="The content of system messages, answers and results becomes one text; only a user's may be a list.",
    evidence=(
        _content_evidence(
            "invalid type: sequence, expected a string",
            r"target type: messages\[\d+\][\w.]*: (?:invalid type: sequence, expected a string|data did not match any variant of"
            r" untagged enum ChatCompletionRequestContent)",
            "A system message, an answer or a result has a list as its content.",
        ),
    ),
    examples=(
        Example(
            title="A result in two parts",
            before=(
                UserMessage("Hello"),
                AssistantMessage(parts=[_CALL]),
                ToolMessage(
                    parts=[
                        ToolResultPart(
                            tool_call_id="c1", content=(TextPart("In Norway."), TextPart("Or in Ohio."))
                        )
                    ]
                ),
            ),
            after=(
                UserMessage("Hello"),
                AssistantMessage(parts=[_CALL]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="In Norway.\nOr in Ohio.")]),
            ),
        ),
    ),
)

FILES_AS_TEXT: Final = files_as_text(
    "deepseek-files-as-text",
    refused=lambda part, message: True,
    summary="A file leaves a text that names it: the models read text alone.",
    evidence=(
        _content_evidence(
            "unknown variant `image_url`, expected `text`",
            r"unknown variant `\w+`, expected `text`",
            "A message holds an image or another file.",
        ),
    ),
    examples=(
        Example(
            title="An image",
            before=(UserMessage(["What is it?", FilePart(media_type="image/png", data="iVBORw0KGgo=")]),),
            after=(UserMessage(["What is it?", "[image/png omitted: not supported here]"]),),
        ),
    ),
)

CONTENT_PRESENT: Final = content_present(
    "deepseek-content-present",
    "system",
    "user",
    "assistant",
    "tool",
    api=_CHAT,
    forms=("absent",),
    beside_calls=True,
    summary="A message without the field `content` gets one: null beside calls, else an empty text.",
    evidence=(
        _content_evidence(
            "missing field `content`",
            r"messages\[\d+\][\w.]*: missing field `content`",
            "A message has no field `content`.",
        ),
    ),
    examples=(
        Example(
            title="Calls alone",
            before=(AssistantMessage(parts=[_CALL], provider_options={_CHAT: {"$content": "absent"}}),),
            after=(AssistantMessage(parts=[_CALL]),),
        ),
    ),
)

DEVELOPER_AS_SYSTEM: Final = developer_as_system(
    "deepseek-developer-as-system",
    summary="A developer message becomes a system message.",
    evidence=(
        _content_evidence(
            "unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`",
            r"unknown variant `developer`",
            "A message has the role developer, which only OpenAI's models know.",
        ),
    ),
    examples=(
        Example(
            title="Instructions written for OpenAI",
            before=(SystemMessage("Be brief.", provider_options={_CHAT: {"role": "developer"}}),),
            after=(SystemMessage("Be brief."),),
        ),
    ),
)

DEEPSEEK: Final = Provider(
    name="deepseek",
    recognise=chat_model("deepseek"),
    # https://api-docs.deepseek.com/guides/thinking_mode; an image is refused: "unknown variant `image_url`, expected
    # `text`" (https://github.com/rikkahub/rikkahub/issues/1433).
    dialect=Dialect(reasoning_fields=("reasoning_content",), media=frozenset(), media_in_results=False),
    rules=(DEVELOPER_AS_SYSTEM, REASONING_REQUIRED, REASONING_OF_TURN, FILES_AS_TEXT),
    # Merging makes lists of texts.
    structure=(NO_EMPTY_TOOL_CALLS, MERGE_RUNS, CONTENT_AS_TEXT, CONTENT_PRESENT),
)
