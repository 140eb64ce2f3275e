"""Removes a forgotten text from the state folder: from the history, its log and derived files."""
