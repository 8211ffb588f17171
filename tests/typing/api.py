"""What type checkers see of the public names; checked, and imported by a test, never run for its effects."""

from __future__ import annotations

from typing import assert_type

from typing_extensions import override

from replayable import (
    AssistantMessage,
    Change,
    Fixed,
    InputArgs,
    LLMRequestArgs,
    Pipeline,
    Processor,
    Prompt,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
    clean_messages,
    fix,
    messages_to_json,
)
from replayable.messages import Messages


class Quiet(Processor):
    """A processor that overrides two hooks."""

    id = "quiet"

    @override
    def process_input(self, args: InputArgs) -> Messages | None:
        return None

    @override
    def process_llm_request(self, args: LLMRequestArgs) -> Prompt | None:
        assert_type(args.prompt, Prompt)
        assert_type(args.step_number, int)
        return None


def construct() -> None:
    """Messages are pleasant to write by hand."""
    UserMessage("hi", id="m1")
    AssistantMessage(
        ["Let me see.", ToolCallPart(tool_call_id="c", tool_name="t", input={"a": 1})], provider="openai"
    )
    AssistantMessage(parts=[ToolCallPart(tool_name="t")])
    ToolMessage([ToolResultPart(tool_call_id="c", output="done")])


def call() -> None:
    """The one call, and a run."""
    fixed = fix([{"role": "user", "content": "hi"}], model="openai/gpt-4o")
    assert_type(fixed, Fixed)
    assert_type(fixed.changes, tuple[Change, ...])
    run = Pipeline([Quiet()]).start([UserMessage("hi")], model="openai/gpt-4o")
    assert_type(run.call(lambda prompt: len(prompt.messages)), int)
    assert_type(run.recover(ValueError()), bool)


def mixed_list() -> None:
    """A list of several message classes is accepted as it is written."""
    history = [UserMessage("hi"), AssistantMessage("hello")]
    clean_messages(history)
    messages_to_json(history)
    Pipeline.default().prepare(history, model="openai/gpt-4o")
