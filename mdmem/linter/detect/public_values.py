"""Recognises values that look random and are public: public keys, certificates, digests, links of invitations."""

from __future__ import annotations

import re
from typing import NamedTuple

from mdmem.text.pattern import pattern

_DIGEST = pattern(  # of a file, as lock files and pages write it: bytes of one length, in base64
    r"sha(?:1-[A-Za-z0-9+/_-]{27}|256-[A-Za-z0-9+/_-]{43}|384-[A-Za-z0-9+/_-]{64}|512-[A-Za-z0-9+/_-]{86})=*"
)
# The beginning of a certificate or a public key in DER: a sequence in a sequence, then a version or an algorithm. A
# private key begins with a number, and an encrypted one names another algorithm.
_PUBLIC_DER = pattern(
    r"\x30(?:[\x00-\x7f]|\x81.|\x82..)\x30(?:[\x00-\x7f]|\x81.|\x82..)"
    r"(?:\xa0\x03\x02\x01|\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01[\x01\x07\x0a]|\x06\x07\x2a\x86\x48\xce\x3d\x02\x01"
    r"|\x06\x03\x2b\x65[\x6e-\x71])",
    re.DOTALL,
)
_SSH = pattern(r"\0\0\0.(?:ssh-|ecdsa-sha2-|sk-ssh-|sk-ecdsa-)")
_HEAD = 40  # bytes that these two read
_HEX_POINT = pattern(r"04[0-9a-f]{128}", re.IGNORECASE)
_POINT_LENGTH = 65  # bytes of an uncompressed point: its form, and both coordinates
_NAMED = pattern(  # before «key»: the word alone, or the name of what holds it, also with its type
    r"\b(?:public|publishable)[\s_-]?\Z|(?:pub(?:lic)?[\s_-]?keys?|公钥)"
    r"(?:[\"']?[\s:={(\[-]{0,12}(?:\"@?type\"\s?:\s?\"[^\"]{0,40}\"\s?,\s?)?|[\"'],\s?)[\"'\s]{0,3}\Z",
    re.IGNORECASE,
)
_INVITATION = pattern(r"https?://(?:qm|jq)\.qq\.com/[^\s\"'<>()]{0,400}[?&](?:amp;)?(?:authKey|k)=\Z")
_LONGEST = 480  # characters before a value in which the address begins


class _Curve(NamedTuple):
    """The curve y² = x³ + ax + b over the integers modulo a prime."""

    prime: int
    a: int
    b: int


_CURVES = (
    _Curve(  # P-256: FIPS 186-4, D.1.2.3
        2**256 - 2**224 + 2**192 + 2**96 - 1, -3, 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
    ),
    _Curve(2**256 - 2**32 - 977, 0, 7),  # secp256k1: SEC 2, 2.4.1
)


def is_public(value: str, data: bytes) -> bool:
    """Return whether a value is a digest, a certificate or a public key; `data` is what it encodes in base64."""
    if _HEX_POINT.fullmatch(value):
        return _is_point(bytes.fromhex(value))
    head = data[:_HEAD].decode("latin-1")  # one character for each byte
    is_key = _is_point(data) or _PUBLIC_DER.match(head) is not None or _SSH.match(head) is not None
    return is_key or _DIGEST.fullmatch(value) is not None


def is_named_public(text: str, end: int) -> bool:
    """Return whether the word before a word for a key calls it public; `end` is where the latter begins."""
    return _NAMED.search(text, max(0, end - 80), end) is not None


def in_invitation(text: str, start: int) -> bool:
    """Return whether a value is a parameter of an address with which a group invites its readers."""
    begin = text.rfind("http", max(0, start - _LONGEST), start)
    return begin >= 0 and _INVITATION.match(text[begin:start]) is not None


def _is_point(data: bytes) -> bool:
    """Return whether bytes are an uncompressed point of a common curve, as no private key is but by chance."""
    if len(data) != _POINT_LENGTH or data[0] != 4:
        return False
    x, y = int.from_bytes(data[1:33]), int.from_bytes(data[33:])
    return any((y * y - x**3 - curve.a * x - curve.b) % curve.prime == 0 for curve in _CURVES)
