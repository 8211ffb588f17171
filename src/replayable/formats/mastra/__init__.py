"""Mastra's stored messages."""

from __future__ import annotations

from .decode import decode
from .encode import encode

__all__ = ["decode", "encode"]
