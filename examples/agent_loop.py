"""An agent loop of 20 steps with all processors, sync and async. The model is a fake that asks for a tool every time."""

import asyncio

from replayable import (
    AssistantMessage,
    CleanMessages,
    Message,
    Pipeline,
    Prompt,
    ProviderHistoryCompat,
    ReasoningPart,
    RuleMemory,
    ToolCallFilter,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)

MODEL = "anthropic/claude-sonnet-5"
# Stored by an earlier run, which crashed inside a tool call; another account had signed its thinking.
STORED: list[Message] = [
    UserMessage("Count to twenty.", id="m1"),
    AssistantMessage(
        [ReasoningPart(text="Easy.", signature="c2ln"), "Let me count."], id="m2", api="anthropic"
    ),
    UserMessage("Go on.", id="m3"),
    AssistantMessage(
        [ToolCallPart(tool_call_id="functions.count:0", tool_name="count", input={"n": 0})], id="m4"
    ),
    UserMessage("Are you there?", id="m5"),
]


class FakeModel:
    """Refuses the foreign signature as Anthropic does; else asks for the tool, and is done after 20 steps."""

    def __init__(self) -> None:
        self.requests = 0
        self.steps = 0

    def answer(self, prompt: Prompt) -> AssistantMessage:
        self.requests += 1
        if any(part.type == "reasoning" for message in prompt.messages for part in message.parts):
            raise RuntimeError("400 messages.1.content.0: Invalid `signature` in `thinking` block")
        self.steps += 1
        if self.steps == 20:
            return AssistantMessage("Twenty.")
        call = ToolCallPart(tool_call_id=f"c{self.steps}", tool_name="count", input={"n": self.steps})
        return AssistantMessage([call], provider="anthropic", api="anthropic")

    async def aanswer(self, prompt: Prompt) -> AssistantMessage:
        await asyncio.sleep(0)
        return self.answer(prompt)


def pipeline() -> Pipeline:
    return Pipeline(
        [
            ToolCallFilter(filter_after_tool_steps=3),
            CleanMessages(missing_results="placeholder"),
            ProviderHistoryCompat(memory=RuleMemory()),
        ]
    )


def results(answer: AssistantMessage) -> list[Message]:
    """Run the tools that an answer asks for."""
    calls = [part for part in answer.parts if part.type == "tool_call"]
    return [
        ToolMessage([ToolResultPart(tool_call_id=call.tool_call_id, output=str(call.input["n"]))])
        for call in calls
    ]


def show(title: str, messages: tuple[Message, ...] | list[Message]) -> None:
    print(f"{title}: {len(messages)} messages")
    for message in messages[:6]:
        print(f"  {message.id or '-'} {message.role}: {', '.join(part.type for part in message.parts)}")


def run_sync() -> tuple[Message, ...]:
    model, run = FakeModel(), pipeline().start(STORED, model=MODEL)
    while True:
        answer = run.call(model.answer)
        run.extend([answer, *results(answer)])
        if not results(answer):
            break
    sent = run.prompt().prompt.messages
    print(f"{model.steps} steps, {model.requests} requests; repaired: {', '.join(run.repaired_message_ids)}")
    show("stored before", STORED)
    show("stored after", run.messages)
    show("sent last", sent)
    return run.messages


async def run_async() -> tuple[Message, ...]:
    model, run = FakeModel(), pipeline().start(STORED, model=MODEL)
    while True:
        answer = await run.acall(model.aanswer)
        run.extend([answer, *results(answer)])
        if not results(answer):
            return run.messages


history = run_sync()
print("async gives the same history:", asyncio.run(run_async()) == history)
