"""Evidence: what tools gave, kept whole in a file each, and looked at point to point (G010, G037)."""
