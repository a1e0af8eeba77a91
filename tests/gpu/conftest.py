"""Software OpenGL without a window."""

from support.contexts import context, ctx

__all__ = ["context", "ctx"]
