"""The linter: rules that find what is wrong with a memory file, detectors that they share, and fixes."""
