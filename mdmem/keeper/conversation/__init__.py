"""From a conversation to a memory: the chat window into the context pool, a context into a compact memory."""
