"""The packages that integrations adapt are optional."""

from __future__ import annotations

from ..errors import MissingExtraError

__all__ = ["missing_extra"]


def missing_extra(error: ModuleNotFoundError, extra: str) -> ImportError:
    """Return the error to raise when an integration's import failed: it says which extra to install.

    Args:
        error: What the import raised.
        extra: The extra that installs the package, which is named like its top-level module or its distribution.
    """
    module = error.name or extra
    # A package that is there but lacks a dependency of its own has its own story to tell: it keeps its error.
    return MissingExtraError(module, extra)
