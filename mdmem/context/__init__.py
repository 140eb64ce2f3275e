"""Packs: read the parts of a recipe from files, chats and programs, and cut them to a budget of tokens.

A source is a list of items, each shown whole or not at all. A cut is an order of the items: the first ones that fit are
shown, in the order of the source. The same input gives the same bytes.
"""
