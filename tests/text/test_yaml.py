"""Front matter: YAML 1.2's values, exact places, and nothing dangerous built."""

from __future__ import annotations

import re
from itertools import pairwise

import frontmatter
import frontmatter as other
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem.text.document import parse
from mdmem.text.yaml.front_matter import FrontMatter
from mdmem.text.yaml.post import ExactYamlHandler, FrontValue, LiteralText, new_file
from mdmem.text.yaml.yaml_source import Node, read_yaml


def front(yaml: str, ending: str = "\n") -> FrontMatter:
    found = parse(f"---\n{yaml}\n---\nbody\n".replace("\n", ending).encode("utf-8", "surrogateescape")).front_matter
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True), ("True", True), ("FALSE", False), ("yes", "yes"), ("on", "on"), ("No", "No"), ("y", "y"),
        ("null", None), ("~", None), ("", None), ("Null", None), ("none", "none"), ('""', ""), ("'null'", "null"),
        ("0", 0), ("12", 12), ("-3", -3), ("+3", 3), ("0123", "0123"), ("00", "00"), ("0x1f", "0x1f"), ("0o7", "0o7"),
        ("1_000", "1_000"), ("12:30", "12:30"), ("2026-02-13", "2026-02-13"), ("2026-02-13T09:30", "2026-02-13T09:30"),
        ("1.5", 1.5), ("1.", 1.0), (".5", 0.5), ("1e3", 1000.0), ("-1.5e-3", -0.0015), ("1.10", 1.1), ("01.5", "01.5"),
        ("1.2.3", "1.2.3"), (".", "."), ("-", [None]), ("-.", "-."), ("1e", "1e"), (".inf", ".inf"), (".nan", ".nan"),
        ("99999999999999999999", 99999999999999999999), ("9" * 30, "9" * 30), ("0123456789abcdef", "0123456789abcdef"),
        ("记忆 🧠", "记忆 🧠"), ('"a\\tb"', "a\tb"), ("'it''s'", "it's"), ("[a, 1]", ["a", 1]), ("{a: 1}", {"a": 1}),
        ("a # b", "a"), ("a#b", "a#b"), ("|\n  a\n  b", "a\nb\n"), (">\n  a\n  b", "a b\n"),
    ],
)  # fmt: skip
def test_values_are_yaml_1_2(written: str, value: object) -> None:
    assert front(f"k: {written}" if written != "-" else "k:\n  -").values == {"k": value}


@pytest.mark.parametrize("key", ["yes", "2026", "null", "1.5", "content", "handler", "记忆", "a b", "true", '"q"'])
def test_any_key_is_a_text(key: str) -> None:
    assert list(front(f"{key}: 1").values) == [key.strip('"')]


def test_keys_that_are_no_words() -> None:
    found = front("? [a, b]\n: 1\n? {c: d}\n: 2")
    assert list(found.values) == ["['a', 'b']", "{'c': 'd'}"]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_places_are_exact(ending: str) -> None:
    yaml = '# 注释 🧠\n名字: "小🐱"\ntags: [甲, "乙 🧠", c]\nnested:\n  深: 值\n  list:\n    - 一\n    - 🧠二\n'
    yaml += "text: |\n  行\n"
    found = front(yaml, ending)
    text = f"---\n{yaml}\n---\nbody\n".replace("\n", ending)

    def walk(node: Node) -> list[str]:
        if isinstance(node.value, dict):
            return [*(child.key.of(text) for child in node.value.values() if child.key),
                    *(word for child in node.value.values() for word in walk(child))]  # fmt: skip
        if isinstance(node.value, list):
            return [word for child in node.value for word in walk(child)]
        return [node.span.of(text)]

    assert found.root is not None
    words = walk(found.root)
    assert words[:5] == ["名字", "tags", "nested", "text", '"小🐱"']
    assert words[5:8] == ["甲", '"乙 🧠"', "c"]
    assert words[8:13] == ["深", "list", "值", "一", "🧠二"]
    assert found.span.of(text) == text[: text.index("body")]


def test_a_byte_order_mark_may_precede_the_fence() -> None:
    document = parse("\ufeff---\n键: 值\n---\n# T\n".encode())
    assert document.front_matter is not None
    assert document.front_matter.span.start == 1
    node = document.front_matter.node("键")
    assert node is not None
    assert node.span.of(document.text) == "值"


@pytest.mark.parametrize(("yaml", "kinds"), [
    ("a: &x 1", ["anchor"]), ("a: &x 1\nb: *x", ["anchor", "alias"]),
    ("a: !!python/object/apply:os.system [ls]", ["tag"]), ("a: !x 1", ["tag"]), ("<<: {a: 1}", []),
    ("a: 1\na: 2", ["duplicate"]), ("a: {b: 1, b: 2, b: 3}", ["duplicate", "duplicate"]),
    ("true: 1\n'true': 2", ["duplicate"]), ("a: [1", ["broken"]), ("a: 'b", ["broken"]), ("a: b: c", ["broken"]),
    ("\ta: b", ["broken"]), ("a: \x00", ["broken"]), ("a: \x07", ["broken"]), ("a: \udcff", ["broken"]),
    ("@a: 1", ["broken"]), ("%YAML 1.1", ["broken"]), ("a: 1\n--- b", ["broken"]), ("a: 1\n... # c", []),
    ("[" * 40 + "]" * 40, ["too-deep"]), ("- " * 40 + "a", ["too-deep"]), ("a: " + "x" * 200_000, ["too-long"]),
    ("# only a comment", []), ("words", []), ("- a", []),
])  # fmt: skip
def test_problems(yaml: str, kinds: list[str]) -> None:
    found = front(yaml)
    assert [problem.kind for problem in found.problems] == kinds
    assert found.root is None or not set(kinds) - {"duplicate"}


@pytest.mark.parametrize("blank", ["\n", "\r\n", " \n", "\t\r\n", "\n\n"])
@pytest.mark.parametrize(
    "text", ["Note: the pump hums\nImportant: the valve stays open", "注意: 水泵夜里响", "words", ""]
)
def test_a_rule_before_an_empty_line_begins_text(blank: str, text: str) -> None:
    document = parse(f"---\n{blank}{text}\n\n---\n\n- the plumber came\n".encode())
    assert document.front_matter is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "bomb",
    [
        "a: &a [x,x]\n" + "".join(f"{b}: &{b} [*{a},*{a},*{a},*{a}]\n" for a, b in pairwise("abcdefghi")),
        "[" * 90_000,
        "{" * 90_000,
        "- " * 45_000,
        "? " * 45_000,
        "".join(f"{' ' * depth}a:\n" for depth in range(300)),
        "a: [" + "1," * 40_000 + "]",
        "".join(f"k{number}: &a{number} *b\n" for number in range(5000)),
        "&a " * 30_000,
        "!" * 90_000,
        "a: " * 30_000,
        "|" * 90_000,
        '"' + "\\" * 90_000,
    ],
    ids=["aliases", "[", "{", "-", "?", "indentation", "flow", "anchors", "&", "!", "a:", "|", "escapes"],
)  # fmt: skip
def test_bombs_are_problems_or_values(bomb: str) -> None:
    found = front(bomb)
    assert (found.root is None) == bool(found.problems)


@pytest.mark.parametrize("text", ["---\na: 1\n", "---\na: 1\n--", "---\na: 1\n ---\n", "--- \n", "a\n---\nb: 1\n---\n"])
def test_what_is_no_front_matter(text: str) -> None:
    assert parse(text.encode()).front_matter is None


def test_offset_is_added_everywhere() -> None:
    node, problems = read_yaml("a: 1\na: 2", 100)
    assert problems[0].span == (105, 106)
    assert node is not None
    assert node.span == (100, 109)


_word = (
    st.text(alphabet="abcxyz记忆🧠 _-", min_size=1, max_size=6)
    .map(str.strip)
    .filter(
        lambda word: bool(re.fullmatch(r"[a-z记忆🧠][a-z记忆🧠 _]*", word)) and word not in ("y", "content", "handler")
    )
)
_scalar = st.one_of(_word, st.integers(1, 10**6).map(str), st.sampled_from(["true", "false", "null", '"a b"', "'c'"]))
_value = st.one_of(_scalar, st.lists(_scalar, max_size=3).map(lambda items: "[" + ", ".join(items) + "]"))


@given(st.dictionaries(_word, _value, max_size=5), st.sampled_from(["\n", "\r\n"]))
def test_python_frontmatter_reads_the_same(values: dict[str, str], ending: str) -> None:
    """Where it neither crashes nor speaks YAML 1.1: no odd keys, dates, yes and no, octals or repeated keys."""
    text = "---\n" + "".join(f"{key}: {value}\n" for key, value in values.items()) + "---\nbody\n"
    found = parse(text.replace("\n", ending).encode()).front_matter
    assert found is not None
    assert found.values == other.loads(text).metadata


@given(st.text(alphabet="ab: -[]{}'\"|>&*!#%@`,?\n\t 1记🧠\r\u2028\x85", max_size=60))
def test_any_yaml(yaml: str) -> None:
    node, problems = read_yaml(yaml, 7)
    for problem in problems:
        assert 7 <= problem.span.start <= problem.span.end <= 7 + len(yaml)
    if node is not None:
        node.plain()
        assert 7 <= node.span.start <= node.span.end <= 7 + len(yaml)


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
