"""``check``: the faults of a request, told by the repairs themselves."""

from __future__ import annotations

from typing import Any

import pytest

from replayable import (
    AssistantMessage,
    ConfigurationError,
    Prompt,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
    check,
    fix,
)

CLAUDE = "anthropic/claude-sonnet-4-5"
HI = UserMessage("Hi")
BEHIND = [{"role": "assistant", "content": "Hello"}, {"role": "user", "content": "Where is Oslo?"}]


def call(tool_call_id: str) -> ToolCallPart:
    """A call of one tool."""
    return ToolCallPart(tool_call_id=tool_call_id, tool_name="search", input={})


def result(tool_call_id: str) -> ToolResultPart:
    """Its result."""
    return ToolResultPart(tool_call_id=tool_call_id, output="Found.")


def faults(*messages: Any, model: Any = CLAUDE) -> list[tuple[str, str, int | None, int | None]]:
    """Rule, fault and place of each finding."""
    return [
        (found.rule, found.fault, found.message_index, found.part_index)
        for found in check(list(messages), model=model)
    ]


def test_a_good_history_has_no_findings() -> None:
    """What the provider accepts gives nothing."""
    assert faults(HI, AssistantMessage(parts=[call("a")]), ToolMessage(parts=[result("a")])) == []


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([HI, AssistantMessage(parts=["One.", call("a"), call("b")]), ToolMessage(parts=[result("a")])],
         [("clean-messages", "call-without-result", 1, 2)]),
        ([HI, AssistantMessage(parts=[call("a")]), HI], [("clean-messages", "call-without-result", 1, 0)]),
        ([HI, ToolMessage(parts=[result("a"), result("b")])],
         [("clean-messages", "result-without-call", 1, 0), ("clean-messages", "result-without-call", 1, 1)]),
        ([HI, AssistantMessage(parts=[call("a")]), ToolMessage(parts=[result("z")])],
         [("clean-messages", "call-without-result", 1, 0), ("clean-messages", "result-without-call", 2, 0)]),
        ([HI, AssistantMessage(parts=[call("a")]), HI, ToolMessage(parts=[result("a")])],
         [("clean-messages", "result-out-of-place", 3, None)]),
        ([HI, AssistantMessage(parts=[call("")]), ToolMessage(parts=[result("a")])],
         [("clean-messages", "call-without-id", 1, 0), ("anthropic-tool-id-format", "anthropic-tool-id-format", 1, 0)]),
        ([HI, AssistantMessage(parts=[call("a")]), ToolMessage(parts=[result("a"), result("a")])],
         [("clean-messages", "repeated-result", 2, 1)]),
        ([HI, AssistantMessage(parts=[call("a"), call("a")]), ToolMessage(parts=[result("a")])],
         [("clean-messages", "repeated-call-id", 1, 1)]),
        ([HI, AssistantMessage(parts=[call("a:b")]), ToolMessage(parts=[result("a:b")])],
         [("anthropic-tool-id-format", "anthropic-tool-id-format", 1, 0),
          ("anthropic-tool-id-format", "anthropic-tool-id-format", 2, 0)]),
        ([HI, AssistantMessage(parts=[TextPart(" "), "Hi"])],
         [("anthropic-drop-empty", "anthropic-drop-empty", 1, 0)]),
    ],
)  # fmt: skip
def test_findings(messages: list[Any], expected: list[tuple[str, str, int | None, int | None]]) -> None:
    """Each fault is found once, where it stands, under the name of what repairs it."""
    assert faults(*messages) == expected


def test_a_finding_says_what_the_provider_would_say() -> None:
    """The words of the model's own provider come first; the repair and its changes are told."""
    unanswered = [HI, AssistantMessage(parts=[call("a")])]
    for model, words in (
        (CLAUDE, "`tool_use` ids were found without `tool_result` blocks immediately after"),
        ("openai/gpt-5", "The following tool_call_ids did not have response messages"),
        ("mistral/mistral-large-latest", "Not the same number of function calls and responses"),
    ):
        found = check(unanswered, model=model, without_rules=["mistral-tool-call-id"])[0]
        assert words in found.evidence[0].text
        assert str(found).startswith("message 1, part 0: call-without-result: ")
        assert [change.action for change in found.changes] == ["added"]


@pytest.mark.parametrize(
    "request_",
    [
        {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": " "}, {"role": "user", "content": "Well?"}]},
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": " "}, {"role": "user", "content": "Well?"}],
        Prompt(messages=(HI, AssistantMessage(" "), HI)),
        [HI, AssistantMessage(" "), HI],
    ],
)  # fmt: skip
def test_what_can_be_checked(request_: Any) -> None:
    """Request bodies, lists of wire messages, prompts and message models."""
    assert [found.rule for found in check(request_, model=CLAUDE)] == ["anthropic-drop-empty"]


def test_what_has_to_come_in_stands_nowhere_yet() -> None:
    """A message is missing in the request, a part in its message: a finding points at nothing that is not there."""
    (finding,) = check({"messages": [{"role": "system", "content": "x"}]}, model="openai/gpt-5")
    assert (finding.message_index, finding.part_index) == (None, None)
    (finding,) = check([{"role": "user"}], model="openai/gpt-5", source="openai_chat")
    assert (finding.message_index, finding.part_index) == (0, None)


@pytest.mark.parametrize("empty", [(), []])
def test_an_empty_history_can_be_checked(empty: Any) -> None:
    """One of models is one as much as an empty list of a wire."""
    assert [finding.rule for finding in check(empty, model="openai/gpt-5")] == ["chat-some-message"]


def test_rules_can_be_left_out() -> None:
    """A rule that is switched off gives no finding; a name that no rule has is refused."""
    history = [HI, AssistantMessage(" "), HI]
    assert check(history, model=CLAUDE, without_rules=["anthropic-drop-empty"]) == []
    with pytest.raises(ConfigurationError, match="no built-in rules named anthropic-drop-emtpy"):
        check(history, model=CLAUDE, without_rules=["anthropic-drop-emtpy"])


def test_after_the_repair_nothing_is_found() -> None:
    """What ``fix`` returns has no findings."""
    broken = {
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a:b", "name": "search", "input": {}}]},
            {"role": "user", "content": [{"type": "text", "text": " "}]},
        ]
    }  # fmt: skip
    assert len(check(broken, model=CLAUDE)) == 3
    assert check(fix(broken, model=CLAUDE).request, model=CLAUDE) == []


@pytest.mark.parametrize(
    ("model", "content", "rule"),
    [
        ("deepseek/deepseek-chat", {}, "deepseek-content-present"),
        ("deepseek/deepseek-chat", {"content": None}, "chat-content-present"),
        ("xai/grok-4", {"content": None}, "xai-empty-messages"),
        ("qwen/qwen3-max", {"content": None}, "qwen-content-present"),
    ],
)
def test_a_fault_is_named_once(model: str, content: dict[str, None], rule: str) -> None:
    """By the first rule that repairs it: the provider's own, then the one for its API."""
    request = {"messages": [{"role": "user", **content}, *BEHIND]}
    assert [(finding.rule, finding.message_index) for finding in check(request, model=model)] == [(rule, 0)]


def test_a_rule_names_what_is_left_to_it() -> None:
    """Of two faults that it would repair, not the one that another rule repairs before it."""
    request = {"messages": [{"role": "user"}, *BEHIND[:1], {"role": "user", "content": None}]}
    found = [
        (finding.rule, finding.message_index) for finding in check(request, model="deepseek/deepseek-chat")
    ]
    assert found == [("deepseek-content-present", 0), ("chat-content-present", 2)]
