"""What counts in the words of a line: names, numbers, rules, importance; and the sentences of a conversation."""
