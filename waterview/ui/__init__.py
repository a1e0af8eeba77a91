"""The window: events become commands, frames become pictures."""
