"""Time the safety rules on ordinary and on hostile text: `python tests/bench/safety.py FOLDER`."""

from __future__ import annotations

import datetime as dt
import sys
import time
from pathlib import Path

from mdmem.linter.registry import RULES
from mdmem.linter.rule import Subject
from mdmem.messages.folders import templates_folder
from mdmem.settings.reader import read_settings
from mdmem.settings.tables import LintSettings
from mdmem.text.document import parse

HOSTILE = ("a", "sk-", "password is ", "%41", "%2541", "eyJ", "<|", "ignore ", "aWdub3Jl", "[](", "a\u200b", "忽略所有")
SAFETY = [rule for rule in RULES if rule.code.startswith("MM5")]


def seconds(texts: list[bytes], settings: LintSettings) -> float:
    """Give the processor time that the safety rules take over some files."""
    subjects = [Subject("docs/x.md", parse(text), None, settings, dt.date(2026, 2, 20)) for text in texts]
    start = time.process_time()
    for subject in subjects:
        for rule in SAFETY:
            sum(1 for _ in rule.check(subject))
    return time.process_time() - start


def main() -> None:
    settings = read_settings((Path(templates_folder()) / "mdmem.toml").read_bytes()).lint
    texts = [path.read_bytes() for folder in sys.argv[1:] for path in Path(folder).rglob("*.md")]
    if size := sum(map(len, texts)) / 1e6:
        took = min(seconds(texts, settings) for _ in range(3))
        print(f"ordinary text: {size:.1f} MB, {took / size * 1000:.0f} ms per MB")
    for piece in HOSTILE:
        text = (piece * (1_000_000 // len(piece.encode()))).encode()
        print(f"1 MB of {piece!r}: {seconds([text], settings):.2f} s")


if __name__ == "__main__":
    main()
