"""One stored history, three models: each gets the prompt that its provider accepts, the history stays as it is."""

from replayable import (
    AssistantMessage,
    Message,
    Pipeline,
    ReasoningPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)

history: list[Message] = [
    UserMessage("Is it raining in Oslo?"),
    AssistantMessage(
        [
            ReasoningPart(text="I should look that up."),
            ToolCallPart(tool_call_id="functions.weather:0", tool_name="weather", input={"city": "Oslo"}),
        ],
        provider="moonshot",
        api="openai_chat",
    ),
    ToolMessage([ToolResultPart(tool_call_id="functions.weather:0", output="4 degrees, rain")]),
]

for model in ("anthropic/claude-sonnet-5", "cerebras/gpt-oss-120b", "moonshot/kimi-k2"):
    prepared = Pipeline.default().prepare(history, model=model)
    print(f"{model}: {len(prepared.changes)} changes")
    for change in prepared.changes:
        print(f"  {change}")
