"""Headless Chromium, told what to do through a pipe (Chrome DevTools Protocol)."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from itertools import count

import pytest

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 120  # seconds for one answer
KEYS = {  # their text and number
    "Tab": ("", 9), "Enter": ("\r", 13), "Escape": ("", 27), " ": (" ", 32), "ArrowUp": ("", 38),
    "ArrowDown": ("", 40), "ArrowRight": ("", 39), "ArrowLeft": ("", 37),
}  # fmt: skip


def needed() -> str:
    """Return the program, or skip the test and say what to install."""
    names = "chromium", "chromium-browser", "google-chrome"
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    return program


class Browser:
    """A browser with one page; what it logs and asks for is kept."""

    def __init__(self, profile):
        there, write = os.pipe()
        read, here = os.pipe()

        def connect():  # Chromium reads from 3 and writes to 4
            ends = [fcntl.fcntl(each, fcntl.F_DUPFD, 10) for each in (there, here)]
            for end, number in zip(ends, (3, 4), strict=True):
                os.dup2(end, number)

        command = [needed(), *FLAGS, "--remote-debugging-pipe", f"--user-data-dir={profile}"]
        self.process = subprocess.Popen(
            command, preexec_fn=connect, pass_fds=(3, 4),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(there)
        os.close(here)
        self.read, self.write, self.numbers, self.left = read, write, count(1), b""
        self.events: list[dict] = []
        self.session = None
        made = self.send("Target.createTarget", url="about:blank")
        target = {"targetId": made["targetId"], "flatten": True}
        self.session = self.send("Target.attachToTarget", **target)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.read)
        os.close(self.write)

    def send(self, method: str, **parameters) -> dict:
        """Return the result of a command."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def _message(self) -> dict:
        while b"\0" not in self.left:
            ready, _, _ = select.select([self.read], [], [], PATIENCE)
            assert ready, "Chromium does not answer"
            part = os.read(self.read, 1 << 20)
            assert part, "Chromium has ended"
            self.left += part
        first, _, self.left = self.left.partition(b"\0")
        return json.loads(first)

    def evaluate(self, expression: str):
        """Return the value of an expression, or of its promise, in the page."""
        asked = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        found = self.send("Runtime.evaluate", **asked)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, condition: str):
        """Return when an expression is true in the page."""
        end = time.monotonic() + PATIENCE
        while not self.evaluate(condition):
            assert time.monotonic() < end, f"never true: {condition}"
            time.sleep(0.02)

    def open(self, address: str, *, width: int = 1280, height: int = 900, dark: bool = False):
        self.events.clear()
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.send("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def press(self, *keys: str):
        """Press keys one after the other: those of :data:`KEYS`, or letters of a text."""
        for key in keys:
            text, code = KEYS.get(key, (key, ord(key[0].upper())))
            pressed = {"key": key, "windowsVirtualKeyCode": code}
            down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
            self.send("Input.dispatchKeyEvent", **down, **pressed)
            self.send("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def picture(self, path):
        content = self.send("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(content))

    def requests(self) -> list[str]:
        """Return what was asked of anything else than the page's own file."""
        sent = [each for each in self.events if each.get("method") == "Network.requestWillBeSent"]
        addresses = [each["params"]["request"]["url"] for each in sent]
        return [each for each in addresses if not each.startswith(("file:", "data:", "blob:"))]

    def complaints(self) -> list[str]:
        """Return what was logged, and what was thrown."""
        kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [json.dumps(each) for each in self.events if each.get("method") in kinds]
