"""Condense conversations: chat windows into the context pool, and contexts into a compact memory."""
