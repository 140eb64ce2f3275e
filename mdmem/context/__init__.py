"""What a model gets: recipes to packs, outputs to summaries; pure, the same bytes for the same input.

A recipe is data; a source is what a file, a chat or a program has to say, as items that are shown whole or not at all.
A cut is an order of the items: as many from its beginning as find room are shown, where they stood.
"""
