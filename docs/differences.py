"""What each provider does with one oddity in an otherwise plain history: the table of provider differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from replayable import (
    AssistantMessage,
    FilePart,
    Message,
    ModelRef,
    Pipeline,
    Prompt,
    ReasoningPart,
    SystemMessage,
    ToolCallPart,
    ToolDefinition,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from replayable.formats import FORMATS, format_named

__all__ = ["ODDITIES", "Oddity", "repairs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Oddity:
    """One thing in a history that some providers refuse.

    Args:
        title: What it is, as a column's head.
        messages: The history.
        declared: Whether the request declares the tool.
    """

    title: str
    messages: tuple[Message, ...]
    declared: bool = True


_HI: Final = UserMessage("Hi")
_BYE: Final = UserMessage("Well?")
_IMAGE: Final = FilePart(
    media_type="image/png",
    data="iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
)


def _called(
    tool_call_id: str = "call00001", tool_name: str = "look", tool_input: Any = None, **result: Any
) -> tuple[Message, ...]:
    call = ToolCallPart(
        tool_call_id=tool_call_id, tool_name=tool_name, input={} if tool_input is None else tool_input
    )
    answer: dict[str, Any] = {"output": "4"} | result
    return (
        AssistantMessage([call]),
        ToolMessage([ToolResultPart(tool_call_id=tool_call_id, tool_name=tool_name, **answer)]),
    )


PLAIN: Final = Oddity(title="a call and its result", messages=(_HI, *_called()))
"""Nothing odd: what is done to it is done to every call."""

ODDITIES: Final = (
    PLAIN,
    Oddity(title="id `functions.look:0`", messages=(_HI, *_called("functions.look:0"))),
    Oddity(title="id of 70 characters", messages=(_HI, *_called("call_" + "x" * 65))),
    Oddity(title="one id in two turns", messages=(_HI, *_called(), *_called())),
    Oddity(title="tool name with a dot", messages=(_HI, *_called(tool_name="web.look"))),
    Oddity(title="arguments that are a list", messages=(_HI, *_called(tool_input=[1]))),
    Oddity(title="calls, but no tools declared", messages=(_HI, *_called()), declared=False),
    Oddity(title="image in a result", messages=(_HI, *_called(output=None, content=(_IMAGE,)))),
    Oddity(
        title="another provider's reasoning",
        messages=(
            _HI,
            AssistantMessage([ReasoningPart(text="Hm."), "4"], provider="elsewhere", api="elsewhere"),
            _BYE,
        ),
    ),
    Oddity(
        title="later system message", messages=(_HI, AssistantMessage("4"), SystemMessage("Be brief."), _BYE)
    ),
    Oddity(title="begins with an answer", messages=(AssistantMessage("Hello"), _HI)),
    Oddity(title="ends with an answer", messages=(_HI, AssistantMessage("4"))),
    Oddity(title="two user turns running", messages=(_HI, AssistantMessage("4"), _HI, _BYE)),
    Oddity(title="user behind results", messages=(_HI, *_called(), _BYE)),
    Oddity(title="empty answer", messages=(_HI, AssistantMessage(""), _BYE)),
    Oddity(title="empty user turn", messages=(_HI, AssistantMessage("4"), UserMessage(""))),
)


def repairs(oddity: Oddity, model: ModelRef) -> list[tuple[str, str]]:
    """Return who changes something on the way to a model's provider: a rule, or what the format (``formats.<api>``) notes.

    What is done to a plain call is told once, of that.
    """
    found = _repairs(oddity, model)
    usual = [] if oddity is PLAIN else _repairs(PLAIN, model)
    return [one for one in found if one not in usual]


def _repairs(oddity: Oddity, model: ModelRef) -> list[tuple[str, str]]:
    tools = (ToolDefinition(name="look", parameters={"type": "object"}),) if oddity.declared else None
    # An API that is no format of ours is a dialect of OpenAI's.
    api = model.api if model.api in FORMATS else "openai_chat"
    prompt = Prompt(messages=oddity.messages, tools=tools, request={"max_tokens": 100})
    prepared = Pipeline.default().prepare(prompt, model=model)
    encoded = format_named(api).encode(prepared.prompt)
    changes = (*prepared.changes, *encoded.changes)
    return list(dict.fromkeys((change.processor, change.rule or "") for change in changes))
