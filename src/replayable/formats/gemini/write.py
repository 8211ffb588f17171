"""From our parts to the parts of a Gemini content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..._node import wire_of
from ...compat.providers.gemini_models import gemini_version
from ...json_value import parse_json
from ...media import file_stub, opaque_stub
from ...messages import (
    AssistantMessage,
    ContentPart,
    FilePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from ...prompt import Prompt
from ..model_facing import model_facing
from ..rewriting import Losses
from ..wire import Wire, options_of, with_extras
from .blobs import with_bytes
from .names import ABSENT, API, FORM, JSON, TYPE, URL_SAFE, WRAPPED
from .spelling import spelled

__all__ = ["Writer"]

_NOTHING: Final[Wire] = {}
_URL_SAFE: Final = str.maketrans("+/", "-_")
# "Multimodal function responses" came with Gemini 3: https://ai.google.dev/gemini-api/docs/function-calling
_MEDIA_IN_RESULTS: Final = (3, 0)
# Types by the name's ending, where only the kind is known.
_TYPES: Final = {
    "gif": "image/gif",
    "heic": "image/heic",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "mp4": "video/mp4",
    "mov": "video/quicktime",
    "webm": "video/webm",
    "pdf": "application/pdf",
    "txt": "text/plain",
}
_LIKELY: Final = {"image": "image/jpeg", "audio": "audio/mpeg", "video": "video/mp4"}


class Writer:
    """Writes parts one by one; files that a result can't hold wait until they are taken, to follow the results."""

    def __init__(self, losses: Losses, prompt: Prompt) -> None:
        self._losses = losses
        self._own = prompt.api == API
        model = prompt.model
        self._sends_ids = self._own or model is None or model.provider != "vertex"
        version = gemini_version(model) if model is not None else None
        self._media_in_results = version is not None and version >= _MEDIA_IN_RESULTS
        self._files: list[Wire] = []

    def parts(self, parts: Sequence[Part], message: Message) -> list[Any]:
        """Write the parts of a message other than a tool message's; what this wire can't express is left out."""
        wires: list[Any] = []
        for part in parts:
            own = _own_wire(part)
            if own is not None:
                wires.append(own)
            elif part.type == "tool_result":
                wires.extend(self.result(part, message, part.tool_name))
            else:
                wire = self._part(part, message)
                if wire is not None:
                    wires.append(wire)
        return wires

    def take_files(self) -> list[Wire]:
        """Return the files that have to follow the results written so far."""
        files, self._files = self._files, []
        return files

    def _part(self, part: Part, message: Message) -> Any:
        options = options_of(part, API)
        match part.type:
            case "text":
                if FORM in options:
                    return part.text
                return _finished({"text": part.text}, options)
            case "reasoning":
                return self._thought(part, message, options)
            case "file":
                return self._file(part, message)
            case "tool_call":
                return self._call(part, message, options)
            case "opaque":
                return part.value if part.api == API else self._stub(part, message)
            case _:
                return None

    def _stub(self, part: FilePart | OpaquePart, message: Message) -> Wire:
        text = file_stub(part) if part.type == "file" else opaque_stub(part)
        self._losses.part("not-supported-here", message, part, TextPart(text))
        return {"text": text}

    def _is_own(self, part: Part) -> bool:
        """Whether a part came from this API, by what it says beyond its fields, else by the prompt."""
        return API in part.provider_options if part.provider_options else self._own

    # --- thoughts and files -----------------------------------------------------------------------------------------

    def _thought(self, part: ReasoningPart, message: Message, options: Wire) -> Wire | None:
        made_by = message.api if isinstance(message, AssistantMessage) else None
        foreign = made_by not in (None, API) or (part.provider_options and API not in part.provider_options)
        if foreign or (part.encrypted is not None and part.signature is None and not part.text):
            # Gemini takes no thought that it did not sign, and has no place for what is sealed.
            self._losses.part("foreign-reasoning", message, part)
            return None
        self._losses.state_of(part, "signature")
        absent = options.get(ABSENT, ())
        wire: Wire = {}
        if part.text or "text" not in absent:
            wire["text"] = part.text
        if "thought" not in absent:
            wire["thought"] = True
        if part.signature is not None:
            wire["thoughtSignature"] = part.signature
        return _finished(wire, options)

    def _file(self, part: FilePart, message: Message) -> Wire:
        options = options_of(part, API)
        media_type = part.media_type or ""
        own = self._is_own(part)
        if part.data is not None and (own or ("/" in media_type and not media_type.endswith("*"))):
            data = part.data.translate(_URL_SAFE) if URL_SAFE in options else part.data
            return self._held("inlineData", {"data": data}, part, part.media_type, options)
        uri = part.url if part.url is not None else part.file_id if own else None
        if uri is None:
            return self._stub(part, message)
        return self._held(
            "fileData", {"fileUri": uri}, part, part.media_type if own else _type_of(part), options
        )

    def _held(self, name: str, holder: Wire, part: FilePart, media_type: str | None, options: Wire) -> Wire:
        if media_type is not None:
            holder["mimeType"] = media_type
        if part.filename is not None and self._is_own(part):
            holder["displayName"] = part.filename
        else:
            # Only Vertex takes a name there.
            self._losses.filename(part)
        wire = {name: {**options.get(name, _NOTHING), **holder}}
        return _finished(wire, options)

    def _sends_id(self, part: ToolCallPart | ToolResultPart, options: Wire) -> bool:
        return part.tool_call_id is not None and self._sends_ids and "id" not in options.get(ABSENT, ())

    # --- calls ------------------------------------------------------------------------------------------------------

    def _call(self, part: ToolCallPart, message: Message, options: Wire) -> Wire | None:
        kind = options.get(TYPE)
        if part.provider_executed and kind is None:
            self._losses.part("provider-executed-tool", message, part)
            return None
        if kind is not None and part.provider_executed:
            return _server_tool(kind, "args", part.tool_call_id, part.input, options)
        inner: Wire = dict(options.get("functionCall", _NOTHING))
        if self._sends_id(part, options):
            inner["id"] = part.tool_call_id
        inner["name"] = part.tool_name
        if not isinstance(part.input, dict):
            inner["args"] = _object(part)
            self._losses.part("input-is-no-object", message, part, {"args": inner["args"]})
        elif part.input or ("args" not in options.get(ABSENT, ()) and "args" not in inner):
            inner["args"] = part.input
        return _finished({"functionCall": inner}, options)

    # --- results ----------------------------------------------------------------------------------------------------

    def result(self, part: Part, message: Message, called: str | None) -> list[Any]:
        """Write a part of a tool message.

        Args:
            part: A result, or something opaque.
            message: Its message.
            called: The name of the tool that was called, where that is known.
        """
        own = _own_wire(part)
        if own is not None:
            return [own]
        if part.type == "opaque":
            if part.api == API:
                return [part.value]
            self._losses.part("not-supported-here", message, part)
            return []
        if part.type != "tool_result":
            return []
        options = options_of(part, API)
        kind = options.get(TYPE)
        if part.provider_executed and kind is None:
            self._losses.part("provider-executed-tool", message, part)
            return []
        if kind is not None and part.provider_executed:
            return [_server_tool(kind, "response", part.tool_call_id, part.output, options)]
        inner: Wire = dict(options.get("functionResponse", _NOTHING))
        if self._sends_id(part, options):
            inner["id"] = part.tool_call_id
        # "function_response.name: Name cannot be empty"; any name will do.
        name = part.tool_name or called or (None if "name" in inner else part.tool_call_id or "unknown_tool")
        if name is not None:
            inner["name"] = name
        self._put_output(model_facing(part), message, inner, options)
        return [_finished({"functionResponse": inner}, options)]

    def _put_output(self, part: ToolResultPart, message: Message, inner: Wire, options: Wire) -> None:
        if part.content is None:
            if part.output is not None or (
                "response" not in options.get(ABSENT, ()) and "response" not in inner
            ):
                inner["response"] = _response(part, part.output, options)
            return
        texts: list[Any] = []
        files: list[Any] = []
        for item in part.content:
            if item.type == "text":
                self._losses.fields_of((item,))
                texts.append(item)
            elif item.type == "opaque" and item.api != API:
                texts.append(TextPart(opaque_stub(item)))
                self._losses.part("not-supported-here", message, item, texts[-1])
            else:
                self._put_medium(item, part, message, texts, files)
        if texts or (not options and not files):
            inner["response"] = _response(part, _output(texts), options)
        elif "response" not in inner and "response" not in options.get(ABSENT, ()):
            inner["response"] = {}
        if files or self._is_own(part):
            inner["parts"] = files

    def _put_medium(
        self, item: ContentPart, part: ToolResultPart, message: Message, texts: list[Any], files: list[Any]
    ) -> None:
        """A file goes into the result where it came from this API or the model reads it there, else behind the results."""
        own = _own_wire(item)
        if own is not None or item.type != "file" or self._is_own(item):
            files.append(own if own is not None else self._part(item, message))
            return
        wire = self._file(item, message)
        self._losses.fields_of((item,))
        if "text" in wire:
            texts.append(TextPart(wire["text"]))
        elif self._media_in_results:
            files.append(wire)
        else:
            self._files.append(wire)
            texts.append(TextPart(f"[{item.media_type or 'file'}: see behind the results]"))
            self._losses.part("file-follows-tool-result", message, item, texts[-1])


def _finished(wire: Wire, options: Wire) -> Wire:
    """A part with its other fields, each as it was spelled, and bytes where bytes stood."""
    return spelled(with_bytes(with_extras(wire, options), options), options)


def _own_wire(part: Part) -> Any:
    """The wire object that a part was read from, if that was this API's."""
    wire, piece = wire_of(part)
    return wire if piece is not None and piece.api == API else None


def _type_of(part: FilePart) -> str | None:
    """The media type of a file that is to be fetched; a likely one where only the kind is known."""
    media_type = part.media_type
    if media_type is not None and not media_type.endswith("*"):
        return media_type
    ending = (part.url or "").partition("?")[0].rpartition(".")[2].lower()
    kind = (media_type or "").partition("/")[0]
    guess = _TYPES.get(ending)
    return guess if guess is not None and guess.startswith(kind) else _LIKELY.get(kind)


def _object(part: ToolCallPart) -> Wire:
    """Gemini wants an object: "args … Proto field is not repeating, cannot start list"."""
    if part.input is None:
        raw = (part.raw_input or "").strip()
        return {} if raw in ("", "null") else {"raw_arguments": part.raw_input}
    return {"input": part.input}


def _response(part: ToolResultPart, output: Any, options: Wire) -> Wire:
    """Gemini wants an object; ``output`` and ``error`` are the keys that it knows."""
    said = "" if output is None and WRAPPED not in options else output
    if part.is_error:
        # Null would say that there was none.
        return {"error": said}
    # A lone `output` or `error` would be taken for a wrapping.
    if isinstance(output, dict) and WRAPPED not in options and output.keys() not in ({"output"}, {"error"}):
        return output
    return {"output": said}


def _output(texts: Sequence[TextPart]) -> Any:
    """The texts of a result as one, or the JSON that it was."""
    if len(texts) == 1 and JSON in options_of(texts[0], API):
        is_json, value = parse_json(texts[0].text)
        if is_json:
            return value
    return "\n".join(text.text for text in texts)


def _server_tool(name: str, field: str, tool_call_id: str | None, value: Any, options: Wire) -> Wire:
    """What Google's servers ran, in the field that held it."""
    if name in ("executableCode", "codeExecutionResult"):
        inner: Wire = dict(value) if isinstance(value, dict) else {}
    else:
        inner = dict(options.get(name, _NOTHING))
        if value is not None or field not in options.get(ABSENT, ()):
            inner[field] = value
    if tool_call_id is not None:
        inner["id"] = tool_call_id
    return _finished({name: inner}, options)
