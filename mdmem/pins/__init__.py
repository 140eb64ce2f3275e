"""Pins: what must not be forgotten now, each with its proof; and the way from any memory back to its evidence."""
