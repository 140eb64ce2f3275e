"""Memories without a file name: classify a sentence, and add it to the file of its kind."""
