"""Bedrock Converse: what calls, results and files may look like, whichever model reads them."""

from __future__ import annotations

from typing import Final

from ...facts import LONG_IDS
from ...messages import (
    AssistantMessage,
    FilePart,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ..evidence import Evidence
from ..rule import Example
from ..rules.arguments import arguments_as_object
from ..rules.cache_breakpoints import limited_cache_breakpoints
from ..rules.content import results_not_blank
from ..rules.documents import document_names
from ..rules.json_results import json_results_as_objects
from ..rules.making import begins_here, for_models
from ..rules.placeholders import NO_OUTPUT
from ..rules.tool_call_ids import tool_call_id_format
from ..rules.tool_declarations import declare_used_tools
from ..rules.tool_names import tool_names
from .bedrock_models import API, made_by

__all__ = ["PART_RULES"]

_ID: Final = "functions.search:0"
_NEW_ID: Final = "functions_search_0_85c5207c10"


def _asking(*, call_id: str = "tooluse_1", name: str = "search", given: object = None) -> AssistantMessage:
    arguments = {} if given is None else given
    return AssistantMessage([ToolCallPart(tool_call_id=call_id, tool_name=name, input=arguments)])


def _result(
    *,
    call_id: str = "tooluse_1",
    output: object = "In Norway.",
    content: tuple[TextPart, ...] | None = None,
    is_error: bool | None = None,
    form: str | None = None,
) -> ToolMessage:
    part = ToolResultPart(
        tool_call_id=call_id,
        output=None if content is not None else output,
        content=content,
        is_error=is_error,
        provider_options=None if form is None else {API: {"$content": form}},
    )
    return ToolMessage([part])


def _cached(text: str) -> UserMessage:
    return UserMessage([TextPart(text, provider_options={"bedrock": {"cachePoint": {"type": "default"}}})])


def _document(filename: str) -> FilePart:
    return FilePart(
        media_type="application/pdf",
        data="JVBERg==",
        filename=filename,
        provider_options={"bedrock": {"$type": "document", "$bytes": False}},
    )


def _constraint(field: str, cause: str) -> Evidence:
    return Evidence(
        entry="bedrock-tool-name-constraint",
        text=f"1 validation error detected: Value '{{v}}' at 'messages.{{i}}.member.content.{{j}}.member.toolUse.{field}'"
        " failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
        pattern=rf"\.member\.tool(?:Use|Result)\.{field}' failed to satisfy constraint",
        cause=cause,
        status=400,
        link="https://github.com/mastra-ai/mastra/issues/13632",
    )


_ODD_ID: Final = _constraint(
    "toolUseId",
    "Another provider made the id of a call: it has characters that Converse does not take, or too many.",
)

PART_RULES: Final = (
    tool_call_id_format(
        "bedrock-tool-call-ids",
        pattern=r"[a-zA-Z0-9_-]{1,64}",
        needs=LONG_IDS,
        # Its own `functions.search:0` was accepted back.
        when=for_models(lambda model: not made_by("moonshot")(model)),
        summary="Tool call ids with characters that Converse refuses, too long ones and missing ones, are rewritten; call and"
        " result together.",
        evidence=(_ODD_ID,),
        examples=(
            Example(
                title="An id that Kimi made",
                before=(_asking(call_id=_ID), _result(call_id=_ID)),
                after=(_asking(call_id=_NEW_ID), _result(call_id=_NEW_ID)),
            ),
        ),
    ),
    tool_call_id_format(
        "bedrock-kimi-tool-call-ids",
        pattern=r"[a-zA-Z0-9_.:-]{1,64}",
        needs=LONG_IDS,
        when=for_models(made_by("moonshot")),
        summary="Ids of calls that are too long, missing, or have odd characters are rewritten for Kimi, which takes its own.",
        evidence=(
            Evidence(
                entry="bedrock-tool-name-constraint",
                text="toolUseId: Length Constraints: Minimum length of 1. Maximum length of 64. Pattern: [a-zA-Z0-9_.:-]+",
                cause="The id of a call is too long, or has characters that Converse takes from nobody.",
                link="https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html",
            ),
        ),
    ),
    tool_names(
        "bedrock-tool-names",
        summary="Names of tools that Converse refuses are rewritten, the same in calls, declared tools and the tool choice.",
        evidence=(
            _constraint(
                "name",
                "The name of a called tool has characters that Converse does not take, or too many: a model made it up, or"
                " another provider takes it.",
            ),
        ),
        examples=(
            Example(
                title="The name of a remote server's tool",
                before=(_asking(name="met.weather"), _result()),
                after=(_asking(name="met_weather_626aa3"), _result()),
            ),
        ),
    ),
    arguments_as_object(
        "bedrock-tool-input",
        summary="The arguments of a call that are no JSON object become one.",
        evidence=(
            Evidence(
                entry="bedrock-tool-input-object",
                text="The format of the value at messages.{i}.content.{j}.toolUse.input is invalid. Provide a json object for"
                " the field and try again.",
                pattern=r"The format of the value at messages\.\d+\.content\.\d+\.toolUse\.input is invalid",
                cause="The arguments of a call are a text, a list or null.",
                status=400,
                link="https://github.com/vercel/ai/pull/19023",
            ),
        ),
        examples=(
            Example(
                title="Arguments that are a list",
                before=(_asking(given=["Oslo"]), _result()),
                after=(_asking(given={"input": ["Oslo"]}), _result()),
            ),
        ),
    ),
    json_results_as_objects(
        "bedrock-json-results",
        api=API,
        # A number was accepted.
        when=for_models(lambda model: not made_by("amazon")(model)),
        summary="The JSON of a result that is no object is sent as text, for all models but Amazon's own.",
        evidence=(
            Evidence(
                entry="bedrock-tool-result-json-object",
                text="The format of the value at messages.{i}.content.{j}.toolResult.content.{k}.json is invalid. Provide a"
                " json object for the field and try again.",
                pattern=r"The format of the value at messages\.\d+\.content\.\d+\.toolResult\.content\.\d+\.json is invalid",
                cause="The JSON of a result is a list, a text, a number or null.",
                status=400,
                link="https://github.com/deepset-ai/haystack-core-integrations/pull/3766",
            ),
        ),
        examples=(
            Example(
                title="A list",
                before=(_asking(), _result(output=["Oslo"], form="json")),
                after=(_asking(), _result(output=["Oslo"])),
            ),
        ),
    ),
    results_not_blank(
        "bedrock-errors-not-empty",
        of=lambda part: bool(part.is_error),
        summary="An error result without content says that it has none.",
        evidence=(
            Evidence(
                entry="bedrock-tool-result-error-empty",
                text="The content field at messages.{i}.content.{j}.toolResult cannot be empty when status value is error.",
                pattern=r"toolResult cannot be empty when status value is error",
                cause="A result that is an error holds nothing.",
                status=400,
                link="https://github.com/aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/issues/15",
            ),
        ),
        examples=(
            Example(
                title="A tool that failed without a word",
                before=(_asking(), _result(content=(), is_error=True)),
                after=(_asking(), _result(output=NO_OUTPUT, is_error=True)),
            ),
        ),
    ),
    document_names(
        "bedrock-document-names",
        api=API,
        summary="A document whose name Converse refuses, or that has the name of an earlier one, gets another name.",
        evidence=(
            Evidence(
                text="The document file name can only contain alphanumeric characters, whitespace characters, hyphens,"
                " parentheses, and square brackets. The name can't contain more than one consecutive whitespace character.",
                pattern=r"The document file name can only contain alphanumeric characters",
                cause="A document is named as its file was, with characters that Converse does not take.",
                status=400,
                link="https://github.com/simonw/llm-bedrock/issues/8",
            ),
            Evidence(
                text="Messages can't contain duplicate document names. Rename the document and retry your request.",
                pattern=r"can't contain duplicate document names",
                cause="Two documents of the history have one name.",
                status=400,
                link="https://github.com/maximhq/bifrost/issues/7003",
            ),
        ),
        examples=(
            Example(
                title="A file's own name, twice",
                before=(UserMessage([_document("a.pdf"), _document("a.pdf"), "Compare them."]),),
                after=(UserMessage([_document("a"), _document("a 2"), "Compare them."]),),
            ),
        ),
    ),
    limited_cache_breakpoints(
        "bedrock-cache-points",
        api=API,
        field="cachePoint",
        limit=4,
        summary="Of more than four cache points the oldest in the messages go; those of tools and system prompt stay.",
        evidence=(
            Evidence(
                entry="anthropic-cache-control-max4",
                text="A maximum of 4 blocks with cache_control may be provided. Found 5.",
                pattern=r"A maximum of \d{1,3} blocks with cache_control may be provided",
                cause="Each turn's cache point stays in the stored history, and they add up.",
                status=400,
                link="https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html",
            ),
        ),
        examples=(
            Example(
                title="Five cache points",
                before=tuple(_cached(str(number)) for number in range(5)),
                after=(UserMessage("0"), UserMessage("1"), *(_cached(str(number)) for number in range(2, 5))),
            ),
        ),
    ),
    declare_used_tools(
        "bedrock-declare-tools",
        when=begins_here,
        summary="Where the history holds calls and the request declares no tools, the called ones are declared by their names;"
        " after a rejection calls and results are told as text.",
        evidence=(
            Evidence(
                entry="bedrock-toolconfig-required",
                text="The toolConfig field must be defined when using toolUse and toolResult content blocks. | Requests which"
                " include `tool_use` or `tool_result` blocks must define tools",
                pattern=r"The toolConfig field must be defined when using toolUse and toolResult content blocks"
                r"|Requests which include `tool_use` or `tool_result` blocks must define tools",
                cause="The request declares no tools (a summary, a hand-off, a last answer), but its history calls some.",
                status=400,
                link="https://github.com/langgenius/dify/issues/17545",
            ),
        ),
        examples=(
            Example(
                title="A summary without tools",
                before=(_asking(), _result()),
                after=(
                    AssistantMessage("[Called the tool search with {}]"),
                    UserMessage("[The tool search returned]\nIn Norway."),
                ),
            ),
        ),
    ),
)
