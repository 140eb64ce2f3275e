"""Condensing without a model: sections, rules, importance, older values, tidying, roll-up."""
