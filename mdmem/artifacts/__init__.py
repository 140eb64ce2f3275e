"""Evidence: the outputs of tools, stored whole in one file each and read in parts (G010, G037)."""
