"""Tokenization and word knowledge for search: terms, stems, dates, related words, simplified characters."""
