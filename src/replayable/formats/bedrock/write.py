"""Writing the blocks of a Converse message."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from typing import Any, Final

from ..._node import wire_of
from ...json_value import parse_json
from ...media import file_stub, opaque_stub
from ...messages import (
    FilePart,
    Message,
    Messages,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from ..arguments import input_object
from ..model_facing import model_facing
from ..rewriting import Losses
from ..wire import Wire, options_of, text_of_json
from .blobs import bytes_of, with_bytes
from .files import FILE_KINDS, document_names, extras, files_of, new_file, same_file
from .names import ABSENT, API, BASE64, BYTES, CACHE_POINT, CONTENT, TYPE
from .read import cited_text

__all__ = ["Writer"]

# A tool result holds no audio: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultContentBlock.html
_IN_RESULTS: Final = ("image", "document", "video")
# Whose signatures and redacted thinking a model behind Converse may take for its own.
_SIGNED: Final = (API, "anthropic", None)


class Writer:
    """Writes parts as blocks.

    Args:
        losses: Where it is noted what the wire can't express.
        messages: The messages of the prompt, which tell the names of documents that are taken.
    """

    def __init__(self, losses: Losses, messages: Messages) -> None:
        self._losses = losses
        self._messages = messages
        self._names = document_names(messages)
        self._bytes: bool | None = None

    def blocks(self, parts: Sequence[Part], message: Message, *, in_result: bool = False) -> list[Any]:
        """Return the blocks of some parts; what nobody touched as it was."""
        blocks: list[Any] = []
        for part in parts:
            wire, piece = wire_of(part)
            own = piece is not None and piece.api == API
            block = wire if own else self._block(part, message, in_result=in_result)
            if block is None:
                continue
            blocks.append(block)
            point = options_of(part, API).get(CACHE_POINT)
            if point is not None:
                blocks.append({CACHE_POINT: point})
        return blocks

    def _block(self, part: Part, message: Message, *, in_result: bool) -> Any:
        match part.type:
            case "text":
                return _text(part)
            case "reasoning":
                return self._reasoning(part, message)
            case "file":
                return self._file(part, message, _IN_RESULTS if in_result else FILE_KINDS)
            case "tool_call":
                return self._call(part, message)
            case "tool_result":
                return self._result(part, message)
            case "opaque" if part.api == API:
                return with_bytes(part.value)
            case "opaque" if message.role == "tool" and not in_result:
                # Beside results there is no place for a text.
                self._losses.part("not-supported-here", message, part)
                return None
            case "opaque":
                return self._stub(part, message)

    def _stub(self, part: FilePart | OpaquePart, message: Message) -> Wire:
        text = file_stub(part) if part.type == "file" else opaque_stub(part)
        self._losses.part("not-supported-here", message, part, TextPart(text))
        return {"text": text}

    def _file(self, part: FilePart, message: Message, kinds: Iterable[str]) -> Wire:
        if TYPE in options_of(part, API):
            return same_file(part) or self._stub(part, message)
        new = new_file(part, self._names, as_bytes=self._as_bytes(), kinds=kinds)
        if new is None:
            return self._stub(part, message)
        kind, body = new
        if part.filename is not None and part.filename != body.get("name"):
            self._losses.part("document-name", message, part, {"name": body.get("name")})
        return {kind: body}

    def _as_bytes(self) -> bool:
        """Whether new data goes out as Python bytes, as boto3 takes them; not beside data in base64."""
        if self._bytes is None:
            parts = (part for message in self._messages for part in message.parts if part.type == "reasoning")
            own = (options_of(part, API) for part in (*files_of(self._messages), *parts))
            self._bytes = not any(options.get(BYTES) is False for options in own)
        return self._bytes

    def _reasoning(self, part: ReasoningPart, message: Message) -> Wire | None:
        options = options_of(part, API)
        foreign = part.provider_options and API not in part.provider_options
        if part.encrypted is not None and part.signature is None and not part.text:
            if foreign or (message.role == "assistant" and message.api not in _SIGNED):
                self._losses.part("unsigned-reasoning", message, part)
                return None
            self._losses.state_of(part, "encrypted")
            return {"reasoningContent": {"redactedContent": self._redacted(part.encrypted, options)}}
        if part.signature is None and not options and message.role == "assistant" and message.api != API:
            # Another API's reasoning, and no rule has asked for it: models take none that they did not sign.
            self._losses.part("unsigned-reasoning", message, part)
            return None
        signature = self._losses.signature_of(part)
        body: Wire = {}
        if part.text or "text" not in options.get(ABSENT, ()):
            body["text"] = part.text
        if signature is not None:
            body["signature"] = signature
        return {"reasoningContent": {"reasoningText": {**extras(options), **body}}}

    def _redacted(self, encrypted: str, options: Wire) -> Any:
        data = bytes_of(encrypted) if options.get(BASE64) else encrypted.encode("utf-8", "surrogatepass")
        if data is None:
            return encrypted
        if options[BYTES] if BYTES in options else self._as_bytes():
            return data
        return encrypted if options.get(BASE64) else b64encode(data).decode("ascii")

    def _call(self, part: ToolCallPart, message: Message) -> Wire | None:
        options = options_of(part, API)
        if part.provider_executed and TYPE not in options:
            self._losses.part("provider-executed-tool", message, part)
            return None
        absent = options.get(ABSENT, ())
        body: Wire = {}
        if part.tool_call_id is not None or "toolUseId" not in absent:
            body["toolUseId"] = part.tool_call_id
        body["name"] = part.tool_name
        if API in (part.provider_options or {}) or isinstance(part.input, dict):
            if part.input is not None or "input" not in absent:
                body["input"] = part.input
        else:
            # "The format of the value at messages.{i}.content.{j}.toolUse.input is invalid. Provide a json object"
            body["input"] = input_object(part)
            self._losses.part("input-is-no-object", message, part, {"input": body["input"]})
        if TYPE in options:
            body["type"] = options[TYPE]
        return {"toolUse": {**extras(options), **body}}

    def _result(self, part: ToolResultPart, message: Message) -> Wire | None:
        part = model_facing(part)
        options = options_of(part, API)
        if part.provider_executed and "type" not in options:
            self._losses.part("provider-executed-tool", message, part)
            return None
        body: Wire = {}
        if part.tool_call_id is not None or "toolUseId" not in options.get(ABSENT, ()):
            body["toolUseId"] = part.tool_call_id
        content = self._answer(part, message, options.get(CONTENT))
        if content is not None or options.get(CONTENT) == "null":
            body["content"] = content
        if part.is_error is not None:
            body["status"] = "error" if part.is_error else "success"
        return {"toolResult": {**extras(options), **body}}

    def _answer(self, part: ToolResultPart, message: Message, form: Any) -> list[Any] | None:
        if part.content is not None:
            self._losses.fields_of(part.content)
            return self.blocks(part.content, message, in_result=True)
        output = part.output
        if form == "json" or (isinstance(output, dict) and form != "text"):
            return [{"json": output}]
        if output is None and form in ("absent", "null", "list"):
            return [] if form == "list" else None
        if output is None or isinstance(output, str):
            return [{"text": output or ""}]
        # "The format of the value at ….json is invalid. Provide a json object for the field and try again."
        return [{"text": text_of_json(output, "output")}]


def _text(part: TextPart) -> Wire:
    options = options_of(part, API)
    kind = options.get(TYPE)
    if kind == "citationsContent":
        body = extras(options)
        # The pieces as they stood there count as long as they still say the text.
        if cited_text(body.get("content")) != part.text:
            body["content"] = [{"text": part.text}]
        return {kind: body}
    if kind == "guardContent":
        return {kind: {"text": {**extras(options), "text": part.text}}}
    if kind == "json":
        is_json, value = parse_json(part.text)
        return {"json": value} if is_json else {"text": part.text}
    return {"text": part.text}
