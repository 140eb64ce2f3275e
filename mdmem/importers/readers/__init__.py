"""One reader per system: from its files to neutral records."""
