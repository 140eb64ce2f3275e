"""Pure: what waits to be condensed, plans that condense it, and the proof that a plan loses nothing.

Whoever condenses (the rules here, or a model) answers with operations, never with a file (DESIGN section 8).
"""
