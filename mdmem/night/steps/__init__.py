"""The steps of the night run, one module each; `mdmem/night/service.py` lists them in their order."""
