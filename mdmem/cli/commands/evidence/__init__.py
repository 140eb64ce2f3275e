"""The verbs of evidence: outputs of tools, and files that somebody gave."""
