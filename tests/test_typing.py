"""The typing checks are valid code."""

from __future__ import annotations

import boto3

from tests.typing import api, integrations


def test_the_typed_examples_run() -> None:
    """What the type checkers accept works at run time too."""
    api.construct()
    api.call()
    api.mixed_list()
    keys = {"aws_access_key_id": "none", "aws_secret_access_key": "none"}
    integrations.clients(boto3.client("bedrock-runtime", region_name="us-east-1", **keys))
