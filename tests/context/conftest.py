"""A workspace to pack, in either language; today is 2026-02-20, and nobody's cache is touched."""

from __future__ import annotations

from workspace.conftest import Make, cache, make

__all__ = ["Make", "cache", "make"]
