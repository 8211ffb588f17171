"""Wire formats: each reads one API's requests into a ``Prompt`` and writes a ``Prompt`` as one API's request."""

from __future__ import annotations

from .detect import detect
from .registry import FORMATS, Format, format_named
from .wire import Encoded

__all__ = ["FORMATS", "Encoded", "Format", "detect", "format_named"]
