"""Examples for the rules of Gemini's generateContent format."""

from tests.oracle.case import Case, Json

_SECOND = "gemini-2.5-flash"
_THIRD = "gemini-3-flash-preview"


def _request(*contents: object, **parameters: object) -> Json:
    return {"contents": list(contents), **parameters}


def _user(*parts: object) -> Json:
    return {"role": "user", "parts": list(parts)}


def _model(*parts: object) -> Json:
    return {"role": "model", "parts": list(parts)}


def _text(value: str, **fields: object) -> Json:
    return {"text": value, **fields}


def _call(name: str = "weather", args: object = None, **fields: object) -> Json:
    return {"functionCall": {"name": name, "args": {} if args is None else args}, **fields}


def _response(response: object = None, name: str = "weather", **fields: object) -> Json:
    answer = {"degrees": 12} if response is None else response
    return {"functionResponse": {"name": name, "response": answer, **fields}}


def _case(
    entry: str,
    path: str,
    bad: Json,
    good: Json,
    provider: str = "google",
    model: str | None = _SECOND,
    also: tuple[str, ...] = (),
) -> Case:
    return Case(
        entry=entry, path=path, bad=bad, good=good, model=model, provider=provider, api="gemini", also=also
    )


_ASK = _user(_text("How warm is it in Oslo?"))
_THANK = _user(_text("Thanks."))
_ANSWER = _model(_text("Warm."))
_SIGNED = {"thoughtSignature": "c2ln"}
_ANSWERED = _request(_ASK, _model(_call()), _user(_response()))

GEMINI_CASES = (
    # The order of calls and responses.
    _case(
        "gemini-call-turn-order",
        "contents[0]",
        _request(_model(_call()), _user(_response())),
        _ANSWERED,
    ),
    _case(
        "gemini-call-turn-order",
        "contents[2]",
        _request(_ASK, _model(_text("Let me look.")), _model(_call()), _user(_response())),
        _request(_ASK, _model(_text("Let me look."), _call()), _user(_response())),
        provider="vertex",
    ),
    _case(
        "gemini-response-turn-order",
        "contents[1]",
        _request(_ASK, _user(_response())),
        _ANSWERED,
    ),
    _case(
        "gemini-response-turn-order",
        "contents[3]",
        _request(_ASK, _model(_call(), _call()), _user(_response()), _user(_response())),
        _request(_ASK, _model(_call(), _call()), _user(_response(), _response())),
    ),
    _case(
        "gemini-response-turn-order",
        "contents[3]",
        _request(_ASK, _model(_call()), _THANK, _user(_response())),
        _request(_ASK, _model(_call()), _user(_response()), _THANK),
    ),
    _case(
        "gemini-response-count",
        "contents[1]",
        _request(_ASK, _model(_call(), _call()), _user(_response())),
        _request(_ASK, _model(_call(), _call()), _user(_response(), _response(name="sum"))),
    ),
    _case(
        "gemini-response-count",
        "contents[1]",
        _request(_ASK, _model(_call()), _user(_response(), _response())),
        _request(_ASK, _model(_call()), _user(_response(), _text("See below."))),
        provider="vertex",
    ),
    _case(
        "gemini-response-count",
        "contents[1]",
        _request(_ASK, _model(_call(**_SIGNED)), _THANK),
        _request(_ASK, _model(_call(**_SIGNED)), _user(_response()), _THANK),
        model=_THIRD,
    ),
    _case(
        "gemini-call-response-mixed",
        "contents[1]",
        _request(_ASK, _model(_call(), _response())),
        # Before Gemini 3, nobody need answer.
        _request(_ASK, _model(_call()), _THANK),
    ),
    # Thought signatures, from Gemini 3 on.
    _case(
        "gemini-missing-thought-signature",
        "contents[1].parts[0]",
        _request(_ASK, _model(_call(), _call(**_SIGNED)), _user(_response(), _response())),
        _request(_ASK, _model(_call(**_SIGNED), _call()), _user(_response(), _response())),
        model=_THIRD,
    ),
    _case(
        "gemini-missing-thought-signature",
        "contents[3].parts[0]",
        _request(_ASK, _model(_call(**_SIGNED)), _user(_response()), _model(_call()), _user(_response())),
        _request(_ASK, _model(_call()), _user(_response()), _ANSWER, _THANK),
        model="gemini-3.5-flash",
    ),
    _case(
        "gemini-vertex-missing-thought-signature",
        "contents[1].parts[0]",
        _request(
            _ASK,
            _model({"function_call": {"name": "weather", "args": {}}}),
            _user({"function_response": {"name": "weather", "response": {}}}),
        ),
        _request(
            _ASK,
            _model({"function_call": {"name": "weather", "args": {}}, "thought_signature": "c2ln"}),
            _user({"function_response": {"name": "weather", "response": {}}}),
        ),
        provider="vertex",
        model=_THIRD,
    ),
    # Roles, and how the conversation ends.
    _case(
        "gemini-ends-with-model",
        "contents[1]",
        _request(_ASK, _ANSWER),
        _request(_ASK, _ANSWER, _THANK),
        model="gemini-3.6-flash",
    ),
    _case(
        "gemini-ends-with-model",
        "contents[1]",
        _request(_ASK, _ANSWER),
        _request(_ASK, _ANSWER, _THANK),
        model="gemini-3.5-flash-lite",
        provider="vertex",
    ),
    _case(
        "gemini-multiturn-end",
        "contents[1]",
        _request(_ASK, _THANK),
        _request(_user(_text("How warm is it in Oslo?"), _text("Thanks."))),
        model="gemini-1.0-pro",
    ),
    _case(
        "gemini-multiturn-end",
        "contents[1]",
        _request(_ASK, _ANSWER),
        _request(_ASK, _ANSWER, _THANK),
        model="gemini-pro",
    ),
    _case(
        "gemini-invalid-role",
        "contents[0].role",
        _request({"role": "system", "parts": [_text("Be short.")]}, _ASK),
        _request(_ASK, systemInstruction={"parts": [_text("Be short.")]}),
    ),
    _case(
        "gemini-invalid-role",
        "contents[1].role",
        _request(_ASK, {"role": "assistant", "parts": [_text("Warm.")]}, _THANK),
        _request({"parts": [_text("How warm is it in Oslo?")]}, _ANSWER, _THANK),
    ),
    _case(
        "gemini-invalid-role",
        "contents[0].role",
        _request({"parts": [_text("How warm is it in Oslo?")]}),
        _request(_ASK),
        provider="vertex",
    ),
    # Emptiness.
    _case("gemini-contents-missing", "contents", _request(), _request(_ASK)),
    _case(
        "gemini-parts-empty",
        "contents[1].parts",
        _request(_ASK, _model(), _THANK),
        _request(_ASK, _model(_text("\n")), _THANK),
    ),
    _case(
        "gemini-vertex-no-parts",
        "contents[1].parts",
        _request(_ASK, {"role": "model"}, _THANK),
        _request(_ASK, _model(_text("\n")), _THANK),
        provider="vertex",
    ),
    _case(
        "gemini-part-oneof",
        "contents[1].parts[1]",
        _request(_ASK, _model(_text("Warm."), {"thought": True}), _THANK),
        _request(_ASK, _model(_text("Warm."), _text("", thought=True)), _THANK),
    ),
    _case(
        "gemini-part-oneof",
        "contents[1].parts[1]",
        _request(_ASK, _model(_text("Warm."), _text("")), _THANK),
        _request(_ASK, _model(_text("Warm."), _text(" ")), _THANK),
        model="gemini-2.0-flash",
    ),
    _case(
        "gemini-part-oneof",
        "contents[1].parts[1]",
        _request(_ASK, _model(_text("Warm."), {}), _THANK),
        _request(_ASK, _model(_text("Warm."), {**_SIGNED}), _THANK),
        model=_THIRD,
    ),
    _case(
        "gemini-vertex-empty-text",
        "contents[1].parts[1].text",
        _request(_ASK, _model(_text("Warm."), _text("")), _THANK),
        _request(_ASK, _model(_text("Warm."), _text(" ")), _THANK),
        provider="vertex",
    ),
    # What a part may hold.
    _case(
        "gemini-function-response-name",
        "contents[2].parts[0].functionResponse.name",
        _request(_ASK, _model(_call()), _user(_response(name=""))),
        _request(_ASK, _model(_call()), _user(_response(name="sum"))),
    ),
    _case(
        "gemini-response-not-object",
        "contents[2].parts[0].functionResponse.response",
        _request(_ASK, _model(_call()), _user(_response([12]))),
        _request(_ASK, _model(_call()), _user({"functionResponse": {"name": "weather"}})),
    ),
    _case(
        "gemini-response-not-object",
        "contents[1].parts[0].functionCall.args",
        _request(_ASK, _model(_call(args="{}")), _user(_response())),
        _ANSWERED,
    ),
    _case(
        "gemini-unknown-name",
        "contents[1].parts[0].functionCall.type",
        _request(_ASK, _model({"functionCall": {"name": "weather", "type": "function"}}), _user(_response())),
        _request(_ASK, _model({"functionCall": {"name": "weather", "id": "1"}}), _user(_response(id="1"))),
    ),
    _case(
        "gemini-unknown-name",
        "contents[1].parts[0].functionCall.thoughtSignature",
        _request(_ASK, _model({"functionCall": {"name": "weather", **_SIGNED}}), _user(_response())),
        _request(_ASK, _model(_call(**_SIGNED)), _user(_response())),
        provider="vertex",
    ),
    _case(
        "gemini-unknown-name",
        "contents[0].parts[0].mediaResolution",
        _request(_user(_text("How warm?", mediaResolution={"level": "MEDIA_RESOLUTION_LOW"}))),
        _request(_user(_text("How warm?"))),
        model=_THIRD,
    ),
    _case(
        "gemini-unknown-name",
        "contents[0].content",
        _request({**_ASK, "content": "How warm?"}),
        _request(_ASK),
    ),
    # The schema itself.
    _case("malformed", "contents", {"contents": "How warm?"}, _request(_ASK)),
    _case("malformed", "contents[0].parts", _request(_user("How warm?")), _request(_ASK)),
    _case("malformed", "contents[0].parts[0].text", _request(_user({"text": 12})), _request(_ASK)),
    _case(
        "malformed",
        "contents[1].parts[0]",
        _request(_ASK, _model({**_text("Let me look."), **_call()}), _user(_response())),
        _request(_ASK, _model(_text("Let me look."), _call()), _user(_response())),
    ),
    _case(
        "malformed",
        "contents[1].parts[0].functionCall.name",
        _request(_ASK, _model(_call(name="")), _user(_response())),
        _ANSWERED,
    ),
)
