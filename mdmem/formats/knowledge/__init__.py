"""What a piece of knowledge says: its functions with their inputs, and its orders."""
