"""A pipeline of your own: old tool calls leave, a house rule of yours runs, then pairs and the provider's rules."""

from typing_extensions import override

from replayable import (
    AssistantMessage,
    CleanMessages,
    InputArgs,
    Message,
    Pipeline,
    Processor,
    ProviderHistoryCompat,
    ToolCallFilter,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from replayable.messages import Messages


class LastTurns(Processor):
    """Keeps the messages from the ``count``-th last user message on."""

    id = "last-turns"

    def __init__(self, count: int) -> None:
        self.count = count

    @override
    def process_input(self, args: InputArgs) -> Messages | None:
        starts = [index for index, message in enumerate(args.messages) if message.role == "user"]
        return args.messages[starts[-self.count] :] if len(starts) > self.count else None


def searched(number: int, city: str) -> list[Message]:
    """One turn with a tool call, as it was stored."""
    call_id = f"functions.search:{number}"
    return [
        UserMessage(f"What is there to see in {city}?", id=f"m{number}"),
        AssistantMessage([ToolCallPart(tool_call_id=call_id, tool_name="search", input={"q": city})]),
        ToolMessage([ToolResultPart(tool_call_id=call_id, output=f"sights of {city}")]),
        AssistantMessage(f"In {city}, see the harbour."),
    ]


history = [*searched(1, "Oslo"), *searched(2, "Bergen"), *searched(3, "Bodø"), UserMessage("And Narvik?")]
pipeline = Pipeline(
    [
        LastTurns(3),
        ToolCallFilter(filter_after_tool_steps=1),
        CleanMessages(missing_results="placeholder"),
        ProviderHistoryCompat(),
    ]
)
prepared = pipeline.prepare(history, model="anthropic/claude-sonnet-5")
for change in prepared.changes:
    print(change)
for message in prepared.prompt.messages:
    print(f"{message.role}: {', '.join(part.type for part in message.parts)}")
