"""Rules on a single Gemini content and its parts."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.oracle.gemini_reading import Content, Part, camel_case, field
from tests.oracle.violation import MALFORMED, Violation
from tests.oracle.wire import holds_only_objects

_DATA = frozenset(
    {
        "codeExecutionResult",
        "executableCode",
        "fileData",
        "functionCall",
        "functionResponse",
        "inlineData",
        "text",
        "toolCall",
        "toolResponse",
    }
)
_PART = _DATA | {"mediaResolution", "partMetadata", "thought", "thoughtSignature", "videoMetadata"}
_CALL = frozenset({"id", "name", "args", "partialArgs", "willContinue"})
_RESPONSE = frozenset({"id", "name", "response", "parts", "willContinue", "scheduling"})
_EMPTY_TEXT_BEGINS = (2, 5)
_LONE_SIGNATURE_BEGINS = (3, 0)
_NO_RESOLUTION_ENDS = (3, 0)
_ROLES = ("user", "model", "function")


def check_content(content: Content, provider: str, release: tuple[int, int] | None) -> Iterator[Violation]:
    """Rules on one content. `release` is the version of the model."""
    # Only Vertex wants the role to be there.
    if content.role not in _ROLES and (provider == "vertex" or "role" in content.data):
        yield Violation(
            "gemini-invalid-role", f"{content.path}.role", "Please use a valid role: user, model."
        )
    yield from _check_names(content.path, content.data, frozenset({"role", "parts"}))
    given = content.data.get("parts")
    if not given:
        yield _empty(content, provider)
    elif not holds_only_objects(given):
        yield Violation(MALFORMED, f"{content.path}.parts", "parts must be a list of objects")
    for part in content.parts:
        yield from _check_part(part, provider, release)


def _empty(content: Content, provider: str) -> Violation:
    path = f"{content.path}.parts"
    if provider == "vertex":
        reason = "Unable to submit request because it must include at least one parts field"
        return Violation("gemini-vertex-no-parts", path, reason)
    return Violation("gemini-parts-empty", path, "contents.parts must not be empty.")


def _check_part(part: Part, provider: str, release: tuple[int, int] | None) -> Iterator[Violation]:
    # Recorded with 3.0: "Unknown name mediaResolution at contents[0].parts[1]"; documented for what came later.
    knows_resolution = provider == "vertex" or release is None or release > _NO_RESOLUTION_ENDS
    known = _PART if knows_resolution else _PART - {"mediaResolution"}
    yield from _check_names(part.path, part.data, known)
    held = {camel_case(name) for name, value in part.data.items() if value is not None} & _DATA
    if len(held) > 1:
        reason = f"oneof field 'data' is already set. Cannot set '{max(held)}'"
        yield Violation(MALFORMED, part.path, reason)
    text = field(part.data, "text")
    if "text" in held and not isinstance(text, str):
        yield Violation(MALFORMED, f"{part.path}.text", "text must be a string")
    elif text == "" and provider == "vertex":
        reason = "Unable to submit request because it has an empty text parameter."
        yield Violation("gemini-vertex-empty-text", f"{part.path}.text", reason)
    elif _holds_nothing(part, held, release):
        reason = "required oneof field 'data' must have one initialized field"
        yield Violation("gemini-part-oneof", part.path, reason)
    if part.call is not None:
        yield from _check_call(f"{part.path}.functionCall", part.call)
    if part.response is not None:
        yield from _check_response(f"{part.path}.functionResponse", part.response)


def _holds_nothing(part: Part, held: set[str], release: tuple[int, int] | None) -> bool:
    if held == {"text"}:
        # Recorded with empty text from 2.5 on, accepted.
        return field(part.data, "text") == "" and (release is None or release < _EMPTY_TEXT_BEGINS)
    # Recorded with a signature alone from 3 on, accepted.
    takes_signature = release is not None and release >= _LONE_SIGNATURE_BEGINS
    return not held and not (takes_signature and part.has_signature)


def _check_call(path: str, call: Mapping[str, Any]) -> Iterator[Violation]:
    yield from _check_names(path, call, _CALL)
    if not isinstance(call.get("name"), str) or not call["name"]:
        yield Violation(MALFORMED, f"{path}.name", "function_call.name: Name cannot be empty.")
    yield from _check_object(path, call, "args")


def _check_response(path: str, response: Mapping[str, Any]) -> Iterator[Violation]:
    yield from _check_names(path, response, _RESPONSE)
    # Another name than that of the call is accepted; none is not.
    if not isinstance(response.get("name"), str) or not response["name"]:
        reason = "function_response.name: Name cannot be empty."
        yield Violation("gemini-function-response-name", f"{path}.name", reason)
    yield from _check_object(path, response, "response")


def _check_object(path: str, data: Mapping[str, Any], name: str) -> Iterator[Violation]:
    # Left out: accepted.
    if data.get(name) is not None and not isinstance(data[name], Mapping):
        reason = f'Unknown name "{name}": Proto field is not repeating, cannot start list.'
        yield Violation("gemini-response-not-object", f"{path}.{name}", reason)


def _check_names(path: str, data: Mapping[str, Any], known: frozenset[str]) -> Iterator[Violation]:
    for name in sorted(data):
        # The SDK sends no None.
        if camel_case(name) not in known and data[name] is not None:
            reason = f"Invalid JSON payload received. Unknown name \"{name}\" at '{path}': Cannot find field."
            yield Violation("gemini-unknown-name", f"{path}.{name}", reason)
