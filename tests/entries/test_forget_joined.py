"""Forgetting one of the entries that the keeper joined to a line leaves the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem.text.document import parse
from mdmem.workspace import Workspace

FACTS = {
    "en": [
        "Allergic to penicillin.",
        "Lives at 5 Elm St.",
        "Ex-boss is called Bob.",
        "The bike is green; the lock is red",
    ],
    "zh": ["对青霉素过敏", "住在梧桐路 5 号", "前老板叫老白", "车是绿的；锁是红的"],
}
SECTION = {"en": "User", "zh": "用户感知"}


CASES = [
    ("en", 2, "Bob"), ("en", 0, "penicillin"), ("en", 3, "lock is red"),
    ("zh", 2, "老白"), ("zh", 0, "青霉素"), ("zh", 3, "锁是红的"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("lang", "number", "words"), CASES)
def test_only_the_entry_that_holds_the_words_goes(tmp_path: Path, lang: str, number: int, words: str) -> None:
    (tmp_path / "mdmem.toml").write_text(f'lang = "{lang}"\n', "utf-8")
    work = Workspace(tmp_path, lang=lang)
    work.init()
    work.add("FASTMEMO.md", FACTS[lang], section=SECTION[lang])
    work.compact("fastmemo", now=True)
    (line,) = entries(tmp_path)
    facts = [fact.rstrip(".") for fact in FACTS[lang]]
    assert all(fact in line for fact in facts)
    work.forget(words)
    (left,) = entries(tmp_path)
    assert words not in left
    assert [fact in left for fact in facts] == [at != number for at in range(len(FACTS[lang]))]
    assert left == left.strip(" ；;")
    assert not [path for path in tmp_path.rglob("*.md") if words in path.read_text("utf-8")]


def entries(root: Path) -> list[str]:
    return [entry.text for entry in parse((root / "FASTMEMO.md").read_bytes()).entries]


def test_hidden_characters_hide_nothing_from_a_forgetting(tmp_path: Path) -> None:
    work = Workspace(tmp_path, lang="en")
    with work.sessions.start("talk", agent="ada") as session:
        session.turn("user", "I saw Zor\u200dblax and Zor\u00adblax at noon")
    work.forget("Zorblax")
    assert not work.search("Zorblax")
    with work.sessions.start("more", agent="ada") as session:
        session.turn("assistant", "Zor\u00adblax, again")
    assert not work.search("Zorblax")
