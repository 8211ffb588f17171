"""Every built-in rule, on any history."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replayable import CompatRule, ModelRef, Prompt, clean_messages
from replayable.compat.providers import COMMON_RULES, PROVIDERS
from replayable.facts import facts_of_all
from replayable.messages import Messages, messages_to_json
from replayable.provider_error import ProviderError
from replayable.turns import client_calls, client_results

from .checker import violations
from .strategies import MODELS, continuations, histories, paired_histories

RULES = {rule.name: rule for row in PROVIDERS for rule in (*row.rules, *row.structure)} | {
    rule.name: rule for rule in COMMON_RULES
}
REFS = [ModelRef.of(model) for model in MODELS]

# A rule that renames a tag inside what the user wrote: the one exception.
REWRITES_USER_TEXT = {"azure-system-reminder-transform"}

# Merging, instructions that join the next user message, and a user message that has to come last.
TOUCHES_THE_END = {
    "anthropic-alternate",
    "bedrock-alternate",
    "deepseek-merge-runs",
    "gemini-alternating-turns",
    "gemini-call-turn-order",
    "gemini-last-user",
    "llamacpp-last-user",
    "llamacpp-merge-last-answers",
    "mistral-last-user",
    "openai-system-role",
    "perplexity-last-user",
    "perplexity-merge-runs",
    "template-merge-runs",
    "template-system-into-user",
}
# A user message in front where there is none at all; calls of the current turn.
LOOKS_AT_ALL = {
    "deepseek-require-reasoning-of-turn",
    "gemini-signed-calls",
    "gemini-some-message",
    "openai-responses-some-message",
    "chat-some-message",
    "openrouter-gemini-calls-as-text",
    "qwen-some-user",
    "template-some-user",
    "zhipu-some-user",
}


def hooks(rule: CompatRule) -> list[Callable[[Prompt], Prompt]]:
    """What a rule does before a call and after a rejection, both as a change of a prompt."""
    found: list[Callable[[Prompt], Prompt]] = []
    apply, fix = rule.apply_to_prompt, rule.fix
    if apply is not None:
        found.append(lambda prompt: apply(prompt) or prompt)
    if fix is not None:
        for error in (
            ProviderError(),
            *(ProviderError.of(re.sub(r"\{[^{}]*\}", "1", evidence.text)) for evidence in rule.evidence),
        ):

            def repair(prompt: Prompt, error: ProviderError = error) -> Prompt:
                messages = fix(prompt.messages, error)
                return prompt if messages is None else prompt.model_copy(update={"messages": messages})

            found.append(repair)
    return found


HOOKS = [(rule.name, hook) for rule in RULES.values() for hook in hooks(rule)]
models = st.sampled_from(REFS)


def user_texts(messages: Messages) -> list[str]:
    """What the user said, in order."""
    return [
        part.text
        for message in messages
        if message.role == "user"
        for part in message.parts
        if part.type == "text" and part.text.strip()
    ]


def contains_in_order(longer: list[str], shorter: list[str]) -> bool:
    """Whether all texts of one list stand in another, in order, alone or joined with others."""
    everything, start = "\0".join(longer), 0
    for text in shorter:
        start = everything.find(text, start)
        if start < 0:
            return False
        start += len(text)
    return True


class TestRules:
    """Pure, idempotent, and no enemy of pairs, user text or prompt caches."""

    @given(histories(), models)
    def test_idempotent_and_pure(self, history: Messages, model: ModelRef) -> None:
        """The second time nothing changes, and what went in is what it was; the same again gives the same."""
        prompt = Prompt(messages=history, model=model, api="anthropic")
        before = messages_to_json(history)
        for name, hook in HOOKS:
            once = hook(prompt)
            assert hook(once) is once, name
            assert messages_to_json(history) == before, name
            assert once is prompt or messages_to_json(hook(prompt).messages) == messages_to_json(
                once.messages
            ), name

    @given(histories(), models)
    def test_needs_are_what_it_needs(self, history: Messages, model: ModelRef) -> None:
        """Where none of the facts that a rule names occurs, the rule has nothing to do."""
        facts = facts_of_all(history)
        for rule in RULES.values():
            if rule.apply_to_prompt is not None and rule.needs is not None and not facts & rule.needs:
                assert rule.apply_to_prompt(Prompt(messages=history, model=model)) is None, rule.name

    @given(paired_histories(), models)
    def test_paired_stays_paired(self, history: Messages, model: ModelRef) -> None:
        """A rule never tears a call from its result."""
        for name, hook in HOOKS:
            assert violations(hook(Prompt(messages=history, model=model)).messages) == [], name

    @given(histories(), models)
    def test_user_text_is_never_lost(self, history: Messages, model: ModelRef) -> None:
        """Everything that the user wrote is in the outcome, in order."""
        said = user_texts(history)
        for name, hook in HOOKS:
            out = hook(Prompt(messages=history, model=model)).messages
            if name in REWRITES_USER_TEXT:
                assert len(user_texts(out)) == len(said)
            else:
                assert contains_in_order(user_texts(out), said), name

    @given(histories(), continuations(), models)
    def test_prefix_stable(self, history: Messages, new: Messages, model: ModelRef) -> None:
        """What was sent before is sent again, when the new messages refer to no earlier call."""
        short = Prompt(messages=tuple(clean_messages(history, missing_results="placeholder")), model=model)
        # What comes last is what the rules see: an orphan at the end is gone by then.
        if _ends_in_exception(short.messages):
            return
        long = Prompt(messages=(*short.messages, *new), model=model)
        for rule in RULES.values():
            if rule.name in LOOKS_AT_ALL:
                continue
            before, after = _applied(rule, short), _applied(rule, long)
            if before is short and after is long:
                continue
            # What these rules do to the last message depends on what follows it.
            stable = max(len(before.messages) - (rule.name in TOUCHES_THE_END), 0)
            assert messages_to_json(after.messages[:stable]) == messages_to_json(before.messages[:stable]), (
                rule.name
            )


def _ends_in_exception(history: Messages) -> bool:
    """Providers' own rules that depend on what comes last: nothing, an empty final answer, a final system message."""
    return not history or history[-1].role in ("assistant", "system")


def _applied(rule: CompatRule, prompt: Prompt) -> Prompt:
    """What the processor makes of a rule: it runs where what it needs occurs."""
    if rule.apply_to_prompt is None or (
        rule.needs is not None and not facts_of_all(prompt.messages) & rule.needs
    ):
        return prompt
    return rule.apply_to_prompt(prompt) or prompt


ID_RULES = {
    "anthropic-tool-id-format": re.compile(r"[a-zA-Z0-9_-]+"),
    "openai-tool-call-id-length": re.compile(r"(?s:.{0,40})"),
}


@pytest.mark.parametrize("name", list(ID_RULES))
class TestIds:
    """Call ids are renamed injectively, call and result together; a valid id never changes."""

    @given(history=paired_histories())
    def test_ids(self, name: str, history: Messages) -> None:
        """All ids are valid, different ids stay different, equal ones equal, and pairs meet by the new id."""
        apply = RULES[name].apply_to_prompt
        assert apply is not None
        valid = ID_RULES[name].fullmatch
        out = (apply(Prompt(messages=history)) or Prompt(messages=history)).messages
        renamed: dict[str | None, set[str | None]] = defaultdict(set)
        came_from: dict[str | None, set[str | None]] = defaultdict(set)
        for before, after in zip(history, out, strict=True):
            for (_, old), (_, new) in zip(client_calls(before), client_calls(after), strict=True):
                assert valid(new.tool_call_id or "") or (
                    not old.tool_call_id and new.tool_call_id == old.tool_call_id
                )
                if old.tool_call_id:
                    renamed[old.tool_call_id].add(new.tool_call_id)
                    came_from[new.tool_call_id].add(old.tool_call_id)
                    if valid(old.tool_call_id):
                        assert new is old
                elif new.tool_call_id:
                    # Every call without an id is one of its own.
                    came_from[new.tool_call_id].add(f"call without id, part {id(old)}")
            for (_, result), (_, new_result) in zip(
                client_results(before), client_results(after), strict=True
            ):
                if result.tool_call_id and before.role == "tool":
                    renamed[result.tool_call_id].add(new_result.tool_call_id)
        server = _server_ids(history)
        assert [old for old, new in renamed.items() if len(new) > 1 and old not in server] == []
        assert [new for new, old in came_from.items() if len(old) > 1] == []
        assert violations(out) == []


def _server_ids(messages: Messages) -> set[str | None]:
    return {
        part.tool_call_id
        for message in messages
        for part in message.parts
        if part.type == "tool_call" and part.provider_executed
    }


def test_every_exception_is_a_rule() -> None:
    """The names that these tests treat apart are names of rules."""
    assert set(RULES) >= REWRITES_USER_TEXT | set(ID_RULES) | TOUCHES_THE_END | LOOKS_AT_ALL
