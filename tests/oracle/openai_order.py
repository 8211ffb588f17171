"""Providers with rules on roles, their order and their ids."""

import re
from collections.abc import Iterator
from itertools import pairwise

from tests.oracle import claude_models
from tests.oracle.openai_reading import Message
from tests.oracle.template_families import RENDERS_JINJA, check_template
from tests.oracle.violation import Violation

_SYSTEM = ("system", "developer")
_MISTRAL_ID = re.compile(r"[a-zA-Z0-9]{9}")
# Recorded with ids of other forms, accepted.
_MISTRAL_TAKES_ANY_ID = ("ministral-3b-latest", "mistral-small-latest")


def check_order(messages: list[Message], provider: str, model: str | None) -> Iterator[Violation]:
    """Rules on the sequence of the roles."""
    if not messages:
        return
    match provider:
        case "mistral":
            yield from _check_mistral(messages, model)
        case "perplexity":
            yield from _check_perplexity(messages)
        case "deepseek":
            yield from _check_deepseek(messages, model)
        case "minimax":
            yield from _check_minimax(messages)
        case "zai":
            yield from _check_zai(messages)
        case "dashscope":
            if not any(message.role == "user" for message in messages):
                reason = "The input messages do not contain elements with the role of user"
                yield Violation("qwen-no-user", "messages", reason)
    if provider in ("dashscope", "mistral"):
        for message in messages:
            if message.role == "developer":
                reason = "developer is not one of ['system', 'assistant', 'user', 'tool']"
                yield Violation("reported-developer-role", f"{message.path}.role", reason)
    last = messages[-1]
    if claude_models.refuses_prefill(model) and last.role == "assistant" and not last.calls:
        reason = "This model does not support assistant message prefill. It must end with a user message."
        yield Violation("anthropic-no-prefill", last.path, reason)
    if provider in ("llamacpp", "ollama") and [m.role for m in messages[-2:]] == ["assistant", "assistant"]:
        reason = "Cannot have 2 or more assistant messages at the end of the list."
        yield Violation("llamacpp-two-assistant-tail", messages[-1].path, reason)
    if provider in RENDERS_JINJA:
        yield from check_template(messages, model)


def _check_mistral(messages: list[Message], model: str | None) -> Iterator[Violation]:
    # A user message after a tool message is accepted, against the catalogue; so are system messages in a row.
    for before, message in pairwise(messages):
        if message.role == "system" and before.role != "system":
            reason = f"Unexpected role 'system' after role '{before.role}'"
            yield Violation("mistral-unexpected-role", f"{message.path}.role", reason)
    last = messages[-1]
    if last.role == "assistant" and last.data.get("prefix") is not True and not last.calls:
        reason = "Expected last role User or Tool (or Assistant with prefix True) but got assistant"
        yield Violation("mistral-last-role", f"{last.path}.role", reason)
    if model and model not in _MISTRAL_TAKES_ANY_ID:
        for message in messages:
            for call in message.calls:
                if call.id and not _MISTRAL_ID.fullmatch(call.id):
                    reason = f"Tool call id was {call.id} but must be a-z, A-Z, 0-9, with a length of 9."
                    yield Violation("mistral-tool-id-9", f"{call.path}.id", reason)


def _check_perplexity(messages: list[Message]) -> Iterator[Violation]:
    expected = "user"
    in_head = True
    for message in messages:
        if in_head and message.role in _SYSTEM:
            continue
        in_head = False
        speaker = "user" if message.role == "tool" else message.role
        if speaker != expected:
            reason = "After the (optional) system message(s), user and assistant roles should be alternating."
            yield Violation("perplexity-alternate", f"{message.path}.role", reason)
        expected = "assistant" if speaker == "user" else "user"
    if messages[-1].role not in ("user", "tool"):
        reason = "Last message must have role `user` or `tool`."
        yield Violation("perplexity-last-user", f"{messages[-1].path}.role", reason)


def _check_deepseek(messages: list[Message], model: str | None) -> Iterator[Violation]:
    for message in messages:
        if message.role == "developer":
            reason = "unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`"
            yield Violation("deepseek-content-type", f"{message.path}.role", reason)
    if model != "deepseek-reasoner":
        return
    for before, message in pairwise(messages):
        if message.role == before.role and message.role in ("user", "assistant"):
            reason = "deepseek-reasoner does not support successive user or assistant messages"
            yield Violation("deepseek-successive-roles", message.path, reason)


def _check_minimax(messages: list[Message]) -> Iterator[Violation]:
    for index, message in enumerate(messages):
        if message.role == "developer" or (message.role == "system" and index):
            reason = f"invalid params, chat content has invalid message role: {message.role} (2013)"
            yield Violation("minimax-system-role", f"{message.path}.role", reason)


def _check_zai(messages: list[Message]) -> Iterator[Violation]:
    # One text for every fault: "The messages parameter is illegal. Please check the documentation."
    others = [message for message in messages if message.role not in _SYSTEM]
    if not any(message.role == "user" for message in messages):
        yield Violation("zhipu-1214", "messages", "messages is illegal: there is no user message")
    elif others[0].role == "assistant":
        yield Violation("zhipu-1214", others[0].path, "messages is illegal: the assistant comes first")
    seen: set[str] = set()
    for message in messages:
        if message.role in ("assistant", "user") and message.content == "" and not message.calls:
            yield Violation("zhipu-1214", f"{message.path}.content", "messages is illegal: empty content")
        for call in message.calls:
            if call.id in seen:
                yield Violation("zhipu-1214", f"{call.path}.id", "messages is illegal: the same id twice")
            seen.add(call.id)
