"""A wrapped google-genai client: a history that was cut in the middle of a tool call goes through."""

from itertools import pairwise
from typing import Any

from google import genai
from google.genai import types
from support.provider import serving

from replayable.integrations.google_genai import collect_changes, wrap

# The response of the second call was never stored: the process died.
HISTORY: list[Any] = [
    {"role": "user", "parts": [{"text": "Compare the weather in Oslo and Bergen."}]},
    {
        "role": "model",
        "parts": [
            {"functionCall": {"name": "weather", "args": {"city": "Oslo"}}, "thoughtSignature": "c2ln"},
            {"functionCall": {"name": "weather", "args": {"city": "Bergen"}}},
        ],
    },
    {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": {"result": "Snow."}}}]},
    {"role": "user", "parts": [{"text": "Are you still there?"}]},
]


def count(content: Any, kind: str) -> int:
    return sum(1 for part in content["parts"] if kind in part)


def provider(body: Any) -> tuple[int, Any]:
    """Refuse a turn with fewer responses than calls, as Gemini does."""
    contents = body["contents"]
    for calling, answering in pairwise(contents):
        if count(calling, "functionCall") not in (0, count(answering, "functionResponse")):
            text = (
                "Please ensure that the number of function response parts is equal to the number of function call"
                " parts of the function call turn."
            )
            return 400, {"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}
    content = {"role": "model", "parts": [{"text": "In Oslo it snows; I don't know about Bergen."}]}
    return 200, {"candidates": [{"content": content, "index": 0}]}


with serving(provider) as url:
    client = wrap(genai.Client(api_key="none", http_options=types.HttpOptions(base_url=url)))
    with collect_changes() as changes:
        answer = client.models.generate_content(model="gemini-3-pro-preview", contents=HISTORY)
    print(answer.text)
    for change in changes:
        print(change)
