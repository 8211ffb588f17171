"""``ProviderHistoryCompat``: the rules of whoever reads the prompt next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, Literal

from typing_extensions import override

from .._node import make
from ..errors import ConfigurationError
from ..model_ref import ModelRef
from ..processor import APIErrorArgs, ErrorRepair, LLMRequestArgs, Processor
from ..prompt import Prompt, facts_of_prompt, with_messages
from ..provider_error import ProviderError
from ..rule_memory import RuleMemory
from .provider import Provider
from .providers import COMMON, PROVIDERS, providers_of
from .rule import CompatRule
from .rules.reasoning import reasoning_as_text

__all__ = ["ProviderHistoryCompat"]

_get_rules: Final = ModelRef.__dict__["_rules"].__get__
_set_rules: Final = ModelRef.__dict__["_rules"].__set__


class ProviderHistoryCompat(Processor):
    """Rewrites the prompt for the provider that reads it next, and repairs the history after the provider's rejection.

    Before a call, the rules of the model's provider change the prompt; the history stays as it is. A model that no row
    recognises gets only the common and the additional rules. After a rejection whose text one of the rules knows, that
    rule repairs the stored history and asks for another try: the model's own rules first, then the additional ones,
    then everybody's, since a gateway may hide who serves behind it: then the structure that the rule's row asks for is put
    in order with it. A rule fires once per call.

    Args:
        additional_rules: Rules of your own; they run after the built-in ones, for every model.
        providers: The rows to choose from; the built-in ones unless given.
        foreign_reasoning: What becomes of reasoning that the provider would not take back: ``"drop"``, or
            ``"as_text"``: the readable part of it becomes text between ``<thinking>`` tags.
        memory: Where to note which reactive rule cured which model; such a rule then also runs before each call.
        without_rules: Names of built-in rules that are switched off.

    Raises:
        ConfigurationError: Two rules have one name, something is not a rule or not a row, ``foreign_reasoning`` is
            neither of the two, or ``without_rules`` names a rule that there is not.
    """

    id = "provider-history-compat"

    def __init__(
        self,
        *,
        additional_rules: Sequence[CompatRule] = (),
        providers: Sequence[Provider] = PROVIDERS,
        foreign_reasoning: Literal["drop", "as_text"] = "drop",
        memory: RuleMemory | None = None,
        without_rules: Sequence[str] = (),
    ) -> None:
        if foreign_reasoning not in ("drop", "as_text"):
            raise ConfigurationError(
                f"foreign_reasoning must be 'drop' or 'as_text', not {foreign_reasoning!r}"
            )
        self.additional_rules: tuple[CompatRule, ...] = tuple(
            _instances(additional_rules, CompatRule, "additional_rules")
        )
        self.providers: tuple[Provider, ...] = (
            PROVIDERS if providers is PROVIDERS else tuple(_instances(providers, Provider, "providers"))
        )
        self.foreign_reasoning = foreign_reasoning
        self.memory = memory
        names = [rule.name for rule in self.additional_rules]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ConfigurationError(f"additional_rules holds several rules named {', '.join(repeated)}")
        self.without_rules: frozenset[str] = _names(without_rules)
        unknown = self.without_rules and self.without_rules - {rule.name for rule in self._everybodys()}
        if unknown:
            raise ConfigurationError(
                f"without_rules: there are no built-in rules named {', '.join(sorted(unknown))}"
            )

    @override
    def process_llm_request(self, args: LLMRequestArgs) -> Prompt | None:
        model = args.prompt.model or args.model
        prompt = args.prompt
        remembered = args.state["remembered"] = () if self.memory is None else self.memory.rules_for(model)
        for name, changed in self._remembered(remembered, prompt, model):
            args.record(prompt, changed, name)
            prompt = changed
        prompt = _through(_built_in_for(self._built_in(model), model), prompt, args)
        before = prompt
        prompt = _through(_for_model(self.additional_rules, model), prompt, args)
        if prompt is not before:
            # A rule of the caller's own may have emptied or unsettled something.
            structure = _switched_on(_structure(providers_of(model, self.providers)), self.without_rules)
            prompt = _through(_for_model(structure, model), prompt, args)
        return None if prompt is args.prompt else prompt

    @override
    def process_api_error(self, args: APIErrorArgs) -> ErrorRepair | None:
        fired: set[str] = args.state.setdefault("fired", set())
        if args.state.get("step_number") != args.step_number:
            args.state["step_number"] = args.step_number
            fired.clear()
        stored = make(Prompt, messages=args.messages, model=args.model, server_state=args.server_state)
        # What was sent had mended what was remembered then; the fault may only show behind that. What another call has
        # taught since was not in it. Where no prompt was asked for, the history itself was sent.
        mended = list(self._remembered(args.state.get("remembered", ()), stored, args.model))
        sent = mended[-1][1] if mended else stored
        for rule in self.reactive_rules(args.model):
            if not rule.matches(args.error) or (rule.last_resort and not args.last_resort):
                continue
            repairs = [] if rule.name in fired else list(self._repairs(rule, sent, args.error, args.model))
            if not repairs:
                # It has had its try, now or before the call, and the provider says the same: it is no cure.
                if self.memory is not None:
                    self.memory.forget(args.model, rule.name)
                continue
            fired.add(rule.name)
            before = stored
            for name, after in (*mended, *repairs):
                args.record(before, after, name)
                before = after
            if self.memory is not None and not rule.last_resort:
                self.memory.note(args.model, rule.name)
            return ErrorRepair(messages=before.messages, retry=True)
        return None

    def reactive_rules(self, model: Any = None) -> tuple[CompatRule, ...]:
        """Return the rules that may answer a rejection, in the order in which they are asked: a model's own, the
        additional ones, everybody's, last resorts at the end; ``model`` is what ``ModelRef.of`` accepts."""
        own = self._built_in(ModelRef.of(model))
        everybody = _switched_on(self._everybodys(), self.without_rules)
        rules = [
            rule for rule in _distinct((*own, *self.additional_rules, *everybody)) if rule.fix is not None
        ]
        return tuple(sorted(rules, key=lambda rule: rule.last_resort))

    def _everybodys(self) -> Iterator[CompatRule]:
        return (rule for row in (COMMON, *self.providers) for rule in row.all_rules())

    def _remembered(
        self, names: Sequence[str], prompt: Prompt, model: ModelRef
    ) -> Iterator[tuple[str, Prompt]]:
        """Yield what the rules of these names make of a prompt, step by step, each with the rule's name."""
        for rule in self.reactive_rules(model) if names else ():
            if rule.name in names:
                for step in self._repairs(rule, prompt, ProviderError(), model):
                    yield step
                    prompt = step[1]

    def _repairs(
        self, rule: CompatRule, prompt: Prompt, error: ProviderError, model: ModelRef
    ) -> Iterator[tuple[str, Prompt]]:
        """Yield what a rule's fix makes of a prompt, step by step, each with a rule's name; nothing when it changes nothing.

        The structure that the model's own rows ask for is put in order before each call. Words of another row say who
        serves behind a gateway: what that row asks for is put in order here.
        """
        repaired = rule.fix(prompt.messages, error) if rule.fix is not None else None
        if repaired is None or repaired is prompt.messages:
            return
        prompt = with_messages(prompt, repaired)
        yield rule.name, prompt
        if not _holds(self._built_in(model), rule):
            yield from _steps(self._structure_beside(rule, model), prompt)

    def _structure_beside(self, rule: CompatRule, model: ModelRef) -> tuple[CompatRule, ...]:
        """The structure of the row that holds a rule, if it may be about the wire that the model is spoken to in; of several
        rows, which can't be told apart, what they have in common."""
        structures = [
            _switched_on(row.structure, self.without_rules)
            for row in self.providers
            if _holds(row.all_rules(), rule) and (row.api is None or model.api in (row.api, None))
        ]
        return tuple(
            shared
            for shared in _for_model(structures[0] if structures else (), model)
            if all(_holds(others, shared) for others in structures)
        )

    def rules_for(self, model: Any) -> tuple[CompatRule, ...]:
        """Return the rules that a model's prompts go through, in order; ``model`` is what ``ModelRef.of`` accepts."""
        ref = ModelRef.of(model)
        return _for_model((*self._built_in(ref), *self.additional_rules), ref)

    def _built_in(self, model: ModelRef) -> tuple[CompatRule, ...]:
        rows = providers_of(model, self.providers)
        return _rules_of(rows, as_text=self.foreign_reasoning == "as_text", without=self.without_rules)


@lru_cache(maxsize=256)
def _rules_of(
    rows: tuple[Provider, ...], *, as_text: bool, without: frozenset[str]
) -> tuple[CompatRule, ...]:
    """Put together the rules of some rows; they are the same call after call."""
    rules = [rule for row in (COMMON, *rows) for rule in row.rules]
    if as_text:
        owners = [row.owns_reasoning for row in rows if row.owns_reasoning is not None]
        # With fallbacks, what any of the models would not take back is told as text.
        rules[:0] = [reasoning_as_text(lambda message, part: all(owns(message, part) for owns in owners))]
    return _switched_on((*rules, *_structure(rows)), without)


def _built_in_for(rules: tuple[CompatRule, ...], model: ModelRef) -> tuple[CompatRule, ...]:
    """Do what ``_for_model`` does, once: the model keeps the answer, for these very rules."""
    asked: tuple[CompatRule, ...] | None
    own: tuple[CompatRule, ...]
    try:
        asked, own = _get_rules(model)
    except AttributeError:
        asked, own = None, ()
    if asked is not rules:
        own = _for_model(rules, model)
        _set_rules(model, (rules, own))
    return own


def _for_model(rules: tuple[CompatRule, ...], model: ModelRef) -> tuple[CompatRule, ...]:
    """The rules that may change a prompt for a model."""
    return tuple(rule for rule in rules if rule.models is None or rule.models(model))


def _switched_on(rules: Iterable[CompatRule], without: frozenset[str]) -> tuple[CompatRule, ...]:
    return _distinct(rule for rule in rules if rule.name not in without)


def _structure(rows: tuple[Provider, ...]) -> Iterator[CompatRule]:
    return (rule for row in (*rows, COMMON) for rule in row.structure)


def _through(rules: Iterable[CompatRule], prompt: Prompt, args: LLMRequestArgs) -> Prompt:
    """Apply rules in order, and record what each changes."""
    for name, changed in _steps(rules, prompt):
        args.record(prompt, changed, name)
        prompt = changed
    return prompt


def _steps(rules: Iterable[CompatRule], prompt: Prompt) -> Iterator[tuple[str, Prompt]]:
    """Apply rules in order, those that can have something to do: one walk tells the facts until a rule changes them."""
    facts = facts_of_prompt(prompt)
    for rule in rules:
        if rule.apply_to_prompt is None or (rule.needs is not None and not facts & rule.needs):
            continue
        result = rule.apply_to_prompt(prompt)
        if result is not None and result is not prompt:
            yield rule.name, result
            prompt = result
            facts = facts_of_prompt(prompt)


def _holds(rules: Iterable[CompatRule], rule: CompatRule) -> bool:
    return any(held.name == rule.name for held in rules)


def _distinct(rules: Any) -> tuple[CompatRule, ...]:
    """The rules without repetition: a model and its fallbacks may share some."""
    return tuple({rule.name: rule for rule in rules}.values())


def _names(given: Sequence[str]) -> frozenset[str]:
    if isinstance(given, str) or not all(isinstance(name, str) for name in given):
        raise ConfigurationError("without_rules must be a list of names of rules")
    return frozenset(given)


def _instances(given: Sequence[Any], kind: type, argument: str) -> Sequence[Any]:
    for item in given:
        if not isinstance(item, kind):
            raise ConfigurationError(
                f"{argument} must hold {kind.__name__} objects, found {type(item).__name__}"
            )
    return given
