"""Digests of file contents."""

from __future__ import annotations

try:
    from _blake2 import blake2b  # hashlib would load OpenSSL for it
except ImportError:
    from hashlib import blake2b


def digest(data: bytes) -> str:
    """The digest of ``data``: 32 hexadecimal digits."""
    return blake2b(data, digest_size=16).hexdigest()
