"""Thin: a door parses, calls one method of the workspace and renders; what it knows of memory is nothing."""
