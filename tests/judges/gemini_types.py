"""Judge a Gemini request body by the types of Google's own SDK, which are pydantic models that refuse unknown fields."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from typing import Any

from google.genai import types
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from tests.judges.sdk_types import error_lines, not_json


class _Request(BaseModel):
    """The body of `generateContent`, for which the SDK itself has no type: it takes its fields as arguments."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)

    contents: list[types.Content] = Field(min_length=1)
    system_instruction: types.Content | None = None
    tools: list[types.Tool] | None = None
    tool_config: types.ToolConfig | None = None
    generation_config: types.GenerationConfig | None = None
    safety_settings: list[types.SafetySetting] | None = None
    cached_content: str | None = None
    labels: dict[str, str] | None = None


def gemini_errors(request: Mapping[str, Any]) -> list[str]:
    """Say what Google's SDK would find wrong with the body of `generateContent`.

    Args:
        request: The body as it goes over the wire, in camelCase or snake_case.

    Returns:
        At most five lines `path: reason`; empty when valid.
    """
    problem = not_json(request)
    if problem:
        return problem
    try:
        with warnings.catch_warnings():
            # An enum's value that the SDK doesn't know is to it but a warning.
            warnings.simplefilter("error")
            # As JSON, in which bytes are base64.
            _Request.model_validate_json(json.dumps(request))
    except ValidationError as error:
        return error_lines(error)
    except (UserWarning, AttributeError) as error:
        # The latter where an enum's value is its number, which the API takes.
        return [f"body: {error}"[:100]]
    return []
