"""The catalogue of hostile folders: what is done in one, what it tries, and what may not have happened afterwards."""
