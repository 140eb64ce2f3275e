"""Messages in every language: `say` returns a sentence of the catalogues in `templates/<lang>`."""
