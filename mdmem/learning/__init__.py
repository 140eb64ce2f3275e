"""What sessions teach about how things are done: patterns that are proposed for pieces of knowledge, with evidence."""
