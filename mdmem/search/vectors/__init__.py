"""Vector search, optional: backends, the store of vectors, and the service that keeps it in step with the index."""
