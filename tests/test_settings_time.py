"""Settings of a folder are read in a time that grows with their size."""

import time

import pytest

from mdmem.errors import ConfigError
from mdmem.settings.toml_file import parse_toml


@pytest.mark.parametrize(
    "line",
    [
        "a." * 30_000 + "a = 1",
        "[" + "a." * 30_000 + "a]",
        "[[" + "a . " * 15_000 + "a]]",
        '"记" . ' * 8_000 + "a = 1",
        "x = {" + "a." * 30_000 + "a = 1}",
        "'a'.\"b\"." * 8_000 + "a = 1",
    ],
)
def test_a_key_of_many_dots_is_refused_with_its_line(line: str) -> None:
    begin = time.monotonic()
    with pytest.raises(ConfigError) as caught:
        parse_toml(f"[mcp]\n{line}\n".encode(), "mdmem.toml")
    assert caught.value.line == 2
    assert time.monotonic() - begin < 5


def test_ordinary_dots_are_read() -> None:
    text = 'a.b.c = "www.example.org/1.2.3... 例如。"\nlist = ["*.md", "notes.v1.2.md"]\n'
    assert parse_toml(text.encode(), "mdmem.toml")["a"]["b"]["c"].startswith("www")
