"""Settings: the shipped `templates/mdmem.toml`, overridden by the user's file, then by the workspace's.

The shipped file is the schema: it defines the valid keys, the types of their values, and the defaults. The tables in
Python only declare the names and types for type checkers. Their modules do without the annotations of the future, for
a named tuple compiles each annotation that is a text.
"""
