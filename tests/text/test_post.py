"""A document as other programs' posts."""

from __future__ import annotations

import frontmatter

from mdmem.text.document import parse

TEXT = "---\ntitle: 面试\ntags: [a, b]\n---\n# x\n\nbody\n"


def test_a_post_equals_what_python_frontmatter_reads() -> None:
    post, other = parse(TEXT.encode()).post(), frontmatter.loads(TEXT)
    assert (post.metadata, post.content.strip()) == (other.metadata, other.content)


def test_a_post_takes_what_python_frontmatter_refuses() -> None:
    post = parse(b"---\ncontent: x\n2026: y\ndate: 2026-02-13\n---\nbody\n").post()
    assert post.metadata == {"content": "x", "2026": "y", "date": "2026-02-13"}
    assert parse("没有\n".encode()).post().metadata == {}
