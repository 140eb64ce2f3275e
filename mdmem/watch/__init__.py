"""Watching: finds the files that change, lints them, keeps their versions, and runs the keeper in idle moments."""
