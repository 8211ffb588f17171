"""Bedrock Converse: whose turn it is, and what a message may not lack."""

from __future__ import annotations

from typing import Final

from ...messages import (
    AssistantMessage,
    FilePart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ..evidence import Evidence
from ..rule import Example
from ..rules.documents import text_beside_documents
from ..rules.empties import drop_empty
from ..rules.making import begins_here, for_models
from ..rules.placeholders import BRIDGE, DOCUMENT, OPENING
from ..rules.results_and_user import results_in_one_message, user_joins_results
from ..rules.roles import assistant_between, leading_user, merge_runs, some_message
from ..rules.system_position import later_system_as_user
from .bedrock_models import API, keeps_results_apart, made_by

__all__ = ["ALTERNATE", "BRIDGED", "DROP_BLANK", "DROP_EMPTY", "JOINED", "OPENED", "SYSTEM_POSITION"]

_CALL: Final = ToolCallPart(tool_call_id="tooluse_1", tool_name="search", input={})
_RESULT: Final = ToolResultPart(tool_call_id="tooluse_1", output="In Norway.")

SYSTEM_POSITION: Final = later_system_as_user(
    "bedrock-system-position",
    in_list=lambda model: False,
    # "Use within a system role message", says its ToolAdditionBlock, for which alone there is such a role.
    tool_changes_of="bedrock",
    summary="A system message among the others becomes a user message between <system> tags; one that leads them joins the"
    " request's own. One that adds or removes tools stays.",
    evidence=(
        Evidence(
            text="1 validation error detected: Value 'system' at 'messages.{i}.member.role' failed to satisfy constraint: Member"
            " must satisfy enum value set: [user, assistant]",
            pattern=r"\.member\.role' failed to satisfy constraint",
            cause="A system message stands among the others, where Converse takes none, whichever model it is for.",
            status=400,
            link="https://github.com/BerriAI/litellm/issues/41043",
        ),
    ),
    examples=(
        Example(
            title="A reminder in the middle",
            before=(UserMessage("Hello"), AssistantMessage("Hi"), SystemMessage("Be brief.")),
            after=(
                UserMessage("Hello"),
                AssistantMessage("Hi"),
                UserMessage("<system>\nBe brief.\n</system>"),
            ),
        ),
    ),
)

_BLANK: Final = Evidence(
    entry="bedrock-blank-text",
    text="The text field in the ContentBlock object at messages.{i}.content.{j} is blank. Add text to the text field, and try"
    " again.",
    pattern=r"The text field in the ContentBlock object at messages\.\d+\.content\.\d+ is blank",
    cause="A text block is empty, or holds nothing but white space.",
    status=400,
    link="https://github.com/OpenHands/OpenHands/issues/5339",
)

_NO_CONTENT: Final = Evidence(
    entry="bedrock-empty-message",
    text="The content field in the Message object at messages.{i} is empty. Add a ContentBlock object to the content"
    " field and try again.",
    pattern=r"The content field in the Message object at messages\.\d+ is empty",
    cause="A message holds no content: its answer was nothing but reasoning, or its blocks were filtered out.",
    status=400,
    link="https://github.com/cline/cline/issues/9213",
)

DROP_BLANK: Final = drop_empty(
    "bedrock-drop-blank",
    keep_last_answer=False,
    in_results=False,
    when=for_models(lambda model: not made_by("amazon")(model)),
    summary="Texts that are empty or white space, and empty messages, leave the prompt, for all models but Amazon's own; an"
    " empty user message that must stay says so.",
    evidence=(_NO_CONTENT, _BLANK),
    examples=(
        Example(
            title="A blank line before a call",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage([TextPart("\n\n"), _CALL]),
                ToolMessage([_RESULT]),
            ),
            after=(UserMessage("Where is Oslo?"), AssistantMessage([_CALL]), ToolMessage([_RESULT])),
        ),
    ),
)

DROP_EMPTY: Final = drop_empty(
    "bedrock-drop-empty",
    keep_last_answer=False,
    is_blank=lambda text: not text,
    in_results=False,
    when=for_models(made_by("amazon")),
    summary="Empty texts and empty messages leave the prompt, for Amazon's own models; an empty user message that must stay"
    " says so.",
    evidence=(
        _NO_CONTENT,
        _BLANK,
    ),
    examples=(
        Example(
            title="An answer of which nothing is left",
            before=(UserMessage("Hello"), AssistantMessage(""), UserMessage("Are you there?")),
            after=(UserMessage("Hello"), UserMessage("Are you there?")),
        ),
    ),
)

_START_USER: Final = Evidence(
    entry="bedrock-start-user",
    text="A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    pattern=r"A conversation must start with a user message",
    cause="The history begins with an answer, or holds nothing but the system prompt.",
    status=400,
    link="https://github.com/pydantic/pydantic-ai/issues/4495",
)

_by_others: Final = for_models(lambda model: not made_by("anthropic")(model))

OPENED: Final = (
    some_message(
        "bedrock-some-message",
        # A bare list may become part of a request that is not empty.
        when=lambda prompt: prompt.request is not None and begins_here(prompt),
        summary="A request without any message gets one of the user's.",
        evidence=(_START_USER,),
        examples=(
            Example(
                title="Only a system prompt",
                before=(SystemMessage("Be brief."),),
                after=(SystemMessage("Be brief."), UserMessage(OPENING)),
            ),
        ),
    ),
    leading_user(
        "bedrock-first-user",
        # One that began with an answer was accepted from Claude.
        when=lambda prompt: _by_others(prompt) and begins_here(prompt),
        summary="A user message comes in front of an answer that stands first, for all models but Claude.",
        evidence=(_START_USER,),
        examples=(
            Example(
                title="A history that was cut",
                before=(AssistantMessage("Hello."), UserMessage("Where is Oslo?")),
                after=(UserMessage(OPENING), AssistantMessage("Hello."), UserMessage("Where is Oslo?")),
            ),
        ),
    ),
)
"""Who comes first."""

_ALTERNATE: Final = Evidence(
    entry="bedrock-alternate",
    text="A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user"
    " and assistant roles and try again.",
    pattern=r"A conversation must alternate between user and assistant roles",
    cause="Two messages of one role stand in a row; results are the user's.",
    status=400,
    link="https://github.com/langgenius/dify/issues/9294",
)

JOINED: Final = (
    user_joins_results(
        "bedrock-user-joins-results",
        api=API,
        when=for_models(lambda model: not keeps_results_apart(model)),
        summary="The results of a turn, and a user message directly behind them, go into one message of the wire.",
        evidence=(_ALTERNATE,),
    ),
)
"""What follows a call, where results and other content may share a message."""

BRIDGED: Final = (
    results_in_one_message(
        "bedrock-results-in-one-message",
        api=API,
        when=for_models(keeps_results_apart),
        summary="The results of a turn go into one message of the wire.",
        evidence=(_ALTERNATE,),
    ),
    assistant_between(
        "bedrock-user-after-results",
        when=for_models(keeps_results_apart),
        summary="A short assistant message comes between results and the user, for models of Cohere, Meta and Mistral.",
        evidence=(
            Evidence(
                entry="bedrock-mixed-conversation-tool-result",
                text="messages.{i}.content: Conversation blocks and tool result blocks cannot be provided in the same turn.",
                pattern=r"Conversation blocks and tool (?:result|use) blocks cannot be provided in the same turn",
                cause="A user message holds results and other content, which this model takes only one by one.",
                status=400,
                link="https://github.com/langchain-ai/langchain-aws/issues/141",
            ),
        ),
        examples=(
            Example(
                title="A question before the answer",
                before=(
                    UserMessage("Where is Oslo?"),
                    AssistantMessage([_CALL]),
                    ToolMessage([_RESULT]),
                    UserMessage("And Bergen?"),
                ),
                after=(
                    UserMessage("Where is Oslo?"),
                    AssistantMessage([_CALL]),
                    ToolMessage([_RESULT]),
                    AssistantMessage(BRIDGE),
                    UserMessage("And Bergen?"),
                ),
            ),
        ),
    ),
)
"""What follows a call, where results stand alone in a message."""

ALTERNATE: Final = (
    merge_runs(
        "bedrock-alternate",
        "user",
        "assistant",
        summary="Messages of one role in a row become one.",
        evidence=(_ALTERNATE,),
        examples=(
            Example(
                title="A turn that failed, and its repetition",
                before=(UserMessage("Hello?"), UserMessage("Where is Oslo?")),
                after=(UserMessage(["Hello?", "Where is Oslo?"]),),
            ),
        ),
    ),
    text_beside_documents(
        "bedrock-text-beside-documents",
        api=API,
        summary="A user message with a document but no text gets one.",
        evidence=(
            Evidence(
                entry="bedrock-document-needs-text",
                text="A text block must be included when using documents.",
                pattern=r"A text block must be included when using documents",
                cause="A user message holds a document, or a document behind results, and no text.",
                status=400,
                link="https://github.com/archestra-ai/archestra/pull/4220",
            ),
        ),
        examples=(
            Example(
                title="A document alone",
                before=(UserMessage([FilePart(media_type="application/pdf", data="JVBERg==")]),),
                after=(UserMessage([FilePart(media_type="application/pdf", data="JVBERg=="), DOCUMENT]),),
            ),
        ),
    ),
)
"""One turn after the other, each of them whole."""
