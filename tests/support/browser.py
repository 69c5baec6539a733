"""Drives Chromium by the WebDriver protocol, which is JSON over HTTP: no package is needed for it."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next(
    (found for one in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(one))), None
)
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Escape": "\ue00c", "Enter": "\ue007", "Tab": "\ue004", "Right": "\ue014", "Down": "\ue015", "Left": "\ue012"}


def why_not() -> str:
    """Why there is no browser; empty where there is one."""
    missing = [name for name, path in (("chromium", CHROMIUM), ("chromedriver", DRIVER)) if path is None]
    if missing:
        return f"{missing[0]} is not installed"
    return "" if os.environ.get("DEVLINT_BROWSER") else "takes a browser's time: `make browser` runs it"


class Browser:
    """One window."""

    def __init__(self, address: str, session: str) -> None:
        self._address = f"{address}/session/{session}"

    def ask(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """The answer to a command: GET without a body, else POST."""
        return _asked(f"{self._address}/{path}", body)

    def open(self, page: Path) -> None:
        self.ask("url", {"url": page.as_uri()})

    def run(self, script: str, *arguments: object) -> Any:
        """What a script returns."""
        return self.ask("execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script: str) -> Any:
        """What a script passes to the function that is its last argument."""
        return self.ask("execute/async", {"script": script, "args": []})

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).innerText", selector))

    def count(self, selector: str) -> int:
        """How many elements are shown."""
        return int(
            self.run(
                "return [...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility()).length",
                selector,
            )
        )

    def click(self, selector: str) -> None:
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        found = self.ask("element", {"using": "css selector", "value": selector})
        self.ask(f"element/{found[_ELEMENT]}/click", {})

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        steps = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def devtools(self, command: str, **parameters: object) -> Any:
        return self.ask("goog/cdp/execute", {"cmd": command, "params": parameters})

    def messages(self) -> list[str]:
        """What the console has been told."""
        return [one["message"] for one in self.ask("se/log", {"type": "browser"})]

    def resize(self, width: int, height: int) -> None:
        self.devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def picture(self, path: Path) -> None:
        """Save what the window shows."""
        path.write_bytes(base64.b64decode(self.ask("screenshot")))

    def picture_of(self, selector: str, path: Path) -> None:
        """Save what an element looks like."""
        found = self.ask("element", {"using": "css selector", "value": selector})
        path.write_bytes(base64.b64decode(self.ask(f"element/{found[_ELEMENT]}/screenshot")))

    def printed(self) -> bytes:
        """The page as PDF."""
        return base64.b64decode(self.ask("print", {"background": True}))


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser without a window, with a profile of its own that goes with it."""
    assert DRIVER is not None and CHROMIUM is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        driver = subprocess.Popen(
            [DRIVER, f"--port={port}", "--silent"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            _wait(f"{address}/status")
            options = {"binary": CHROMIUM, "args": [*FLAGS, f"--user-data-dir={profile}", "--window-size=1280,900"]}
            wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
            session = _asked(f"{address}/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
            try:
                yield Browser(address, session)
            finally:
                _asked(f"{address}/session/{session}", None, "DELETE")
        finally:
            driver.terminate()
            driver.wait(300)


def _asked(url: str, body: Mapping[str, Any] | None, method: str | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=300) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        with error:
            raise AssertionError(json.load(error)["value"]["message"]) from None


def _wait(url: str) -> None:
    for _ in range(3000):
        try:
            _asked(url, None)
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(url)
