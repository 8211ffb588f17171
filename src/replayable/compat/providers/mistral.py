"""Mistral's API."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from ...facts import CALLS, RESULTS
from ...messages import (
    AssistantMessage,
    Message,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ...model_ref import ModelRef
from ..provider import Dialect, Provider
from ..rule import Evidence, Example
from ..rules.content import blank_messages
from ..rules.making import for_models
from ..rules.reasoning_fields import drop_reasoning_where
from ..rules.roles import assistant_between, last_user
from ..rules.system_messages import developer_as_system, later_system_to_user
from ..rules.tool_call_ids import tool_call_id_format
from ..rules.tool_names import is_valid_name, tool_names
from ..rules.wire_fields import options_of
from .serving import chat_model

__all__ = ["BLANK_ANSWERS", "MISTRAL", "SYSTEM_POSITION", "mistral_id"]

_CHAT: Final = "openai_chat"
_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def mistral_id(seed: str) -> str:
    """Return nine letters and digits that depend on nothing but ``seed``."""
    number = int.from_bytes(sha256(seed.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    letters = []
    for _ in range(9):
        number, letter = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[letter])
    return "".join(letters)


def _wants_short_ids(model: ModelRef) -> bool:
    # Ids of other forms are accepted by these two, in recorded traffic.
    return (model.model or "") not in ("", "mistral-small-latest", "ministral-3b-latest")


TOOL_CALL_ID: Final = tool_call_id_format(
    "mistral-tool-call-id",
    pattern=r"[a-zA-Z0-9]{9}",
    make_id=mistral_id,
    # Any id may be of another length than nine.
    needs=CALLS | RESULTS,
    when=for_models(_wants_short_ids),
    summary="Tool call ids become nine letters and digits, made from the id that they had; call and result together.",
    evidence=(
        Evidence(
            entry="mistral-tool-id-9",
            text="Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.",
            pattern=r"but must be a-z, A-Z, 0-9, with a length of 9|Tool call IDs should be alphanumeric strings with length 9",
            cause="Another provider made the id of a tool call.",
            status=400,
            link="https://github.com/anomalyco/opencode/issues/1680",
        ),
    ),
    examples=(
        Example(
            title="An id that OpenAI made",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(parts=[ToolCallPart(tool_call_id="call_1", tool_name="search", input={})]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="call_1", output="In Norway.")]),
            ),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(
                    parts=[ToolCallPart(tool_call_id=mistral_id("call_1"), tool_name="search", input={})]
                ),
                ToolMessage(parts=[ToolResultPart(tool_call_id=mistral_id("call_1"), output="In Norway.")]),
            ),
        ),
    ),
)

TOOL_NAMES: Final = tool_names(
    "mistral-tool-names",
    # Odd names of earlier calls alone were accepted, in recorded traffic.
    when=lambda prompt: any(
        tool.type == "function" and not is_valid_name(tool.name) for tool in prompt.tools or ()
    ),
    summary="Where a declared tool has a name that Mistral refuses, such names are rewritten: the same in calls, declared tools"
    " and the tool choice.",
    evidence=(
        Evidence(
            text="Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum"
            " length of 64.",
            pattern=r"Function name was .{0,300} but must be a-z, A-Z, 0-9, or contain underscores and dashes",
            cause="The name of a tool has characters that Mistral does not take, or too many.",
            status=400,
            link="https://github.com/Kochava-Studios/witsy/pull/164",
        ),
    ),
    examples=(
        Example(
            title="The name of a remote server's tool",
            before=(
                AssistantMessage([ToolCallPart(tool_call_id="D681PevKs", tool_name="met.weather", input={})]),
                ToolMessage([ToolResultPart(tool_call_id="D681PevKs", output="4 degrees")]),
            ),
            after=(
                AssistantMessage(
                    [ToolCallPart(tool_call_id="D681PevKs", tool_name="met_weather_626aa3", input={})]
                ),
                ToolMessage([ToolResultPart(tool_call_id="D681PevKs", output="4 degrees")]),
            ),
        ),
    ),
)

SYSTEM_POSITION: Final = later_system_to_user(
    "mistral-system-position",
    summary="A system message behind another message becomes a user message between <system> tags.",
    evidence=(
        Evidence(
            entry="mistral-unexpected-role",
            text="Unexpected role 'system' after role '{user|assistant|tool}'",
            pattern=r"Unexpected role '(?:system|developer)' after role",
            cause="A system message stands among the others.",
            status=400,
            link="https://github.com/onyx-dot-app/onyx/issues/6458",
        ),
    ),
    examples=(
        Example(
            title="A reminder",
            before=(
                UserMessage("Hello"),
                AssistantMessage("Hi"),
                SystemMessage("Be brief."),
                UserMessage("Well?"),
            ),
            after=(
                UserMessage("Hello"),
                AssistantMessage("Hi"),
                UserMessage("<system>\nBe brief.\n</system>"),
                UserMessage("Well?"),
            ),
        ),
    ),
)

BRIDGE: Final = assistant_between(
    "mistral-user-after-tool",
    # Mistral's own API takes it, in recorded traffic; servers that render its templates may not.
    before_call=False,
    summary="A short assistant message comes between a tool's result and the user, after the server refused them in a row.",
    evidence=(
        Evidence(
            entry="mistral-unexpected-role",
            text="Unexpected role 'user' after role 'tool'",
            pattern=r"Unexpected role 'user' after role 'tool'",
            cause="A user message follows a tool's result without an answer between them.",
            status=400,
            link="https://github.com/onyx-dot-app/onyx/issues/6458",
        ),
    ),
    examples=(
        Example(
            title="A question before the answer",
            before=(
                AssistantMessage([ToolCallPart(tool_call_id="c1", tool_name="weather", input={})]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="4 degrees")]),
                UserMessage("Well?"),
            ),
            after=(
                AssistantMessage([ToolCallPart(tool_call_id="c1", tool_name="weather", input={})]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="4 degrees")]),
                AssistantMessage("(No answer.)"),
                UserMessage("Well?"),
            ),
        ),
    ),
)


def _is_prefix(message: Message) -> bool:
    return options_of(message, _CHAT).get("prefix") is True


LAST_USER: Final = last_user(
    "mistral-last-user",
    ends_well=_is_prefix,
    summary="A user message follows a last answer that is no prefix; one that says nothing goes instead.",
    evidence=(
        Evidence(
            entry="mistral-last-role",
            text="Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
            pattern=r"Expected last role (?:User or Tool|to be one of)",
            cause="The history ends with an answer of the model.",
            status=400,
            link="https://github.com/crewAIInc/crewAI/issues/2194",
        ),
    ),
    examples=(
        Example(
            title="The loop called again after an answer",
            before=(UserMessage("Hello"), AssistantMessage("Hi")),
            after=(UserMessage("Hello"), AssistantMessage("Hi"), UserMessage("Continue.")),
        ),
    ),
)

BLANK_ANSWERS: Final = blank_messages(
    "mistral-blank-answers",
    "assistant",
    summary="An answer without content and calls leaves the prompt.",
    evidence=(
        Evidence(
            entry="mistral-assistant-none",
            text="Assistant message must have either content or tool_calls, but not none.",
            pattern=r"Assistant message must have either content or tool_calls, but not none|must have a string or a list of chunks in content",
            cause="An answer holds neither text nor calls: a stream broke off, or it only thought.",
            status=400,
            link="https://github.com/OpenHands/OpenHands/issues/8685",
        ),
    ),
    examples=(
        Example(
            title="A stream that broke off",
            before=(UserMessage("Hello"), AssistantMessage(""), UserMessage("Are you there?")),
            after=(UserMessage("Hello"), UserMessage("Are you there?")),
        ),
    ),
)

_READS_THINKING: Final = ("magistral", "mistral-small-latest")

STRIP_THINKING: Final = drop_reasoning_where(
    "mistral-strip-thinking",
    lambda message: True,
    when=for_models(lambda model: bool(model.model) and not (model.model or "").startswith(_READS_THINKING)),
    summary="Reasoning leaves the prompt for models that don't read it (all but Magistral and mistral-small-latest).",
    evidence=(
        Evidence(
            text="Reasoning input is not enabled for this model",
            pattern=r"Reasoning input is not enabled for this model",
            cause="An answer holds thinking, and the model reads none.",
            status=400,
            link="https://docs.mistral.ai/capabilities/reasoning",
        ),
    ),
    examples=(
        Example(
            title="An answer of Magistral",
            before=(
                UserMessage("2 + 2?"),
                AssistantMessage(parts=[ReasoningPart(text="Simple."), TextPart("4")]),
            ),
            after=(UserMessage("2 + 2?"), AssistantMessage("4")),
        ),
    ),
)

DEVELOPER_AS_SYSTEM: Final = developer_as_system(
    "mistral-developer-as-system",
    summary="A developer message becomes a system message.",
    evidence=(
        Evidence(
            text="messages: array of SystemMessage | UserMessage | AssistantMessage | ToolMessage",
            cause="A message has the role developer, which only OpenAI's models know.",
            link="https://docs.mistral.ai/api/endpoint/chat",
        ),
    ),
    examples=(
        Example(
            title="Instructions written for OpenAI",
            before=(
                SystemMessage("Be brief.", provider_options={"openai_chat": {"role": "developer"}}),
                UserMessage("Hello"),
            ),
            after=(SystemMessage("Be brief."), UserMessage("Hello")),
        ),
    ),
)

MISTRAL: Final = Provider(
    name="mistral",
    recognise=chat_model("mistral"),
    # https://docs.mistral.ai/capabilities/reasoning, .../vision, .../document_ai, .../audio; images and documents in tool
    # results are accepted in recorded traffic. Of chunks its package says: "'refusal' is not a valid ChunkTypes".
    dialect=Dialect(
        reasoning_fields=("thinking",),
        media=frozenset({"image_url", "document_url", "input_audio", "file_id"}),
        media_in_results=True,
        bare_files=True,
        function_calls_only=True,
        said=frozenset({"reference"}),
    ),
    rules=(STRIP_THINKING, TOOL_CALL_ID, TOOL_NAMES),
    structure=(DEVELOPER_AS_SYSTEM, BLANK_ANSWERS, SYSTEM_POSITION, BRIDGE, LAST_USER),
)
