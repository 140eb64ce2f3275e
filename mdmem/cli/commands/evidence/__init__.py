"""The verbs of evidence: pins, the plan, outputs of tools, and files that somebody gave."""
