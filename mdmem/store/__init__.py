"""I/O: reads what lies in a workspace, and holds the only function that replaces a file of a person's."""
