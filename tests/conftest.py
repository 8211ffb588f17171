"""Settings that all tests share."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Slow machines must not fail a test, and a history is a large thing to draw.
settings.register_profile(
    "replayable",
    deadline=None,
    # The same examples every time: a gate must not depend on luck. The hunt below draws new ones.
    derandomize=True,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
# For a hunt: `pytest tests/property --hypothesis-profile thorough`.
settings.register_profile(
    "thorough", settings.get_profile("replayable"), max_examples=3000, derandomize=False
)
settings.load_profile("replayable")
