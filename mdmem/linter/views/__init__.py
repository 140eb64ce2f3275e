"""A text as a person reads it: decoded, and without hidden characters."""
