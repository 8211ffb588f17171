"""What type checkers see of wrapped clients: the clients themselves."""

from __future__ import annotations

from typing import assert_type

from anthropic import Anthropic, AsyncAnthropic
from anthropic.lib.bedrock import AnthropicBedrock, AsyncAnthropicBedrock
from anthropic.lib.vertex import AnthropicVertex, AsyncAnthropicVertex
from google.genai import Client
from google.genai.client import AsyncClient
from mypy_boto3_bedrock_runtime import BedrockRuntimeClient
from openai import AsyncAzureOpenAI, AsyncOpenAI, AzureOpenAI, OpenAI

from replayable import Change
from replayable.integrations import anthropic, boto3, collect_changes, google_genai, openai


def clients(bedrock: BedrockRuntimeClient) -> None:
    """Each keeps its class."""
    assert_type(openai.wrap(OpenAI(api_key="k")), OpenAI)
    assert_type(openai.wrap(AsyncOpenAI(api_key="k")), AsyncOpenAI)
    anywhere = "https://house.example.com"
    azure = AzureOpenAI(api_key="k", api_version="1", azure_endpoint=anywhere)
    assert_type(openai.wrap(azure), AzureOpenAI)
    async_azure = AsyncAzureOpenAI(api_key="k", api_version="1", azure_endpoint=anywhere)
    assert_type(openai.wrap(async_azure), AsyncAzureOpenAI)
    assert_type(anthropic.wrap(Anthropic(api_key="k")), Anthropic)
    assert_type(anthropic.wrap(AsyncAnthropic(api_key="k")), AsyncAnthropic)
    assert_type(anthropic.wrap(AnthropicBedrock(aws_region="us-east-1")), AnthropicBedrock)
    assert_type(anthropic.wrap(AsyncAnthropicBedrock(aws_region="us-east-1")), AsyncAnthropicBedrock)
    assert_type(anthropic.wrap(AnthropicVertex(region="global", project_id="p")), AnthropicVertex)
    assert_type(anthropic.wrap(AsyncAnthropicVertex(region="global", project_id="p")), AsyncAnthropicVertex)
    assert_type(google_genai.wrap(Client(api_key="k")), Client)
    assert_type(google_genai.wrap(Client(api_key="k")).aio, AsyncClient)
    # The class that boto3's separate types give to `boto3.client("bedrock-runtime")`.
    assert_type(boto3.wrap(bedrock), BedrockRuntimeClient)
    with collect_changes() as changes:
        assert_type(changes, list[Change])
