"""Git as a program: runs it, asks about repositories, reads staged files. Knows nothing of memories."""
