"""The sources of single parts of a pack: identity, facts for a question, knowledge for a task."""
