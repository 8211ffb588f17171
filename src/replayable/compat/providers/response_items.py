"""What OpenAI's Responses API asks of items: reasoning and what follows it, ids, content types, what the server holds."""

from __future__ import annotations

from typing import Final

from ...messages import (
    AssistantMessage,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ...model_ref import ModelRef
from ...prompt import Prompt
from ..rule import CompatRule, Evidence, Example
from ..rules.content import content_present
from ..rules.making import for_models
from ..rules.part_fields import MESSAGE, without_foreign_fields
from ..rules.placeholders import OPENING
from ..rules.response_content import content_types, outputs_present
from ..rules.response_ids import distinct_items, item_id_format
from ..rules.response_item import CONTENT
from ..rules.response_reasoning import drop_reasoning_items, followed_reasoning, reasoning_without_content
from ..rules.response_state import answered_beside_state, items_by_value
from ..rules.roles import some_message

__all__ = ["ITEM_RULES", "ITEM_STRUCTURE", "is_native"]

API: Final = "openai_responses"
# OpenAI's models, wherever they are served; others take reasoning items as they come.
_OPENAI: Final = frozenset({"azure", "bedrock", "bedrock_mantle", "chatgpt_codex", "copilot", "openai"})
# Where OpenAI's own validation sees the request.
_NATIVE: Final = frozenset({"azure", "chatgpt_codex", "openai"})
# What OpenAI encrypts is a Fernet token, whose first byte and time stamp give these letters.
_TOKEN: Final = "gAAAA"

_ASK: Final = UserMessage("Where is Oslo?")
_THANKS: Final = UserMessage("Thanks.")
_RESULT: Final = ToolMessage(parts=[ToolResultPart(tool_call_id="call_1", output="In Norway.")])


def _call(item_id: str | None = None) -> ToolCallPart:
    options = None if item_id is None else {API: {"id": item_id}}
    return ToolCallPart(
        tool_call_id="call_1", tool_name="search", input={"q": "Oslo"}, provider_options=options
    )


def _said(text: str, item_id: str | None = None) -> TextPart:
    return TextPart(text, provider_options=None if item_id is None else {API: {"id": item_id}})


def _answer(*parts: Part) -> AssistantMessage:
    return AssistantMessage(parts=list(parts), api=API)


def is_native(model: ModelRef) -> bool:
    """Whether OpenAI's own validation sees the request: at OpenAI, on Azure, in the Codex backend."""
    return model.provider in _NATIVE and model.maker in (None, "openai")


def _serves_openai(model: ModelRef) -> bool:
    return model.provider in _OPENAI and model.maker in (None, "openai")


def _wants_ids(model: ModelRef) -> bool:
    """Recorded: gpt-5 refuses a message without an id behind stored reasoning, o3-mini takes it."""
    return (model.model or "").startswith("gpt-")


def _rejects_duplicates(model: ModelRef) -> bool:
    return _serves_openai(model) or model.provider == "openrouter"


def _is_token(part: ReasoningPart) -> bool:
    return part.encrypted is not None and part.encrypted.startswith(_TOKEN)


FOLLOWED_REASONING: Final = followed_reasoning(
    "openai-followed-reasoning",
    when=for_models(_serves_openai),
    needs_id=_wants_ids,
    summary="Reasoning items that nothing of the model's follows leave; one before a message without an id loses its own, and"
    " what follows one without an id has none either.",
    evidence=(
        Evidence(
            entry="responses-reasoning-without-following",
            text="Item '{rs_id}' of type 'reasoning' was provided without its required following item.",
            pattern=r"Item '[\w-]+' of type 'reasoning' was provided without its required following item",
            cause="What the model wrote after it reasoned is missing, stands elsewhere, or has lost its item id.",
            status=400,
            link="https://github.com/vercel/ai/issues/7099",
        ),
        # Without a pattern: the reasoning may also be missing, which another rule repairs.
        Evidence(
            text="Item '{msg_id}' of type 'message' was provided without its required 'reasoning' item: '{rs_id}'.",
            cause="The reasoning before it was sent without its id.",
            status=400,
            link="https://github.com/NousResearch/hermes-agent/issues/97442",
        ),
    ),
    examples=(
        Example(
            title="A response that broke off",
            before=(_ASK, _answer(ReasoningPart(id="rs_1", encrypted="gAAAAABo")), _THANKS),
            after=(_ASK, _THANKS),
        ),
        Example(
            title="A message without its id",
            before=(_ASK, _answer(ReasoningPart(id="rs_1", encrypted="gAAAAABo"), _said("In Norway."))),
            after=(_ASK, _answer(ReasoningPart(encrypted="gAAAAABo"), _said("In Norway."))),
        ),
    ),
)

ENCRYPTED_CONTENT: Final = drop_reasoning_items(
    "openai-encrypted-content",
    when=for_models(is_native),
    leaves=lambda part: part.encrypted is not None and not _is_token(part),
    refused=lambda part: part.encrypted is not None,
    summary="Reasoning that OpenAI did not encrypt leaves, and the item ids behind it; once OpenAI has refused some, all does.",
    evidence=(
        Evidence(
            entry="responses-encrypted-content",
            text="The encrypted content for item {rs_id} could not be verified. Reason: Encrypted content could not be"
            " decrypted or parsed.",
            pattern=r"The encrypted content .{1,80}could not be verified",
            cause="Another organisation, deployment, account or provider encrypted the reasoning, or it was changed.",
            status=400,
            link="https://github.com/openai/codex/issues/8145",
        ),
    ),
    examples=(
        Example(
            title="Reasoning of another provider of this API",
            before=(_ASK, _answer(ReasoningPart(id="rs_1", encrypted="rsn_5ZVr"), _call("fc_1")), _RESULT),
            after=(
                _ASK,
                _answer(_call().model_copy(update={"provider_options": {API: {}}})),
                _RESULT,
            ),
        ),
    ),
)

REASONING_CONTENT: Final = reasoning_without_content(
    "openai-reasoning-content",
    when=for_models(is_native),
    is_own=_is_token,
    summary="Reasoning items go back without their readable content; those that OpenAI did not encrypt leave.",
    evidence=(
        Evidence(
            entry="responses-reasoning-content-array",
            text="Invalid 'input[{i}].content': array too long. Expected an array with maximum length 0, but got an array with"
            " length {n} instead.",
            pattern=r"Invalid 'input\[\d+\]\.content': array too long\. Expected an array with maximum length 0",
            cause="A reasoning item shows its reasoning: an open model's, or another API's that a proxy translated.",
            status=400,
            link="https://github.com/musistudio/claude-code-router/issues/1783",
        ),
    ),
    examples=(
        Example(
            title="Reasoning of an open model",
            before=(
                _ASK,
                _answer(
                    ReasoningPart(
                        id="rs_1",
                        text="Norway.",
                        provider_options={API: {"content": [{"type": "reasoning_text", "text": "Norway."}]}},
                    ),
                    _call(),
                ),
                _RESULT,
            ),
            after=(_ASK, _answer(_call()), _RESULT),
        ),
    ),
)

ITEM_IDS: Final = item_id_format(
    "openai-item-id-format",
    when=for_models(is_native),
    prefixes={
        "code_interpreter_call": "ci",
        "compaction": "cmp",
        "computer_call": "cu",
        "custom_tool_call": "ctc",
        "file_search_call": "fs",
        "function_call": "fc",
        "image_generation_call": "ig",
        "local_shell_call": "lsh",
        "mcp_call": "mcp",
        "mcp_list_tools": "mcpl",
        "message": "msg",
        "reasoning": "rs",
        "tool_search_call": "tsc",
        "web_search_call": "ws",
    },
    pattern=r"[a-zA-Z0-9_-]{1,64}",
    summary="Item ids that OpenAI did not make are dropped: the items are replayed by value.",
    evidence=(
        Evidence(
            entry="responses-invalid-id-prefix",
            text="Invalid 'input[{i}].id': '{id}'. Expected an ID that begins with 'msg'.",
            pattern=r"Invalid 'input\[\d+\]\.id': '[^']{0,1000}'\. Expected an ID that begins with '",
            cause="A proxy, another provider or an SDK made the item's id.",
            status=400,
            link="https://github.com/openai/codex/issues/33176",
        ),
        Evidence(
            entry="responses-id-charset",
            text="Invalid 'input[{i}].id': '{id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but"
            " this value contained additional characters.",
            pattern=r"Invalid 'input\[\d+\]\.id': '[^']{0,1000}'\. Expected an ID that contains letters, numbers,",
            cause="An item's id has characters that OpenAI's ids never have.",
            status=400,
            link="https://github.com/ranxianglei/billion-context/issues/1052",
        ),
        Evidence(
            entry="responses-string-too-long",
            text="Invalid 'input[{i}].id': string too long. Expected a string with maximum length 64, but got a string with"
            " length {n} instead.",
            pattern=r"Invalid 'input\[\d+\]\.id': string too long\. Expected a string with maximum length 64",
            cause="An item's id is longer than 64 characters: it was made elsewhere.",
            status=400,
            link="https://github.com/decolua/9router/issues/393",
        ),
    ),
    examples=(
        Example(
            title="The id of another API's answer",
            before=(_ASK, _answer(_said("In Norway.", "chatcmpl-1")), _THANKS),
            after=(
                _ASK,
                _answer(TextPart("In Norway.", provider_options={API: {}})),
                _THANKS,
            ),
        ),
    ),
)

_DUPLICATE: Final = Evidence(
    entry="responses-duplicate-item",
    text="Duplicate item found with id {rs_id}. Remove duplicate items from your input and try again.",
    pattern=r"Duplicate item found with id [\w-]+\. Remove duplicate items from your input",
    cause="An item stands in the input twice, or is in the chain that the server holds as well.",
    status=400,
    link="https://github.com/OpenRouterTeam/ai-sdk-provider/issues/254",
)

DISTINCT_ITEMS: Final = distinct_items(
    "openai-distinct-items",
    when=for_models(_rejects_duplicates),
    summary="An item stands in the request once: repeated reasoning becomes one, what else comes again comes by value.",
    evidence=(_DUPLICATE,),
    examples=(
        Example(
            title="Reasoning that was split by its summaries",
            before=(
                _ASK,
                _answer(
                    ReasoningPart(id="rs_1", text="Norway?", encrypted="gAAAAABo"),
                    ReasoningPart(id="rs_1", text="Yes.", encrypted="gAAAAABo"),
                    _call("fc_1"),
                ),
                _RESULT,
            ),
            after=(
                _ASK,
                _answer(
                    ReasoningPart(id="rs_1", text="Norway?\n\nYes.", encrypted="gAAAAABo"), _call("fc_1")
                ),
                _RESULT,
            ),
        ),
    ),
)


def _stores_nothing(prompt: Prompt) -> bool:
    models = tuple(prompt.model.candidates()) if prompt.model is not None else ()
    return any(map(_serves_openai, models)) and (prompt.request or {}).get("store") is False


BY_VALUE: Final = items_by_value(
    "openai-items-by-value",
    stores_nothing=_stores_nothing,
    summary="Where the server holds no items, references and reasoning without its content leave; once it has missed an item,"
    " all are replayed by value.",
    evidence=(
        Evidence(
            entry="responses-item-not-found-store-false",
            text="Item with id '{rs_id}' not found. Items are not persisted when `store` is set to false. Try again with"
            " `store` set to true, or remove this item from your input.",
            pattern=r"Item with id '[\w-]+' not found\.",
            cause="The input names an item that the server did not store, or not for this organisation or endpoint.",
            status=404,
            link="https://github.com/vercel/ai/issues/7543",
        ),
        Evidence(
            entry="copilot-item-connection",
            text="input item ID does not belong to this connection",
            pattern=r"input item ID does not belong to this connection",
            cause="The item ids were made for another connection, account or host.",
            status=400,
            link="https://github.com/github/copilot-cli/issues/4505",
        ),
        # What stands in the input once can be in the chain of the server as well.
        _DUPLICATE,
    ),
    examples=(
        Example(
            title="Reasoning that was not stored",
            before=(_ASK, _answer(ReasoningPart(id="rs_1"), _call("fc_1")), _RESULT),
            after=(
                _ASK,
                _answer(_call().model_copy(update={"provider_options": {API: {}}})),
                _RESULT,
            ),
        ),
    ),
)

CONTENT_TYPES: Final = content_types(
    "openai-content-types",
    when=for_models(is_native),
    summary="Texts of answers are `output_text`, those of the client `input_text`; files in an answer move behind it.",
    evidence=(
        Evidence(
            entry="responses-assistant-input-text",
            text="Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
            pattern=r"Invalid value: '\w+'\. Supported values are: '(?:output_text|input_text)'",
            cause="An answer was stored with the content type of the client's texts, or the other way round.",
            status=400,
            link="https://github.com/missdeer/ace-tool-rs/issues/11",
        ),
    ),
    examples=(
        Example(
            title="An answer that was stored as input",
            before=(
                _ASK,
                _answer(TextPart("Norway.", provider_options={API: {"content": {"type": "input_text"}}})),
                _THANKS,
            ),
            after=(_ASK, _answer(TextPart("Norway.")), _THANKS),
        ),
    ),
)

# What OpenAI's Chat API has in messages, and what SDKs parse and put beside.
_OF_OTHERS: Final = frozenset(
    {
        "cache_control",
        "parsed",
        "parsed_arguments",
        "reasoning",
        "reasoning_content",
        "reasoning_details",
        "tool_calls",
    }
)

FOREIGN_FIELDS: Final = without_foreign_fields(
    "openai-foreign-fields",
    api=API,
    when=for_models(is_native),
    foreign={
        MESSAGE: _OF_OTHERS,
        "text": _OF_OTHERS,
        "text.content": _OF_OTHERS,
        "file": _OF_OTHERS,
        # In the documented type, and refused.
        "reasoning": _OF_OTHERS | {"status"},
        "tool_call": _OF_OTHERS,
        "tool_result": _OF_OTHERS,
    },
    refused=r"Unknown parameter: 'input\[\d+\](?:\.\w{1,64}(?:\[\d+\])?){0,6}\.(\w{1,64})'",
    summary="Fields that only an SDK or another API knows leave the prompt; after a rejection the one that it names.",
    evidence=(
        Evidence(
            entry="responses-unknown-parameter",
            text="Unknown parameter: 'input[{i}].status'.",
            pattern=r"Unknown parameter: 'input\[\d+\](?:\.\w{1,64}(?:\[\d+\])?){1,7}'",
            cause="An item holds a field that OpenAI returns, or an SDK adds, but nobody may send.",
            status=400,
            link="https://github.com/BerriAI/litellm/issues/13420",
        ),
    ),
    examples=(
        Example(
            title="Reasoning as the server returned it",
            before=(
                _ASK,
                _answer(
                    ReasoningPart(
                        id="rs_1", encrypted="gAAAAABo", provider_options={API: {"status": "completed"}}
                    ),
                    _call("fc_1"),
                ),
                _RESULT,
            ),
            after=(_ASK, _answer(ReasoningPart(id="rs_1", encrypted="gAAAAABo"), _call("fc_1")), _RESULT),
        ),
    ),
)

ANSWERED_BESIDE_STATE: Final = answered_beside_state(
    "openai-answered-calls",
    summary="A call in the request itself that nothing answers gets a placeholder result, also where the server holds what"
    " came before.",
    evidence=(
        Evidence(
            entry="responses-call-without-output",
            text="No tool output found for function call {call_id}.",
            cause="A function call of the input has no output in it.",
            status=400,
            link="https://github.com/jlcodes99/cockpit-tools/issues/1234",
        ),
    ),
)


def _has_no_input(prompt: Prompt) -> bool:
    """Whether nothing is sent but instructions, and the server holds neither a chain nor a stored prompt."""
    return (
        not prompt.server_state
        and not (prompt.request or {}).get("prompt")
        and all(message.role == "system" and message.placement == "top" for message in prompt.messages)
    )


SOME_MESSAGE: Final = some_message(
    "openai-responses-some-message",
    when=_has_no_input,
    summary="An input without any item gets a user message, where the server holds no history either.",
    evidence=(
        Evidence(
            text="One of 'input' or 'previous_response_id' or 'prompt' or 'conversation' must be provided.",
            pattern=r"One of \W{0,2}input\W{0,2} or \W{0,2}previous_response_id\W{0,2} or",
            cause="Everything was filtered or compacted away.",
            status=400,
            link="https://platform.openai.com/docs/api-reference/responses/create",
        ),
    ),
    examples=(Example(title="Nothing left", before=(), after=(UserMessage(OPENING),)),),
)

CONTENT_PRESENT: Final = content_present(
    "openai-responses-content-present",
    "system",
    "user",
    api=API,
    summary="Instructions or a question whose content is null or absent say an empty text instead.",
    evidence=(
        Evidence(
            text="content: string or ResponseInputMessageContentList. Text, image, or audio input to the model.",
            cause="The content of a message is null or missing.",
            link="https://platform.openai.com/docs/api-reference/responses/create",
        ),
    ),
    examples=(
        Example(
            title="A question without words",
            before=(UserMessage([], provider_options={API: {CONTENT: "null"}}),),
            after=(UserMessage(""),),
        ),
    ),
)

OUTPUTS_PRESENT: Final = outputs_present(
    "openai-responses-outputs-present",
    summary="The output of a call that is null or absent becomes an empty text.",
    evidence=(
        Evidence(
            text="output: string or array. Text, image, or file output of the function tool call. Required.",
            cause="A tool returned nothing, and its output was sent as null.",
            link="https://platform.openai.com/docs/api-reference/responses/create",
        ),
    ),
    examples=(
        Example(
            title="A tool that returned nothing",
            before=(
                AssistantMessage(parts=[_call()]),
                ToolMessage(
                    parts=[ToolResultPart(tool_call_id="call_1", provider_options={API: {CONTENT: "null"}})]
                ),
            ),
            after=(
                AssistantMessage(parts=[_call()]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="call_1", output="")]),
            ),
        ),
    ),
)

ITEM_RULES: Final[tuple[CompatRule, ...]] = (
    BY_VALUE,
    ITEM_IDS,
    DISTINCT_ITEMS,
    ENCRYPTED_CONTENT,
    REASONING_CONTENT,
    CONTENT_TYPES,
    FOREIGN_FIELDS,
    CONTENT_PRESENT,
    OUTPUTS_PRESENT,
)
# What the rules above take may leave reasoning without its follower, or a call without its result.
ITEM_STRUCTURE: Final[tuple[CompatRule, ...]] = (
    FOLLOWED_REASONING,
    ANSWERED_BESIDE_STATE,
    SOME_MESSAGE,
)
