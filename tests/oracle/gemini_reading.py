"""Contents and parts of a Gemini request, read with care."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.oracle.violation import MALFORMED, Violation
from tests.oracle.wire import as_mapping, as_text, objects

# gemini-2.5-flash, gemini-3-pro-preview, models/gemini-1.5-flash-002; gemini-pro was the first.
_VERSION = re.compile(r"gemini-(\d+)(?:\.(\d+))?")
_FIRST = re.compile(r"gemini-(pro|ultra)\b")
_HUMP = re.compile(r"([A-Z])")


def version(model: str | None) -> tuple[int, int] | None:
    """Major and minor version of a Gemini model name; `None` when the name holds none."""
    match = _VERSION.search(model or "")
    if match:
        return int(match[1]), int(match[2] or 0)
    return (1, 0) if _FIRST.search(model or "") else None


def camel_case(name: str) -> str:
    """`functionCall` for `function_call`: the API takes both spellings."""
    head, *tail = name.split("_")
    return head + "".join(word.title() for word in tail)


def field(data: Mapping[str, Any], name: str) -> Any:
    """A field in either spelling, its name given in camel case; `None` when missing."""
    return data.get(name, data.get(_HUMP.sub(r"_\1", name).lower()))


@dataclass(frozen=True, slots=True)
class Part:
    """One part and where it stands."""

    path: str
    data: Mapping[str, Any]

    @property
    def call(self) -> Mapping[str, Any] | None:
        """The function call that the part holds."""
        return as_mapping(field(self.data, "functionCall"))

    @property
    def response(self) -> Mapping[str, Any] | None:
        """The function response that the part holds."""
        return as_mapping(field(self.data, "functionResponse"))

    @property
    def has_signature(self) -> bool:
        """Whether a thought signature stands beside the part's data."""
        return bool(field(self.data, "thoughtSignature"))


@dataclass(frozen=True, slots=True)
class Content:
    """One turn and where it stands."""

    path: str
    data: Mapping[str, Any]

    @property
    def role(self) -> str:
        """The turn's role; empty when it has none."""
        return as_text(self.data.get("role"))

    @property
    def parts(self) -> list[Part]:
        """The readable parts."""
        return [Part(path, data) for path, data in objects(f"{self.path}.parts", self.data.get("parts"))]

    @property
    def calls(self) -> list[Part]:
        """The parts that call a function of the client."""
        return [part for part in self.parts if part.call is not None]

    @property
    def responses(self) -> list[Part]:
        """The parts that answer a call."""
        return [part for part in self.parts if part.response is not None]


def read_contents(request: Mapping[str, Any]) -> tuple[list[Content], list[Violation]]:
    """The readable contents, and what could not be read."""
    given = request.get("contents")
    if given is None or given == []:
        reason = "GenerateContentRequest.contents: contents is not specified"
        return [], [Violation("gemini-contents-missing", "contents", reason)]
    found = [Content(path, data) for path, data in objects("contents", given)]
    if not isinstance(given, list) or len(found) != len(given):
        return found, [Violation(MALFORMED, "contents", "contents must be a list of objects")]
    return found, []
