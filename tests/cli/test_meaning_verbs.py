"""What the command line says of finding by meaning: once, beside the answer, never instead of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run


@pytest.fixture
def asking(tmp_path: Path) -> None:
    """A user who asks for a backend, and names no model."""
    place = tmp_path / "config" / "mdmem"
    place.mkdir(parents=True)
    (place / "mdmem.toml").write_text('[vectors]\nbackend = "openai"\n')


@pytest.mark.usefixtures("asking")
def test_a_backend_that_is_missing_is_told_beside_what_words_find(mdmem: Run) -> None:
    done = mdmem("search", "面试", "--lang", "en")
    assert (done.returncode, done.stderr) == (
        0, "search by words only, not by meaning: no embedding model is set; set `model` in [vectors]\n",
    )  # fmt: skip
    assert "MEMORY.md:5" in done.stdout
    assert json.loads(mdmem("search", "面试", "--json").stdout)[0]["line"] == 5


@pytest.mark.usefixtures("asking")
def test_the_index_tells_how_it_stands(mdmem: Run) -> None:
    assert "没有指定嵌入模型" in mdmem("index", "status", "--lang", "zh").stdout
    told = json.loads(mdmem("index", "rebuild", "--json").stdout)["meaning"]
    assert (told["backend"], told["available"], told["vectors"]) == ("openai", False, 0)


def test_who_asks_for_no_backend_hears_of_none(mdmem: Run) -> None:
    assert mdmem("search", "面试").stderr == ""
    assert len(mdmem("index", "status").stdout.splitlines()) == 1
