"""What providers say when they reject a history, and the kinds of rejection that no rule can prevent or repair."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from ..errors import ConfigurationError
from ..provider_error import ProviderError

__all__ = ["Evidence", "KnownRejection", "compiled"]

# Proxies strip backticks, so a pattern's own count as optional.
_BACKTICK: Final = re.compile(r"(?<!\\)`(?!\?)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a provider said: why a rule exists, and how its kind of rejection is recognised.

    Args:
        text: The provider's own words, with ``{i}`` and the like where they vary.
        link: Where that was seen, or the provider's document.
        status: The HTTP status; None for a document.
        date: When it was seen or read, ISO 8601; None when unknown.
        entry: The name of this kind of rejection in the catalogue; None for words of no catalogued kind.
        pattern: A regular expression that finds the words in a rejection: anchored to the distinctive phrase, linear
            in time; backticks in it count as optional. None where the words are a document's.
        cause: What in the history provokes them, in one sentence.
        provider: Who says so, where the record stands beside those of other providers.
        api: On which wire API, by format name, likewise.

    Raises:
        ConfigurationError: ``pattern`` is no regular expression.
    """

    text: str
    link: str
    status: int | None = None
    date: str | None = None
    entry: str | None = None
    pattern: str | None = None
    cause: str = ""
    provider: str | None = None
    api: str | None = None

    def __post_init__(self) -> None:
        if self.pattern is not None:
            compiled(self.entry or self.text, self.pattern)

    def matches(self, error: ProviderError) -> re.Match[str] | None:
        """Return where these words stand in a rejection; None where they don't."""
        return (
            None if self.pattern is None else error.matches(compiled(self.entry or self.text, self.pattern))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRejection:
    """A kind of rejection that no rule repairs: it can be explained, never acted upon.

    Args:
        name: What the kind is called, e.g. ``context-length``.
        reason: Why changing the history's structure does not cure it, in one sentence.
        remedy: What the caller can do, in one sentence.
        evidence: The providers' words.
    """

    name: str
    reason: str
    remedy: str
    evidence: tuple[Evidence, ...]


@cache
def compiled(owner: str, pattern: str) -> re.Pattern[str]:
    """Compile a pattern; backticks in it become optional.

    Raises:
        ConfigurationError: It is no regular expression; ``owner`` is named.
    """
    try:
        return re.compile(_BACKTICK.sub("`?", pattern))
    except re.error as error:
        raise ConfigurationError(f"{owner!r}: {pattern!r} is no regular expression: {error}") from None
