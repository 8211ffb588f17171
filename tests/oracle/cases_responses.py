"""Examples for the rules of the OpenAI Responses format."""

from tests.oracle.case import Case, Json, system, user

_ASK = user("How warm is it in Oslo?")
_THANK = user("Thanks.")
_ANSWER = {"role": "assistant", "content": "Warm."}
_TOKEN = "gAAAAABo"


def _request(*items: object, **parameters: object) -> Json:
    return {"input": list(items), **parameters}


def _call(call_id: str = "call_1", **fields: object) -> Json:
    return {"type": "function_call", "call_id": call_id, "name": "weather", "arguments": "{}", **fields}


def _output(call_id: str = "call_1", output: object = "12 degrees", **fields: object) -> Json:
    return {"type": "function_call_output", "call_id": call_id, "output": output, **fields}


def _reasoning(identifier: str = "rs_1", **fields: object) -> Json:
    return {"type": "reasoning", "id": identifier, "summary": [], "encrypted_content": _TOKEN, **fields}


def _message(role: str, *parts: Json, **fields: object) -> Json:
    return {"type": "message", "role": role, "content": list(parts), **fields}


def _said(text: str = "Warm.", **fields: object) -> Json:
    return {"type": "output_text", "text": text, **fields}


def _without(item: Json, name: str) -> Json:
    return {key: value for key, value in item.items() if key != name}


def _case(
    entry: str,
    path: str,
    bad: Json,
    good: Json,
    provider: str = "openai",
    model: str | None = "gpt-5-mini",
    also: tuple[str, ...] = (),
) -> Case:
    return Case(
        entry=entry,
        path=path,
        bad=bad,
        good=good,
        model=model,
        provider=provider,
        api="openai_responses",
        also=also,
    )


_PAIRED = _request(_ASK, _call(), _output())
_INPUT_TEXT = {"type": "input_text", "text": "How warm?"}

RESPONSES_CASES = (
    # Pairs of calls and outputs.
    _case(
        "responses-call-without-output",
        "input[2].call_id",
        _request(_ASK, _call(), _call("call_2"), _output()),
        _request(_ASK, _call(), _call("call_2"), _output("call_2"), _output()),
    ),
    _case(
        "responses-call-without-output",
        "input[1].call_id",
        _request(_ASK, _call(), _THANK),
        _request(_ASK, _call(), _THANK, _output()),
        provider="azure",
    ),
    _case(
        "responses-call-without-output",
        "input[0].call_id",
        _request(_call(), _THANK, previous_response_id="resp_1"),
        _request(_output(), _THANK, previous_response_id="resp_1"),
    ),
    _case(
        "responses-output-without-call",
        "input[1].call_id",
        _request(_ASK, _output()),
        _request(_ASK, _output(), previous_response_id="resp_1"),
    ),
    _case(
        "responses-output-without-call",
        "input[3].call_id",
        _request(_ASK, _call(), _output(), _output()),
        _request(_ASK, _call(), _output(), _call(), _output()),
        provider="copilot",
        model="gpt-5.3-codex",
    ),
    # Reasoning and what was written after it.
    _case(
        "responses-reasoning-without-following",
        "input[1]",
        _request(_ASK, _reasoning(), _THANK),
        _request(_ASK, _reasoning(), _message("assistant", _said(), id="msg_1"), _THANK),
    ),
    _case(
        "responses-reasoning-without-following",
        "input[1]",
        _request(_ASK, _reasoning()),
        _request(_ASK, _reasoning(), _reasoning("rs_2"), _call(), _output()),
        provider="azure",
    ),
    _case(
        "responses-reasoning-without-following",
        "input[1]",
        _request(_ASK, _reasoning(), _ANSWER, _THANK),
        _request(_ASK, _without(_reasoning(), "id"), _ANSWER, _THANK, store=False),
        model="gpt-5",
    ),
    _case(
        "responses-reasoning-content-array",
        "input[1].content",
        _request(_ASK, _reasoning(content=[{"type": "reasoning_text", "text": "Hm."}]), _call(), _output()),
        _request(_ASK, _reasoning(content=None), _call(), _output()),
    ),
    _case(
        "responses-encrypted-content",
        "input[1].encrypted_content",
        _request(_ASK, _reasoning(encrypted_content="EpQECpEEAXLI2nzn"), _call(), _output()),
        _request(_ASK, _reasoning(), _call(), _output()),
    ),
    # What the server stores.
    _case(
        "responses-item-not-found-store-false",
        "input[1]",
        _request(_ASK, _reasoning(encrypted_content=None), _call(), _output(), store=False),
        _request(_ASK, _reasoning(), _call(), _output(), store=False),
    ),
    _case(
        "responses-item-not-found-store-false",
        "input[1]",
        _request(_ASK, {"type": "item_reference", "id": "fc_1"}, _output(), store=False),
        _request(_ASK, {"type": "item_reference", "id": "fc_1"}, _output()),
        provider="chatgpt_codex",
    ),
    _case(
        "responses-duplicate-item",
        "input[2].id",
        _request(_ASK, _reasoning(), _reasoning(), _call(), _output()),
        _request(_ASK, _reasoning(), _reasoning("rs_2"), _call(), _output()),
    ),
    # Ids and names.
    _case(
        "responses-invalid-id-prefix",
        "input[1].id",
        _request(_ASK, _message("assistant", _said(), id="chatcmpl-1"), _THANK),
        _request(_ASK, _message("assistant", _said(), id="msg_1"), _THANK),
    ),
    _case(
        "responses-invalid-id-prefix",
        "input[1].id",
        _request(_ASK, _call(id="call_1"), _output()),
        _request(_ASK, _call(id="fc_1"), _output()),
        provider="chatgpt_codex",
        model="gpt-5.4",
    ),
    _case(
        "responses-id-charset",
        "input[1].id",
        _request(_ASK, _call(id="fc_1.a"), _output()),
        _request(_ASK, _call(id="fc_1-a"), _output()),
    ),
    _case(
        "responses-id-charset",
        "input[1].call_id",
        _request(_ASK, _call("functions.weather:0"), _output("functions.weather:0")),
        _request(_ASK, _call("functions-weather_0"), _output("functions-weather_0")),
        also=("input[2].call_id",),
    ),
    _case(
        "responses-string-too-long",
        "input[1].call_id",
        _request(_ASK, _call("c" * 65), _output("c" * 65)),
        _request(_ASK, _call("c" * 64), _output("c" * 64)),
        also=("input[2].call_id",),
    ),
    _case(
        "responses-string-too-long",
        "input[1].id",
        _request(_ASK, _call(id="fc_" + "1" * 62), _output()),
        _request(_ASK, _call(id="fc_" + "1" * 61), _output()),
    ),
    _case(
        "openai-message-name-pattern",
        "input[1].name",
        _request(_ASK, _call(name="met.weather"), _output()),
        _request(_ASK, _call(name="met_weather"), _output()),
    ),
    # Fields and content types.
    _case(
        "responses-unknown-parameter",
        "input[1].status",
        _request(_ASK, _reasoning(status=None), _call(status="completed"), _output()),
        _request(_ASK, _reasoning(), _call(status="completed"), _output()),
    ),
    _case(
        "responses-unknown-parameter",
        "input[1].content[0].parsed",
        _request(_ASK, _message("assistant", _said(parsed=None)), _THANK),
        _request(_ASK, _message("assistant", _said(annotations=[])), _THANK),
        provider="azure",
    ),
    _case(
        "responses-unknown-parameter",
        "input[1].reasoning_content",
        _request(_ASK, {**_ANSWER, "reasoning_content": "Hm."}, _THANK),
        _request(_ASK, {**_ANSWER, "phase": "final_answer"}, _THANK),
    ),
    _case(
        "responses-assistant-input-text",
        "input[1].content[0].type",
        _request(_ASK, _message("assistant", _INPUT_TEXT), _THANK),
        _request(_ASK, _message("assistant", _said()), _THANK),
    ),
    _case(
        "responses-assistant-input-text",
        "input[0].content[0].type",
        _request(_message("user", _said("How warm?"))),
        _request(_message("user", _INPUT_TEXT)),
    ),
    # Accepted elsewhere: who serves the model decides.
    _case(
        "responses-call-without-output",
        "input[0].call_id",
        _request(_call(), _ANSWER, _output(), _THANK, previous_response_id="resp_1"),
        _request(_call(), _output(), _ANSWER, _THANK, previous_response_id="resp_1"),
        provider="deepseek",
        model="deepseek-v4-flash",
    ),
    # Claude behind a gateway.
    _case(
        "anthropic-no-prefill",
        "input[1]",
        _request(_ASK, _ANSWER),
        _request(_ASK, _ANSWER, _THANK),
        provider="mygateway",
        model="claude-fable-5",
    ),
    # The schema itself.
    _case("malformed", "input", _request(), _request(previous_response_id="resp_1")),
    _case("malformed", "input[0]", _request("How warm?"), {"input": "How warm?"}),
    _case("malformed", "input[1]", _request(_ASK, {"call_id": "call_1"}), _PAIRED),
    _case("malformed", "input[0].content", _request(system(None)), _request(system("Be short."), _ASK)),
    _case("malformed", "input[1].call_id", _request(_ASK, _call("")), _PAIRED),
    _case("malformed", "input[1].arguments", _request(_ASK, _call(arguments={}), _output()), _PAIRED),
)
