"""Attachments: files and links that somebody gave, each with a record by which it is found again."""
