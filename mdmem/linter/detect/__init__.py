"""Detectors: text searches that several rules share (secrets, hidden text, orders to a model, dates, links, fields)."""
