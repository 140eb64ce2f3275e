"""What waits for the keeper: the pending work of each file, failed attempts, and what needs no model."""
