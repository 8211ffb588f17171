"""Examples for the rules of those who speak the OpenAI Chat format."""

from tests.oracle.case import Case, Json, assistant, request, system, text, user

_ASK = user("How warm is it in Oslo?")
_THANK = user("Thanks.")
_REFUSAL: Json = {"role": "assistant", "content": None, "refusal": "I can't help with that."}
_ANSWER = assistant("Warm.")
_IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/oslo.png"}}
_DEVELOPER = {"role": "developer", "content": "Be short."}


def _call(identifier: str = "call_1", arguments: object = "{}", name: str = "weather") -> Json:
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": arguments}}


def _calling(*calls: Json, content: object = None, **fields: object) -> Json:
    return {"role": "assistant", "content": content, "tool_calls": list(calls), **fields}


def _tool(identifier: str = "call_1", content: object = "12 degrees", **fields: object) -> Json:
    return {"role": "tool", "tool_call_id": identifier, "content": content, **fields}


def _case(
    provider: str,
    entry: str,
    path: str,
    bad: Json,
    good: Json,
    model: str | None = "some-model",
    also: tuple[str, ...] = (),
) -> Case:
    return Case(
        entry=entry,
        path=path,
        bad=bad,
        good=good,
        model=model,
        provider=provider,
        api="openai_chat",
        also=also,
    )


_PAIRED = request(_ASK, _calling(_call()), _tool())
_ID_OF_40 = "call_" + "x" * 35

OPENAI_CASES = (
    # Pairs of calls and results.
    _case(
        "openai",
        "openai-tool-calls-unanswered",
        "messages[1].tool_calls[1].id",
        request(_ASK, _calling(_call(), _call("call_2")), _tool()),
        request(_ASK, _calling(_call(), _call("call_2")), _tool("call_2"), _tool()),
    ),
    _case(
        "azure",
        "openai-tool-calls-unanswered",
        "messages[1].tool_calls[0].id",
        request(_ASK, _calling(_call()), _THANK),
        request(_ASK, _calling(_call()), _tool(), _THANK),
    ),
    _case(
        "deepseek",
        "deepseek-insufficient-tool",
        "messages[1].tool_calls[0].id",
        request(_ASK, _calling(_call()), _THANK),
        request(_ASK, _calling(_call()), _tool(), _THANK),
    ),
    _case(
        "mistral",
        "mistral-call-response-count",
        "messages[1].tool_calls[1].id",
        request(_ASK, _calling(_call("callAAAA1"), _call("callAAAA2")), _tool("callAAAA1")),
        request(_ASK, _calling(_call("callAAAA1")), _tool("callAAAA1")),
    ),
    _case(
        "openai",
        "openai-tool-without-call",
        "messages[0].tool_call_id",
        request(_tool(), _THANK),
        request(_calling(_call()), _tool(), _THANK),
    ),
    _case(
        "openai",
        "openai-tool-without-call",
        "messages[3].tool_call_id",
        request(_ASK, _calling(_call()), _tool(), _tool()),
        request(_ASK, _calling(_call()), _tool(), _calling(_call()), _tool()),
    ),
    _case(
        "moonshot",
        "kimi-tool-call-id-not-found",
        "messages[3].tool_call_id",
        request(_ASK, _calling(_call()), _tool(), _tool("")),
        _PAIRED,
    ),
    _case(
        "minimax",
        "minimax-tool-id-not-found",
        "messages[1].tool_call_id",
        request(_ASK, _tool()),
        _PAIRED,
    ),
    _case(
        "minimax",
        "minimax-result-order",
        "messages[4].tool_call_id",
        request(_ASK, _calling(_call()), _tool(), _THANK, _tool()),
        request(_ASK, _calling(_call()), _tool(), _THANK),
    ),
    _case(
        "mistral",
        "mistral-unexpected-role",
        "messages[1].role",
        request(_ASK, _tool("callAAAA1")),
        request(_ASK, _calling(_call("callAAAA1")), _tool("callAAAA1"), _THANK),
    ),
    # OpenAI itself.
    _case(
        "openai",
        "openai-content-null",
        "messages[0].content",
        request({"role": "user", "content": None}),
        request(_ASK),
    ),
    _case(
        "openai",
        "openai-content-null",
        "messages[1].content",
        request(_ASK, {"role": "assistant", "content": None}, _THANK),
        request(_ASK, assistant(""), _THANK),
    ),
    # Only an answer may have none, at whoever speaks this API.
    *(
        _case(provider, "openai-content-null", f"messages[{index}].content", request(*bad), request(*good))
        for provider in ("groq", "mistral", "cerebras", "openrouter", "together", "vllm")
        for index, bad, good in (
            (0, ({"role": "system", "content": None}, _ASK), (system(""), _ASK)),
            (0, ({"role": "user"}, _ANSWER, _THANK), (user(""), _ANSWER, _THANK)),
            (
                2,
                (_ASK, _calling(_call("callAAAA1")), _tool("callAAAA1", content=None)),
                (_ASK, _calling(_call("callAAAA1")), _tool("callAAAA1", content="")),
            ),
        )
    ),
    _case(
        "openai",
        "openai-tool-calls-empty-array",
        "messages[1].tool_calls",
        request(_ASK, _calling(content="Warm."), _THANK),
        request(_ASK, _ANSWER, _THANK),
    ),
    _case(
        "deepseek",
        "openai-tool-calls-empty-array",
        "messages[1].tool_calls",
        request(_ASK, _calling(content="Warm."), _THANK),
        request(_ASK, _ANSWER, _THANK),
        model="deepseek-chat",
    ),
    *(
        _case(
            "vllm",
            "reported-template-empty-tool-calls",
            "messages[1].tool_calls",
            request(_ASK, _calling(content="Warm."), _THANK),
            request(_ASK, _ANSWER, _THANK),
            model=model,
        )
        for model in (
            "meta-llama/Llama-3.1-8B-Instruct",
            "openai/gpt-oss-20b",
            "mistralai/Mistral-Nemo-Instruct-2407",
        )
    ),
    _case("openai", "openai-messages-empty-array", "messages", request(), request(_ASK)),
    _case(
        "openai",
        "openai-tool-call-id-too-long",
        "messages[0].tool_calls[0].id",
        request(_calling(_call(_ID_OF_40 + "x")), _tool(_ID_OF_40 + "x")),
        request(_calling(_call(_ID_OF_40)), _tool(_ID_OF_40)),
        also=("messages[1].tool_call_id",),
    ),
    _case(
        "openrouter",
        "openai-tool-call-id-too-long",
        "messages[0].tool_calls[0].id",
        request(_calling(_call(_ID_OF_40 + "x")), _tool(_ID_OF_40 + "x")),
        request(_calling(_call(_ID_OF_40)), _tool(_ID_OF_40)),
        model="openai/gpt-5-mini",
        also=("messages[1].tool_call_id",),
    ),
    _case(
        "openai",
        "openai-system-role-unsupported",
        "messages[0].role",
        request(_DEVELOPER, _ASK),
        request(_ASK),
        model="o1-mini",
    ),
    _case(
        "openai",
        "openai-message-name-pattern",
        "messages[0].name",
        request({**_ASK, "name": "Ola Nordmann"}),
        request({**_ASK, "name": "Ola.Nordmann"}),
    ),
    _case(
        "openai",
        "openai-message-name-pattern",
        "messages[1].tool_calls[0].function.name",
        request(_ASK, _calling(_call(name="met.weather")), _tool()),
        request(_ASK, _calling(_call(name="met_weather")), _tool()),
    ),
    _case(
        "openai",
        "openai-image-role",
        "messages[2].content[0]",
        request(_ASK, _calling(_call()), _tool(content=[_IMAGE])),
        request(_ASK, _calling(_call()), _tool(content=[text("See below.")]), user(_IMAGE)),
    ),
    _case(
        "openai",
        "recorded-openai-content-block",
        "messages[0].content[0]",
        request(user({"type": "input_audio", "input_audio": {"data": "", "format": "wav"}})),
        request(user(_IMAGE)),
        model="gpt-5-mini",
    ),
    _case(
        "openai",
        "recorded-openai-unknown-parameter",
        "messages[0].content[0].file.data",
        request(user({"type": "file", "file": {"data": "data:,"}})),
        request(user({"type": "file", "file": {"file_data": "data:,"}})),
    ),
    _case(
        "openai",
        "recorded-openai-function-name",
        "messages[1].name",
        request(_ASK, {"role": "function", "content": "12 degrees"}),
        request(_ASK, {"role": "function", "content": "12 degrees", "name": "weather"}),
    ),
    # Fields.
    _case(
        "groq",
        "groq-unsupported-property",
        "messages[1].reasoning_content",
        request(_ASK, {**_ANSWER, "reasoning_content": "Hm."}, _THANK),
        request(_ASK, {**_ANSWER, "reasoning": "Hm."}, _THANK),
        model="openai/gpt-oss-120b",
    ),
    _case(
        "groq",
        "groq-reasoning-not-supported",
        "messages[1].reasoning",
        request(_ASK, {**_ANSWER, "reasoning": "Hm."}, _THANK),
        request(_ASK, _ANSWER, _THANK),
        model="llama-3.3-70b-versatile",
    ),
    _case(
        "cerebras",
        "cerebras-wrong-api-format",
        "messages[1].reasoning_content",
        request(_ASK, {**_ANSWER, "reasoning_content": "Hm."}, _THANK),
        request(_ASK, {**_ANSWER, "reasoning": "Hm."}, _THANK),
    ),
    _case(
        "fireworks",
        "fireworks-extra-inputs",
        "messages[1].reasoning",
        request(_ASK, {**_ANSWER, "reasoning": "Hm."}, _THANK),
        request(_ASK, {**_ANSWER, "reasoning_content": "Hm."}, _THANK),
    ),
    # Reasoning.
    _case(
        "deepseek",
        "deepseek-reasoning-required",
        "messages[1].reasoning_content",
        request(_ASK, _calling(_call()), _tool()),
        request(_ASK, _calling(_call(), reasoning_content=""), _tool()),
        model="deepseek-v4-flash",
    ),
    _case(
        "deepseek",
        "deepseek-missing-reasoning-index",
        "messages[1].reasoning_content",
        request(_ASK, _calling(_call()), _tool()),
        request(_ASK, _calling(_call()), _tool(), _ANSWER, _THANK),
        model="deepseek-reasoner",
    ),
    _case(
        "openrouter",
        "openrouter-gemini-reasoning-details",
        "messages[1].reasoning_details",
        request(_ASK, _calling(_call()), _tool()),
        request(_ASK, _calling(_call(), reasoning_details=[{"type": "reasoning.encrypted"}]), _tool()),
        model="google/gemini-3-pro-preview",
    ),
    _case(
        "moonshot",
        "kimi-reasoning-missing",
        "messages[1].reasoning_content",
        request(_ASK, _calling(_call()), _tool()),
        request(_ASK, _calling(_call(), reasoning_content="Hm."), _tool()),
        model="kimi-k2-thinking",
    ),
    _case(
        "mistral",
        "recorded-mistral-reasoning-input",
        "messages[1].content[0]",
        request(_ASK, assistant({"type": "thinking", "thinking": [text("Hm.")]}, text("Warm.")), _THANK),
        request(_ASK, assistant(text("Warm.")), _THANK),
        model="ministral-3b-latest",
    ),
    _case(
        "vllm",
        "template-gptoss-content-thinking",
        "messages[1].reasoning_content",
        request(_ASK, _calling(_call(), content="Let me look.", reasoning_content="Hm."), _tool()),
        request(_ASK, _calling(_call(), reasoning_content="Hm."), _tool()),
        model="gpt-oss-20b",
    ),
    # Content.
    _case(
        "dashscope",
        "qwen-content-required",
        "messages[1].content",
        request(_ASK, {"role": "assistant"}, _THANK),
        request(_ASK, _ANSWER, _THANK),
    ),
    _case(
        "volcengine",
        "volcengine-missing-content",
        "messages[1].content",
        request(_ASK, {"role": "assistant"}, _THANK),
        request(_ASK, _ANSWER, _THANK),
    ),
    _case(
        "ollama",
        "ollama-invalid-message",
        "messages[1].content",
        request(_ASK, {"role": "assistant", "content": None}, _THANK),
        request(_ASK, _ANSWER, _THANK),
    ),
    _case(
        "xai",
        "xai-empty-content",
        "messages[1].content",
        request(_ASK, assistant(""), _THANK),
        request(_ASK, _calling(_call(), content=[]), _tool()),
    ),
    _case(
        "moonshot",
        "kimi-message-empty",
        "messages[1].content",
        request(_ASK, assistant(" "), _THANK),
        request(_ASK, _ANSWER, _THANK),
    ),
    _case(
        "mistral",
        "mistral-assistant-none",
        "messages[1].content",
        request(_ASK, _calling(content=""), _THANK),
        request(_ASK, _calling(content="Warm."), _THANK),
    ),
    _case(
        "deepseek",
        "deepseek-content-type",
        "messages[1].content",
        request(_ASK, {"role": "assistant", "tool_calls": [_call()]}, _tool()),
        _PAIRED,
    ),
    _case(
        "deepseek",
        "deepseek-content-type",
        "messages[2].content",
        request(_ASK, _calling(_call()), _tool(content=[text("12 degrees")])),
        _PAIRED,
    ),
    _case(
        "deepseek",
        "deepseek-content-type",
        "messages[0].content[0]",
        request(user(_IMAGE)),
        request(user(text("How warm?"))),
    ),
    _case(
        "deepseek",
        "deepseek-content-type",
        "messages[0].role",
        request(_DEVELOPER, _ASK),
        request(system("Be short."), _ASK),
    ),
    # Arguments.
    _case(
        "minimax",
        "minimax-bad-arguments",
        "messages[1].tool_calls[0].function.arguments",
        request(_ASK, _calling(_call(arguments="")), _tool()),
        _PAIRED,
    ),
    _case(
        "ollama",
        "reported-ollama-arguments",
        "messages[1].tool_calls[0].function.arguments",
        request(_ASK, _calling(_call(arguments='"Oslo"')), _tool()),
        _PAIRED,
    ),
    _case(
        "dashscope",
        "qwen-arguments-json",
        "messages[1].tool_calls[0].function.arguments",
        request(_ASK, _calling(_call(arguments='{"city": "Os')), _tool()),
        _PAIRED,
    ),
    _case(
        "vllm",
        "vllm-tool-arguments-json",
        "messages[1].tool_calls[0].function.arguments",
        request(_ASK, _calling(_call(arguments="[]")), _tool()),
        _PAIRED,
    ),
    _case(
        "vllm",
        "vllm-mistral-tool-calls-iterable",
        "messages[1].tool_calls",
        request(_ASK, {**_ANSWER, "tool_calls": "null"}, _THANK),
        request(_ASK, {**_ANSWER, "tool_calls": None}, _THANK),
    ),
    _case(
        "llamacpp",
        "llamacpp-tool-call-parse",
        "messages[1].tool_calls[0].function.arguments",
        request(_ASK, _calling(_call(arguments="{")), _tool()),
        _PAIRED,
    ),
    _case(
        "llamacpp",
        "llamacpp-tool-call-parse",
        "messages[1].tool_calls[0].type",
        request(_ASK, _calling({**_call(), "type": None}), _tool()),
        _PAIRED,
    ),
    # Order and ids.
    _case(
        "mistral",
        "mistral-unexpected-role",
        "messages[2].role",
        request(_ASK, _ANSWER, system("Be short."), _THANK),
        request(system("Be short."), system("Be kind."), _ASK),
    ),
    _case(
        "mistral",
        "mistral-last-role",
        "messages[1].role",
        request(_ASK, _ANSWER),
        request(_ASK, {**_ANSWER, "prefix": True}),
    ),
    _case(
        "mistral",
        "mistral-tool-id-9",
        "messages[1].tool_calls[0].id",
        request(_ASK, _calling(_call()), _tool()),
        request(_ASK, _calling(_call("callAAAA1")), _tool("callAAAA1")),
        model="mistral-large-latest",
    ),
    _case(
        "perplexity",
        "perplexity-last-user",
        "messages[1].role",
        request(_ASK, _ANSWER),
        request(_ASK, _ANSWER, _THANK),
    ),
    _case(
        "perplexity",
        "perplexity-alternate",
        "messages[2].role",
        request(system("Be short."), _ASK, _THANK),
        request(system("Be short."), _ASK, _ANSWER, _THANK),
    ),
    _case(
        "deepseek",
        "deepseek-successive-roles",
        "messages[1]",
        request(_ASK, _THANK),
        request(_ASK, _ANSWER, _THANK),
        model="deepseek-reasoner",
    ),
    _case(
        "minimax",
        "minimax-system-role",
        "messages[1].role",
        request(_ASK, system("Be short.")),
        request(system("Be short."), _ASK),
    ),
    _case(
        "zai",
        "zhipu-1214",
        "messages[1]",
        request(system("Be short."), _ANSWER, _ASK),
        request(system("Be short."), _ASK, _ANSWER, _THANK),
    ),
    _case(
        "zai",
        "zhipu-1214",
        "messages[3].tool_calls[0].id",
        request(_ASK, _calling(_call()), _tool(), _calling(_call()), _tool()),
        request(_ASK, _calling(_call()), {"role": "tool", "content": "12 degrees"}),
    ),
    _case("zai", "zhipu-1214", "messages", request(system("Be short.")), request(_ASK)),
    _case(
        "zai",
        "zhipu-1214",
        "messages[1].content",
        request(_ASK, assistant(""), _THANK),
        request(_ASK, _ANSWER, _THANK),
    ),
    _case("dashscope", "qwen-no-user", "messages", request(system("Be short.")), request(_ASK)),
    _case(
        "llamacpp",
        "llamacpp-two-assistant-tail",
        "messages[2]",
        request(_ASK, _ANSWER, _ANSWER),
        request(_ASK, _ANSWER, _ANSWER, _THANK),
    ),
    _case(
        "vllm",
        "template-system-first",
        "messages[1].role",
        request(_ASK, system("Be short.")),
        request(system("Be short."), _ASK),
        model="Qwen/Qwen3.5-35B-A3B",
    ),
    _case(
        "lmstudio",
        "template-no-user-query",
        "messages",
        request(system("Be short."), _ANSWER),
        request(system("Be short."), _ASK, _ANSWER),
        model="qwen3.5-9b",
    ),
    _case(
        "vllm",
        "template-system-unsupported",
        "messages[0].role",
        request(system("Be short."), _ASK),
        request(_ASK),
        model="google/gemma-2-9b-it",
    ),
    _case(
        "llamacpp",
        "template-roles-alternate",
        "messages[1].role",
        request(_ASK, _THANK),
        request(_ASK, _ANSWER, _THANK),
        model="google/gemma-3-4b-it",
    ),
    _case(
        "huggingface",
        "template-roles-alternate",
        "messages[1].role",
        request(system("Be short."), _ANSWER, _THANK),
        request(system("Be short."), _ASK, _ANSWER, _THANK),
        model="meta-llama/Llama-2-7b-chat-hf",
    ),
    _case(
        "lmstudio",
        "template-roles-alternate",
        "messages[2].role",
        request(_ASK, _calling(_call()), _tool()),
        request(_ASK, _ANSWER),
        model="mistralai/Mistral-7B-Instruct-v0.2",
    ),
    _case(
        "vllm",
        "mistral-tool-id-9",
        "messages[1].tool_calls[0].id",
        request(_ASK, _calling(_call()), _tool()),
        request(_ASK, _calling(_call("callAAAA1")), _tool("callAAAA1")),
        model="mistralai/Mistral-Nemo-Instruct-2407",
    ),
    _case(
        "vllm",
        "mistral-unexpected-role",
        "messages[0].role",
        request(_ANSWER, _ASK),
        request(_ASK, _ASK, _ANSWER, _ANSWER),
        model="mistralai/Devstral-Small-2-24B-Instruct-2512",
    ),
    _case(
        "vllm",
        "mistral-unexpected-role",
        "messages[2].role",
        request(_ASK, _ANSWER, system("Be short."), _THANK),
        request(system("Be short."), system("Be kind."), _ASK, _ANSWER, _THANK),
        model="mistralai/Ministral-3-14B-Instruct-2512",
    ),
    _case(
        "lmstudio",
        "mistral-assistant-none",
        "messages[1].content",
        request(_ASK, assistant(""), _THANK),
        request(_ASK, _ANSWER, _THANK),
        model="mistralai/Ministral-3-14B-Instruct-2512",
    ),
    _case(
        "vllm",
        "template-system-first",
        "messages[0].role",
        request(_DEVELOPER, _ASK),
        request(_ASK),
        model="Qwen/Qwen3.5-35B-A3B",
    ),
    _case(
        "sglang",
        "template-roles-alternate",
        "messages[4].role",
        request(_ASK, _calling(_call("callAAAA1")), _tool("callAAAA1"), _ANSWER, system("Be short."), _THANK),
        request(_ASK, _calling(_call("callAAAA1")), _tool("callAAAA1"), _ANSWER, _THANK),
        model="mistralai/Mistral-7B-Instruct-v0.3",
    ),
    _case(
        "llamacpp",
        "llamacpp-prefill-thinking",
        "messages[1]",
        request(_ASK, _ANSWER),
        request(_ASK, _ANSWER, chat_template_kwargs={"enable_thinking": False}),
        model="Qwen3-1.7B-Q4_K_M",
    ),
    _case(
        "litellm",
        "litellm-missing-tool-call",
        "messages[1].tool_call_id",
        request(_ASK, _tool()),
        _PAIRED,
        model="gemini/gemini-2.5-flash",
    ),
    # The schema itself.
    _case("huggingface", "malformed", "messages", {"model": "some-model"}, request(_ASK)),
    _case("openai", "malformed", "messages[0]", request("How warm?"), request(user("How warm?"))),
    _case("openai", "malformed", "messages[0].role", request({**_ASK, "role": "bot"}), request(_ASK)),
    _case("openai", "malformed", "messages[0].content", request({**_ASK, "content": 7}), request(_ASK)),
    _case(
        "openai", "malformed", "messages[0].content", request({"role": "user", "content": [7]}), request(_ASK)
    ),
    _case(
        "huggingface",
        "malformed",
        "messages[1].tool_calls[0].function.arguments",
        request(_ASK, _calling({"id": "call_1", "type": "function", "function": {"name": "a"}}), _tool()),
        _PAIRED,
    ),
    _case(
        "openai",
        "malformed",
        "messages[1].tool_calls[0].function.arguments",
        request(_ASK, _calling(_call(arguments={})), _tool()),
        request(_ASK, _calling(_call(arguments="no JSON")), _tool()),
    ),
    _case(
        "openai",
        "malformed",
        "messages[1].tool_calls[0].id",
        request(_ASK, _calling(_call(""))),
        _PAIRED,
    ),
    # A field of OpenAI's own holds all that an answer says.
    *(
        _case(
            provider,
            entry,
            path,
            request(_ASK, _REFUSAL, _THANK),
            request(_ASK, _ANSWER, _THANK),
            model=model,
        )
        for provider, model, entry, path in (
            ("moonshot", "kimi-k2", "kimi-message-empty", "messages[1].content"),
            ("dashscope", "qwen3-max", "qwen-content-required", "messages[1].content"),
            ("xai", "grok-4", "xai-empty-content", "messages[1].content"),
            ("ollama", "qwen3:4b", "ollama-invalid-message", "messages[1].content"),
            ("volcengine", "doubao-1.5", "volcengine-missing-content", "messages[1].content"),
            ("vllm", "mistralai/Devstral-2-123B", "mistral-assistant-none", "messages[1].content"),
            ("mistral", "mistral-large-latest", "mistral-assistant-none", "messages[1].content"),
        )
    ),
    *(
        _case(
            provider,
            "reported-developer-role",
            "messages[0].role",
            request({"role": "developer", "content": "Be short."}, _ASK),
            request(system("Be short."), _ASK),
            model=model,
        )
        for provider, model in (("dashscope", "qwen3-max"), ("mistral", "mistral-large-latest"))
    ),
    # Claude behind a gateway.
    *(
        _case(
            provider,
            "anthropic-no-prefill",
            "messages[1]",
            request(_ASK, _ANSWER),
            request(_ASK, _ANSWER, _THANK),
            model=model,
        )
        for provider, model in (
            ("openrouter", "anthropic/claude-opus-4.6"),
            ("copilot", "claude-sonnet-4.6"),
            ("vercel_gateway", "anthropic/claude-opus-4.7"),
            ("mygateway", "claude-opus-4-6"),
        )
    ),
    _case(
        "openai",
        "malformed",
        "messages[1].tool_calls",
        request(_ASK, {**_ANSWER, "tool_calls": {}}, _THANK),
        request(_ASK, {**_ANSWER, "tool_calls": None}, _THANK),
    ),
)
