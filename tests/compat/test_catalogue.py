"""Every built-in rule and row: examples, evidence, names."""

from __future__ import annotations

import re
from typing import Any

import pytest

from replayable import CompatRule, ConfigurationError, ModelRef, Prompt, Provider
from replayable.compat.providers import COMMON_RULES, PROVIDERS, dialect_of, providers_of
from replayable.compat.rule import Evidence, Example
from replayable.facts import facts_of_all
from replayable.provider_error import ProviderError

# The model for which a row's rules are tried.
MODELS: dict[str, Any] = {
    "anthropic": "anthropic/claude-sonnet-5",
    "anthropic-compatible": "deepseek.messages/deepseek-v4-flash",
    "azure": "azure/gpt-4o",
    "bedrock": "arn:aws:bedrock:us-east-1:1:application-inference-profile/x",
    "bedrock-claude": "bedrock/us.anthropic.claude-sonnet-5",
    "bedrock-others": "bedrock/us.meta.llama3-3-70b-instruct-v1:0",
    "claude-gateways": "copilot/claude-opus-4.6",
    "cohere": {"provider": "cohere", "model": "command-r", "api": "cohere_v1"},
    "copilot": "copilot/gpt-4o",
    "lmstudio": "lmstudio/qwen3-4b",
    "ollama-chat": {"provider": "ollama", "model": "qwen3:4b", "api": "ollama_chat"},
    "openrouter-openai": "openrouter/openai/gpt-5",
    "perplexity": "perplexity/sonar",
    "template-alternating": "vllm/google/gemma-3-4b-it",
    "template-alternating-around-tools": "vllm/mistralai/Mistral-Nemo-Instruct-2407",
    "template-gpt-oss": "vllm/openai/gpt-oss-20b",
    "template-llama-3": "vllm/meta-llama/Llama-3.1-8B-Instruct",
    "template-no-system": "vllm/google/gemma-2-2b-it",
    "template-ordered": "vllm/mistralai/Devstral-2-123B",
    "template-qwen": "vllm/Qwen/Qwen3.5-35B-A3B",
    "together": "together/deepseek-ai/DeepSeek-V3.1",
    "volcengine": "volcengine/doubao-1.5",
    "openai": "openai/gpt-5",
    "openai-responses": "openai.responses/gpt-5",
    "deepseek-responses": "deepseek.responses/deepseek-v4-flash",
    "llamacpp-responses": "llamacpp.responses/qwen3-4b",
    "cerebras": "cerebras/qwen-3-32b",
    "deepseek": "deepseek/deepseek-reasoner",
    "gemini": "google/gemini-3-pro-preview",
    "groq": "groq/llama-3.3-70b",
    "moonshot": "moonshot/kimi-k2-thinking",
    "openrouter": "openrouter/google/gemini-3-pro-preview",
    "zhipu": "zhipu/glm-4.6",
    "fireworks": "fireworks/accounts/fireworks/models/kimi-k2-thinking",
    "llamacpp": "llamacpp/qwen3-4b",
    "mistral": "mistral/magistral-medium-latest",
    "minimax": "minimax/MiniMax-M2",
    "ollama": "ollama/qwen3:4b",
    "qwen": "qwen/qwen3-max",
    "sglang": "sglang/qwen3-4b",
    "vercel_gateway": "vercel_gateway/anthropic/claude-sonnet-4.5",
    "vllm": "vllm/qwen3-4b",
    "xai": "xai/grok-4",
}
# Rules that hold for some of a row's models.
MODELS_OF_RULES = {
    "bedrock-bare-reasoning": "bedrock/us.anthropic.claude-sonnet-5",
    "bedrock-nova-result-files": "bedrock/us.amazon.nova-pro-v1:0",
    "chat-functions-as-tools": "mistral/mistral-large-latest",
    "gemini-alternating-turns": "google/gemini-1.0-pro",
    "gemini-last-user": "google/gemini-3.6-flash",
    "deepseek-require-reasoning": "deepseek/deepseek-v4-flash",
    "mistral-strip-thinking": "mistral/ministral-3b-latest",
    "openai-system-role": "openai/o1-mini",
}


def model_of(row: Provider) -> ModelRef:
    """The model for which a row's rules are tried."""
    model = MODELS.get(row.name)
    return ModelRef.of(model, api=model.get("api") if isinstance(model, dict) else None)


RULES: dict[str, tuple[CompatRule, ModelRef]] = {
    rule.name: (
        rule,
        ModelRef.of(MODELS_OF_RULES.get(rule.name)) if rule.name in MODELS_OF_RULES else model_of(row),
    )
    for row in PROVIDERS
    for rule in (*row.rules, *row.structure)
} | {rule.name: (rule, ModelRef.of(MODELS_OF_RULES.get(rule.name, "openai/gpt-5"))) for rule in COMMON_RULES}
EXAMPLES = [
    pytest.param(rule, model, example, id=f"{rule.name}: {example.title}")
    for rule, model in RULES.values()
    for example in rule.examples
]
every_rule = pytest.mark.parametrize("rule", [rule for rule, _ in RULES.values()], ids=list(RULES))


def rejection(evidence: Evidence) -> ProviderError:
    """The provider's words with something in place of what varies."""
    return ProviderError.of(re.sub(r"\{[^{}]*\}", "1", evidence.text))


def outcomes(rule: CompatRule, model: ModelRef, example: Example) -> list[Prompt]:
    """What the rule makes of an example: before a call, else after the rejections that its evidence holds."""
    prompt = Prompt(messages=example.before, model=model)
    before_call = None if rule.apply_to_prompt is None else rule.apply_to_prompt(prompt)
    if before_call is not None:
        return [before_call]
    # It may hold for other models or requests only; after a rejection it acts all the same.
    assert rule.fix is not None
    return [
        Prompt(messages=rule.fix(prompt.messages, rejection(evidence)) or (), model=model)
        for evidence in rule.evidence
    ]


@pytest.mark.parametrize(("rule", "model", "example"), EXAMPLES)
def test_example(rule: CompatRule, model: ModelRef, example: Example) -> None:
    """The rule turns its example's history into the other one, which it then leaves alone."""
    for prompt in outcomes(rule, model, example):
        assert prompt.messages == example.after
        if rule.apply_to_prompt is not None:
            assert rule.apply_to_prompt(prompt) is None
        if rule.fix is not None:
            assert rule.fix(prompt.messages, rejection(rule.evidence[0])) is None


@pytest.mark.parametrize(("rule", "model", "example"), EXAMPLES)
def test_example_after_a_rejection(rule: CompatRule, model: ModelRef, example: Example) -> None:
    """What a rule repairs before a call it also repairs in the stored history, once the provider has spoken."""
    if rule.fix is None:
        return
    for evidence in rule.evidence:
        if rule.matches(rejection(evidence)):
            assert rule.fix(example.before, rejection(evidence)) is not None


@pytest.mark.parametrize(("rule", "model", "example"), EXAMPLES)
def test_needs_hold_in_examples(rule: CompatRule, model: ModelRef, example: Example) -> None:
    """An example's history has one of the facts that the rule needs: else the rule would never see it."""
    assert rule.needs is None or facts_of_all(example.before) & rule.needs


@every_rule
def test_evidence(rule: CompatRule) -> None:
    """A rule holds a provider's own words and where they were seen."""
    assert rule.evidence
    for evidence in rule.evidence:
        assert evidence.text.strip()
        assert re.fullmatch(r"https://\S+", evidence.link)
        assert evidence.date is None or re.fullmatch(r"\d{4}-\d\d(-\d\d)?", evidence.date)


@every_rule
def test_reactive_rules_know_their_evidence(rule: CompatRule) -> None:
    """A rule that repairs after a rejection recognises one of the rejections that it quotes."""
    if rule.fix is not None:
        assert any(rule.matches(rejection(evidence)) for evidence in rule.evidence)


@every_rule
def test_summary_is_a_sentence(rule: CompatRule) -> None:
    """The summary is one line that ends in a full stop."""
    assert rule.summary.endswith(".")
    assert "\n" not in rule.summary


def test_names_are_unique() -> None:
    """A name means one rule, which several rows may share, and one row; it is lower case with hyphens."""
    rules = [*COMMON_RULES, *(rule for row in PROVIDERS for rule in row.all_rules())]
    different = {id(rule): rule.name for rule in rules}
    assert sorted(different.values()) == sorted(set(different.values()))
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", name) for name in different.values())
    rows = [row.name for row in PROVIDERS]
    assert sorted(rows) == sorted(set(rows))


def test_names_that_users_know() -> None:
    """These names are part of the interface."""
    assert set(RULES) >= {
        "anthropic-tool-id-format",
        "anthropic-strip-foreign-reasoning-content",
        "cerebras-strip-reasoning-content",
    }


@pytest.mark.parametrize("row", PROVIDERS, ids=[row.name for row in PROVIDERS])
def test_recognise(row: Provider) -> None:
    """Each row recognises its own model and not one of which nothing is known."""
    assert row in providers_of(model_of(row))
    assert row.name in MODELS
    assert not row.recognise(ModelRef())
    assert not row.recognise(ModelRef(provider="\ud83d", api="\ud83d", maker="\ud83d", model="\ud83d"))


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (None, []),
        ("a-house-nobody-knows/m", []),
        ("claude-sonnet-4-5", ["anthropic"]),
        ("vertex/claude-sonnet-4", ["anthropic"]),
        ("bedrock/us.anthropic.claude-3", ["bedrock-claude"]),
        ("bedrock/us.amazon.nova-pro-v1:0", ["bedrock-others"]),
        ("arn:aws:bedrock:us-east-1:1:inference-profile/x", ["bedrock"]),
        (ModelRef.of("bedrock/us.anthropic.claude-3", api="anthropic"), ["anthropic"]),
        (ModelRef.of("openrouter/anthropic/claude-3", api="anthropic"), ["anthropic"]),
        ("openrouter/openai/gpt-5", ["openrouter", "openrouter-openai"]),
        ("openrouter/anthropic/claude-opus-4.6", ["openrouter", "claude-gateways"]),
        ("huggingface/zai-org/GLM-4.6:cerebras", ["cerebras"]),
        ("vllm/google/gemma-2-2b-it", ["vllm", "template-no-system", "template-alternating"]),
        (ModelRef.of("deepseek/deepseek-chat", api="anthropic"), ["anthropic-compatible"]),
        ("azure/gpt-4o", ["azure", "openai"]),
        (["openai/gpt-5", "cerebras/x"], ["openai", "cerebras"]),
    ],
)
def test_rows_of_a_model(model: object, names: list[str]) -> None:
    """Rows are chosen by who serves the model and what is spoken, for the fallbacks too."""
    assert [row.name for row in providers_of(ModelRef.of(model))] == names


def test_dialect_is_the_models_own() -> None:
    """The wire's ways are those of the model itself; a stranger's are plain."""
    assert dialect_of(ModelRef.of(["deepseek/x", "groq/y"])).reasoning_fields == ("reasoning_content",)
    assert dialect_of(ModelRef.of("a-house-nobody-knows/m")).reasoning_fields == ()
    assert dialect_of(None).reasoning_fields == ()


@pytest.mark.parametrize(
    "build",
    [
        lambda: CompatRule(name="", summary="x", apply_to_prompt=lambda prompt: None),
        lambda: CompatRule(name="x-y", summary="x"),
        lambda: CompatRule(name="x-y", summary="x", error_patterns=("a",)),
        lambda: CompatRule(name="x-y", summary="x", fix=lambda messages, error: None),
        lambda: CompatRule(name="x-y", summary="x", fix=lambda messages, error: None, error_patterns=("(",)),
    ],
)
def test_a_rule_that_cannot_work_is_refused(build: object) -> None:
    """A rule without a name or with half of what it needs raises where it is made."""
    assert callable(build)
    with pytest.raises(ConfigurationError):
        build()


def test_records_are_frozen() -> None:
    """Rules and evidence cannot be changed."""
    evidence = Evidence(text="x", link="https://example.org")
    with pytest.raises(AttributeError):
        evidence.text = "y"  # type: ignore[misc]  # what is tested
