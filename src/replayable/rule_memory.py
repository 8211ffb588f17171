"""Which reactive rule cured which model, so that one rejected request is paid once, not every turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .model_ref import ModelRef

__all__ = ["RuleMemory"]


class RuleMemory:
    """Owned by the caller, who may keep it for as long as the models stay the same, and share it between pipelines.

    Args:
        known: What ``to_dict`` returned earlier.
    """

    def __init__(self, known: Mapping[str, Sequence[str]] | None = None) -> None:
        # Each step below is one of a dict's own, so that no thread undoes what another one notes at the same time.
        self._rules = {key: dict.fromkeys(rules) for key, rules in (known or {}).items()}

    def note(self, model: ModelRef, rule: str) -> None:
        """Remember that a rule cured a model's rejection."""
        key = _key(model)
        if key:
            self._rules.setdefault(key, {}).setdefault(rule)

    def forget(self, model: ModelRef, rule: str) -> None:
        """Forget a rule: it did not help after all."""
        self._rules.get(_key(model), {}).pop(rule, None)

    def rules_for(self, model: ModelRef) -> tuple[str, ...]:
        """Return the names of the rules that cured this model, in the order in which they were noted."""
        return tuple(self._rules.get(_key(model), ()))

    def to_dict(self) -> dict[str, list[str]]:
        """Return the memory as plain JSON, by ``provider/api/model``."""
        return {key: list(rules) for key, rules in self._rules.copy().items() if rules}


def _key(model: ModelRef) -> str:
    """Empty for a model of which nothing is known: what cured one stranger says nothing about the next."""
    if model.model is None and model.provider is None:
        return ""
    return "/".join((model.provider or "?", model.api or "?", model.model or "?"))
