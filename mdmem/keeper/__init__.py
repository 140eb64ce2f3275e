"""The keeper: finds pending work, condenses files, and proves each answer before it is written.

A backend (the built-in rules or a model) answers with operations, never with a file (DESIGN section 8).
"""
