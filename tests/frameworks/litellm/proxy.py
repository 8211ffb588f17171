"""LiteLLM's real proxy with our callback, by hand: ``python -m tests.frameworks.litellm.proxy``.

Not in CI: what ``litellm[proxy]`` pins does not install everywhere, and the proxy takes ten seconds to start. Broken
histories go to each of its endpoints, whole and streamed; the first rejection of a kind costs one more request, the next
request of its kind is repaired before it is sent. Exits with 1 if something else happens.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from tests.frameworks.providers import ANTHROPIC
from tests.frameworks.test_scenarios import SIGNATURE, conversation
from tests.integrations.loopback import Loopback, Reply, serving
from tests.integrations.sdks import OpenAIResponses

_KEY: Final = "sk-1"
_RESPONSES: Final = OpenAIResponses()
_CALLBACK: Final = "from replayable.integrations.litellm import HistoryCompat\n\ncompat = HistoryCompat()\n"
# A history with an unanswered call, and what stands in the request once it has an answer.
_BROKEN: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "/v1/chat/completions": (
        {"model": "claude", "max_tokens": 50, "messages": conversation(dangling=True)},
        "tool_result",
    ),
    "/v1/messages": (
        {"model": "claude", "max_tokens": 50, "messages": ANTHROPIC.sdk.messages(dangling=True)},
        "tool_result",
    ),
    "/v1/responses": ({"model": "gpt", "input": _RESPONSES.messages(dangling=True)}, "function_call_output"),
}


def _answer(path: str, body: Any) -> Reply:
    if "responses" in path:
        return _RESPONSES.reply((path, body), "Norway.")
    refusing = ANTHROPIC.refusing(SIGNATURE, "messages.1.content.0: Invalid `signature` in `thinking` block")
    return refusing(path, body) if SIGNATURE in json.dumps(body) else ANTHROPIC.judge(path, body)


def main() -> int:
    """Start it, ask it, and say what came of it."""
    outcomes: list[tuple[str, bool]] = []
    with serving(_answer) as provider, _proxy(provider.url) as proxy:
        for stream in (False, True):
            for path, (body, repaired) in _BROKEN.items():
                answer = proxy.post(path, json={**body, "stream": stream})
                sent = json.dumps(provider.requests[-1][1])
                outcomes.append((f"{path} stream={stream}", answer.is_success and repaired in sent))
        outcomes += _rejections(proxy, provider)
    for name, held in outcomes:
        sys.stdout.write(f"{'holds' if held else 'FAILS'}  {name}\n")
    return 0 if all(held for _, held in outcomes) else 1


def _rejections(proxy: httpx.Client, provider: Loopback) -> Iterator[tuple[str, bool]]:
    history = conversation()
    history[1]["thinking_blocks"] = [{"type": "thinking", "thinking": "Oslo.", "signature": SIGNATURE}]
    body = {"model": "claude", "max_tokens": 50, "messages": history}
    for stream, requests in ((True, 2), (False, 1), (True, 1)):
        before = len(provider.requests)
        answer = proxy.post("/v1/chat/completions", json={**body, "stream": stream})
        held = answer.is_success and len(provider.requests) == before + requests
        yield f"a signature that is refused, stream={stream}: requests {requests}", held


@contextmanager
def _proxy(provider: str) -> Iterator[httpx.Client]:
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        config = Path(folder, "config.yaml")
        config.write_text(json.dumps(_config(provider)))
        Path(folder, "history.py").write_text(_CALLBACK)
        command = [str(Path(sys.executable).with_name("litellm")), "--config", str(config)]
        command += ["--host", "127.0.0.1", "--port", str(port)]
        env = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            _wait(process, port)
            headers = {"authorization": f"Bearer {_KEY}"}
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60) as client:
                yield client
        finally:
            process.kill()
            process.wait()


def _config(provider: str) -> dict[str, Any]:
    """JSON is YAML, too."""
    claude = {"model": "anthropic/claude-sonnet-5", "api_base": provider, "api_key": "none"}
    gpt = {"model": "openai/gpt-5", "api_base": f"{provider}/v1", "api_key": "none"}
    return {
        "model_list": [
            {"model_name": "claude", "litellm_params": claude},
            {"model_name": "gpt", "litellm_params": gpt},
        ],
        "litellm_settings": {"callbacks": "history.compat"},
        "router_settings": {"retry_policy": {"BadRequestErrorRetries": 1}},
        "general_settings": {"master_key": _KEY},
    }


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise RuntimeError("the proxy did not start: is litellm[proxy] installed?")


if __name__ == "__main__":
    sys.exit(main())
