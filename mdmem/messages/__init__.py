"""What mdmem says, in every language: one function, `say`, over the catalogues in `templates/<lang>`."""
