"""Facts that update."""
