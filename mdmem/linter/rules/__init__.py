"""The rules: a module and its page each, named by code and by name; `mdmem.linter.registry` lists them."""
