"""The window where Dear ImGui and GDAL are missing: water, keys, mouse and pictures are there."""

import os
import subprocess
import time

import numpy as np
from PIL import Image
from support.screen import PATIENCE, User
from support.without import command_without

PROGRAM = "from waterview.__main__ import main; main()"


def until(process, condition):
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, "what was waited for did not happen"
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    return found


def title(part):
    """Whether a window has a title with `part`."""
    command = ["xdotool", "search", "--onlyvisible", "--name", part]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()


def pixels(path):
    return np.asarray(Image.open(path), np.int16)


def test_a_picture_opens_in_a_window_of_its_own_and_a_click_lets_a_drop_fall(screen, tmp_path):
    x, y = np.meshgrid(np.linspace(-1, 1, 48), np.linspace(-1, 1, 36))
    Image.fromarray((255 * np.clip(np.hypot(x, y) - 0.1, 0, 1)).astype(np.uint8)).save(tmp_path / "a.png")
    environment = {**os.environ, "XDG_PICTURES_DIR": str(tmp_path / "pictures")}
    folder = tmp_path / "pictures" / "waterview"
    options = ("view", tmp_path / "a.png", "--grid", 48, "--window-size", "320x240", "--quality", "low")
    with subprocess.Popen(
        command_without(PROGRAM, *options), env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            until(process, lambda: title("press H for the keys"))
            user = User(os.environ["DISPLAY"])
            until(process, lambda: user.key("F2") or title("no panel without imgui-bundle"))
            until(process, lambda: user.key("F12") or list(folder.glob("*.png")))
            first = pixels(min(folder.glob("*.png")))

            def waves_are_seen():
                user.click(160, 85)
                user.key("F12")
                last = pixels(max(folder.glob("*.png"), key=lambda path: path.stat().st_mtime))
                return 20 < (np.abs(last - first).max(axis=2) > 8).sum() < 0.9 * 320 * 240

            until(process, waves_are_seen)
            user.key("h", "Escape", "Escape")
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
        said = process.stderr.read()
    assert "pip install 'waterview[panel]'" in said and "wave speed" in said and "Traceback" not in said
