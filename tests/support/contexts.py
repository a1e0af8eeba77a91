"""Software OpenGL without a window: one context for all tests of a folder, current only while a test uses it."""

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


@pytest.fixture
def ctx(context):
    with context:
        # moderngl binds anew what was bound before it makes a framebuffer: let that be one that stays.
        context.rest.use()
        yield context
        context.rest.use()
        assert context.error == "GL_NO_ERROR"
