"""Forgetting: a text leaves the memory in every spelling, with its history and the names that hold it."""
