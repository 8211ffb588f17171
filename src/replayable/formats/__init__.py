"""Wire formats: each reads one API's requests into a ``Prompt`` and writes a ``Prompt`` as one API's request."""

from __future__ import annotations

from .detect import detect
from .format import Format, Marks
from .registry import FORMATS, format_named
from .wire import Encoded

__all__ = ["FORMATS", "Encoded", "Format", "Marks", "detect", "format_named"]
