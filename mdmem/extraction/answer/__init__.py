"""What a model answers about a conversation: read, and held to what was said."""
