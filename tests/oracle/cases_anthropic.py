"""Examples for the rules of the Anthropic Messages format."""

from tests.oracle.case import Case, Json, assistant, request, system, text, user

_MODEL = "claude-sonnet-4-5"
_ASK = user("How warm is it in Oslo?")
_THANK = user("Thanks.")
_CACHE = {"cache_control": {"type": "ephemeral"}}


def _call(identifier: object = "call_1", **fields: object) -> Json:
    return {"type": "tool_use", "id": identifier, "name": "weather", "input": {}, **fields}


def _result(identifier: str = "call_1", content: object = "12 degrees", **fields: object) -> Json:
    return {"type": "tool_result", "tool_use_id": identifier, "content": content, **fields}


def _search(identifier: str = "srvtoolu_1", name: str = "web_search", **fields: object) -> Json:
    return {"type": "server_tool_use", "id": identifier, "name": name, "input": {}, **fields}


def _found(identifier: str = "srvtoolu_1") -> Json:
    return {"type": "web_search_tool_result", "tool_use_id": identifier, "content": []}


def _thinking(thinking: str = "Hm.", signature: str = "c2ln") -> Json:
    return {"type": "thinking", "thinking": thinking, "signature": signature}


def _tool(name: str) -> Json:
    return {"name": name, "input_schema": {"type": "object"}}


def _without(block: Json, name: str) -> Json:
    return {key: value for key, value in block.items() if key != name}


def _case(
    entry: str,
    path: str,
    bad: Json,
    good: Json,
    model: str | None = _MODEL,
    provider: str = "anthropic",
    also: tuple[str, ...] = (),
) -> Case:
    return Case(
        entry=entry,
        path=path,
        bad=bad,
        good=good,
        model=model,
        provider=provider,
        api="anthropic_messages",
        also=also,
    )


_THINK: Json = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
_ANSWERED = request(_ASK, assistant(_call()), user(_result()))

ANTHROPIC_CASES = (
    # Pairs of calls and results.
    _case(
        "anthropic-tool-use-without-result",
        "messages[1].content[1].id",
        request(_ASK, assistant(_call(), _call("call_2")), user(_result())),
        request(_ASK, assistant(_call(), _call("call_2")), user(_result("call_2")), user(_result())),
    ),
    _case(
        "anthropic-tool-use-without-result",
        "messages[1].content[0].id",
        request(_ASK, assistant(_call(), text("Let me look.")), user(_result())),
        request(_ASK, assistant(text("Let me look."), _call()), user(_result())),
    ),
    _case(
        "anthropic-tool-use-without-result",
        "messages[1].content[0].id",
        request(_ASK, assistant(_call())),
        _ANSWERED,
        model="claude-opus-4-8",
    ),
    _case(
        "anthropic-did-not-find-tool-result",
        "messages[2].content[1]",
        request(_ASK, assistant(_call()), user(text("Here."), _result())),
        request(_ASK, assistant(_call()), user(_result(), text("Here."))),
    ),
    _case(
        "anthropic-unexpected-tool-use-id",
        "messages[0].content[0].tool_use_id",
        request(user(_result()), assistant("Warm."), _THANK),
        request(assistant(_call()), user(_result()), assistant("Warm."), _THANK),
    ),
    _case(
        "anthropic-unexpected-tool-use-id",
        "messages[4].content[0].tool_use_id",
        request(_ASK, assistant(_call()), user(_result()), assistant("Warm."), user(_result())),
        request(_ASK, assistant(_call()), user(_result()), assistant(_call()), user(_result())),
    ),
    _case(
        "anthropic-duplicate-tool-result",
        "messages[3].content[0].tool_use_id",
        request(_ASK, assistant(_call()), user(_result()), user(_result())),
        request(_ASK, assistant(_call()), user(_result()), _THANK),
    ),
    _case(
        "anthropic-tool-use-ids-unique",
        "messages[1].content[1].id",
        request(_ASK, assistant(_call(), _call()), user(_result())),
        request(_ASK, assistant(_call()), user(_result()), assistant(_call()), user(_result())),
    ),
    _case(
        "anthropic-tool-result-role",
        "messages[1].content[0]",
        request(_ASK, assistant(_result()), _THANK),
        request(_ASK, assistant("Warm."), _THANK),
    ),
    _case(
        "anthropic-tool-result-id-missing",
        "messages[2].content[1].tool_use_id",
        request(_ASK, assistant(_call()), user(_result(), _without(_result(), "tool_use_id"))),
        _ANSWERED,
    ),
    # What a call may look like.
    _case(
        "anthropic-tool-id-pattern",
        "messages[0].content[0].id",
        request(assistant(_call("functions.weather:0")), user(_result("functions.weather:0"))),
        request(assistant(_call("functions-weather_0")), user(_result("functions-weather_0"))),
        also=("messages[1].content[0].tool_use_id",),
    ),
    _case(
        "anthropic-tool-input-dict",
        "messages[1].content[0].input",
        request(_ASK, assistant(_call(input="{}")), user(_result())),
        request(_ASK, assistant(_call(input={"city": "Oslo"})), user(_result())),
    ),
    # Calls that the provider runs.
    _case(
        "anthropic-server-tool-use-without-result",
        "messages[1].content[0].id",
        request(_ASK, assistant(_search(), text("Warm.")), _THANK),
        request(_ASK, assistant(_search(), _found(), text("Warm.")), _THANK),
    ),
    _case(
        "anthropic-server-tool-use-without-result",
        "messages[1].content[0].id",
        request(_ASK, assistant(_search(), _call()), user(_result()), assistant("Warm."), _THANK),
        request(_ASK, assistant(_search(), _call()), user(_result())),
    ),
    _case(
        "anthropic-unexpected-server-tool-result",
        "messages[1].content[0].tool_use_id",
        request(_ASK, assistant(_found(), text("Warm.")), _THANK),
        request(_ASK, assistant(_search(), _call()), user(_result()), assistant(_found()), _THANK),
    ),
    _case(
        "anthropic-server-tool-id-pattern",
        "messages[1].content[0].id",
        request(_ASK, assistant(_search("srvtoolu-1"), _found("srvtoolu-1")), _THANK),
        request(_ASK, assistant(_search(), _found()), _THANK),
    ),
    _case(
        "anthropic-server-tool-id-pattern",
        "messages[1].content[0].name",
        request(_ASK, assistant(_search(name="analyze_image"), _found()), _THANK),
        request(_ASK, assistant(_search(), _found()), _THANK),
    ),
    _case(
        "anthropic-container-required",
        "container",
        request(_ASK, assistant(_search(name="code_execution"), _call()), user(_result())),
        request(_ASK, assistant(_search(name="code_execution"), _call()), user(_result()), container="box_1"),
    ),
    # Thinking.
    _case(
        "anthropic-thinking-signature-required",
        "messages[1].content[0].signature",
        request(_ASK, assistant(_without(_thinking(), "signature"), text("Warm.")), _THANK),
        request(_ASK, assistant(_thinking(), text("Warm.")), _THANK),
    ),
    _case(
        "anthropic-thinking-field",
        "messages[1].content[0].thinking",
        request(_ASK, assistant(_without(_thinking(), "thinking"), text("Warm.")), _THANK),
        request(_ASK, assistant(_thinking(), text("Warm.")), _THANK),
    ),
    _case(
        "anthropic-thinking-empty",
        "messages[1].content[0].thinking",
        request(_ASK, assistant(_thinking("", ""), text("Warm.")), _THANK),
        request(_ASK, assistant(_thinking(""), text("Warm.")), _THANK),
    ),
    _case(
        "anthropic-invalid-thinking-signature",
        "messages[1].content[0].signature",
        request(_ASK, assistant(_thinking(signature=""), text("Warm.")), _THANK),
        request(_ASK, assistant(_thinking(), text("Warm.")), _THANK),
    ),
    _case(
        "anthropic-thinking-not-first",
        "messages[1].content[0]",
        request(_ASK, assistant(text("Warm."), _thinking()), _THANK),
        request(_ASK, assistant(text("Warm."), _thinking()), _THANK, thinking={"type": "adaptive"}),
    ),
    _case(
        "anthropic-thinking-first-block",
        "messages[1].content[0]",
        request(_ASK, assistant(_call()), user(_result()), **_THINK),
        request(
            _ASK,
            assistant(_thinking(), _call()),
            user(_result()),
            assistant(_call("call_2")),
            user(_result("call_2")),
            **_THINK,
        ),
    ),
    _case(
        "anthropic-thinking-first-block",
        "messages[1].content[0]",
        request(_ASK, assistant(text("Warm")), **_THINK),
        request(_ASK, assistant(text("Warm"))),
    ),
    _case(
        "anthropic-thinking-when-disabled",
        "messages[1].content[0]",
        request(_ASK, assistant(_thinking(), _call()), user(_result())),
        request(_ASK, assistant(_thinking(), _call()), user(_result()), **_THINK),
    ),
    _case(
        "deepseek-anthropic-thinking-required",
        "messages[1].content[0]",
        request(_ASK, assistant(text("Warm.")), _THANK, **_THINK),
        request(_ASK, assistant(_without(_thinking(), "signature"), text("Warm.")), _THANK, **_THINK),
        provider="deepseek",
        model="deepseek-v4",
    ),
    # Emptiness.
    _case(
        "anthropic-empty-text-block",
        "messages[0].content[0].text",
        request(user(text(""), text("How warm?"))),
        request(user(text("How warm?"))),
    ),
    _case(
        "anthropic-empty-text-block",
        "messages[2].content[0].content[0].text",
        request(_ASK, assistant(_call()), user(_result(content=[text("")]))),
        request(_ASK, assistant(_call()), user(_result(content=""))),
    ),
    _case(
        "anthropic-empty-text-block",
        "system[0].text",
        request(_ASK, system=[text("")]),
        request(_ASK, system=[text("Be short.")]),
    ),
    _case(
        "anthropic-whitespace-text-block",
        "messages[0].content",
        request(user(" \n")),
        request(user(" Hm\n")),
    ),
    _case(
        "anthropic-cache-control-empty",
        "messages[0].content[1].text",
        request(user(text("How warm?"), text("", **_CACHE))),
        request(user(text("How warm?", **_CACHE))),
    ),
    _case(
        "anthropic-empty-message",
        "messages[1].content",
        request(_ASK, assistant(""), _THANK),
        request(_ASK, assistant("")),
    ),
    _case(
        "anthropic-empty-message",
        "messages[0].content",
        request(user()),
        request(_ASK),
    ),
    _case(
        "openai-messages-empty-array",
        "messages",
        request(),
        request(_ASK),
    ),
    # Roles and the end of the conversation.
    _case(
        "anthropic-system-role",
        "messages[1].role",
        request(_ASK, system("Be short.")),
        request(_ASK, system="Be short."),
    ),
    _case(
        "anthropic-system-role",
        "messages[0].role",
        request({"role": "developer", "content": "Be short."}, assistant("Yes."), _ASK),
        request(_ASK, assistant("Yes."), _ASK),
        model="claude-opus-4-8",
    ),
    _case(
        "anthropic-system-role",
        "messages[1].role",
        request(_ASK, system("Be short."), _ASK),
        request(_ASK, _ASK, system("Be short.")),
        model="claude-opus-4-8",
    ),
    _case(
        "anthropic-system-role",
        "messages[2].role",
        request(_ASK, assistant("Warm."), system("Be short.")),
        request(_ASK, system("Be short."), assistant("Warm."), _THANK),
        model="claude-sonnet-5",
    ),
    _case(
        "anthropic-no-prefill",
        "messages[1].content",
        request(_ASK, assistant("It is")),
        request(_ASK, assistant("It is"), _THANK),
        model="us.anthropic.claude-opus-4-6-v1",
        provider="bedrock",
    ),
    _case(
        "anthropic-no-prefill",
        "messages[1].content",
        request(_ASK, assistant("It is")),
        request(_ASK, assistant(_search())),
        model="claude-opus-4-6",
    ),
    _case(
        "anthropic-prefill-trailing-whitespace",
        "messages[1].content",
        request(_ASK, assistant("It is ")),
        request(_ASK, assistant("It is")),
        model="claude-3-5-haiku-20241022",
    ),
    _case(
        "anthropic-roles-alternate",
        "messages[1].role",
        request(_ASK, _THANK),
        request(_ASK, assistant("Warm."), _THANK),
        model="anthropic.claude-v2:1",
        provider="bedrock",
    ),
    _case(
        "anthropic-roles-alternate",
        "messages[3].role",
        request(_ASK, assistant(_call()), user(_result()), _THANK),
        request(_ASK, assistant(_call()), user(_result(), text("Thanks."))),
        model="MiniMax-M2",
        provider="minimax",
    ),
    _case(
        "anthropic-roles-alternate",
        "messages[3].role",
        request(_ASK, assistant(_call("c1"), _call("c2")), user(_result("c1")), user(_result("c2"))),
        request(_ASK, assistant(_call("c1"), _call("c2")), user(_result("c1"), _result("c2"))),
        model="MiniMax-M2",
        provider="minimax",
    ),
    _case(
        "anthropic-first-user",
        "messages[0].role",
        request(assistant("Hello."), _ASK),
        request(_ASK, assistant("Warm."), _THANK),
        model="claude-2.1",
    ),
    # Fields and types that the schema doesn't know.
    _case(
        "anthropic-extra-inputs",
        "messages[1].content[0].index",
        request(_ASK, assistant(_call(index=0)), user(_result())),
        request(_ASK, assistant(_call(caller={"type": "direct"})), user(_result())),
    ),
    _case(
        "anthropic-extra-inputs",
        "messages[1].reasoning_content",
        request(_ASK, {**assistant("Warm."), "reasoning_content": "Hm."}, _THANK),
        request(_ASK, assistant(text("Warm.", citations=None)), _THANK),
    ),
    _case(
        "anthropic-extra-inputs",
        "messages[1].content[0].cache_control",
        request(_ASK, assistant({**_thinking(), **_CACHE}, text("Warm.")), _THANK),
        request(_ASK, assistant(_thinking(), text("Warm.", **_CACHE)), _THANK),
    ),
    _case(
        "anthropic-unknown-block-type",
        "messages[0].content[0]",
        request(user({"type": "input_text", "text": "How warm?"})),
        request(user(text("How warm?"))),
    ),
    _case(
        "anthropic-cache-control-max4",
        "messages",
        request(user(*[text("How warm?", **_CACHE) for _ in range(4)]), system=[text("Be short.", **_CACHE)]),
        request(user(*[text("How warm?", **_CACHE) for _ in range(4)]), system=[text("Be short.")]),
    ),
    _case(
        "reported-deepseek-redacted-thinking",
        "messages[1].content[0]",
        request(_ASK, assistant({"type": "redacted_thinking", "data": "EmwKAhgB"}, text("Warm.")), _THANK),
        request(_ASK, assistant(text("Warm.")), _THANK),
        provider="deepseek",
        model="deepseek-v4-flash",
    ),
    # Names of tools.
    _case(
        "reported-anthropic-tool-name",
        "messages[1].content[0].name",
        request(_ASK, assistant(_call(name="ls -l " * 40)), user(_result())),
        request(_ASK, assistant(_call(name="ls -l " * 30)), user(_result())),
    ),
    _case(
        "reported-anthropic-tool-name",
        "tools[0].name",
        request(_ASK, assistant(_call(name="met.weather")), user(_result()), tools=[_tool("met.weather")]),
        request(_ASK, assistant(_call(name="met.weather")), user(_result()), tools=[_tool("w" * 128)]),
    ),
    _case("reported-anthropic-tool-name", "tools[0].name", request(_ASK, tools=[_tool("")]), request(_ASK)),
    _case(
        "reported-anthropic-tool-name",
        "tools[0].name",
        request(_ASK, tools=[_tool("w" * 65)]),
        request(_ASK, tools=[_tool("w" * 64)]),
        provider="bedrock",
    ),
    # The schema itself.
    _case(
        "malformed",
        "messages[1].content[0].name",
        request(_ASK, assistant(_call(name="")), user(_result())),
        _ANSWERED,
    ),
    _case("malformed", "messages", {"model": _MODEL}, request(_ASK)),
    _case("malformed", "messages[0]", request("How warm?"), request(user("How warm?"))),
    _case("malformed", "messages[0].content", request({"role": "user"}), request(_ASK)),
    _case("malformed", "messages[0].content[0]", request(user({"text": "Hm"})), request(user(text("Hm")))),
    _case(
        "malformed",
        "messages[0].content[0]",
        request(user(_thinking()), assistant("Warm."), _THANK),
        request(assistant(_thinking(), text("Warm.")), _THANK),
    ),
)
