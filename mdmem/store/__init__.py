"""Storage: the pen that writes memory files, with its locks, journal, history and recovery; directory walks, caches,
git.
"""
