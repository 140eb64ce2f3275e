"""Memory in git: the merge driver, its setup, and copies that sync programs leave."""
