"""The notebook's widget in headless Chromium: a page stands for the notebook and carries its messages."""

import base64
import io
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest
from PIL import Image
from support.browser import Browser

import waterview
from waterview.core.params import declarations
from waterview.notebook import SceneWidget

PAGE = """<!doctype html><meta charset="utf-8"><body style="margin:8px"><div id="cell"></div><script type="module">
import widget from "/widget.js";
const traits = await (await fetch("/traits")).json();
const heard = new Set();
let sent = Promise.resolve();
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
async function carry(message) {
  const replies = await (await fetch("/send", { method: "POST", body: JSON.stringify(message) })).json();
  for (const [content, data] of replies) for (const hear of heard) hear(content, data === null ? [] : [bytes(data)]);
}
widget.render({ el: document.getElementById("cell"), model: {
  get: (name) => traits[name], on: (_, hear) => heard.add(hear), off: (_, hear) => heard.delete(hear),
  send: (message) => { sent = sent.then(() => carry(message)); },
} });
</script>"""


@pytest.fixture
def scene():
    return waterview.open_scene("bay", grid=48, damping=0.1, quality="low")


@pytest.fixture
def address(scene):
    """Where a page shows the widget of the scene."""
    widget, said = scene.widget((480, 270)), []
    widget.send = lambda content, buffers=None: said.append((content, buffers))

    class Notebook(BaseHTTPRequestHandler):
        def do_GET(self):
            traits = json.dumps({"size": list(widget.size), "settings": widget.settings})
            pages = {
                "/": ("text/html", PAGE),
                "/widget.js": ("text/javascript", SceneWidget._esm),
                "/traits": ("application/json", traits),
            }
            if self.path not in pages:
                self.send_error(404)
                return
            self.answer(*pages[self.path])

        def do_POST(self):
            widget.receive(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            replies = [(content, data and base64.b64encode(data[0]).decode()) for content, data in said]
            said.clear()
            self.answer("application/json", json.dumps(replies))

        def answer(self, kind, text):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Notebook)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()
    widget.close()


def test_a_click_makes_waves_the_right_button_turns_the_view_and_a_slider_sets(scene, address, tmp_path):
    with Browser(tmp_path / "profile") as browser:
        browser.call("Page.navigate", url=address)
        browser.until("document.querySelector('.waterview')?.dataset.time > 0")
        browser.evaluate("[...document.querySelectorAll('button')].find(each => each.textContent === 'calm').click()")
        left, top, width, height = browser.evaluate(
            "(box => [box.left, box.top, box.width, box.height])(document.querySelector('img').getBoundingClientRect())"
        )
        before = np.asarray(Image.open(io.BytesIO(browser.screenshot())).convert("RGB"), np.int16)
        at = (left + 0.45 * width, top + 0.55 * height)
        browser.drag(at, (at[0] + 30, at[1]))
        time = browser.evaluate("Number(document.querySelector('.waterview').dataset.time)")
        browser.until(f"document.querySelector('.waterview').dataset.time > {time} + 0.4")
        assert np.abs(scene.height).max() > 0.01
        browser.drag(at, (at[0] + 120, at[1]), "right")
        browser.evaluate("document.querySelector('summary').click()")
        browser.evaluate("""(slider => { slider.value = 1; slider.dispatchEvent(new Event('input')); })(
            document.querySelector('input[data-name=damping]'))""")
        time = browser.evaluate("Number(document.querySelector('.waterview').dataset.time)")
        browser.until(f"document.querySelector('.waterview').dataset.time > {time} + 0.2")
        picture = browser.screenshot()
        (tmp_path / "widget.png").write_bytes(picture)
        after = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), np.int16)
        seen = np.abs(after - before)[int(top) : int(top + height), int(left) : int(left + width)]
        assert seen.mean() > 5, "the view did not turn"
        (highest,) = (each.high for each in declarations(type(scene.water.params)) if each.name == "damping")
        assert scene.water.params.damping == highest
        browser.evaluate("[...document.querySelectorAll('button')].find(each => each.textContent === 'pause').click()")
        browser.until("document.querySelectorAll('button')[0].textContent === 'go on'")
