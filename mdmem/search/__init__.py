"""Search and recall: the word index, optional vectors, ranking, and the text block of a recall."""
