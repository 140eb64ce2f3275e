"""The settings that belong to no memory file: `templates/mdmem.toml`, the user's over it, the workspace's on top.

The shipped file is the schema: its keys are the valid keys, the types of its values the valid types, and no default
lives in Python. The tables here only give the values names that a type checker knows.
"""
