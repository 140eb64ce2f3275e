"""Tests of attachments."""
