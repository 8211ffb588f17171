"""All integrations, and all scenarios that the tests run for them: what the docs' table is made of."""

from __future__ import annotations

from types import ModuleType
from typing import Final

from replayable.integrations import anthropic, boto3, google_genai, openai
from tests.frameworks import test_scenarios
from tests.integrations import test_sdk_clients
from tests.integrations.scenarios import FRAMEWORK_SCENARIOS, SCENARIOS

__all__ = ["FRAMEWORK_SCENARIOS", "MODULES", "SCENARIOS"]

MODULES: Final[tuple[ModuleType, ...]] = (openai, anthropic, google_genai, boto3)
# Importing a module of tests lists its scenarios.
TESTS: Final[tuple[ModuleType, ...]] = (test_sdk_clients, test_scenarios)
