"""Front matter through python-frontmatter: read by other programs, and written exactly."""

from __future__ import annotations

import frontmatter
from hypothesis import given
from hypothesis import strategies as st

from mdmem.text.document import parse
from mdmem.text.yaml.post import ExactYamlHandler, FrontValue, LiteralText, new_file

TEXT = "---\ntitle: 面试\ntags: [a, b]\n---\n# x\n\nbody\n"
KEYS = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
VALUES = WORDS | st.integers() | st.lists(WORDS.filter(bool), min_size=1, max_size=4)


def test_a_post_equals_what_python_frontmatter_reads() -> None:
    post, other = parse(TEXT.encode()).post(), frontmatter.loads(TEXT)
    assert (post.metadata, post.content.strip()) == (other.metadata, other.content)


def test_a_post_takes_what_python_frontmatter_refuses() -> None:
    post = parse(b"---\ncontent: x\n2026: y\ndate: 2026-02-13\n---\nbody\n").post()
    assert post.metadata == {"content": "x", "2026": "y", "date": "2026-02-13"}
    assert parse("没有\n".encode()).post().metadata == {}


def test_a_post_is_written_as_it_was_read() -> None:
    assert frontmatter.dumps(parse(TEXT.encode()).post()) == TEXT
    post = frontmatter.loads(TEXT, handler=ExactYamlHandler())
    post["day"] = "2026-02-13"
    assert frontmatter.dumps(post).startswith("---\ntitle: 面试\ntags: [a, b]\nday: 2026-02-13\n---\n")


@given(st.dictionaries(KEYS, VALUES, max_size=5), WORDS)
def test_what_is_written_is_read_back_unchanged(values: dict[str, FrontValue], body: str) -> None:
    """Law: text stays text, whatever YAML would make of it, and the body keeps its bytes."""
    written = new_file(values, body)
    read = parse(written.encode()).post()
    for key, value in values.items():
        found = read.metadata[key]
        same = found == (value or None) if isinstance(value, str) else found == value
        assert same or str(found) == str(value), "a number of more than 20 digits is an identifier"
    assert read.content == body
    handled = ExactYamlHandler()
    assert handled.split(written)[1] == body
    assert handled.load(handled.split(written)[0]) == read.metadata


def test_a_literal_text_stays_readable() -> None:
    written = new_file({"summary": LiteralText("line: one\n# two")}, "body\n")
    assert written == "---\nsummary: |\n  line: one\n  # two\n---\nbody\n"
    assert parse(written.encode()).post().metadata["summary"] == "line: one\n# two\n"


def test_items_that_other_programs_read_as_something_else_are_quoted() -> None:
    assert new_file({"a": ["b", "no", "2026", "x: y", "面试"]}) == '---\na: [b, "no", "2026", "x: y", 面试]\n---\n'
