"""The estimate of tokens is never lower than the true count by more than the stated error."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
import toktok
from hypothesis import given
from hypothesis import strategies as st

import mdmem
from mdmem.config.workspace_config import token_counter
from mdmem.settings.search_tables import TokensSettings
from mdmem.text.tokens import ERROR, count_tokens, scaled

HOUSE = Path(mdmem.__file__).parent
SHARED = HOUSE.parent.parent / "shared"


def records(rng: random.Random) -> str:
    one = {"id": rng.randbytes(16).hex(), "at": f"2026-02-{rng.randint(1, 28):02}T08:15:{rng.randint(10, 59)}Z",
           "value": rng.random() * 1000, "ok": rng.random() < 0.5, "name": rng.choice(["alpha", "用户"])}  # fmt: skip
    return json.dumps(one, ensure_ascii=False)


def texts() -> Iterator[tuple[str, str]]:
    rng = random.Random(7)
    yield "json", "\n".join(records(rng) for _ in range(200))
    for kind, paths in {
        "code": [
            path for path in sorted(HOUSE.rglob("*.py")) if path.stem != "simplified"
        ],  # a table of characters is no text
        "templates": sorted((HOUSE.parent / "templates").rglob("*.md")),
        "example": sorted((HOUSE.parent / "workspace").rglob("*.md")),
        "shared": sorted(SHARED.glob("corpus/**/*.md")) + sorted(SHARED.glob("bench/*/memory/*.md"))[::10],
    }.items():
        whole = "\n".join(path.read_text("utf-8") for path in paths)
        for _ in range(60 if whole else 0):
            start = rng.randrange(len(whole))
            yield kind, whole[start : start + rng.choice((2_500, 6_000, 20_000))]


@pytest.mark.thorough
@pytest.mark.slow
def test_it_is_too_low_by_no_more_than_the_stated_error() -> None:
    given_texts = [(kind, text) for kind, text in texts() if text]
    true = toktok.batch_count([text for _, text in given_texts], "o200k_base")
    short = {kind: 0.0 for kind, _ in given_texts}
    over = 0.0
    for (kind, text), tokens in zip(given_texts, true, strict=True):
        if tokens >= 500:
            short[kind] = max(short[kind], 1 - count_tokens(text) / tokens)
            over += count_tokens(text) / tokens - 1
    assert {kind: share for kind, share in short.items() if share > ERROR} == {}
    assert over / len(true) < 0.25, "too safe is useless"


@given(st.text())
def test_any_text_has_a_count(text: str) -> None:
    assert count_tokens(text) >= (1 if text else 0)
    assert count_tokens(text) <= 6 * len(text.encode("utf-8", "replace"))


def test_it_can_be_scaled_and_replaced() -> None:
    assert scaled(len, 150)("four") == 6
    assert token_counter(TokensSettings("estimate", 100)) is count_tokens
    assert token_counter(TokensSettings("o200k_base", 200))("hello world") == 4


def test_a_counter_that_is_not_installed_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "toktok", None)
    with pytest.raises(mdmem.ConfigError, match="o200k_base") as raised:
        token_counter(TokensSettings("o200k_base", 100))
    assert "mdmem[tokens]" in raised.value.hint
