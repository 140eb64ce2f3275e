"""A month of made days: sessions in which people say what changes, what passes, and what nobody may keep."""
