"""The name of this format; its notes are those of ``formats.ai_sdk``, of whose parts its messages are made."""

from __future__ import annotations

from typing import Final

API: Final = "mastra"
