"""What each format can express, found by writing one thing at a time in it and looking at what is listed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from replayable import (
    AssistantMessage,
    FilePart,
    OpaquePart,
    Prompt,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolChoice,
    ToolDefinition,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from replayable.formats import Format
from replayable.messages import Message

__all__ = ["MEANINGS", "PROBES", "Probe", "outcome"]

# What is listed whatever is written: what the wire demands of every request.
# A document's name may have to be spelt otherwise.
_ALWAYS: Final = frozenset(
    {"max-tokens-demanded", "request-fields-left-out", "tools-demanded", "document-name"}
)

MEANINGS: Final = {
    "as text": "a text says what it was, in its place",
    "after the results": "the tool result names it, and it follows the run of results in a user turn",
    "in a user turn": "it becomes text of a user turn, in its place",
    "beside": "it is returned beside the list, as ``Encoded.system``",
    "in an object": "it is put into an object, which is all that the wire takes",
    "joined": "its texts become one",
    "not marked": "it is written, but without the mark",
    "in part": "what the wire can say of it is written",
    "left out": "it leaves the request",
}
"""The outcomes short of "yes", each of which is listed in ``changes``."""

_OUTCOMES: Final = {
    "not-supported-here": "as text",
    "file-follows-tool-result": "after the results",
    "system-stands-in-a-user-turn": "in a user turn",
    "system-stands-beside-the-list": "beside",
    "input-is-no-object": "in an object",
    "texts-joined": "joined",
    "fields-left-out": "not marked",
    "tool-choice": "in part",
    "belongs-to-the-agent": "left out",
    "no-field-for-reasoning": "left out",
    "unsigned-reasoning": "left out",
    "foreign-reasoning": "left out",
    "provider-executed-tool": "left out",
    "reasoning-of-unknown-maker": "left out",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One thing that a history may hold.

    Args:
        title: What it is.
        messages: A history that holds it and nothing else of note.
        prompt: Fields of the prompt around the messages.
    """

    title: str
    messages: tuple[Message, ...]
    prompt: dict[str, Any] = field(default_factory=dict)


def outcome(probe: Probe, known: Format) -> str:
    """Say what becomes of a probe in a format: ``yes`` or one of ``MEANINGS``.

    Raises:
        KeyError: A change is listed of which this module does not know what it means.
    """
    request = {"max_tokens": 100} if probe.prompt else {}
    encoded = known.encode(Prompt(messages=probe.messages, request=request, **probe.prompt))
    rules = {str(change.rule) for change in encoded.changes} - _ALWAYS
    # What became of the thing itself counts, not what this left unmarked.
    told = [_OUTCOMES[rule] for rule in sorted(rules)]
    return next((text for text in MEANINGS if text in told), "yes")


def _user(*parts: Any) -> tuple[Message, ...]:
    return (UserMessage(["Look:", *parts]),)


def _answer(*parts: Any) -> tuple[Message, ...]:
    return (UserMessage("Hello"), AssistantMessage(parts=parts))


def _result(call: ToolCallPart | None = None, **fields: Any) -> tuple[Message, ...]:
    called = call or ToolCallPart(tool_call_id="call00001", tool_name="look", input={})
    result = ToolResultPart(tool_call_id="call00001", tool_name="look", **fields)
    return (UserMessage("Hello"), AssistantMessage(parts=[called]), ToolMessage(parts=[result]))


_PNG: Final = "iVBORw0KGgo="
_IMAGE: Final = FilePart(media_type="image/png", data=_PNG)
_CALL: Final[dict[str, Any]] = {"tool_call_id": "call00001", "tool_name": "look"}
_TOOLS: Final = (ToolDefinition(name="look", parameters={"type": "object"}), ToolDefinition(name="listen"))


def _choice(title: str, **fields: Any) -> Probe:
    return Probe(
        title=title,
        messages=(UserMessage("Hello"),),
        prompt={"tools": _TOOLS, "tool_choice": ToolChoice(**fields)},
    )


PROBES: Final = (
    Probe(title="system prompt", messages=(SystemMessage("Be brief."), UserMessage("Hello"))),
    Probe(
        title="a later system message",
        messages=(
            UserMessage("Hello"),
            AssistantMessage("Hi"),
            SystemMessage("Be brief."),
            UserMessage("Go on."),
        ),
    ),
    Probe(title="several texts in a message", messages=(UserMessage(["Hello", "Are you there?"]),)),
    Probe(title="image, by content", messages=_user(_IMAGE)),
    Probe(
        title="image, by URL",
        messages=_user(FilePart(media_type="image/png", url="https://example.org/a.png")),
    ),
    Probe(
        title="PDF, by content",
        messages=_user(FilePart(media_type="application/pdf", data="JVBERi0=", filename="a.pdf")),
    ),
    Probe(
        title="PDF, by URL",
        messages=_user(FilePart(media_type="application/pdf", url="https://example.org/a.pdf")),
    ),
    Probe(
        title="file, by an id given by hand",
        messages=_user(FilePart(media_type="application/pdf", file_id="file-1")),
    ),
    Probe(
        title="text file, by content",
        messages=_user(FilePart(media_type="text/plain", data="SGk=", filename="a.txt")),
    ),
    Probe(title="audio (WAV), by content", messages=_user(FilePart(media_type="audio/wav", data="UklGRg=="))),
    Probe(title="video (MP4), by content", messages=_user(FilePart(media_type="video/mp4", data="AAAA"))),
    Probe(
        title="video (MP4), by URL",
        messages=_user(FilePart(media_type="video/mp4", url="https://example.org/a.mp4")),
    ),
    Probe(title="image in an answer", messages=_answer("Here:", _IMAGE)),
    Probe(title="reasoning of unknown origin, readable", messages=_answer(ReasoningPart(text="Hm."), "Yes.")),
    Probe(
        title="reasoning of unknown origin, opaque", messages=_answer(ReasoningPart(encrypted="x"), "Yes.")
    ),
    Probe(
        title="several calls in an answer",
        messages=(
            UserMessage("Hello"),
            AssistantMessage(
                parts=[
                    ToolCallPart(**_CALL, input={}),
                    ToolCallPart(tool_call_id="call00002", tool_name="look", input={}),
                ]
            ),
            ToolMessage(
                parts=[
                    ToolResultPart(tool_call_id="call00001", output="a"),
                    ToolResultPart(tool_call_id="call00002", output="b"),
                ]
            ),
        ),
    ),
    Probe(title="arguments that are a list", messages=_result(ToolCallPart(**_CALL, input=[1]), output="ok")),
    Probe(
        title="arguments that are no JSON",
        messages=_result(ToolCallPart(**_CALL, raw_input="{"), output="ok"),
    ),
    Probe(title="result: text", messages=_result(output="ok")),
    Probe(title="result: JSON", messages=_result(output={"degrees": 4})),
    Probe(title="result: several texts", messages=_result(content=(TextPart("a"), TextPart("b")))),
    Probe(title="result: an image", messages=_result(content=(TextPart("See:"), _IMAGE))),
    Probe(title="result: marked as an error", messages=_result(output="It broke.", is_error=True)),
    Probe(
        title="tool run by another provider's server",
        messages=_answer(
            ToolCallPart(tool_call_id="srv1", tool_name="web_search", input={}, provider_executed=True),
            ToolResultPart(tool_call_id="srv1", output="found", provider_executed=True),
            "Found it.",
        ),
    ),
    Probe(
        title="part that only another API knows",
        messages=_user(OpaquePart(api="elsewhere", value={"type": "sketch"})),
    ),
    _choice("tool choice: some tool", type="required"),
    _choice("tool choice: this tool", type="tool", tool_name="look"),
    _choice("tool choice: none", type="none"),
    _choice("tool choice: one of these", type="required", allowed=("look",)),
    _choice("no parallel calls", type="auto", parallel=False),
)
