"""OpenAI Chat Completions, and the many APIs that speak it with small differences (their dialects)."""

from __future__ import annotations

from .decode import decode
from .encode import encode

__all__ = ["decode", "encode"]
