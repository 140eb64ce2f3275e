"""Output that is no text: what its first bytes say it is."""

from __future__ import annotations

from mdmem.context.output.words import say

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "PNG"), (b"\xff\xd8\xff", "JPEG"), (b"GIF8", "GIF"), (b"%PDF-", "PDF"),
    (b"PK\x03\x04", "ZIP (docx, xlsx, jar, wheel)"), (b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"7z\xbc\xaf\x27\x1c", "7z"), (b"\x7fELF", "ELF"),
    (b"MZ", "Windows PE"), (b"\xca\xfe\xba\xbe", "Mach-O / Java class"), (b"\xcf\xfa\xed\xfe", "Mach-O"),
    (b"SQLite format 3\x00", "SQLite"), (b"RIFF", "RIFF (WAV, WebP, AVI)"), (b"OggS", "Ogg"), (b"fLaC", "FLAC"),
    (b"ID3", "MP3"), (b"\x00asm", "WebAssembly"), (b"PAR1", "Parquet"), (b"\x80\x04\x95", "pickle"),
    (b"\x93NUMPY", "NumPy"), (b"\x89HDF\r\n\x1a\n", "HDF5"), (b"BM", "BMP"), (b"II*\x00", "TIFF"), (b"MM\x00*", "TIFF"),
    (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"),
)  # fmt: skip
_LOOKED_AT = 64_000  # bytes in which text shows that it is none
_ODD = bytes(range(9)) + bytes(range(14, 27)) + bytes(range(28, 32)) + b"\x7f"  # no text holds them; escape it does
_MUCH = 0.1  # share of such bytes, or of bytes that are no UTF-8


def binary_kind(data: bytes, lang: str = "en") -> str:
    """Name what an output is that is no text, with its size; empty for text, also for text in an older encoding."""
    head = data[:_LOOKED_AT]
    if not head or not _is_binary(head):
        return ""
    kind = next((name for magic, name in _MAGIC if head.startswith(magic)), "") or say(lang, "data")
    return say(lang, "binary", kind=kind, size=_size(len(data)))


def _is_binary(head: bytes) -> bool:
    if b"\x00" in head:
        return True
    if any(head.startswith(magic) for magic, _ in _MAGIC if not magic.isascii() or magic == b"%PDF-"):
        return len(head.translate(None, _ODD)) < len(head) or not _is_utf8(head)
    return len(head) - len(head.translate(None, _ODD)) > len(head) * _MUCH


def _is_utf8(head: bytes) -> bool:
    try:
        head[:-4].decode()
    except UnicodeDecodeError:
        return False
    return True


def _size(count: int) -> str:
    for unit in ("B", "KB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}" if unit != "B" else f"{count} B"
        count /= 1000  # type: ignore[assignment]
    return f"{count:.3g} GB"
