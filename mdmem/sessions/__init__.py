"""Sessions: begun, said into turn by turn, ended, listed, and read from their end (D031, G030)."""
