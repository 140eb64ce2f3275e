"""Extraction: what was said in a session becomes facts, by rules or by a model, before anything is condensed."""
