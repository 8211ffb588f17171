"""The typing checks are valid code."""

from __future__ import annotations

from tests.typing import api, integrations


def test_the_typed_examples_run() -> None:
    """What the type checkers accept works at run time too."""
    api.construct()
    api.call()
    api.mixed_list()
    integrations.clients()
