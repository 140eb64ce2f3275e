"""The verbs of the pen and of what it leaves behind: each command parses, calls one method and renders."""
