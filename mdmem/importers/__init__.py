"""Imports the memories of other systems, and exports everything in open formats."""
