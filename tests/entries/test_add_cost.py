"""What an add costs: one parse of the file before and after, one run of the rules; a file too long is refused.

A line that is to be written is checked as text: it is not parsed.
"""

from __future__ import annotations

from collections import Counter

import pytest
from conftest import Make
from forms import many

from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.gate import Gate
from mdmem.errors import RefusedError
from mdmem.linter.registry import RULES
from mdmem.text import blocks

HEAD = "# 🧠 记忆\n\n## 重要事件\n\n## 偏好与习惯\n\n## 待办与承诺\n\n## 笔记\n\n"


def lines(count: int) -> str:
    return HEAD + "".join(f"- 2026-01-{number % 28 + 1:02d}：吊车 {number} 上了油\n" for number in range(count))


@pytest.mark.slow
@pytest.mark.parametrize("size", [40, many(400, 4000)])
def test_an_add_parses_a_text_once_and_runs_a_rule_once(make: Make, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    memory = make("zh", {"MEMORY.md": lines(size)})
    parsed: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    read = blocks.read
    monkeypatch.setattr(blocks, "read", lambda text, *rest: parsed.update([text]) or read(text, *rest))
    secrets = next(rule for rule in RULES if rule.code == "MM501")
    check = secrets.check
    counted = secrets._replace(check=lambda subject: judged.update([subject.document.text]) or check(subject))
    rules = tuple(counted if rule.code == "MM501" else rule for rule in RULES)
    monkeypatch.setattr("mdmem.entries.gate.RULES", rules)
    monkeypatch.setattr("mdmem.linter.runner.RULES", rules)
    assert memory.add("MEMORY.md", ["2026-02-20：潮水退了"], section="笔记").status == "done"
    whole = {text: count for text, count in parsed.items() if text.startswith(HEAD)}
    assert sorted(whole.values()) == [1, 1]  # as it was, as it is
    assert max(count for text, count in judged.items() if text.startswith(HEAD)) == 1


def test_a_file_of_too_many_lines_is_refused_before_it_is_parsed(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    text = lines(10_001)
    memory = make("zh", {"MEMORY.md": text})
    memory.config.schemas.languages("memory")  # a template is parsed when it is first read
    monkeypatch.setattr(blocks, "read", _no_long_text)
    with pytest.raises(RefusedError, match="10011 行") as caught:
        memory.add("MEMORY.md", ["2026-02-20：潮水退了"], section="笔记", actor="ada")
    assert "archive/" in caught.value.hint
    with open(f"{memory.root}/MEMORY.md", encoding="utf-8") as file:
        assert file.read() == text


def test_a_line_is_checked_without_parsing_it(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(AccessPolicy(make("zh", {}).config, KEEPER))
    gate.unfit("facts/x.md", "- 潮水退了\n")  # the template is read
    monkeypatch.setattr(blocks, "read", _nothing)
    assert gate.unfit("facts/x.md", "- 2026-02-20：吊车 7 上了油 [source:: chat:1#2]\n") is None
    assert gate.unfit("facts/x.md", f"- the key is {'sk-proj-'}{'aB3dE5gH7jK9' * 4}\n")


def _nothing(text: str, *_: object) -> tuple[()]:
    raise AssertionError(text)


def _no_long_text(text: str, *_: object) -> tuple[()]:
    assert not text.startswith(HEAD)
    return ()
