"""A local web server that behaves badly on request, and the mirror folder with the real files."""

import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

MIRROR = os.environ.get("DPMC_DATA_MIRROR")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch):
    monkeypatch.delenv("DPMC_DATA_MIRROR", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(scope="session")
def mirror():
    """Return the folder with the real files; skip the test if there is none."""
    if not MIRROR:
        pytest.skip("DPMC_DATA_MIRROR does not name a folder with the real data files")
    return Path(MIRROR)


class Host:
    """What the server sends, and what it was asked.

    Attributes
    ----------
    body : bytes
    status : list of int
        Answers other than 200, one a request, before the body is served.
    cuts : list of int
        Bytes after which the connection breaks, one a request.
    stall : bool
        Send half of the body, then nothing.
    announce : bool
        Send Content-Length.
    asked : int
        How many requests came.
    """

    def __init__(self):
        self.body = b""
        self.status = []
        self.cuts = []
        self.stall = False
        self.announce = True
        self.asked = 0
        self.released = threading.Event()
        self.url = None


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        host = self.server.host
        host.asked += 1
        body = host.body
        if host.status:
            self.send_error(host.status.pop(0))
            return
        self.send_response(200)
        if host.announce:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if host.stall:
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            host.released.wait(20)
            return
        self.wfile.write(body[: host.cuts.pop(0)] if host.cuts else body)

    def log_message(self, *arguments):
        """Keep quiet."""


@pytest.fixture
def host():
    """Yield a :class:`Host` that is served at ``host.url`` on 127.0.0.1."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.host = Host()
    server.host.url = f"http://127.0.0.1:{server.server_address[1]}/file"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server.host
    server.host.released.set()
    server.shutdown()
    server.server_close()
    thread.join(10)
