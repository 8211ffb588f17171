"""What a provider said when it rejected a request, read out of any SDK's exception, an error body or a plain string."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from .json_value import parse_json

__all__ = ["ProviderError"]

# Error bodies are untrusted: what is read of them is bounded before any pattern runs.
_MAX_TEXT: Final = 20_000
_MAX_TEXTS: Final = 64
_MAX_VISITS: Final = 500
_MAX_DEPTH: Final = 12
# Every proxy hop may quote the body before it once more.
_MAX_UNWRAPPED: Final = 4

# Where bodies keep words of the provider. Other fields are passed over: some servers echo the request (FastAPI's
# `input`), and what a user wrote must never be taken for what the provider said.
_WORDS: Final = frozenset(
    {
        "body", "cause", "code", "description", "detail", "details", "err", "error", "error_message", "errormessage",
        "errors", "inner_error", "innererror", "message", "metadata", "msg", "previous_errors", "raw", "reason",
        "response", "status", "title", "type",
    }
)  # fmt: skip
# Where exceptions of the known SDKs keep them: openai, anthropic, httpx (`response.text`), google-genai (`details`),
# botocore (`response`, a dict), litellm, pydantic-ai (`body`).
_ATTRIBUTES: Final = (
    "message",
    "body",
    "details",
    "error",
    "errors",
    "response",
    "text",
    "original_exception",
)
_STATUS_ATTRIBUTES: Final = ("status_code", "http_status", "status", "code")
_ESCAPED: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r"}
_PYTHON_TOKEN: Final = re.compile(
    r"b?'(?P<single>(?:[^'\\]|\\.)*)'|b?\"(?P<double>(?:[^\"\\]|\\.)*)\"|\b(?P<constant>True|False|None)\b",
    re.DOTALL,
)
_JSON_CONSTANTS: Final = {"True": "true", "False": "false", "None": "null"}
# What gateways say around, or instead of, the words of the provider behind them.
_EMPTY_PHRASES: Final = re.compile(
    r"Provider returned error|Client specified an invalid argument|^\d{3} status code \(no body\)$"
)
_STATUS_IN_TEXT: Final = re.compile(
    r"\b(?:status(?:[ _]code)?|HTTP|code)['\"]?[ :=]{1,3}([45]\d\d)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderError:
    """A rejection, in the provider's own words.

    Args:
        texts: Every wording found, outermost first: the message, the body, nested causes, JSON inside JSON (up to 4
            levels). Each is capped at 20,000 characters and holds no backticks (proxies strip them, so no pattern may
            depend on them).
        status: The HTTP status; None when nothing tells it.
        raw: What the caller gave.
    """

    texts: tuple[str, ...] = ()
    status: int | None = None
    raw: Any = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, error: Any) -> ProviderError:
        """Read an SDK's exception (with its causes), a decoded error body, bytes or a plain string; never raises."""
        if isinstance(error, ProviderError):
            return error
        texts: dict[str, None] = {}
        status: int | None = None
        for value in _reachable(error):
            if isinstance(value, str):
                for text in _unwrapped(value):
                    if len(texts) < _MAX_TEXTS:
                        texts.setdefault(text.replace("`", ""))
            elif status is None:
                status = _status_of(value)
        if status is None:
            status = next((int(match[1]) for text in texts if (match := _STATUS_IN_TEXT.search(text))), None)
        return cls(texts=tuple(texts), status=status, raw=error)

    def matches(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return the first match of a pattern in any of the texts."""
        return next((match for text in self.texts if (match := pattern.search(text))), None)

    def says_nothing_but(self, patterns: Sequence[re.Pattern[str]]) -> bool:
        """Tell whether every text of three words or more holds one of the patterns, or a gateway's empty phrase: nothing
        else says what was wrong. JSON counts by the texts in it."""
        telling = (*patterns, _EMPTY_PHRASES)
        return all(
            len(text.split(None, 2)) < 3
            or any(pattern.search(said) for said in _unwrapped(text) for pattern in telling)
            or (text.lstrip()[:1] in ("{", "[") and parse_json(text)[0])
            for text in self.texts
        )


def _reachable(error: Any) -> Iterator[Any]:
    """Yield the objects and strings in which an error's words stand, breadth first, bounded."""
    queue: list[tuple[Any, int]] = [(error, 0)]
    # By identity, and kept: the id of what was parsed here could come again once it is gone.
    seen: dict[int, Any] = {}
    visits = 0
    while queue and visits < _MAX_VISITS:
        value, depth = queue.pop(0)
        visits += 1
        if isinstance(value, bytes | bytearray):
            value = bytes(value[:_MAX_TEXT]).decode("utf-8", "replace")
        if isinstance(value, str):
            yield value[:_MAX_TEXT]
            parsed = _json_in(value[:_MAX_TEXT])
            if parsed is not None and depth < _MAX_DEPTH:
                queue.append((parsed, depth + 1))
            continue
        if value is None or isinstance(value, bool | int | float) or id(value) in seen or depth >= _MAX_DEPTH:
            continue
        seen[id(value)] = value
        yield value
        queue.extend((child, depth + 1) for child in _children(value))


def _children(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return [child for key, child in list(value.items())[:50] if str(key).lower() in _WORDS]
    if isinstance(value, list | tuple):
        return list(value[:20])
    if isinstance(value, BaseExceptionGroup):
        # What a group calls itself are nobody's words about the request.
        return list(value.exceptions[:10])
    children: list[Any] = []
    if isinstance(value, BaseException):
        children.append(_safely(lambda: str(value)))
        children.extend(value.args[:5])
    children.extend(_safely(lambda name=name: getattr(value, name, None)) for name in _ATTRIBUTES)
    if isinstance(value, BaseException):
        children.extend((value.__cause__, value.__context__))
    return [child for child in children if child is not None and not callable(child)]


def _safely(read: Any) -> Any:
    try:
        return read()
    except Exception:
        # An unread response's `text`, a property that raises: then it says nothing.
        return None


def _json_in(text: str) -> Any:
    """The JSON that a text is, or holds between its outermost braces (``litellm.BadRequestError: … {…}``)."""
    stripped = text.strip()
    if stripped[:1] in ("{", "[", '"'):
        is_json, value = parse_json(stripped)
        if is_json:
            return value
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        is_json, value = parse_json(text[start : end + 1])
        return value if is_json else _python_literal(text[start : end + 1])
    return None


def _python_literal(text: str) -> Any:
    """The value of a dict's ``repr``, as SDKs put the body into their messages (``Error code: 400 - {'error': …}``)."""
    return parse_json(_PYTHON_TOKEN.sub(_as_json, text))[1]


def _as_json(match: re.Match[str]) -> str:
    if match["constant"]:
        return _JSON_CONSTANTS[match["constant"]]
    single = match["single"]
    return json.dumps(_ESCAPED.sub(_unescape, single if single is not None else match["double"]))


def _unwrapped(text: str) -> Iterator[str]:
    """Yield a text, then what it says with its escapes undone: quotes inside quotes gather backslashes at every hop."""
    yield text
    for _ in range(_MAX_UNWRAPPED):
        if "\\" not in text:
            return
        text = _ESCAPED.sub(_unescape, text)
        yield text


def _unescape(match: re.Match[str]) -> str:
    escaped = match[1]
    if len(escaped) == 5:
        return chr(int(escaped[1:], 16))
    return _ESCAPES.get(escaped, escaped)


def _status_of(value: Any) -> int | None:
    if isinstance(value, Mapping):
        found = [
            value.get("status"),
            value.get("status_code"),
            value.get("code"),
            value.get("HTTPStatusCode"),
        ]
        metadata = value.get("ResponseMetadata")
        if isinstance(metadata, Mapping):
            found.append(metadata.get("HTTPStatusCode"))
    else:
        found = [_safely(lambda name=name: getattr(value, name, None)) for name in _STATUS_ATTRIBUTES]
    for status in found:
        if isinstance(status, str) and status.isdecimal() and len(status) == 3:
            status = int(status)
        if isinstance(status, int) and not isinstance(status, bool) and 400 <= status < 600:
            return status
    return None
