"""The arguments of google-genai's ``generate_content``: what stands in ``config`` counts as the request's own fields."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any, Final

import pytest
from google.genai import types as google

from replayable import HistoryFormatError, check, fix
from replayable._node import replace
from replayable.cli import main
from replayable.formats import detect, format_named
from tests.formats.comparing import text_of

_GEMINI: Final = format_named("gemini")
_IMAGE: Final = b"\xfb\xff\x00"
_CONTENTS: Final = [
    google.Content(
        role="user",
        parts=[
            google.Part(text="Hi"),
            google.Part(inline_data=google.Blob(data=_IMAGE, mime_type="image/png")),
        ],
    ),
    google.Content(
        role="model",
        parts=[
            google.Part(text="Oslo?", thought=True, thought_signature=b"\xfb\xff"),
            google.Part(
                function_call=google.FunctionCall(name="weather", args={"city": "Oslo"}),
                thought_signature=b"\xfb\xfe",
            ),
        ],
    ),
    google.Content(
        role="user",
        parts=[
            google.Part(function_response=google.FunctionResponse(name="weather", response={"output": "4"}))
        ],
    ),
]
_CONFIG: Final = google.GenerateContentConfig(
    system_instruction="Be brief.",
    temperature=0.5,
    max_output_tokens=55,
    tools=[
        google.Tool(
            function_declarations=[
                google.FunctionDeclaration(
                    name="weather",
                    parameters=google.Schema(
                        type=google.Type.OBJECT,
                        properties={"city": google.Schema(type=google.Type.STRING, nullable=True)},
                    ),
                )
            ]
        ),
        google.Tool(google_search=google.GoogleSearch()),
    ],
    tool_config=google.ToolConfig(
        function_calling_config=google.FunctionCallingConfig(
            mode=google.FunctionCallingConfigMode.ANY, allowed_function_names=["weather"]
        )
    ),
    thinking_config=google.ThinkingConfig(thinking_budget=0),
    safety_settings=[
        google.SafetySetting(
            category=google.HarmCategory.HARM_CATEGORY_HARASSMENT,
            threshold=google.HarmBlockThreshold.BLOCK_NONE,
        )
    ],
)


def _dumped(**how: Any) -> Callable[[], dict[str, Any]]:
    return lambda: {
        "model": "gemini-2.5-pro",
        "contents": [content.model_dump(**how) for content in _CONTENTS],
        "config": _CONFIG.model_dump(**how),
    }


_DUMPS: Final[dict[str, Callable[[], dict[str, Any]]]] = {
    "snake_case": _dumped(mode="json", exclude_none=True),
    "camelCase": _dumped(mode="json", exclude_none=True, by_alias=True),
    "with nulls": _dumped(mode="json"),
    "bytes": _dumped(exclude_none=True),
    "bytes and nulls": _dumped(),
    "objects": lambda: {"model": "gemini-2.5-pro", "contents": [*_CONTENTS], "config": _CONFIG},
}
_EACH: Final = pytest.mark.parametrize("dump", _DUMPS.values(), ids=_DUMPS)
_PARAMETERS: Final = {"type": "object", "properties": {"city": {"type": ["string", "null"]}}}


@_EACH
def test_it_survives_to_another_api(dump: Callable[[], dict[str, Any]]) -> None:
    """System instruction, tools, tool choice, limit, image: all that the other API can say; the rest is listed."""
    fixed = fix(dump(), model="openai/gpt-5")

    said = fixed.request
    assert said["messages"][0] == {"role": "system", "content": "Be brief."}
    assert said["messages"][1]["content"][1]["image_url"] == {"url": "data:image/png;base64,+/8A"}
    assert said["messages"][2]["content"] is None
    assert said["messages"][2]["tool_calls"][0]["function"]["name"] == "weather"
    assert [tool["function"]["parameters"] for tool in said["tools"]] == [_PARAMETERS]
    assert said["tool_choice"] == {"type": "function", "function": {"name": "weather"}}
    assert said["max_completion_tokens"] == 55
    left = {change.rule: change.before for change in fixed.changes}
    assert left["request-fields-left-out"]["config"].keys() & {"temperature"}
    assert left["provider-tool-left-out"].api == "gemini"
    assert left["fields-left-out"] == {"gemini.thoughtSignature": 1}


@_EACH
def test_it_goes_back(dump: Callable[[], dict[str, Any]]) -> None:
    """As the very object; a copy that remembers no wire says the same, of the SDK's objects what they are sent as."""
    request = dump()
    assert detect(request) == "gemini"
    prompt = _GEMINI.decode(request)
    assert prompt.thinking is False

    anew = _GEMINI.encode(pickle.loads(pickle.dumps(prompt))).request

    assert _GEMINI.encode(prompt).request is request
    if isinstance(request["config"], dict):
        assert repr(sorted(anew)) == repr(sorted(request))
        assert anew == request
    else:
        assert google.GenerateContentConfig.model_validate(anew["config"]) == _CONFIG


def test_what_changed_stays_in_the_config() -> None:
    """A system instruction in other words, or none, is written where it stood; the caller's own is not changed."""
    request = _DUMPS["snake_case"]()
    before = text_of(request)
    prompt = _GEMINI.decode(request)
    system = prompt.messages[0]
    brief = replace(system, parts=(replace(system.parts[0], text="Be long."),))

    other = _GEMINI.encode(replace(prompt, messages=(brief, *prompt.messages[1:]))).request
    without = _GEMINI.encode(replace(prompt, messages=prompt.messages[1:])).request

    assert other == {**request, "config": {**request["config"], "system_instruction": "Be long."}}
    assert "system_instruction" not in without["config"]
    assert text_of(request) == before


def test_functions_and_classes_are_left_to_the_sdk() -> None:
    """Tools may be Python functions there, and the schema of the answer a class."""

    def weather(city: str) -> str:
        """Tell the weather."""
        return city

    request = {
        "contents": "Hi",
        "config": google.GenerateContentConfig(tools=[weather], response_schema=int),
    }

    assert fix(request, model="google/gemini-2.5-pro").request is request
    fixed = fix(request, model="openai/gpt-5")
    assert "provider-tool-left-out" in {change.rule for change in fixed.changes}


def test_the_error_names_the_place() -> None:
    """Within the config."""
    with pytest.raises(HistoryFormatError) as caught:
        _GEMINI.decode({"contents": "Hi", "config": {"system_instruction": 5}})

    assert caught.value.path.startswith("config.system_instruction")


def test_check_and_the_command_read_it(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong in it is found and repaired, for its own API and for another one."""
    request = _DUMPS["camelCase"]()
    request["contents"].append(
        {"role": "user", "parts": [{"functionResponse": {"name": "no", "response": {}}}]}
    )
    path = tmp_path / "request.json"
    path.write_text(json.dumps(request))

    assert check(request, model="google/gemini-2.5-pro")
    assert main(["fix", str(path), "--model", "anthropic/claude-sonnet-5"]) == 0

    assert json.loads(capsys.readouterr().out)["system"] == "Be brief."
