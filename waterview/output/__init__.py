"""Pictures, films, sessions and replays."""
