"""Three-way merge of documents by units: entries, keys of front matter, closed blocks and single lines."""

from mdmem.text.merge.three_way import Conflict, ConflictMarks, Merged, MergedText, merge, merge_text

__all__ = ("Conflict", "ConflictMarks", "Merged", "MergedText", "merge", "merge_text")
