"""The frameworks that have an adapter, told without importing any of them: each is installed in an environment of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, Literal, Protocol, TypeAlias

from replayable import Processor, RuleMemory
from replayable.integrations._guard import OnChange

__all__ = ["DANGLING", "FRAMEWORKS", "KIMI", "ORPHAN", "Driver", "Framework", "Mode", "Setup"]

Mode: TypeAlias = Literal["sync", "async", "stream", "async stream"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """One agent: which provider it talks to, and what its adapter is given.

    Args:
        url: The provider's address.
        api: The API spoken there: ``anthropic_messages`` or ``openai_chat``.
        model: What ``ModelRef.of`` accepts: the provider that the loopback server plays, and its model.
        processors: The adapter's ``processors``.
        memory: The adapter's ``memory``.
        on_change: The adapter's ``on_change``.
        retries: How many times the framework's own client may retry.
        tool: Whether the agent has the tool ``search``, which takes ``q`` and answers ``found <q>``.
    """

    url: str
    api: str
    model: str
    processors: Sequence[Processor] | None = None
    memory: RuleMemory | None = None
    on_change: OnChange | None = None
    retries: int = 0
    tool: bool = False


class Driver(Protocol):
    """What the scenarios do with one framework; a module of ``tests.frameworks.drivers`` has these functions.

    A conversation is a list of messages of OpenAI's Chat API, where an answer may have ``reasoning`` (an object with
    ``text`` and ``signature``) too; it ends in a user's message unless it is a stored history.
    """

    def run(self, mode: Mode, setup: Setup, conversation: list[dict[str, Any]], *, made_by: str) -> str:
        """Run an agent on a conversation and return the text of its final answer.

        Args:
            mode: How the framework is called.
            setup: The agent.
            conversation: What was said before, in the framework's own messages, which must stay as they are.
            made_by: The provider that made the answers, by replayable's name.
        """
        ...

    async def arun(self, setup: Setup, conversation: list[dict[str, Any]], *, made_by: str) -> str:
        """Do what ``run`` does in a running event loop."""
        ...

    def heal(self, conversation: list[dict[str, Any]], *, made_by: str) -> list[dict[str, Any]]:
        """Return a stored conversation as the adapter's way of persisting repairs leaves it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Framework:
    """One framework.

    Args:
        name: Its name in the table, and of its extra.
        modes: The ways of calling that it has.
        packages: What its tests need beside what its extra installs.
        repairs: Titles of scenarios whose faults it repairs itself, before any adapter sees them.
        impossible: Titles of scenarios that it makes impossible, each with the reason.
    """

    name: str
    modes: Sequence[Mode]
    packages: Sequence[str] = ()
    repairs: frozenset[str] = frozenset()
    impossible: dict[str, str] = field(default_factory=dict)

    def driver(self) -> Driver:
        """Import its driver, and the framework with it."""
        driver: Any = import_module(f"tests.frameworks.drivers.{self.name.replace('-', '_')}")
        found: Driver = driver
        return found


DANGLING: Final = "a call without a result is answered"
ORPHAN: Final = "a result without a call is left out"
KIMI: Final = "a history that Kimi made goes to Anthropic"

FRAMEWORKS: Final = (
    Framework(
        name="pydantic-ai", modes=("sync", "async", "async stream"), repairs=frozenset({DANGLING, ORPHAN})
    ),
    Framework(
        name="langchain",
        modes=("sync", "async", "stream", "async stream"),
        packages=("langchain-anthropic", "langchain-openai"),
        # langchain-anthropic renames ids itself.
        repairs=frozenset({KIMI}),
    ),
    Framework(
        name="google-adk",
        modes=("sync", "async", "stream", "async stream"),
        packages=("litellm",),
        repairs=frozenset({DANGLING, KIMI, ORPHAN}),
    ),
    Framework(
        name="litellm",
        modes=("sync", "async", "stream", "async stream"),
        # It renames ids after the adapter.
        repairs=frozenset({KIMI}),
    ),
    Framework(
        name="openai-agents",
        modes=("sync", "async", "async stream"),
        packages=("litellm",),
        # LiteLLM, by which it reaches Anthropic, renames ids itself.
        repairs=frozenset({KIMI}),
    ),
    Framework(name="strands", modes=("sync", "async", "async stream")),
)
