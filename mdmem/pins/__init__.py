"""Pins: short facts that must not be forgotten now, each with evidence and a time to live."""
