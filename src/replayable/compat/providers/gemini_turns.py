"""What Gemini asks of contents as a whole: whose they are, their order, and the signatures of the current turn's calls."""

from __future__ import annotations

from typing import Final

from ...facts import CALLS, facts_of
from ...messages import (
    AssistantMessage,
    SystemMessage,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ...model_ref import ModelRef
from ..rule import CompatRule, Evidence, Example
from ..rules.gemini_turns import (
    alternating_turns,
    call_turn_order,
    known_roles,
    one_response_turn,
    parts_with_data,
)
from ..rules.making import for_models
from ..rules.placeholders import CONTINUE, OPENING
from ..rules.roles import last_user, some_message
from ..rules.thought_signatures import NO_SIGNATURE, refused_signatures, signed_calls
from .gemini_models import gemini_version, is_vertex

__all__ = ["ROLES", "TURN_RULES"]

API: Final = "gemini"
_ASK: Final = UserMessage("Where is Oslo?")
_RESULT: Final = ToolMessage(parts=[ToolResultPart(tool_name="search", output="In Norway.")])


def _calling(text: str = "", signature: str | None = None) -> AssistantMessage:
    options = None if signature is None else {API: {"thoughtSignature": signature}}
    call = ToolCallPart(tool_name="search", input={"q": "Oslo"}, provider_options=options)
    return AssistantMessage([text, call] if text else [call], api=API)


def _version(model: ModelRef) -> tuple[int, int]:
    """The version; the lowest where the name does not say it."""
    version = gemini_version(model)
    return (0, 0) if version is None else version


def _takes_empty_text(model: ModelRef) -> bool:
    """Recorded: accepted from 2.5 on, by Google's own API."""
    return not is_vertex(model) and _version(model) >= (2, 5)


def _is_third(model: ModelRef) -> bool:
    return _version(model) >= (3, 0)


def _is_first(model: ModelRef) -> bool:
    """Recorded: 1.5 takes two turns of one role in a row, and an answer at the end."""
    version = gemini_version(model)
    return version is not None and version < (1, 5)


def _refuses_prefill(model: ModelRef) -> bool:
    version = _version(model)
    return version >= (3, 6) or (version >= (3, 5) and "lite" in (model.model or ""))


ROLES: Final = known_roles(
    "gemini-roles",
    demands_role=is_vertex,
    summary="Contents with the role of another API get theirs: the model's, the user's, or a system instruction.",
    evidence=(
        Evidence(
            entry="gemini-invalid-role",
            text="Please use a valid role: user, model.",
            pattern=r"Please use a valid role: ",
            cause="A content has the role `system`, `assistant` or `tool`, or on Vertex none.",
            status=400,
            link="https://ai.google.dev/api/caching#Content",
        ),
    ),
    examples=(
        Example(
            title="OpenAI's roles",
            before=(
                SystemMessage("Be brief.", placement="list", provider_options={API: {"role": "system"}}),
                UserMessage("Hello"),
                AssistantMessage("Hi", provider_options={API: {"role": "assistant"}}),
            ),
            after=(
                SystemMessage("Be brief.", placement="list"),
                UserMessage("Hello"),
                AssistantMessage("Hi"),
            ),
        ),
    ),
)

NO_EMPTY_PARTS: Final = parts_with_data(
    "gemini-empty-parts",
    takes_empty_text=_takes_empty_text,
    takes_lone_signature=_is_third,
    summary="Parts that hold nothing leave, and contents without parts; a user's that must stay says that it is empty.",
    evidence=(
        Evidence(
            entry="gemini-parts-empty",
            text="* GenerateContentRequest.contents[{i}].parts: contents.parts must not be empty.",
            pattern=r"contents\.parts must not be empty",
            cause="A content has no parts: its text was empty, or its thoughts were filtered.",
            status=400,
            link="https://github.com/vercel/ai/issues/3775",
        ),
        Evidence(
            entry="gemini-part-oneof",
            text="* GenerateContentRequest.contents[{i}].parts[{j}].data: required oneof field 'data' must have one initialized"
            " field",
            pattern=r"required oneof field 'data' must have one initialized field",
            cause="A part holds nothing: an empty text, or a thought or a signature without one.",
            status=400,
            link="https://github.com/router-for-me/CLIProxyAPI/issues/1292",
        ),
        Evidence(
            entry="gemini-vertex-no-parts",
            text="Unable to submit request because it must include at least one parts field, which describes the prompt input.",
            pattern=r"it must include at least one parts field",
            cause="A content has no parts: an answer without text was stored, or the user said nothing.",
            status=400,
            link="https://github.com/genkit-ai/genkit/issues/3690",
        ),
        Evidence(
            entry="gemini-vertex-empty-text",
            text="Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again.",
            pattern=r"Unable to submit request because it (?:has an empty text parameter|must have a text parameter)",
            cause="A part's text is empty.",
            status=400,
            link="https://github.com/Portkey-AI/gateway/issues/462",
        ),
    ),
    examples=(
        Example(
            title="An answer without parts",
            before=(UserMessage("Hello"), AssistantMessage(parts=[]), UserMessage("Are you there?")),
            after=(UserMessage("Hello"), UserMessage("Are you there?")),
        ),
    ),
)

CALL_TURN_ORDER: Final = call_turn_order(
    "gemini-call-turn-order",
    summary="Calls join the model's turn directly before them; before calls that come first stands a user turn.",
    evidence=(
        Evidence(
            entry="gemini-call-turn-order",
            text="Please ensure that function call turn comes immediately after a user turn or after a function response"
            " turn.",
            pattern=r"function call turn comes immediately after a user turn or after a function response turn",
            cause="A turn with calls comes first, or after another model turn.",
            status=400,
            link="https://github.com/google-gemini/gemini-cli/issues/26486",
        ),
    ),
    examples=(
        Example(
            title="An announcement, then the call",
            before=(_ASK, AssistantMessage("Let me look.", api=API), _calling(), _RESULT),
            after=(_ASK, _calling("Let me look."), _RESULT),
        ),
        Example(
            title="A history that was cut",
            before=(_calling(), _RESULT),
            after=(UserMessage(OPENING), _calling(), _RESULT),
        ),
    ),
)

_STARTING: Final = ToolMessage(parts=_RESULT.parts, provider_options={API: {"$starts": True}})

ONE_RESPONSE_TURN: Final = one_response_turn(
    "gemini-one-response-turn",
    summary="The responses to the calls of one turn stand in one content.",
    evidence=(
        Evidence(
            entry="gemini-response-turn-order",
            text="Please ensure that function response turn comes immediately after a function call turn.",
            pattern=r"function response turn comes immediately after a function call turn",
            cause="Each response to calls made at once stands in a content of its own.",
            status=400,
            link="https://github.com/BerriAI/litellm/issues/26755",
        ),
    ),
    examples=(
        Example(
            title="Two responses, one by one",
            before=(_ASK, _calling(), _RESULT, _STARTING),
            after=(_ASK, _calling(), _RESULT, _RESULT),
        ),
    ),
)

_MULTITURN: Final = Evidence(
    entry="gemini-multiturn-end",
    text="Please ensure that multiturn requests ends with a user role or a function response. | Please ensure that multiturn"
    " requests alternate between user and model.",
    pattern=r"Please ensure that (?:multiturn requests (?:ends? with a user role or a function response|alternate between user"
    r" and model)|single turn requests? ends? with a user role)",
    cause="Two contents of one role stand in a row, or the last one is the model's.",
    status=400,
    link="https://github.com/songquanpeng/one-api/issues/836",
)

ALTERNATING: Final = alternating_turns(
    "gemini-alternating-turns",
    when=for_models(_is_first),
    summary="Several contents of one role in a row become one, and an answer at the end is followed by a user turn, for the"
    " first models.",
    evidence=(_MULTITURN,),
    examples=(
        Example(
            title="Two questions",
            before=(_ASK, UserMessage("And Bergen?")),
            after=(UserMessage(["Where is Oslo?", "And Bergen?"]),),
        ),
    ),
)

LAST_USER: Final = last_user(
    "gemini-last-user",
    ends_well=lambda message: bool(facts_of(message) & CALLS),
    when=for_models(_refuses_prefill),
    summary="After an answer of the model at the end comes a user turn, where the model does not continue its own.",
    evidence=(
        Evidence(
            entry="gemini-ends-with-model",
            text="Requests ending with a model turn are not supported.",
            pattern=r"Requests ending with a model turn are not supported",
            cause="The last content is the model's: a prefill, or the retry of an answer that broke off.",
            status=400,
            link="https://github.com/anomalyco/opencode/issues/45359",
        ),
    ),
    examples=(
        Example(
            title="An answer that broke off",
            before=(_ASK, AssistantMessage("Oslo is")),
            after=(_ASK, AssistantMessage("Oslo is"), UserMessage(CONTINUE)),
        ),
    ),
)

SOME_MESSAGE: Final = some_message(
    "gemini-some-message",
    summary="A request without contents gets a user turn.",
    evidence=(
        Evidence(
            entry="gemini-contents-missing",
            text="* GenerateContentRequest.contents: contents is not specified",
            pattern=r"GenerateContentRequest\.contents: contents is not specified",
            cause="Nothing but a system instruction is left of the history.",
            status=400,
            link="https://github.com/langchain-ai/langchain-google/issues/1393",
        ),
    ),
    examples=(
        Example(
            title="Only instructions",
            before=(SystemMessage("Be brief."),),
            after=(SystemMessage("Be brief."), UserMessage(OPENING)),
        ),
    ),
)

SIGNED_CALLS: Final = signed_calls(
    "gemini-signed-calls",
    when=for_models(_is_third),
    summary="The first call of each answer of the current turn that lacks a thought signature gets the documented stand-in"
    f" (`{NO_SIGNATURE}`), from Gemini 3 on.",
    evidence=(
        Evidence(
            entry="gemini-missing-thought-signature",
            text="Function call is missing a thought_signature in functionCall parts. This is required for tools to work"
            " correctly, and missing thought_signature may lead to degraded model performance.",
            pattern=r"Function call is missing a thought_signature in functionCall parts",
            cause="The first call of an answer of the current turn has no signature: another model made it, or a proxy lost it.",
            status=400,
            link="https://github.com/chatboxai/chatbox/issues/3308",
        ),
        Evidence(
            entry="gemini-vertex-missing-thought-signature",
            text="Unable to submit request because function call `{name}` in the {n}. content block is missing a"
            " `thought_signature`.",
            pattern=r"content block is missing a `thought_signature`",
            cause="The first call of an answer of the current turn has no signature: another model made it, or a proxy lost it.",
            status=400,
            link="https://github.com/GewoonJaap/gemini-cli-openai/issues/156",
        ),
    ),
    examples=(
        Example(
            title="A call that another model made",
            before=(_ASK, _calling(), _RESULT),
            after=(_ASK, _calling(signature=NO_SIGNATURE), _RESULT),
        ),
    ),
)

REFUSED_SIGNATURES: Final = refused_signatures(
    "gemini-refused-signatures",
    summary="Once Gemini has refused a thought signature, all of them leave; the current turn's calls get the documented"
    " stand-in.",
    evidence=(
        Evidence(
            entry="gemini-corrupted-thought-signature",
            text="Corrupted thought signature. | Invalid thought signature. | Unable to submit request because Thought"
            " signature is not valid.",
            pattern=r"(?i:(?:corrupted|invalid) thought[ _]?signature|thought signature is not valid)",
            cause="A signature was made by another backend, project or model, or was cut or mangled on its way.",
            status=400,
            link="https://github.com/google-gemini/gemini-cli/issues/13467",
        ),
    ),
    examples=(
        Example(
            title="A signature of another backend",
            before=(_ASK, _calling(signature="c2ln"), _RESULT),
            after=(_ASK, _calling(signature=NO_SIGNATURE), _RESULT),
        ),
    ),
)

# What empties goes first; a turn's first call and its last user are known once turns stand in order.
TURN_RULES: Final[tuple[CompatRule, ...]] = (
    NO_EMPTY_PARTS,
    CALL_TURN_ORDER,
    ONE_RESPONSE_TURN,
    ALTERNATING,
    LAST_USER,
    SOME_MESSAGE,
    REFUSED_SIGNATURES,
    SIGNED_CALLS,
)
