"""The command line: each command parses its arguments, calls one method of the workspace, and prints the result."""
