"""The history of a workspace: versions and log, which versions are known, and what is pruned."""
