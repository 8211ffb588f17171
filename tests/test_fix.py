"""The one call, `fix`."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Final

import pytest
from typing_extensions import override

from replayable import (
    Change,
    CleanMessages,
    ConfigurationError,
    Fixed,
    HistoryFormatError,
    LLMRequestArgs,
    ModelRef,
    Processor,
    Prompt,
    fix,
)
from replayable.formats import FORMATS
from replayable.prompt import with_messages
from tests.refusals import INVALID_SIGNATURE, SIGNED_ELSEWHERE

_HISTORIES: Final = Path(__file__).parent / "histories"
_CLAUDE: Final = "anthropic/claude-sonnet-4-5"
_GPT: Final = "openai/gpt-4o"
_PLAIN: Final[list[Any]] = [
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello"},
    {"role": "user", "content": "Bye"},
]


def _history(name: str) -> Any:
    return json.loads((_HISTORIES / f"{name}.json").read_text(encoding="utf-8"))["request"]


def _good() -> list[Any]:
    rows = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(_HISTORIES.glob("good-*.json"))]
    return [
        pytest.param(f"{row['provider']}/{row['model']}", row["request"], id=path.stem)
        for row, path in zip(rows, sorted(_HISTORIES.glob("good-*.json")), strict=True)
    ]


def test_what_only_the_provider_sees_goes_once_it_has_said_so() -> None:
    """With its error, a repair that needs a rejection acts; without it the request stays the same object."""
    request = SIGNED_ELSEWHERE

    fixed = fix(request, model=_CLAUDE, error=INVALID_SIGNATURE)

    assert fixed.request == _PLAIN
    assert [change.rule for change in fixed.changes] == ["anthropic-strip-foreign-signed-reasoning"]
    assert fix(request, model=_CLAUDE).request is request
    assert fix(request, model=_CLAUDE, error="Rate limit reached").request is request


_OPAQUE: Final = "Provider returned error"
_REASONED: Final = {
    "role": "assistant",
    "content": None,
    "reasoning": "Think.",
    "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}


def test_a_rejection_that_says_nothing() -> None:
    """A full clean-up is the last resort: where something else was at fault, reasoning is not given up on suspicion."""
    model = "openrouter/deepseek/deepseek-r1"
    answered = [
        *_PLAIN[:1],
        _REASONED,
        {"role": "tool", "tool_call_id": "call_1", "content": "4"},
        *_PLAIN[2:],
    ]
    unanswered = [message for message in answered if message["role"] != "tool"]

    changes = fix(answered, model=model, error=_OPAQUE).changes
    assert {change.rule for change in changes} == {"openrouter-clean-up"}
    changes = fix(unanswered, model=model, error=_OPAQUE).changes
    assert {change.processor for change in changes} == {"clean-messages"}


def test_the_main_job() -> None:
    """A broken history of an open model becomes a request that Claude accepts, and every change is one line."""
    request = _history("broken-kimi-to-claude")
    given = copy.deepcopy(request)

    fixed = fix(request, model=_CLAUDE)

    weather, news = "functions_weather_0_c8cf447133", "functions_news_1_1dc69c5d90"
    assert fixed.request == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 4096,
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": "Weather in Oslo and the news?"},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": weather, "name": "weather", "input": {"city": "Oslo"}},
                    {"type": "tool_use", "id": news, "name": "news", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": weather, "content": "rain"},
                    {
                        "type": "tool_result",
                        "tool_use_id": news,
                        "content": "No result of this tool call was recorded; whether the tool ran is not known.",
                        "is_error": True,
                    },
                ],
            },
            {"role": "user", "content": "Still there?"},
            {"role": "assistant", "content": "It rains."},
            {"role": "user", "content": "Thanks"},
        ],
        "tools": [
            {
                "name": "weather",
                "description": "Weather of a city",
                "input_schema": {
                    "type": "object",
                    "properties": {"city": {"type": "string"}},
                    "required": ["city"],
                },
            },
            {"name": "news", "input_schema": {"type": "object", "properties": {}}, "strict": True},
        ],
    }
    renamed = "provider-history-compat/anthropic-tool-id-format: changed"
    assert [str(change) for change in fixed.changes] == [
        "clean-messages: moved message 5: tool message with tool result (id 'functions.weather:0')",
        "clean-messages: removed message 1: tool message with tool result (id 'functions.cut:9')",
        "clean-messages: added message 4: tool message with tool result (id 'functions.news:1')",
        (
            "provider-history-compat/anthropic-strip-foreign-reasoning-content: removed message 3, part 0: "
            "reasoning of 5 characters"
        ),
        (
            f"{renamed} message 3, part 1: tool call 'weather' (id 'functions.weather:0'): "
            f"tool_call_id 'functions.weather:0' -> '{weather}'"
        ),
        (
            f"{renamed} message 3, part 2: tool call 'news' (id 'functions.news:1'): "
            f"tool_call_id 'functions.news:1' -> '{news}'"
        ),
        (
            f"{renamed} message 5, part 0: tool result (id 'functions.weather:0'): "
            f"tool_call_id 'functions.weather:0' -> '{weather}'"
        ),
        (
            f"{renamed} added message 4, part 0: tool result (id 'functions.news:1'): "
            f"tool_call_id 'functions.news:1' -> '{news}'"
        ),
        "provider-history-compat/anthropic-drop-empty: removed message 3, part 0: text of 0 characters",
        "formats.anthropic/max-tokens-demanded: added: max_tokens",
    ]
    assert fixed.system is None
    assert request == given


def test_fixing_again_changes_nothing() -> None:
    """What `fix` returns is fit for the same model: the very same object comes back."""
    once = fix(_history("broken-kimi-to-claude"), model=_CLAUDE)
    again = fix(once.request, model=_CLAUDE)

    assert again.request is once.request
    assert again.changes == ()


@pytest.mark.parametrize(("model", "request_body"), _good())
def test_unchanged_is_the_very_same_object(model: str, request_body: Any) -> None:
    """A request that its model accepts comes back as it is."""
    fixed = fix(request_body, model=model)

    assert fixed.request is request_body
    assert fixed.changes == ()


@pytest.mark.parametrize(("messages", "model"), [(_PLAIN, _CLAUDE), (_PLAIN, _GPT), ([], _CLAUDE)])
def test_an_unchanged_list_is_the_very_same_object(messages: list[Any], model: str) -> None:
    """A bare list too; a plain conversation suits every API."""
    assert fix(messages, model=model) == Fixed(
        request=messages,
        changes=(),
        prompt=fix(messages, model=model).prompt,
    )
    assert fix(messages, model=model).request is messages


def test_a_bare_list_for_anthropic() -> None:
    """The system prompt can't stay in the list: it is returned as `system`, to be passed beside."""
    fixed = fix([{"role": "system", "content": "Be brief."}, *_PLAIN], model=_CLAUDE, source="openai_chat")

    assert (fixed.request, fixed.system) == (_PLAIN, "Be brief.")
    assert fixed.changes == (
        Change(
            processor="formats.anthropic",
            rule="system-stands-beside-the-list",
            action="changed",
            before={"system": None},
            after={"system": "Be brief."},
        ),
    )


def test_a_bare_list_for_openai() -> None:
    """A list goes in, a list comes out."""
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "ok"}]},
    ]
    fixed = fix(messages, model=_GPT)

    assert fixed.request == [
        {"role": "user", "content": "Hi"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
    ]
    assert (fixed.changes, fixed.system) == ((), None)


def test_the_model_is_named_anew() -> None:
    """The request names the model that reads it, as its provider's wire does, and that is listed."""
    request = {"model": "gpt-4o-mini", "messages": _PLAIN, "temperature": 0}
    fixed = fix(request, model=_GPT)

    assert fixed.request == {**request, "model": "gpt-4o"}
    assert fixed.request["messages"] is _PLAIN
    assert [str(change) for change in fixed.changes] == ["formats.openai_chat/model: changed: model -> model"]
    assert (fixed.changes[0].before, fixed.changes[0].after) == (
        {"model": "gpt-4o-mini"},
        {"model": "gpt-4o"},
    )


@pytest.mark.parametrize("named", ["gpt-4o", "openai/gpt-4o"])
def test_the_models_name_may_stay(named: str) -> None:
    """As the wire names it, and as the caller does (behind a gateway that may be what it wants)."""
    request = {"model": named, "messages": _PLAIN}

    assert fix(request, model="openai/gpt-4o").request is request


@pytest.mark.parametrize("to", ["openai_chat", "openai-chat", "OpenAI_Chat"])
def test_to(to: str) -> None:
    """Behind a gateway that speaks OpenAI's API, Claude is written to in that."""
    request = {"model": "claude-sonnet-4-5", "messages": _PLAIN, "temperature": 0}
    fixed = fix(request, model=_CLAUDE, to=to)

    assert fixed.request is request
    assert fixed.prompt.model == ModelRef.of(_CLAUDE, api="openai_chat")


def test_source() -> None:
    """Where a request reads the same in several formats, the caller may say which it is."""
    request = {"model": "claude-sonnet-4-5", "max_tokens": 5, "messages": _PLAIN}

    # Written for Anthropic, it is taken for Anthropic's, unless told otherwise.
    assert fix(request, model=_CLAUDE).prompt.api == "anthropic"
    told = fix(request, model=_CLAUDE, source="openai-chat")
    assert told.prompt.api == "openai_chat"
    assert told.request == request


def test_a_wrong_source_is_an_error() -> None:
    """A request whose messages stand elsewhere than the named format has them is refused."""
    with pytest.raises(HistoryFormatError) as caught:
        fix(_history("broken-kimi-to-claude"), model=_CLAUDE, source="gemini")

    assert str(caught.value).startswith("contents: expected a list of contents, found nothing")


class _LastOnly(Processor):
    """Keeps the last message."""

    id = "last-only"

    @override
    def process_llm_request(self, args: LLMRequestArgs) -> Prompt | None:
        return with_messages(args.prompt, args.prompt.messages[-1:])


def test_processors() -> None:
    """The processors given run instead of the default ones, in their order."""
    request = _history("broken-kimi-to-claude")

    assert fix(request, model="moonshot/kimi-k2", processors=[]).request is request
    fixed = fix(request, model="moonshot/kimi-k2", processors=[CleanMessages(), _LastOnly()])
    assert fixed.request == {**request, "messages": request["messages"][-1:]}
    assert {change.processor for change in fixed.changes} == {"clean-messages", "last-only"}


def test_a_provider_that_takes_several_formats() -> None:
    """A Responses request stays one for OpenAI, unless another format is named; others get what they speak."""
    request = {"model": "gpt-4o", "input": "Hi"}

    assert fix(request, model=_GPT).request is request
    assert "messages" in fix(request, model=_GPT, to="openai_chat").request
    assert "messages" in fix(request, model=_CLAUDE).request
    assert "messages" in fix(request, model="groq/llama-3.3-70b").request


def test_what_another_server_holds_is_out_of_reach() -> None:
    """An output whose call the server holds is kept for it, and has no call for anybody else."""
    output = {"type": "function_call_output", "call_id": "c1", "output": "4 degrees"}
    request = {
        "model": "gpt-4o",
        "previous_response_id": "resp_1",
        "input": [output, {"role": "user", "content": "Hi"}],
    }

    assert fix(request, model=_GPT).request is request
    fixed = fix(request, model=_CLAUDE)
    assert fixed.request["messages"] == [{"role": "user", "content": "Hi"}]
    assert "request-fields-left-out" in {change.rule for change in fixed.changes}


@pytest.mark.parametrize("argument", ["to", "source"])
def test_an_unknown_format(argument: str) -> None:
    """The error names the formats that there are."""
    options: dict[str, Any] = {argument: "smoke-signals"}

    with pytest.raises(ConfigurationError) as caught:
        fix(_PLAIN, model=_CLAUDE, **options)

    assert str(caught.value) == (
        f"there is no format 'smoke-signals'; the formats are {', '.join(sorted(FORMATS))}"
    )


def test_what_is_no_processor() -> None:
    """Something else among the processors is refused."""
    no_processors: Any = ["clean"]

    with pytest.raises(ConfigurationError):
        fix(_PLAIN, model=_CLAUDE, processors=no_processors)


@pytest.mark.parametrize("model", [None, "house/llm-7b", "", object(), "jina/reader"])
@pytest.mark.parametrize(
    ("name", "api"), [("good-anthropic-plain", "anthropic"), ("good-openai-tools", "openai_chat")]
)
def test_an_unknown_model_keeps_the_format(model: Any, name: str, api: str) -> None:
    """Without a format that the model's provider speaks, the source's is written, and only the model changes."""
    request = _history(name)
    fixed = fix(request, model=model)

    assert fixed.prompt.api == api
    assert {**fixed.request, "model": request["model"]} == request
    assert {change.rule for change in fixed.changes} <= {"model"}
