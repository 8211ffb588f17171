"""What Gemini asks of the parts of a content: calls, responses, thoughts, files."""

from __future__ import annotations

from typing import Final

from ...messages import (
    AssistantMessage,
    FilePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ...model_ref import ModelRef
from ..rule import CompatRule, Evidence, Example
from ..rules.arguments import arguments_as_object
from ..rules.expired_files import expired_files_as_text
from ..rules.gemini_results import named_responses, response_objects, unsent_ids
from ..rules.making import for_models
from ..rules.part_fields import MESSAGE, without_foreign_fields
from ..rules.reasoning import strip_foreign_reasoning
from ..rules.tool_names import tool_names
from .gemini_models import gemini_version, is_vertex

__all__ = ["PART_RULES", "owns_reasoning"]

API: Final = "gemini"
_ASK: Final = UserMessage("Where is Oslo?")
_CALL: Final = AssistantMessage(parts=[ToolCallPart(tool_name="search", input={"q": "Oslo"})], api=API)


def owns_reasoning(message: AssistantMessage, part: ReasoningPart) -> bool:
    """What Gemini takes back: thoughts that came over its wire, or of whose origin nothing is known."""
    options = part.provider_options
    return message.api in (API, None) and (not options or API in options)


STRIP_FOREIGN_REASONING: Final = strip_foreign_reasoning(
    "gemini-strip-foreign-reasoning",
    owns=owns_reasoning,
    summary="Reasoning that came over another wire leaves the prompt: Gemini takes no thought but its own.",
    evidence=(
        Evidence(
            text="Corrupted thought signature.",
            cause="A thought has the signature of another provider.",
            status=400,
            link="https://github.com/lbjlaq/Antigravity-Manager/pull/3342",
        ),
    ),
    examples=(
        Example(
            title="Reasoning that another provider made",
            before=(
                UserMessage("2 + 2?"),
                AssistantMessage(
                    parts=[ReasoningPart(text="Simple.", signature="ErUB"), TextPart("4")], api="anthropic"
                ),
            ),
            after=(UserMessage("2 + 2?"), AssistantMessage("4", api="anthropic")),
        ),
    ),
)

TOOL_NAMES: Final = tool_names(
    "gemini-tool-names",
    pattern=r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}",
    summary="Tool names that Gemini refuses are rewritten: in calls, responses, declared tools and the tool choice.",
    evidence=(
        Evidence(
            entry="gemini-function-response-name",
            text="GenerateContentRequest.contents[{i}].parts[{j}].function_call.name: [FIELD_INVALID] Invalid function name."
            " Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons"
            " (:), or dashes (-), with a maximum length of 64.",
            pattern=r"function_(?:call|response|declarations\[\d*\])\.name: (?:\[FIELD_INVALID\] ?)?Invalid function name",
            cause="A tool's name has characters, a beginning or a length that Gemini does not take.",
            status=400,
            link="https://github.com/google-gemini/gemini-cli/issues/9535",
        ),
    ),
    examples=(
        Example(
            title="A name with a slash",
            before=(_ASK, AssistantMessage(parts=[ToolCallPart(tool_name="maps/search", input={})], api=API)),
            after=(
                _ASK,
                AssistantMessage(parts=[ToolCallPart(tool_name="maps_search_d6f9f0", input={})], api=API),
            ),
        ),
    ),
)

ARGUMENTS: Final = arguments_as_object(
    "gemini-arguments-object",
    summary="Arguments that are no JSON object stand inside one; empty ones become `{}`.",
    evidence=(
        Evidence(
            entry="gemini-response-not-object",
            text="Invalid JSON payload received. Unknown name \"args\" at 'contents[{i}].parts[{j}].function_call': Proto field"
            " is not repeating, cannot start list.",
            pattern=r"Unknown name \W{1,4}args\W{1,4} at \W{0,4}contents\[\d+\]\.parts\[\d+\]\.function_call\W{1,6}Proto field"
            r" is not repeating",
            cause="The arguments of a call are no object.",
            status=400,
            link="https://github.com/vercel/ai/pull/3589",
        ),
    ),
    examples=(
        Example(
            title="Arguments that are a text",
            before=(_ASK, AssistantMessage(parts=[ToolCallPart(tool_name="search", input="Oslo")], api=API)),
            after=(
                _ASK,
                AssistantMessage(parts=[ToolCallPart(tool_name="search", input={"input": "Oslo"})], api=API),
            ),
        ),
    ),
)

RESPONSES: Final = response_objects(
    "gemini-response-object",
    summary="A function's response that is no object stands inside one, under `output`.",
    evidence=(
        Evidence(
            entry="gemini-response-not-object",
            text="Invalid JSON payload received. Unknown name \"response\" at 'contents[{i}].parts[{j}].function_response':"
            " Proto field is not repeating, cannot start list.",
            pattern=r"Unknown name \W{1,4}response\W{1,4} at \W{0,4}contents\[\d+\]\.parts\[\d+\]\.function_response\W{1,6}Proto"
            r" field is not repeating",
            cause="The response of a function is a list, a text or a number.",
            status=400,
            link="https://github.com/google-gemini/deprecated-generative-ai-js/issues/301",
        ),
    ),
    examples=(
        Example(
            title="A response that is a list",
            before=(
                _ASK,
                _CALL,
                ToolMessage(
                    parts=[
                        ToolResultPart(
                            tool_name="search", output=["Norway"], provider_options={API: {"$bare": True}}
                        )
                    ]
                ),
            ),
            after=(
                _ASK,
                _CALL,
                ToolMessage(parts=[ToolResultPart(tool_name="search", output=["Norway"])]),
            ),
        ),
    ),
)

RESPONSE_NAMES: Final = named_responses(
    "gemini-response-names",
    summary="A function's response without a name gets that of the function that was called.",
    evidence=(
        Evidence(
            entry="gemini-function-response-name",
            text="* GenerateContentRequest.contents[{i}].parts[{j}].function_response.name: Name cannot be empty.",
            pattern=r"function_response\.name: (?:\[REQUIRED_FIELD_MISSING\]|Name cannot be empty)",
            cause="A response does not say which function it comes from: OpenAI's tool messages have no name.",
            status=400,
            link="https://github.com/router-for-me/CLIProxyAPI/issues/2104",
        ),
    ),
    examples=(
        Example(
            title="An empty name",
            before=(
                _ASK,
                _CALL,
                ToolMessage(parts=[ToolResultPart(tool_name="", output="In Norway.")]),
            ),
            after=(
                _ASK,
                _CALL,
                ToolMessage(parts=[ToolResultPart(tool_name="search", output="In Norway.")]),
            ),
        ),
    ),
)

_REFUSED: Final = (
    r"Unknown name \W{1,4}(\w{1,64})\W{1,4} at \W{0,4}contents\[\d+\][^:]{0,80}: Cannot find field"
)
# What OpenAI's messages and parts hold, and what SDKs and proxies put beside Gemini's own fields.
_OF_OTHERS: Final = frozenset(
    {"cache_control", "content", "name", "reasoning_content", "role", "tool_call_id", "tool_calls", "type"}
)
_MISPLACED: Final = frozenset({"thought", "thoughtSignature", "thought_signature"})


def _unknown(field: str, place: str, cause: str, link: str) -> Evidence:
    return Evidence(
        entry="gemini-unknown-name",
        text=f"Invalid JSON payload received. Unknown name \"{field}\" at 'contents[{{i}}].{place}': Cannot find field.",
        pattern=_REFUSED,
        cause=cause,
        status=400,
        link=link,
    )


UNSENT_IDS: Final = unsent_ids(
    "gemini-unsent-ids",
    summary="Once an endpoint has refused the ids of calls and responses, these go without; name and position pair them.",
    evidence=(
        Evidence(
            entry="gemini-unknown-name",
            text="Invalid JSON payload received. Unknown name \"id\" at 'contents[{i}].parts[{j}].function_response': Cannot find"
            " field.",
            pattern=r"Unknown name \W{1,4}id\W{1,4} at \W{0,4}contents\[\d+\]\.parts\[\d+\]\.function_(?:call|response)\W{1,6}"
            r"Cannot find field",
            cause="The endpoint is one of those that know no ids of calls.",
            status=400,
            link="https://github.com/google-gemini/gemini-cli/issues/13972",
        ),
    ),
    examples=(
        Example(
            title="A call with an id",
            before=(
                _ASK,
                AssistantMessage(
                    parts=[ToolCallPart(tool_call_id="c1", tool_name="search", input={})], api=API
                ),
            ),
            after=(
                _ASK,
                AssistantMessage(
                    parts=[
                        ToolCallPart(
                            tool_call_id="c1",
                            tool_name="search",
                            input={},
                            provider_options={API: {"$absent": ["id"]}},
                        )
                    ],
                    api=API,
                ),
            ),
        ),
    ),
)

FOREIGN_FIELDS: Final = without_foreign_fields(
    "gemini-foreign-fields",
    api=API,
    foreign={
        MESSAGE: _OF_OTHERS - {"role"},
        "text": _OF_OTHERS,
        "reasoning": _OF_OTHERS,
        "file": _OF_OTHERS,
        "tool_call": _OF_OTHERS,
        "tool_call.functionCall": (_OF_OTHERS - {"name"}) | _MISPLACED,
        "tool_result": _OF_OTHERS,
        "tool_result.functionResponse": (_OF_OTHERS - {"name"}) | _MISPLACED,
    },
    refused=_REFUSED,
    null_is_absent=True,
    summary="Fields that only another API, an SDK or a proxy knows leave the prompt; after a rejection the one that it names.",
    evidence=(
        _unknown(
            "type",
            "parts[{j}].function_call",
            "A content, part or call holds a field that Gemini does not know.",
            "https://github.com/Chevey339/kelivo/issues/543",
        ),
    ),
    examples=(
        Example(
            title="A call in OpenAI's words",
            before=(
                _ASK,
                AssistantMessage(
                    parts=[
                        ToolCallPart(
                            tool_name="search",
                            input={},
                            provider_options={API: {"functionCall": {"type": "function"}}},
                        )
                    ]
                ),
            ),
            after=(_ASK, AssistantMessage(parts=[ToolCallPart(tool_name="search", input={})])),
        ),
    ),
)


def _knows_no_resolution(model: ModelRef) -> bool:
    """Recorded: Google's own API refused it with Gemini 3.0; its pages name it for what came later."""
    version = gemini_version(model)
    return not is_vertex(model) and version is not None and version <= (3, 0)


MEDIA_RESOLUTION: Final = without_foreign_fields(
    "gemini-media-resolution",
    api=API,
    foreign={kind: frozenset({"mediaResolution", "media_resolution"}) for kind in ("text", "file")},
    refused=r"Unknown name \W{1,4}(mediaResolution|media_resolution)\W{1,4} at",
    null_is_absent=True,
    when=for_models(_knows_no_resolution),
    summary="The resolution of a single file leaves the prompt where only Vertex knows it: up to Gemini 3.0 on Google's own"
    " API.",
    evidence=(
        _unknown(
            "mediaResolution",
            "parts[{j}]",
            "A part says in what resolution it is to be looked at.",
            "https://ai.google.dev/gemini-api/docs/media-resolution",
        ),
    ),
    examples=(
        Example(
            title="A file for Vertex",
            before=(UserMessage([TextPart("Hi", provider_options={API: {"mediaResolution": {}}})]),),
            after=(UserMessage("Hi"),),
        ),
    ),
)

_UPLOAD: Final = FilePart(
    file_id="https://generativelanguage.googleapis.com/v1beta/files/1", media_type="application/pdf"
)

EXPIRED_FILES: Final = expired_files_as_text(
    "gemini-expired-files",
    refused=r"access the File (\S+) or it may not exist",
    summary="Uploaded files that are gone leave a text each: the one that Gemini names, and those before it.",
    evidence=(
        Evidence(
            entry="gemini-file-expired",
            text="You do not have permission to access the File {id} or it may not exist.",
            pattern=r"You do not have permission to access the File \S+ or it may not exist",
            cause="A file was uploaded more than 48 hours ago, or with another key or project.",
            status=403,
            link="https://github.com/google-gemini/deprecated-generative-ai-python/issues/692",
        ),
    ),
    examples=(
        Example(
            title="A file of last week",
            before=(UserMessage([_UPLOAD, TextPart("Sum up.")]),),
            after=(
                UserMessage([TextPart("[application/pdf omitted: not supported here]"), TextPart("Sum up.")]),
            ),
        ),
    ),
)

PART_RULES: Final[tuple[CompatRule, ...]] = (
    STRIP_FOREIGN_REASONING,
    TOOL_NAMES,
    ARGUMENTS,
    RESPONSES,
    RESPONSE_NAMES,
    UNSENT_IDS,
    FOREIGN_FIELDS,
    MEDIA_RESOLUTION,
    EXPIRED_FILES,
)
