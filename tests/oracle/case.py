"""The shape of the oracle's own examples, and short names to write them with."""

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A request that a provider rejects for one reason, and its nearest acceptable neighbour.

    Args:
        entry: The id of the reason.
        path: Where it stands; in `also` the further places, when one fault shows at several.
    """

    entry: str
    path: str
    bad: Json
    good: Json
    provider: str
    model: str | None
    api: str
    also: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What a test report calls the case."""
        return f"{self.provider}-{self.entry}-{self.path}"


def request(*messages: object, **parameters: object) -> Json:
    """A request body with these messages."""
    return {"messages": list(messages), **parameters}


def system(content: object) -> Json:
    """A system message."""
    return {"role": "system", "content": content}


def user(*blocks: object) -> Json:
    """A user message: of one string, or of content blocks."""
    return _message("user", blocks)


def assistant(*blocks: object) -> Json:
    """An assistant message: of one string, or of content blocks."""
    return _message("assistant", blocks)


def text(value: object, **fields: object) -> Json:
    """A text block; OpenAI's text part looks the same."""
    return {"type": "text", "text": value, **fields}


def _message(role: str, blocks: tuple[object, ...]) -> Json:
    content = blocks[0] if len(blocks) == 1 and isinstance(blocks[0], str) else list(blocks)
    return {"role": role, "content": content}
