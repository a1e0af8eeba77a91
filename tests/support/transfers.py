"""Counts the bytes that cross between memory and the graphics card."""

from contextlib import contextmanager

import moderngl


class Transfers:
    """What has crossed since it was last cleared.

    Attributes:
        up: pairs of what was written, a texture or buffer, and bytes.
        down: as `up`, for what was read.
    """

    def __init__(self):
        self.up, self.down = [], []

    def clear(self):
        self.up.clear()
        self.down.clear()

    @property
    def uploaded(self):
        return sum(size for _, size in self.up)

    @property
    def downloaded(self):
        return sum(size for _, size in self.down)


@contextmanager
def counted(monkeypatch):
    """Count what textures, buffers and framebuffers are given and asked for.

    What goes from a buffer into a texture or back stays on the card and is not counted.
    """
    transfers = Transfers()

    def watch(kind, name, note):
        method = getattr(kind, name)

        def watched(self, *arguments, **more):
            result = method(self, *arguments, **more)
            note(self, arguments, result)
            return result

        monkeypatch.setattr(kind, name, watched)

    def up(place, arguments, _):
        if not isinstance(arguments[0], moderngl.Buffer):
            transfers.up.append((place, memoryview(arguments[0]).nbytes))

    def down(place, _, data):
        transfers.down.append((place, len(data)))

    def into(place, arguments, _):
        if not isinstance(arguments[0], moderngl.Buffer):
            transfers.down.append((place, memoryview(arguments[0]).nbytes))

    for kind in (moderngl.Texture, moderngl.Texture3D, moderngl.TextureArray, moderngl.Buffer):
        watch(kind, "write", up)
    for kind in (moderngl.Texture, moderngl.Texture3D, moderngl.TextureArray, moderngl.Buffer, moderngl.Framebuffer):
        watch(kind, "read", down)
        watch(kind, "read_into", into)
    try:
        yield transfers
    finally:
        monkeypatch.undo()
