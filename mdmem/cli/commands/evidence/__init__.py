"""The verbs of evidence: pins, outputs of tools, and files that somebody gave."""
