"""From a prompt to Mastra's stored messages."""

from __future__ import annotations

from ...prompt import Prompt, unchanged_list
from ..ai_sdk.names import STORED
from ..ai_sdk.write import write_messages
from ..rewriting import Losses, fill_missing_ids, renewed_list, renewed_request
from ..wire import Encoded
from .names import API

__all__ = ["encode"]


def encode(prompt: Prompt) -> Encoded:
    """Write a prompt as a list of stored messages, or as an object that holds it when it came from one.

    What nobody touched comes back as the very object that was decoded. From another API each answer becomes one stored
    message together with the results of its calls. An ``id`` or time that is not known is left out: Mastra gives both
    when a message is added. What stored messages can't express is listed in ``changes``.
    """
    losses = Losses(API, prompt.messages)
    if prompt.api == API:
        wires = unchanged_list(prompt, API) or write_messages(prompt.messages, API, STORED, losses, own=True)
        if prompt.request is None:
            return Encoded(request=renewed_list(prompt, wires), changes=tuple(losses.changes))
        request = renewed_request(prompt, {"messages": wires}, losses, tools=lambda: ({}, []))
        return Encoded(request=request, changes=tuple(losses.changes))
    wires = write_messages(fill_missing_ids(prompt.messages, losses), API, STORED, losses, own=False)
    # Tools and the model belong to the agent, not to its history.
    for name, value in (("tools", prompt.tools), ("tool_choice", prompt.tool_choice)):
        if value:
            losses.value("belongs-to-the-agent", {name: value})
    losses.request(prompt.request or {}, kept={"model"})
    changes = tuple(losses.changes)
    return Encoded(request=wires if prompt.request is None else {"messages": wires}, changes=changes)
