"""Rule makers for whether this request thinks, where a provider checks the history against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from typing_extensions import Unpack

from ..._node import build
from ...edits import chained, with_parts
from ...facts import ASSISTANT, CALLS, REASONING, SERVER_TOOLS, facts_of
from ...messages import Message, Messages
from ...model_ref import ModelRef
from ...prompt import Prompt
from ...provider_error import ProviderError
from ...turns import loop_start
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .roles import user_last
from .tools_as_text import told_as_text

__all__ = ["reasoning_first", "stop_thinking_in_bare_loop", "strip_reasoning_when_off", "thinking_mode"]

# Where requests hold Anthropic's `thinking`: at the top, or in Bedrock's fields for the model.
_OFF: Final = {"type": "disabled"}


def thinking_mode(prompt: Prompt) -> str | None:
    """Return ``enabled``, ``adaptive`` or ``disabled``, as the request says it in Anthropic's way; None when it doesn't."""
    thinking = _holder(prompt).get("thinking")
    mode = thinking.get("type") if isinstance(thinking, dict) else None
    return mode if isinstance(mode, str) else None


def _holder(prompt: Prompt) -> dict[str, Any]:
    request = prompt.request or {}
    target = prompt.model.api if prompt.model is not None else None
    if target is not None and prompt.api not in (target, None):
        # What another API's request says of it is not sent.
        return {}
    if prompt.api == "bedrock":
        fields = request.get("additionalModelRequestFields")
        return fields if isinstance(fields, dict) else {}
    return request


def stop_thinking_in_bare_loop(
    name: str, *, refuses_prefill: Callable[[ModelRef], bool], **fields: Unpack[RuleFields]
) -> CompatRule:
    """Switch thinking off for this request while the turn that it goes on with began without thinking.

    That is an open tool loop, or a final answer that the model is to continue. Signed thinking can't be made up, and the
    loop can't be sent without its calls: the next turn thinks again. After a rejection, when only the history can be
    changed, the calls of such a loop and their results are told as text, and a user message follows a final answer.

    Args:
        name: The rule's name.
        refuses_prefill: Whether a model continues no final answer: another rule puts a user message behind it, which ends
            the turn.
        fields: See ``RuleFields``.
    """

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        messages = prompt.messages
        if thinking_mode(prompt) != "enabled" or not _began_bare(messages):
            return None
        models = prompt.model.candidates() if prompt.model is not None else ()
        if _is_answer(messages[-1]) and any(map(refuses_prefill, models)):
            return None
        return _without_thinking(prompt)

    def fix(messages: Messages, _error: ProviderError) -> Messages | None:
        return chained(messages, _BARE_AS_TEXT, user_last) if _began_bare(messages) else None

    return CompatRule(
        name=name,
        summary=fields["summary"],
        apply_to_prompt=apply_to_prompt,
        fix=fix,
        needs=ASSISTANT,
        evidence=fields["evidence"],
        examples=fields.get("examples", ()),
    )


def _is_answer(message: Message) -> bool:
    return message.role == "assistant" and not facts_of(message) & (CALLS | SERVER_TOOLS)


def _thinks(message: Message) -> bool:
    return bool(facts_of(message) & REASONING)


_BARE_AS_TEXT: Final = told_as_text(lambda message: not _thinks(message), since=loop_start)


def _began_bare(messages: Messages) -> bool:
    """Whether the open turn, a tool loop or a final answer, began without thinking."""
    first = next(_open_loop(messages), ())
    return bool(first) and not any(map(_thinks, first))


def strip_reasoning_when_off(
    name: str, *, thinks_by_default: Callable[[ModelRef], bool], **fields: Unpack[RuleFields]
) -> CompatRule:
    """Drop the reasoning of an open tool loop where this request does not think.

    Args:
        name: The rule's name.
        thinks_by_default: Whether a model thinks when the request says nothing about it.
        fields: See ``RuleFields``.
    """

    def is_off(prompt: Prompt) -> bool:
        mode = thinking_mode(prompt)
        # A bare list of messages says nothing about the request around it.
        if prompt.request is None or prompt.model is None or mode not in ("disabled", None):
            return False
        return mode == "disabled" or not any(map(thinks_by_default, prompt.model.candidates()))

    def change(messages: Messages) -> Messages | None:
        loop = {id(message) for turn in _open_loop(messages) for message in turn}
        return _without_reasoning(messages, loop)

    fields["when"] = is_off
    return message_rule(name, change, needs=REASONING, **fields)


def reasoning_first(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Drop the reasoning of a turn that does not begin with it, unless thinking is adaptive.

    Blocks that were signed in one order can't be put into another.
    """

    def change(messages: Messages) -> Messages | None:
        late: set[int] = set()
        for turn in _turns(messages):
            kinds = [part.type for message in turn for part in message.parts]
            if kinds and kinds[0] != "reasoning" and "reasoning" in kinds:
                late.update(map(id, turn))
        return _without_reasoning(messages, late)

    def is_not_adaptive(prompt: Prompt) -> bool:
        return thinking_mode(prompt) != "adaptive"

    fields["when"] = is_not_adaptive
    return message_rule(name, change, needs=REASONING, **fields)


def _turns(messages: Messages) -> Iterator[Messages]:
    """The answers of the model: what stands in a row is one to the provider."""
    start: int | None = None
    for index, message in enumerate(messages):
        if message.role == "assistant":
            start = index if start is None else start
        elif start is not None:
            yield messages[start:index]
            start = None
    if start is not None:
        yield messages[start:]


def _open_loop(messages: Messages) -> Iterator[Messages]:
    """The answers of the tool loop that this request goes on with, or ends."""
    return _turns(messages[loop_start(messages) :])


def _without_reasoning(messages: Messages, chosen: set[int]) -> Messages | None:
    """The history without the reasoning of the chosen messages; None when there was none."""
    out: list[Message] = []
    changed = False
    for message in messages:
        if id(message) in chosen and facts_of(message) & REASONING:
            changed = True
            parts = [part for part in message.parts if part.type != "reasoning"]
            if not parts:
                continue
            message = with_parts(message, parts)
        out.append(message)
    return tuple(out) if changed else None


def _without_thinking(prompt: Prompt) -> Prompt:
    request = dict(prompt.request or {})
    if prompt.api == "bedrock":
        request["additionalModelRequestFields"] = {**_holder(prompt), "thinking": _OFF}
    else:
        request["thinking"] = _OFF
    # Something beside the messages changed: the wire request is no longer this prompt's.
    return build(Prompt, {**prompt.__dict__, "request": request, "thinking": False})
