"""Front matter: where it is in a file, what its YAML says, and how it is written."""
