"""The arguments of google-genai's ``generate_content``: what a body says beside its contents stands in ``config``.

People dump these as often as bodies. The SDK moves ``system_instruction``, ``tools``, ``tool_config`` and others of them to
the body's own fields, and the rest to its ``generationConfig``: https://googleapis.github.io/python-genai/
"""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel

from ..._node import Node
from ..wire import Wire

__all__ = ["CONFIG", "config_of"]

CONFIG: Final = "config"


def config_of(request: Wire) -> Wire | None:
    """Return the fields of ``config``, a dict or the SDK's object; None where the request is a body, which has none."""
    config = request.get(CONFIG)
    if isinstance(config, dict):
        return config
    if not isinstance(config, BaseModel) or isinstance(config, Node):
        return None
    # Not dumped: the values may be functions and classes, which the SDK takes for tools and schemas.
    fields = type(config).model_fields
    return {
        field.alias or name: getattr(config, name)
        for name, field in fields.items()
        if name in config.model_fields_set
    }
