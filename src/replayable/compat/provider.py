"""A provider row: how its models are recognised, its wire dialect, its rules in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias, get_args

from ..errors import ConfigurationError
from ..messages import AssistantMessage, ReasoningPart
from ..model_ref import ModelRef
from .evidence import KnownRejection
from .rule import CompatRule

__all__ = ["SAID_PARTS", "Dialect", "MediaPart", "OwnsReasoning", "Provider", "ReasoningField", "SaidPart"]

ReasoningField: TypeAlias = Literal["reasoning_content", "reasoning", "reasoning_details", "thinking"]
"""Where an OpenAI-Chat-like assistant message holds reasoning; ``thinking`` is a chunk of its content."""

SaidPart: TypeAlias = Literal["refusal", "reference"]
"""A part of an answer that only some OpenAI-Chat-like wires have; of ``refusal`` also the field of that name."""
SAID_PARTS: Final = get_args(SaidPart)

MediaPart: TypeAlias = Literal[
    "image_url",
    "input_audio",
    "audio_url",
    "video_url",
    "file",
    "document_url",
    "file_url",
    "file_id",
    "audio",
]
"""A content part of OpenAI-Chat-like wires that holds a file; ``file_id`` is a ``file`` with nothing but its
id, ``audio`` the field of a spoken answer."""

OwnsReasoning: TypeAlias = Callable[[AssistantMessage, ReasoningPart], bool]
"""Whether the provider takes this reasoning back: it made it, and nothing that it checks is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """Where wires that share the OpenAI Chat API differ.

    Args:
        reasoning_fields: Where reasoning goes back; the first is written, what stands in another one stays there. Empty
            where the API has none, or nobody knows.
        media: The parts that hold files. None where nobody knows: what came on this wire stays, other files are written
            in OpenAI's parts.
        media_in_results: Whether tool results take those parts too, not text alone; None where nobody knows.
        bare_files: Whether parts may hold a file's URL or content alone, not in an object; audio is written so.
        output_limit: The field that limits the length of the answer.
        custom_tools: Whether it has calls of custom tools, whose input is a text.
        function_calls_only: Whether it is known to refuse every call that is no function's in ``tool_calls``: custom ones,
            and those in the older ``function_call``.
        said: The parts of an answer beside its text that it takes, of those that single providers have: OpenAI's
            ``refusal``, which is text elsewhere, and Mistral's ``reference``, which says nothing elsewhere.
    """

    reasoning_fields: tuple[ReasoningField, ...] = ()
    media: frozenset[MediaPart] | None = None
    media_in_results: bool | None = None
    bare_files: bool = False
    output_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    custom_tools: bool = False
    function_calls_only: bool = False
    said: frozenset[SaidPart] = frozenset({"refusal", "reference"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Provider:
    """One provider; two rows are the same where they are one object. To add one, make one of these, or base it on another::

        ACME = OPENAI.based(
            "acme", recognise=lambda model: model.provider == "acme", without=["openai-tool-call-id-length"]
        )
        ProviderHistoryCompat(providers=[ACME, *PROVIDERS])

    Args:
        name: The provider's name.
        recognise: Whether a model is served here. Must accept any ``ModelRef``, never raise and always say the same.
        api: The wire API that its rules are about, by format name, where that is another one than OpenAI's Chat API. A gateway
            that speaks the latter writes requests of this one itself: after a rejection its structure is not asked for there.
        dialect: Its wire's ways.
        owns_reasoning: Which reasoning it takes back; None: no policy.
        takes_unanswered_turns: Which models take a turn whose calls have no results at all; None: none of them.
        takes_unpaired: Which models take any call or result without its partner; None: none of them.
        rules: What its API asks for, in order.
        structure: Rules about the order and shape of messages, and the dropping of empties: after ``rules``, and again
            after any additional rule that changed something.
        known_rejections: What it says that no rule repairs.
    """

    name: str
    recognise: Callable[[ModelRef], bool]
    api: str | None = None
    dialect: Dialect = field(default_factory=Dialect)
    owns_reasoning: OwnsReasoning | None = None
    takes_unanswered_turns: Callable[[ModelRef], bool] | None = None
    takes_unpaired: Callable[[ModelRef], bool] | None = None
    rules: tuple[CompatRule, ...] = ()
    structure: tuple[CompatRule, ...] = ()
    known_rejections: tuple[KnownRejection, ...] = ()

    def all_rules(self) -> tuple[CompatRule, ...]:
        """Return the row's rules in the order in which they run."""
        return (*self.rules, *self.structure)

    def based(
        self,
        name: str,
        *,
        recognise: Callable[[ModelRef], bool],
        without: Sequence[str] = (),
        add: Sequence[CompatRule] = (),
        add_structure: Sequence[CompatRule] = (),
        dialect: Dialect | None = None,
        owns_reasoning: OwnsReasoning | None = None,
    ) -> Provider:
        """Return a row that does what this one does, with differences.

        Args:
            name: The new row's name.
            recognise: Whether a model is served there.
            without: Names of rules of this row that don't hold there.
            add: Rules that run after this row's own.
            add_structure: The same for rules about order, shape and empties.
            dialect: Its wire's ways, where they differ.
            owns_reasoning: Which reasoning it takes back, where that differs.

        Raises:
            ConfigurationError: ``without`` names a rule that this row does not have.
        """
        missing = sorted(set(without) - {rule.name for rule in self.all_rules()})
        if missing:
            raise ConfigurationError(f"provider {self.name!r} has no rules named {', '.join(missing)}")
        return replace(
            self,
            name=name,
            recognise=recognise,
            dialect=dialect or self.dialect,
            owns_reasoning=owns_reasoning or self.owns_reasoning,
            rules=(*(rule for rule in self.rules if rule.name not in without), *add),
            structure=(*(rule for rule in self.structure if rule.name not in without), *add_structure),
        )
