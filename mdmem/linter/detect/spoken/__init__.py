"""Parts of the detector of spoken secrets: values, codes of locks, cells of tables."""
