"""The Vercel AI SDK: the prompt of a language model (V2, V3), model messages and UI messages."""

from __future__ import annotations

from .decode import decode
from .encode import encode

__all__ = ["decode", "encode"]
