"""The digest by which an index knows a file's content and a row's text again."""

from __future__ import annotations

try:  # hashlib loads OpenSSL, a tenth of a start-up
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b


def digest(data: bytes, size: int = 16) -> bytes:
    """Give so many bytes that tell data apart."""
    return blake2b(data, digest_size=size).digest()
