"""What the tests of the two chat formats share."""

from __future__ import annotations

import json
import pickle
from typing import Any

from replayable import Prompt
from replayable.edits import map_parts
from replayable.formats import format_named
from replayable.messages import Part, ToolCallPart, ToolResultPart, messages_from_json, messages_to_json
from replayable.prompt import with_messages


def text_of(value: Any) -> str:
    """JSON with sorted keys, since in Python ``1 == True == 1.0``."""
    return json.dumps(value, sort_keys=True)


def decoded(format_name: str, request: Any) -> Prompt:
    """The prompt, after checking that it goes back as the very object, and by value without the remembered wire."""
    known = format_named(format_name)
    before = text_of(request)
    prompt = known.decode(request)
    assert known.encode(prompt).request is request
    assert known.encode(prompt).changes == ()
    stored = messages_from_json(messages_to_json(prompt.messages))
    assert stored == prompt.messages
    for copy in (pickle.loads(pickle.dumps(prompt)), with_messages(prompt, stored)):
        assert text_of(known.encode(copy).request) == before
    assert text_of(request) == before
    return prompt


def touched(prompt: Prompt) -> Prompt:
    """The prompt with every message copied, so that none remembers its wire object; the parts still do."""
    return with_messages(prompt, [message.model_copy() for message in prompt.messages])


def renamed(prompt: Prompt, old: str, new: str) -> Prompt:
    """The prompt with one tool call id changed, as a rule would do it."""

    def change(_message: object, part: Part) -> Part:
        if isinstance(part, ToolCallPart | ToolResultPart) and part.tool_call_id == old:
            return part.model_copy(update={"tool_call_id": new})
        return part

    messages = map_parts(prompt.messages, change, needs=-1)
    assert messages is not None
    return with_messages(prompt, messages)
