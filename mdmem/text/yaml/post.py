"""Front matter through python-frontmatter: of the files that mdmem makes, and for other programs.

Edits in people's files change spans of a `Document` instead, so that each byte beside them stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import frontmatter
from frontmatter.default_handlers import YAMLHandler

from mdmem.text.pattern import pattern
from mdmem.text.yaml import front_matter
from mdmem.text.yaml.yaml_source import Plain, quoted, scalar

FrontValue: TypeAlias = str | int | float | Sequence[str]

# An item of a list that needs no quotes, also for programs that read `y` and `no` as YAML 1.1 does.
_PLAIN = pattern(r"(?!(?i:y|n|yes|no|on|off|true|false|null|none)\Z)[^\W\d_][\w./+-]*\Z")


class LiteralText(str):
    """A text of several lines that is written as a literal block (YAML 1.2, 8.1.2)."""

    __slots__ = ()


class ExactYamlHandler(YAMLHandler):
    """YAML as mdmem reads and writes it: a key a line, text that stays text, and a body that keeps its bytes."""

    def split(self, text: str) -> tuple[str, str]:
        """Return the YAML and the body of a text; an empty YAML if it has no front matter."""
        found = front_matter.find(text)
        return (found.yaml.of(text), text[found.span.end :]) if found else ("", text)

    def load(self, fm: str, **_: object) -> dict[str, Plain]:
        """Return the values of YAML, by the rules of `yaml_source`: a date stays text, and nothing is executed."""
        found = front_matter.find(f"---\n{fm}\n---\n")
        return found.values if found else {}

    def export(self, metadata: dict[str, object], **_: object) -> str:
        """Return values as YAML, a line for each; a value of another type than `FrontValue` is written as its text."""
        return "".join(
            front_line(key, value if isinstance(value, str | int | float | list | tuple) else str(value)) + "\n"
            for key, value in metadata.items()
        )

    def format(self, post: frontmatter.Post, **_: object) -> str:
        """Return a whole file, without a blank line between the front matter and the body."""
        return f"---\n{self.export(post.metadata)}---\n{post.content}"


def post(values: Mapping[str, object], body: str = "") -> frontmatter.Post:
    """Return a `Post` that `frontmatter.dumps` writes in exact YAML; any key is taken."""
    made = frontmatter.Post(body, ExactYamlHandler())
    made.metadata = dict(values)
    return made


def new_file(values: Mapping[str, FrontValue], body: str = "") -> str:
    """Return the text of a new file with front matter."""
    return frontmatter.dumps(post(values, body))


def front_line(key: str, value: FrontValue) -> str:
    """Return a key and its value as YAML, on one line unless the value is a `LiteralText`."""
    if isinstance(value, LiteralText):
        return "\n".join([f"{key}: |", *(f"  {line}" for line in value.split("\n"))])
    return f"{key}: {_flow(value)}".rstrip()


def _flow(value: FrontValue) -> str:
    if isinstance(value, str | int):
        return scalar(value)
    if isinstance(value, float):
        return f"{value:g}"
    return f"[{', '.join(map(_item, map(str, value)))}]"


def _item(word: str) -> str:
    return word if _PLAIN.match(word) and scalar(word) == word else quoted(word)
