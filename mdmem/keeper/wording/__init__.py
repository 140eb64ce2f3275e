"""What counts in the words of a line: names, numbers, rules, and how important it is."""
