"""Attachments: files that people and agents exchange, each with a record by which it is found again."""
