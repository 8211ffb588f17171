"""Judge a request body by the checks of Mistral's own package, `mistral-common`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from mistral_common.exceptions import MistralCommonException
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.validator import (
    MistralRequestValidator,
    ValidationMode,
    get_validator,
)
from mistral_common.tokens.tokenizers.base import TokenizerVersion
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

VERSIONS: Final = ("v3", "v7", "v11", "v13", "v15")


@cache
def _validator(version: str) -> MistralRequestValidator[Any, Any, Any, Any]:
    return get_validator(TokenizerVersion(version), ValidationMode.serving)


@cache
def _tokenizer() -> MistralTokenizer[Any, Any, Any, Any, Any]:
    # The only one whose data the package holds for serving; the others are downloaded with their models.
    return MistralTokenizer.v3(is_tekken=True)


def mistral_error(request: Mapping[str, Any], version: str) -> str | None:
    """Say why a server with this version of the tokenizer refuses the body; `None` when it takes it.

    Args:
        request: A body in the OpenAI Chat format.
        version: One of `VERSIONS`.
    """
    try:
        read = _read(request)
        _validator(version).validate_request(read)
    except (MistralCommonException, ValueError, KeyError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def tokenizes(request: Mapping[str, Any]) -> bool:
    """Whether the tokenizer v3 turns the body into tokens, after its validation and normalization."""
    return len(_tokenizer().encode_chat_completion(_read(request)).tokens) > 0


def _read(request: Mapping[str, Any]) -> ChatCompletionRequest[Any]:
    messages = [_as_the_package_says_it(message) for message in request["messages"]]
    return ChatCompletionRequest.from_openai(
        messages=messages,
        tools=request.get("tools"),
        # The conversion knows the API's `prefix` by this name.
        continue_final_message=bool(messages) and messages[-1].get("prefix") is True,
        model="any",
    )


def _as_the_package_says_it(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message whose content has nothing but chunks that the package knows: the API has some more."""
    content = message.get("content")
    chunks = content if isinstance(content, list) else []
    # The API holds thinking in a list of chunks, the package in a string.
    return {**message, "content": [_chunk(chunk) for chunk in chunks] if chunks else content}


def _chunk(chunk: Any) -> Any:
    kind = chunk.get("type")
    if kind == "thinking" and isinstance(chunk.get("thinking"), list):
        return {**chunk, "thinking": "".join(str(part.get("text", "")) for part in chunk["thinking"])}
    # Documents, files and references are for the API alone, which turns them into text.
    known = kind not in ("document_url", "file", "reference")
    return chunk if known else {"type": "text", "text": f"[{kind}]"}
