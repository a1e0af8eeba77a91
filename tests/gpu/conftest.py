"""Software OpenGL without a window."""

from contexts import context, ctx

__all__ = ["context", "ctx"]
