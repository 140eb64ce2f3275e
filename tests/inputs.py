"""Inputs for laws: real files, the specifications' examples, odd bytes, and random Markdown and memory files."""

from __future__ import annotations

import json
import re
from pathlib import Path

from conftest import SHARED
from hypothesis import strategies as st

CASES = Path(__file__).parent / "cases"

ODD_BYTES = {
    "empty": b"",
    "newline": b"\n",
    "carriage return": b"\r",
    "mixed ends": b"# a\r\n- b\r- c\n\n- d\r\n",
    "crlf without end": b"# a\r\n\r\n- b\r\n  c",
    "lone carriage returns": b"---\ra: 1\r---\r# T\r- x\r",
    "lf cr": b"# a\n\r- b\n\r",
    "bom": b"\xef\xbb\xbf# T\n- x\n",
    "bom alone": b"\xef\xbb\xbf",
    "bom twice": b"\xef\xbb\xbf\xef\xbb\xbf- x\n",
    "bom item": b"\xef\xbb\xbf- x\n- y",
    "bom front matter": b"\xef\xbb\xbf---\na: 1\n---\n- x\n",
    "bom setext": b"\xef\xbb\xbfT\n===\n",
    "bom comment": b"\xef\xbb\xbf<!-- x -->\n",
    "bom inside": b"# a\xef\xbb\xbf\n- \xef\xbb\xbfx\n",
    "nul": b"# a\x00b\n- \x00\n\x00\n",
    "invalid utf-8": b"# \xff\xfe\n- \xc3(\n- \xed\xa0\x80\n- \xf0\x9f\n",
    "latin-1": "# Überschrift\n- größer\n".encode("latin-1"),
    "utf-16": "# T\n- x\n".encode("utf-16"),
    "truncated character": "- 记忆".encode()[:-1],
    "line separators": "# a\u2028b\n- c\u2029- d\u2028- e\n- f\x85- g\x0b- h\x0c- i\n\x1c- j\n".encode(),
    "ideographic spaces": "\u3000# a\n-\u3000b\n- \u3000c\u3000\n\u3000\n\u3000\u3000d\n".encode(),
    "only odd spaces": "\u2028\u3000\x0b\x0c\x85\n".encode(),
    "form feeds": b"\x0c# a\n\x0c- b\n-\x0cc\n\x0b\n",
    "no-break space": "-\u00a0a\n#\u00a0b\n".encode(),
    "no final newline": b"- a",
    "only spaces": b"   ",
    "tabs": b"-\ta\n\t-\tb\n\t\tc\n#\tT\t#\t\n",
    "final spaces": b"- a\n   ",
    "front matter": "---\ntitle: 记忆 🧠\ntags: [a, b]\n---\n\n# T\n- x\n".encode(),
    "front matter empty": b"---\n---\n- x\n",
    "front matter alone": b"---\na: 1\n---",
    "front matter dots": b"---\na: 1\n...\n- x\n",
    "front matter open": b"---\na: 1\n- x\n# T\n",
    "front matter spaces": b"---  \na: 1\n---\t\n- x\n",
    "front matter four dashes": b"----\na: 1\n----\n",
    "front matter crlf": b"---\r\na: 1\r\nb:\r\n  - c\r\n---\r\n- x\r\n",
    "front matter broken": b"---\na: [1\n---\n- x\n",
    "front matter nul": b"---\na: \x00\n---\n- x\n",
    "front matter invalid": b"---\na: \xff\n---\n- x\n",
    "front matter list": b"---\n- a\n---\n- x\n",
    "front matter scalar": b"---\nwords\n---\n- x\n",
    "front matter two": b"---\na: 1\n--- b\nc: 2\n---\n- x\n",
    "front matter later": b"\n---\na: 1\n---\n",
    "front matter then rule": b"---\na: 1\n---\n---\n- x\n",
    "front matter comment": b"---\n# a heading?\n---\n# T\n",
}  # fmt: skip


def spec_examples() -> list[str]:
    """The examples of CommonMark and GFM; none where the folder is absent."""
    folder = SHARED / "conformance"
    found = (json.loads((folder / name).read_bytes()) for name in ("commonmark-examples.json", "gfm-dump.json"))
    return [example["markdown"] for examples in found for example in examples] if folder.exists() else []


def own_examples() -> list[str]:
    """The Markdown of our own cases, with `→` for a tab."""
    return [
        match.group(1).replace("→", "\t")
        for path in sorted(CASES.glob("*.md"))
        for match in re.finditer(r"^`{4,}markdown\n(.*?)^`{4,}$", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    ]


def real_files() -> list[Path]:
    """Every file of the samples and the corpus; none where they are absent."""
    return [path for name in ("samples", "corpus") for path in sorted((SHARED / name).rglob("*")) if path.is_file()]


# Pieces of lines: what may open, close, nest or end something, and a few words between.
_WORDS = """
- * + 1. 2) 10. # ## ###### > >> ``` ~~~ ```` ` `` <!-- --> <div> </div> <a> --- === *** ___ = [a]: [ ] [x] [a] [[ ]]
| |a|b| |-|-| :- \\ & a b word 记忆 🧠 2026-02-13 ： ✅ #标签 #12 [k::v] [k:: ^id1
"""
_PHRASES = ("[ ] a", "[a]: b", "<!-- a -->", "<!-- mdmem:auto x -->", "<!-- /mdmem:auto -->", "[k:: v]")
_PIECES = (*_WORDS.split(), *_PHRASES)
_SPACES = ("", " ", "  ", "   ", "    ", "\t", " \t", "\u3000")
_ENDS = ("\n", "\n", "\n", "\n\n", "\r\n", "\r", "")

lines = st.lists(st.tuples(st.sampled_from(_SPACES), st.sampled_from(_PIECES)), max_size=5).map(
    lambda pairs: "".join(space + piece for space, piece in pairs)
)
markdown = st.lists(st.tuples(lines, st.sampled_from(_ENDS)), max_size=14).map(
    lambda pairs: "".join(line + end for line, end in pairs)
)
front_matter = st.sampled_from(["", "", "", "---\na: 1\n---\n", "\ufeff", "\ufeff---\nb: [x]\n...\n", "---\n"])
documents = st.tuples(front_matter, markdown).map("".join).map(str.encode)
raw_bytes = st.one_of(
    st.binary(max_size=200), documents, st.text(max_size=100).map(lambda t: t.encode("utf-8", "replace"))
)
