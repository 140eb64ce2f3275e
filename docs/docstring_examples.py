"""Let the API reference show the examples of docstrings: a paragraph of `>>>` lines becomes a section of its own."""

from __future__ import annotations

import textwrap

import griffe


class DocstringExamples(griffe.Extension):
    """Name each paragraph that begins with `>>>` an `Examples:` section, as the Google style wants it."""

    def on_instance(self, *, obj: griffe.Object, **_: object) -> None:
        """Rewrite the docstring of an object that griffe has read."""
        if obj.docstring and ">>> " in obj.docstring.value:
            obj.docstring.value = "\n\n".join(map(_section, obj.docstring.value.split("\n\n")))


def _section(paragraph: str) -> str:
    return f"Examples:\n{textwrap.indent(paragraph, '    ')}" if paragraph.startswith(">>> ") else paragraph
