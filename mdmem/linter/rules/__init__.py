"""The rules: one module and one page each, named by code and name; `mdmem.linter.registry` lists them."""
