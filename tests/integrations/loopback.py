"""A provider on the loopback interface: it answers, refuses and streams as it is told, and keeps what it was sent."""

from __future__ import annotations

import json
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the provider answers.

    Args:
        body: The JSON body, or the raw bytes of a stream.
        status: The HTTP status.
        content_type: Of the body.
        cut: Whether the connection breaks before the body is complete.
        delay: Seconds to wait before answering.
    """

    body: Any
    status: int = 200
    content_type: str = "application/json"
    cut: bool = False
    delay: float = 0.0


@dataclass(slots=True)
class Loopback:
    """A running server.

    Attributes:
        url: Its address.
        requests: Path and decoded body of everything that came in, in order.
    """

    url: str
    requests: list[tuple[str, Any]] = field(default_factory=list)


def sse(events: Sequence[tuple[str | None, Any]], *, cut: bool = False) -> Reply:
    """A stream of server-sent events, each a name (or None) and its data."""
    lines = "".join(
        (f"event: {name}\n" if name else "")
        + f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n"
        for name, data in events
    )
    return Reply(body=lines.encode(), content_type="text/event-stream", cut=cut)


def event_stream(events: Sequence[tuple[str, Any]], *, kind: str = "event", cut: bool = False) -> Reply:
    """A stream of AWS's events, each a type and its data.

    The encoding is that of the Smithy specification: lengths and a checksum, headers, the payload, a checksum.

    Args:
        events: The events.
        kind: ``event``, or ``exception`` for those that end the stream.
        cut: Whether the connection breaks behind them.
    """
    frames = b"".join(_frame(kind, name, json.dumps(data).encode()) for name, data in events)
    return Reply(body=frames, content_type="application/vnd.amazon.eventstream", cut=cut)


def _frame(kind: str, name: str, payload: bytes) -> bytes:
    given = {":message-type": kind, f":{kind}-type": name, ":content-type": "application/json"}
    headers = b"".join(
        struct.pack("!B", len(key)) + key.encode() + struct.pack("!BH", 7, len(value)) + value.encode()
        for key, value in given.items()
    )
    lengths = struct.pack("!II", len(headers) + len(payload) + 16, len(headers))
    frame = lengths + struct.pack("!I", zlib.crc32(lengths)) + headers + payload
    return frame + struct.pack("!I", zlib.crc32(frame))


@contextmanager
def serving(answer: Callable[[str, Any], Reply]) -> Iterator[Loopback]:
    """Serve what ``answer(path, body)`` returns."""

    class Handler(BaseHTTPRequestHandler):
        # Head and body in one piece: two small ones would wait for each other's acknowledgement.
        wbufsize = 1 << 16

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            loopback.requests.append((self.path, body))
            reply = answer(self.path, body)
            time.sleep(reply.delay)
            data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.content_type)
            self.send_header("Content-Length", str(len(data) + reply.cut))
            self.end_headers()
            self.wfile.write(data)
            self.close_connection = reply.cut

        def log_message(self, format: str, *args: Any) -> None:
            """Keep the test's output quiet."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that hung up is part of some tests."""

    server = Server(("127.0.0.1", 0), Handler)
    loopback = Loopback(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield loopback
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
