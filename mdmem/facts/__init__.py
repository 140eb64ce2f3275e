"""Facts that change: one live line for each subject and predicate, and the older ones in order."""
