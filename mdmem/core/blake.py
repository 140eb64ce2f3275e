"""BLAKE2b without `hashlib` around it, which loads OpenSSL, a tenth of a start-up; Python's `random` does so too."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

__all__ = ["blake2b"]
