"""What sessions teach for pieces of knowledge."""
