"""What type checkers see of wrapped clients: the clients themselves."""

from __future__ import annotations

from typing import assert_type

from anthropic import Anthropic, AsyncAnthropic
from openai import AsyncAzureOpenAI, AsyncOpenAI, OpenAI

from replayable import Change
from replayable.integrations import anthropic, collect_changes, openai


def clients() -> None:
    """Each keeps its class."""
    assert_type(openai.wrap(OpenAI(api_key="k")), OpenAI)
    assert_type(openai.wrap(AsyncOpenAI(api_key="k")), AsyncOpenAI)
    azure = AsyncAzureOpenAI(api_key="k", api_version="1", azure_endpoint="https://house.example.com")
    assert_type(openai.wrap(azure), AsyncAzureOpenAI)
    assert_type(anthropic.wrap(Anthropic(api_key="k")), Anthropic)
    assert_type(anthropic.wrap(AsyncAnthropic(api_key="k")), AsyncAnthropic)
    with collect_changes() as changes:
        assert_type(changes, list[Change])
