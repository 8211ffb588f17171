"""Examples for the rules of Ollama's own chat format."""

from tests.oracle.case import Case, Json, request, text, user

_ASK = user("How warm is it in Oslo?")


def _calling(arguments: object) -> Json:
    function = {"name": "weather", "arguments": arguments}
    return {"role": "assistant", "content": "", "tool_calls": [{"function": function}]}


def _case(entry: str, path: str, bad: Json, good: Json) -> Case:
    return Case(
        entry=entry, path=path, bad=bad, good=good, model="qwen3:4b", provider="ollama", api="ollama_chat"
    )


_TOOL = {"role": "tool", "tool_name": "weather", "content": "12 degrees"}

OLLAMA_CASES = (
    _case(
        "ollama-content-array",
        "messages[0].content",
        request(user(text("How warm?"))),
        request(user("How warm?")),
    ),
    _case(
        "ollama-arguments-string",
        "messages[1].tool_calls[0].function.arguments",
        request(_ASK, _calling("{}"), _TOOL),
        request(_ASK, _calling({}), _TOOL),
    ),
    _case("malformed", "messages", request("How warm?"), request(_ASK)),
    _case("malformed", "messages[0].content", request({**_ASK, "content": 7}), request(_ASK)),
    _case(
        "malformed",
        "messages[1].tool_calls[0].function.arguments",
        request(_ASK, _calling([12]), _TOOL),
        request(_ASK, _calling(None), _TOOL),
    ),
)
