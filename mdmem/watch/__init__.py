"""Tells which files of a folder changed, by the system's events or by looking, and when nobody is at work there."""
