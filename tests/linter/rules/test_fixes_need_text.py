"""No fix touches a file whose bytes are not UTF-8: what looks like a character may be half of another."""

from __future__ import annotations

from conftest import Lint


def test_a_finding_in_a_file_of_another_encoding_has_no_fix(lint: Lint) -> None:
    text = "# 表层记忆\n\n## 自我感知\n\n- 冷静\n理性\n".encode()
    assert any(d.fix for d in lint(text, "FASTMEMO.md"))
    assert not any(d.fix for d in lint(text + "中".encode("gbk"), "FASTMEMO.md"))
    assert not any(d.fix for d in lint(text + b"\0", "FASTMEMO.md"))
