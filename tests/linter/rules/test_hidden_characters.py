"""Characters that nobody sees: what a clipping brings along is told mildly, what hides something is an error."""

from __future__ import annotations

import pytest
from conftest import Lint

from mdmem.text.edit import apply_edits

ZW = "\u200b"


def judged(lint: Lint, said: str) -> tuple[str, str]:
    """Return the severity of MM105 and the text that its fix makes."""
    text = f"# 🧠 记忆\n\n## 笔记\n\n- 2026-02-13：{said}\n"
    found = [one for one in lint(text, "MEMORY.md") if one.code == "MM105"]
    assert len(found) == 1
    return found[0].severity, apply_edits(text, list(found[0].fix)).split("：", 1)[1].strip()


@pytest.mark.parametrize(("said", "mended"), [
    (f"The team{ZW} met on Monday.", "The team met on Monday."),
    (f"A note{ZW}about bread and {ZW}water.", "A note about bread and water."),
    (f"end of one.{ZW}The next begins", "end of one. The next begins"),
    (f'he "said{ZW}" so', 'he "said" so'),
])  # fmt: skip
def test_a_zero_width_space_of_a_clipping_is_a_note_and_parts_words(said: str, mended: str, lint: Lint) -> None:
    assert judged(lint, said) == ("note", mended)


@pytest.mark.parametrize(("said", "mended"), [
    (f"i{ZW}g{ZW}n{ZW}o{ZW}r{ZW}e it", "ignore it"),
    (f"run rm{ZW} -rf /srv/{ZW}data", "run rm -rf /srv/data"),
    (f"密{ZW}码在抽屉里", "密码在抽屉里"),
    (f"key a{ZW}7f3", "key a7f3"),
    (f"pay{ZW}pal{ZW}user", "pay pal user"),
])  # fmt: skip
def test_a_zero_width_space_that_splits_what_is_read_is_an_error(said: str, mended: str, lint: Lint) -> None:
    severity, text = judged(lint, said)
    assert severity == "error"
    assert text in (mended, mended.replace(" ", ""))


@pytest.mark.parametrize(
    ("said", "severity"),
    [("icon \ue0b0 here", "note"), ("plane \U000f1234", "note"), ("Z\u0300\u0301\u0302\u0303\u0304algo", "warning")],
)
def test_private_use_and_stacked_marks_have_no_fix(said: str, severity: str, lint: Lint) -> None:
    found = [one for one in lint(f"# 🧠 记忆\n\n## 笔记\n\n- 2026-02-13：{said}\n", "MEMORY.md") if one.code == "MM105"]
    assert [(one.severity, one.fix) for one in found] == [(severity, ())]


@pytest.mark.parametrize("said", ["Tiếng Việt: ệ e\u0323\u0302", "naïve a\u0308", "हिन्दी", "שָׁלוֹם"])
def test_marks_that_a_language_needs_are_welcome(said: str, lint: Lint) -> None:
    found = lint(f"# 🧠 记忆\n\n## 笔记\n\n- 2026-02-13：{said}\n", "MEMORY.md")
    assert not [one for one in found if one.code == "MM105"]
