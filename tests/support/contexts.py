"""Software OpenGL without a window: one context for all tests of a process, current only while a test uses it."""

from contextlib import contextmanager

import pytest

from waterview.render.offscreen import opengl


@pytest.fixture(scope="session")
def context():
    with opengl() as context:
        context.rest = context.simple_framebuffer((1, 1))
        # Left current, it would keep tests with a real window on this thread from making theirs current.
        context.__exit__(None, None, None)
        yield context
        context.__enter__()


@contextmanager
def use(context):
    """Within this the context is current; it must have no error in the end."""
    with context:
        # moderngl binds anew what was bound before it makes a framebuffer: let that be one that stays.
        context.rest.use()
        yield context
        context.rest.use()
        assert context.error == "GL_NO_ERROR"


@pytest.fixture
def ctx(context):
    with use(context):
        yield context


@pytest.fixture
def one_context(request, monkeypatch):
    """The program, too, draws in that context: in each of its own software OpenGL translates all shaders again.

    That takes longer than a small picture. Contexts of its own are tested in `render/test_offscreen.py`, and wherever
    the program runs as a process.
    """

    @contextmanager
    def opengl():
        with use(request.getfixturevalue("context")) as ctx:
            yield ctx

    monkeypatch.setattr("waterview.render.offscreen.opengl", opengl)
