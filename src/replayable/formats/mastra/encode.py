"""From a prompt to Mastra's stored messages."""

from __future__ import annotations

from ..._node import wire_of
from ...prompt import Prompt, ProviderTool
from ..ai_sdk.names import STORED
from ..ai_sdk.write import write_messages
from ..rewriting import Losses, fill_missing_ids
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
    own = prompt.api == API
    wires = write_messages(prompt.messages if own else fill_missing_ids(prompt.messages), API, STORED, losses)
    if not own:
        # Tools and the model belong to the agent, not to its history.
        foreign = [tool for tool in prompt.tools or () if isinstance(tool, ProviderTool)]
        losses.request(prompt, frozenset({"model"}), foreign)
    changes = tuple(losses.changes)
    if prompt.request is None:
        return Encoded(request=wires, changes=changes)
    if not own:
        return Encoded(request={"messages": wires}, changes=changes)
    wire, piece = wire_of(prompt)
    if isinstance(wire, dict) and piece is not None and piece.api == API:
        old = wire["messages"]
        if len(old) == len(wires) and all(new is one for new, one in zip(wires, old, strict=True)):
            return Encoded(request=wire, changes=changes)
        return Encoded(request={**wire, "messages": wires}, changes=changes)
    return Encoded(request={**prompt.request, "messages": wires}, changes=changes)
