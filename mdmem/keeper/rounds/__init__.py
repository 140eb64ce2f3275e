"""The rounds of a conversation as the keeper reads them: who said what, in sentences."""
