"""What all generated lines share: a backend is chosen and asked, its answer is read, and proved by its source."""
