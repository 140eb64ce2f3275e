"""Sessions: start, record turns, end, list, and read from the end of the file (D031, G030)."""
