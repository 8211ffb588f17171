"""Rules that hold for every provider."""

from __future__ import annotations

from typing import Final

from ..rules.provider_executed import strip_foreign_provider_executed_tools

__all__ = ["STRIP_FOREIGN_PROVIDER_EXECUTED_TOOLS"]

STRIP_FOREIGN_PROVIDER_EXECUTED_TOOLS: Final = strip_foreign_provider_executed_tools(
    "strip-foreign-provider-executed-tools"
)
