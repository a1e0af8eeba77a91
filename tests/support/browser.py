"""Headless Chromium, driven through the pipe of its DevTools protocol: real mouse events, and screenshots."""

import base64
import json
import os
import shutil
import subprocess
import time

PATIENCE = 60.0
NAMES = ("chromium", "google-chrome", "chromium-browser")


class Browser:
    """One page in a browser; a context manager."""

    def __init__(self, profile, size=(1024, 720)):
        program = next(filter(None, map(shutil.which, NAMES)), None)
        assert program, f"there is none of {', '.join(NAMES)}: .ci/system-packages test installs one"
        their_in, self._out = os.pipe()
        self._in, their_out = os.pipe()
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run"]
        options += [f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}", "about:blank"]
        self._process = subprocess.Popen(
            # The protocol's pipe is file descriptors 3 and 4.
            ["bash", "-c", f'exec "$@" 3<&{their_in} 4>&{their_out}', "bash", program, *options],
            pass_fds=(their_in, their_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(their_in)
        os.close(their_out)
        self._replies = os.fdopen(self._in, "rb")
        self._number, self._session = 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()
        os.close(self._out)
        self._replies.close()

    def call(self, method, **params):
        """The result of a method of the protocol."""
        self._number += 1
        request = {"id": self._number, "method": method, "params": params}
        if self._session:
            request["sessionId"] = self._session
        os.write(self._out, json.dumps(request).encode() + b"\0")
        while True:
            reply = json.loads(self._message())
            if reply.get("id") == self._number:
                assert "error" not in reply, reply
                return reply["result"]

    def _message(self):
        found = bytearray()
        while (one := self._replies.read(1)) != b"\0":
            assert one, "the browser ended"
            found += one
        return found

    def evaluate(self, script):
        """What a script in the page gives."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def until(self, script):
        """Wait until a script gives something true, and return that."""
        end = time.monotonic() + PATIENCE
        while not (found := self.evaluate(script)):
            assert time.monotonic() < end, f"did not come true: {script}"
            time.sleep(0.05)
        return found

    def mouse(self, kind, x, y, button="left", **more):
        """A mouse event: "Pressed", "Moved", "Released" or "Wheel"."""
        self.call("Input.dispatchMouseEvent", type=f"mouse{kind}", x=x, y=y, button=button, clickCount=1, **more)

    def drag(self, start, end, button="left"):
        """Press, move and release."""
        self.mouse("Pressed", *start, button)
        self.mouse("Moved", *end, button, buttons={"left": 1, "right": 2}[button])
        self.mouse("Released", *end, button)

    def screenshot(self):
        """The page as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])
