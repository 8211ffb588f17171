"""Pipelines and runs: hooks in order, what lasts how long, and what goes wrong."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from typing_extensions import override

from replayable import (
    APIErrorArgs,
    AssistantMessage,
    CleanMessages,
    ConfigurationError,
    ErrorRepair,
    InputArgs,
    InputStepArgs,
    LLMRequestArgs,
    Message,
    ModelRef,
    Pipeline,
    Processor,
    ProcessorError,
    Prompt,
    RunAborted,
    SystemMessage,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from replayable.messages import Messages

HISTORY = (UserMessage("Hello", id="u1"),)


class Tagger(Processor):
    """Adds a system message in the hooks that it is told, to show what lasts how long."""

    def __init__(self, name: str, *hooks: str) -> None:
        self.id = name
        self.hooks = hooks
        self.seen: list[tuple[str, int, int, int]] = []

    def _tag(self, hook: str, args: Any, messages: Messages) -> Messages | None:
        self.seen.append((hook, args.step_number, args.retry_count, len(args.new_messages)))
        return (SystemMessage(f"{self.id}:{hook}"), *messages) if hook in self.hooks else None

    @override
    def process_input(self, args: InputArgs) -> Messages | None:
        return self._tag("input", args, args.messages)

    @override
    def process_input_step(self, args: InputStepArgs) -> Messages | None:
        return self._tag("step", args, args.messages)

    @override
    def process_llm_request(self, args: LLMRequestArgs) -> Prompt | None:
        messages = self._tag("request", args, args.prompt.messages)
        return None if messages is None else args.prompt.model_copy(update={"messages": messages})

    @override
    def process_api_error(self, args: APIErrorArgs) -> ErrorRepair | None:
        messages = self._tag("error", args, args.messages)
        return None if messages is None else ErrorRepair(messages=messages, retry=True)


def _tags(messages: tuple[Message, ...]) -> list[str]:
    return [part.text for message in messages for part in message.parts if part.type == "text"]


def test_hooks_run_in_order_and_last_as_long_as_they_should() -> None:
    """Input changes last for the run, step changes for a step, prompt changes for a call, repairs are persisted."""
    one, two = Tagger("one", "input", "step", "request", "error"), Tagger("two", "input", "request")
    run = Pipeline([one, two]).start(HISTORY, model="openai/gpt-4o")
    assert _tags(run.messages) == ["two:input", "one:input", "Hello"]
    assert _tags(run.prompt().prompt.messages) == [
        "two:request", "one:request", "one:step", "two:input", "one:input", "Hello",
    ]  # fmt: skip
    assert _tags(run.messages) == ["two:input", "one:input", "Hello"]
    assert run.recover("no")
    assert _tags(run.messages) == ["one:error", "two:input", "one:input", "Hello"]
    run.prompt()
    run.extend([{"role": "assistant", "parts": "Hi"}])
    run.prompt()
    assert one.seen == [
        ("input", 0, 0, 0), ("step", 0, 0, 0), ("request", 0, 0, 0), ("error", 0, 0, 0),
        ("step", 0, 1, 0), ("request", 0, 1, 0), ("step", 1, 0, 1), ("request", 1, 0, 1),
    ]  # fmt: skip


def test_a_prompt_that_nobody_changes_is_the_same_object() -> None:
    """Unchanged means the very same prompt, and no changes."""
    prompt = Prompt(messages=HISTORY)
    prepared = Pipeline([Tagger("quiet")]).prepare(prompt)
    assert prepared.prompt is prompt
    assert prepared.changes == ()


def test_changes_name_the_processor_and_the_place_in_the_callers_history() -> None:
    """What a processor changes without a rule is listed under its id; indexes are those of the history handed in."""

    class Censor(Processor):
        id = "censor"

        @override
        def process_llm_request(self, args: LLMRequestArgs) -> Prompt | None:
            kept = tuple(message for message in args.prompt.messages if message.id != "u2")
            return args.prompt.model_copy(update={"messages": kept})

    history = [*HISTORY, AssistantMessage("Hi"), UserMessage("Secret", id="u2")]
    changes = Pipeline([Tagger("one", "request"), Censor()]).prepare(history, model="openai/gpt-4o").changes
    assert [(c.processor, c.action, c.message_index, c.message_id) for c in changes] == [
        ("one", "added", 0, None),
        ("censor", "removed", 2, "u2"),
    ]
    assert "Secret" not in " ".join(map(str, changes))


def test_changes_of_what_a_run_was_extended_by_have_places() -> None:
    """The run's own messages count on behind the history; each prompt tells its own changes, the run the latest ones."""
    run = Pipeline([CleanMessages()]).start(HISTORY, model="openai/gpt-4o")
    run.extend([UserMessage("And?")])
    run.extend([ToolMessage([ToolResultPart(tool_call_id="a", output="ok")])])
    for _ in range(2):
        assert [str(change) for change in run.prompt().changes] == [
            "clean-messages: removed message 2: tool message with tool result (id 'a')"
        ]
    assert len(run.changes) == 1


def test_a_processor_that_raises_is_named_with_its_hook() -> None:
    """The error tells which processor and hook, and holds the cause."""

    class Broken(Processor):
        id = "broken"

        @override
        def process_input_step(self, args: InputStepArgs) -> Messages | None:
            raise KeyError("oops")

    run = Pipeline([Broken()]).start(HISTORY, model="openai/gpt-4o")
    with pytest.raises(ProcessorError, match="'broken' raised in process_input_step: KeyError") as caught:
        run.prompt()
    assert isinstance(caught.value.__cause__, KeyError)


def test_abort_stops_the_run_with_a_typed_error() -> None:
    """`abort(reason)` reaches the caller with the reason, the processor and the hook."""

    class Guard(Processor):
        id = "guard"

        @override
        def process_llm_request(self, args: LLMRequestArgs) -> Prompt | None:
            args.abort(f"not in step {args.step_number} for {args.request_context['tenant']}")

    run = Pipeline([Guard()]).start(HISTORY, model="openai/gpt-4o", request_context={"tenant": "t1"})
    with pytest.raises(RunAborted) as caught:
        run.call(lambda prompt: "never")
    assert (caught.value.reason, caught.value.processor_id, caught.value.hook) == (
        "not in step 0 for t1", "guard", "process_llm_request",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("processors", "says"),
    [
        ([object()], "is not a processor"),
        ([Tagger], "is a class"),
        (["clean-messages"], "str is not a processor"),
    ],
)
def test_what_is_no_processor_is_refused_at_construction(processors: list[Any], says: str) -> None:
    """The message says what is lacking and what to do."""
    with pytest.raises(ConfigurationError, match=says):
        Pipeline(processors)


def test_negative_retries_are_refused() -> None:
    """A pipeline can't retry less than never."""
    with pytest.raises(ConfigurationError, match="max_retries"):
        Pipeline([], max_retries=-1)


def test_display_name_defaults_to_the_id() -> None:
    """A processor that sets no name shows its id."""
    assert Tagger("one").name == "one"


def test_the_model_may_come_with_the_prompt() -> None:
    """Without `model`, the prompt's own counts; with it, it is replaced and the rest kept."""
    prompt = Prompt(messages=HISTORY, model=ModelRef.of("openai/gpt-4o"))
    assert Pipeline([]).start(prompt).model == ModelRef.of("openai/gpt-4o")
    assert Pipeline([]).start(prompt, model="anthropic/claude-sonnet-4-5").model.provider == "anthropic"


class Counter(Processor):
    """Counts in its private state; a run that saw another's state would count wrong."""

    id = "counter"

    @override
    def process_llm_request(self, args: LLMRequestArgs) -> Prompt | None:
        args.state["count"] = args.state.get("count", 0) + 1
        run_name = args.request_context["run"]
        assert args.state.setdefault("run", run_name) == run_name
        assert args.state["count"] == args.step_number + 1
        tag = SystemMessage(f"{run_name}:{args.state['count']}")
        return args.prompt.model_copy(update={"messages": (tag, *args.prompt.messages)})


def _loop(pipeline: Pipeline, name: str) -> list[str]:
    run = pipeline.start(HISTORY, model="openai/gpt-4o", request_context={"run": name})
    seen = []
    for step in range(20):
        seen.append(_tags(run.call(lambda prompt: prompt.messages))[0])
        run.extend([AssistantMessage(f"{name} {step}")])
    return seen


def test_fifty_threads_share_a_pipeline_without_mixing_state() -> None:
    """One processor list serves 50 concurrent runs in threads."""
    pipeline = Pipeline([Counter()])
    with ThreadPoolExecutor(50) as pool:
        seen = list(pool.map(lambda number: _loop(pipeline, f"run{number}"), range(50)))
    assert seen == [[f"run{number}:{step}" for step in range(1, 21)] for number in range(50)]


def test_fifty_tasks_share_a_pipeline_without_mixing_state() -> None:
    """One processor list serves 50 concurrent runs in one event loop."""
    pipeline = Pipeline([Counter()])

    async def loop(name: str) -> list[str]:
        run = pipeline.start(HISTORY, model="openai/gpt-4o", request_context={"run": name})
        seen = []

        async def send(prompt: Prompt) -> Messages:
            await asyncio.sleep(0)
            return prompt.messages

        for step in range(20):
            seen.append(_tags(await run.acall(send))[0])
            run.extend([AssistantMessage(f"{name} {step}")])
        return seen

    async def all_of_them() -> list[list[str]]:
        return await asyncio.gather(*(loop(f"run{number}") for number in range(50)))

    seen = asyncio.run(all_of_them())
    assert seen == [[f"run{number}:{step}" for step in range(1, 21)] for number in range(50)]
