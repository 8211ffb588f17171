"""Adapters for SDKs and frameworks, one module each; none of them is imported unless you import it.

Each asks for the package that it adapts by an extra of its own name, e.g. ``replayable[openai]``.
"""

from __future__ import annotations

from ._guard import collect_changes, unguarded

__all__ = ["collect_changes", "unguarded"]
