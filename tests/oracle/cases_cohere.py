"""Examples for the rules of Cohere's formats."""

from tests.oracle.case import Case, Json, assistant, request, user

_ASK = user("How warm is it in Oslo?")
_CALLS = {"tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "weather"}}]}
_CALLING: Json = {"role": "assistant", "tool_plan": "I will look.", **_CALLS}
_TOOL: Json = {"role": "tool", "tool_call_id": "call_1", "content": "12 degrees"}


def _case(
    entry: str, path: str, bad: Json, good: Json, api: str = "cohere_v2", model: str = "command-a-03-2025"
) -> Case:
    return Case(entry=entry, path=path, bad=bad, good=good, model=model, provider="cohere", api=api)


def _history(*entries: object, message: str = "") -> Json:
    return {"chat_history": list(entries), "message": message}


_SAID = {"role": "USER", "message": "How warm is it in Oslo?"}
_RESULTS = {"role": "TOOL", "tool_results": [{"call": {"name": "weather"}, "outputs": [{"degrees": 12}]}]}

COHERE_CASES = (
    _case(
        "cohere-tool-calls-unanswered",
        "messages[1].tool_calls[0].id",
        request(_ASK, _CALLING, user("Thanks.")),
        request(_ASK, _CALLING, _TOOL, user("Thanks.")),
    ),
    _case(
        "cohere-tool-calls-unanswered",
        "messages[1].tool_calls[0].id",
        request(_ASK, _CALLING),
        request(_ASK, _CALLING, _TOOL),
    ),
    _case(
        "cohere-history-message",
        "chat_history[1].message",
        _history(_SAID, {"role": "CHATBOT", "message": "", **_CALLS}, _RESULTS),
        _history(_SAID, {"role": "CHATBOT", "message": "I will look.", **_CALLS}, _RESULTS),
        api="cohere_v1",
        model="command-r-plus",
    ),
    _case(
        "cohere-message-after-tool-results",
        "message",
        _history(_SAID, {"role": "CHATBOT", "message": "I will look."}, _RESULTS, message="And Bergen?"),
        _history(
            _SAID,
            {"role": "CHATBOT", "message": "I will look."},
            _RESULTS,
            {"role": "CHATBOT", "message": "Warm."},
            message="And Bergen?",
        ),
        api="cohere_v1",
        model="command-r-plus",
    ),
    _case("malformed", "chat_history", {"chat_history": "Hm"}, {"message": "Hm"}, api="cohere_v1"),
    _case("malformed", "messages", request(), request(_ASK)),
    _case("malformed", "messages[0].role", request({**_ASK, "role": "bot"}), request(_ASK)),
    _case(
        "malformed",
        "messages[0].content",
        request({"role": "user", "content": None}, assistant("Warm."), _ASK),
        request({"role": "assistant", "content": None}, _ASK),
    ),
)
