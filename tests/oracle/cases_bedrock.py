"""Examples for the rules of the Bedrock Converse format."""

from tests.oracle.case import Case, Json, request

_CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
_NOVA = "us.amazon.nova-pro-v1:0"
_LLAMA = "us.meta.llama3-3-70b-instruct-v1:0"
_MISTRAL = "mistral.mistral-large-2407-v1:0"
_GPT_OSS = "openai.gpt-oss-120b-1:0"


def _user(*blocks: object) -> Json:
    return {"role": "user", "content": list(blocks)}


def _assistant(*blocks: object) -> Json:
    return {"role": "assistant", "content": list(blocks)}


def _text(value: object) -> Json:
    return {"text": value}


def _call(identifier: str = "call_1", name: str = "weather", arguments: object = None) -> Json:
    given = {} if arguments is None else arguments
    return {"toolUse": {"toolUseId": identifier, "name": name, "input": given}}


def _result(identifier: str = "call_1", *content: Json, **fields: object) -> Json:
    return {
        "toolResult": {"toolUseId": identifier, "content": list(content) or [_text("12 degrees")], **fields}
    }


def _reasoning(**text: object) -> Json:
    return {"reasoningContent": {"reasoningText": text}}


_TOOLS: Json = {"toolConfig": {"tools": [{"toolSpec": {"name": "weather", "inputSchema": {"json": {}}}}]}}
_ASK = _user(_text("How warm is it in Oslo?"))
_IMAGE = {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}
_THANK = _user(_text("Thanks."))
_ANSWER = _assistant(_text("Warm."))
_SIGNED = _reasoning(text="Hm.", signature="c2ln")
_DOCUMENT: Json = {"document": {"name": "Report", "format": "pdf", "source": {"bytes": "JVBERi0="}}}
_ANSWERED = request(_ASK, _assistant(_call()), _user(_result()), **_TOOLS)


def _case(
    entry: str, path: str, bad: Json, good: Json, model: str = _CLAUDE, also: tuple[str, ...] = ()
) -> Case:
    return Case(
        entry=entry,
        path=path,
        bad=bad,
        good=good,
        model=model,
        provider="bedrock",
        api="bedrock_converse",
        also=also,
    )


BEDROCK_CASES = (
    # Pairs of calls and results.
    _case(
        "bedrock-expected-tool-result",
        "messages[1].content[1].toolUse.toolUseId",
        request(_ASK, _assistant(_call(), _call("call_2")), _user(_result()), **_TOOLS),
        request(_ASK, _assistant(_call(), _call("call_2")), _user(_result("call_2"), _result()), **_TOOLS),
    ),
    _case(
        "bedrock-expected-tool-result",
        "messages[1].content[0].toolUse.toolUseId",
        request(_ASK, _assistant(_call()), _THANK, **_TOOLS),
        request(_ASK, _assistant(_call()), _user(_result(), _text("Thanks.")), **_TOOLS),
        model=_NOVA,
    ),
    _case(
        "bedrock-too-many-tool-results",
        "messages[0].content",
        request(_user(_result()), **_TOOLS),
        _ANSWERED,
    ),
    _case(
        "bedrock-too-many-tool-results",
        "messages[2].content",
        request(_ASK, _assistant(_call()), _user(_result(), _result()), **_TOOLS),
        _ANSWERED,
        model=_LLAMA,
    ),
    _case(
        "bedrock-mixed-conversation-tool-result",
        "messages[2].content[1]",
        request(_ASK, _assistant(_call()), _user(_result(), _text("And Bergen?")), **_TOOLS),
        request(_ASK, _assistant(_call()), _user(_result()), _ANSWER, _user(_text("And Bergen?")), **_TOOLS),
        model=_MISTRAL,
    ),
    _case(
        "bedrock-mixed-conversation-tool-result",
        "messages[2].content[0]",
        request(_ASK, _assistant(_call()), _user(_text("Here."), _result()), **_TOOLS),
        _ANSWERED,
        model=_LLAMA,
    ),
    _case(
        "bedrock-toolconfig-required",
        "toolConfig",
        request(_ASK, _assistant(_call()), _user(_result())),
        _ANSWERED,
    ),
    # Emptiness.
    _case(
        "bedrock-blank-text",
        "messages[1].content[0].text",
        request(_ASK, _assistant(_text("\n\n"), _call()), _user(_result()), **_TOOLS),
        request(_ASK, _assistant(_call()), _user(_result("call_1", _text(""))), **_TOOLS),
    ),
    _case(
        "bedrock-blank-text",
        "messages[0].content[0].text",
        request(_user(_text(""))),
        request(_user(_text(" "))),
        model=_NOVA,
    ),
    _case(
        "bedrock-empty-message",
        "messages[1].content",
        request(_ASK, _assistant(), _THANK),
        request(_ASK, _ANSWER, _THANK),
        model=_GPT_OSS,
    ),
    _case(
        "bedrock-tool-result-error-empty",
        "messages[2].content[0].toolResult.content",
        request(
            _ASK,
            _assistant(_call()),
            _user({"toolResult": {"toolUseId": "call_1", "content": [], "status": "error"}}),
            **_TOOLS,
        ),
        request(
            _ASK, _assistant(_call()), _user({"toolResult": {"toolUseId": "call_1", "content": []}}), **_TOOLS
        ),
    ),
    _case(
        "bedrock-document-needs-text",
        "messages[0].content",
        request(_user(_DOCUMENT)),
        request(_user(_DOCUMENT, _text("What does it say?"))),
    ),
    # Roles.
    _case("bedrock-start-user", "messages", request(), request(_ASK)),
    _case(
        "bedrock-start-user",
        "messages[0]",
        request(_ANSWER, _THANK),
        request(_ASK, _ANSWER, _THANK),
        model=_NOVA,
    ),
    _case(
        "bedrock-alternate",
        "messages[1]",
        request(_ASK, _THANK),
        request(_user(_text("How warm is it in Oslo?"), _text("Thanks."))),
    ),
    _case(
        "bedrock-alternate",
        "messages[2]",
        request(_ASK, _ANSWER, _ANSWER, _THANK),
        request(_ANSWER, _THANK),
    ),
    _case(
        "anthropic-no-prefill",
        "messages[1]",
        request(_ASK, _ANSWER),
        request(_ASK, _ANSWER, _THANK),
        model="global.anthropic.claude-opus-4-8",
    ),
    _case(
        "bedrock-prefill-reasoning-only",
        "messages[1]",
        request(_ASK, _assistant(_SIGNED), _THANK),
        request(_ASK, _assistant(_SIGNED, _text("Warm.")), _THANK),
        model="us.anthropic.claude-sonnet-5",
    ),
    # What a call and a result may look like.
    _case(
        "bedrock-tool-name-constraint",
        "messages[1].content[0].toolUse.name",
        request(_ASK, _assistant(_call(name="met.weather")), _user(_result()), **_TOOLS),
        request(_ASK, _assistant(_call(name="met_weather")), _user(_result()), **_TOOLS),
    ),
    _case(
        "bedrock-tool-name-constraint",
        "messages[1].content[0].toolUse.name",
        request(_ASK, _assistant(_call(name="")), _user(_result()), **_TOOLS),
        request(_ASK, _assistant(_call(name="w" * 64)), _user(_result()), **_TOOLS),
        model=_NOVA,
    ),
    _case(
        "bedrock-tool-name-constraint",
        "messages[1].content[0].toolUse.toolUseId",
        request(
            _ASK,
            _assistant(_call("functions.weather:0")),
            _user(_result("functions.weather:0")),
            **_TOOLS,
        ),
        request(
            _ASK, _assistant(_call("functions-weather_0")), _user(_result("functions-weather_0")), **_TOOLS
        ),
        also=("messages[2].content[0].toolResult.toolUseId",),
    ),
    _case(
        "bedrock-tool-name-constraint",
        "messages[1].content[0].toolUse.toolUseId",
        request(_ASK, _assistant(_call("c" * 65)), _user(_result("c" * 65)), **_TOOLS),
        request(
            _ASK,
            _assistant(_call("functions.weather:0")),
            _user(_result("functions.weather:0")),
            **_TOOLS,
        ),
        model="moonshot.kimi-k2-thinking",
        also=("messages[2].content[0].toolResult.toolUseId",),
    ),
    _case(
        "bedrock-tool-input-object",
        "messages[1].content[0].toolUse.input",
        request(_ASK, _assistant(_call(arguments="{}")), _user(_result()), **_TOOLS),
        _ANSWERED,
    ),
    _case(
        "bedrock-tool-result-json-object",
        "messages[2].content[0].toolResult.content[0].json",
        request(_ASK, _assistant(_call()), _user(_result("call_1", {"json": [12]})), **_TOOLS),
        request(_ASK, _assistant(_call()), _user(_result("call_1", {"json": {"degrees": 12}})), **_TOOLS),
    ),
    # Reasoning.
    _case(
        "bedrock-user-reasoning",
        "messages[1].content[0]",
        request(_ASK, _assistant(_reasoning(text="Hm."), _text("Warm.")), _THANK),
        request(_ASK, _ANSWER, _THANK),
        model="us.amazon.nova-2-lite-v1:0",
    ),
    _case(
        "bedrock-user-reasoning",
        "messages[1].content[0]",
        request(_ASK, _assistant(_reasoning(text="Hm."), _text("Warm.")), _THANK),
        request(_ASK, _ANSWER, _THANK),
        model=_GPT_OSS,
    ),
    _case(
        "bedrock-reasoning-text-null",
        "messages[1].content[0].reasoningContent.reasoningText.text",
        request(_ASK, _assistant(_reasoning(signature="c2ln"), _text("Warm.")), _THANK),
        request(_ASK, _assistant(_SIGNED, _text("Warm.")), _THANK),
        model="global.anthropic.claude-opus-4-8",
    ),
    _case(
        "anthropic-thinking-signature-required",
        "messages[1].content[0].reasoningContent.reasoningText.signature",
        request(_ASK, _assistant(_reasoning(text="Hm."), _text("Warm.")), _THANK),
        request(_ASK, _assistant({"reasoningContent": {"redactedContent": "c2ln"}}, _text("Warm.")), _THANK),
    ),
    # Media.
    _case(
        "recorded-bedrock-video",
        "messages[0].content[1]",
        request(_user(_text("See?"), {"video": {"format": "mp4", "source": {"bytes": "AAAA"}}})),
        request(_user(_text("See?"), _IMAGE)),
    ),
    _case(
        "recorded-bedrock-assistant-block",
        "messages[1].content[1]",
        request(_ASK, _assistant(_text("Here."), _IMAGE), _THANK),
        request(_ASK, _assistant(_text("Here.")), _user(_text("See?"), _IMAGE)),
    ),
    _case(
        "recorded-bedrock-s3-location",
        "messages[2].content[0].toolResult.content[0]",
        request(
            _ASK,
            _assistant(_call()),
            _user(_result("call_1", {"image": {"format": "png", "source": {"s3Location": {"uri": "s3:"}}}})),
            **_TOOLS,
        ),
        request(
            _ASK,
            _assistant(_call()),
            _user(_result("call_1", {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}})),
            **_TOOLS,
        ),
    ),
    # The schema itself.
    _case("malformed", "messages", {"messages": "How warm?"}, request(_ASK)),
    _case("malformed", "messages[0].role", request({**_ASK, "role": "system"}), request(_ASK)),
    _case("malformed", "messages[0].content", request({"role": "user", "content": "Hm"}), request(_ASK)),
    _case("malformed", "messages[0].content", request(_user({"text": "a", "image": {}})), request(_ASK)),
    _case("malformed", "messages[0].content[0]", request(_user({"input_text": "a"})), request(_ASK)),
    _case("malformed", "messages[0].content[0].text", request(_user(_text(7))), request(_ASK)),
    _case(
        "malformed",
        "messages[1].content[0].toolUse.name",
        request(
            _ASK, _assistant({"toolUse": {"toolUseId": "call_1", "input": {}}}), _user(_result()), **_TOOLS
        ),
        _ANSWERED,
    ),
    _case(
        "malformed",
        "messages[2].content[0].toolResult.content",
        request(
            _ASK,
            _assistant(_call()),
            _user({"toolResult": {"toolUseId": "call_1", "content": "a"}}),
            **_TOOLS,
        ),
        _ANSWERED,
    ),
)
