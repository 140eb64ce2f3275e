"""Search in conversations: the answer next to the question, speakers, related words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from mdmem.workspace import Workspace

PIANO = """
- Ines: Morning! Did the tuner come?
- Tobias: He did, two hours late.
- Ines: What does it cost in the end?
- Tobias: Ninety, and he fixed the pedal for free.
- Ines: Fair. I'm off to the market.
- Tobias: Get leeks if they have any.
"""
NOISE = """
- Ines: The tuner on the car radio is stuck again, the tuner knob turns and the tuner stays where it is.
- Tobias: A tuner, another tuner. You and tuners.
- Ines: Tuner, tuner, tuner.
"""


def work(root: Path, talks: Sequence[str], settings: str = "") -> Workspace:
    """Write each talk as a day of its own."""
    (root / "mdmem.toml").write_text(settings, "utf-8")
    (root / "memory").mkdir()
    for day, talk in enumerate(talks, 1):
        (root / "memory" / f"2025-03-{day:02}.md").write_text(f"# 2025-03-{day:02}\n{talk}", "utf-8")
    return Workspace(root, lang="en")


def first(workspace: Workspace, question: str, count: int = 1) -> list[str]:
    return [hit.text.partition(": ")[2] or hit.text for hit in workspace.search(question, limit=count)]


def test_the_answer_comes_before_the_line_that_asks(tmp_path: Path) -> None:
    assert first(work(tmp_path, [PIANO, NOISE]), "What did the tuner cost in the end?")[0].startswith("Ninety")


def test_a_word_in_several_neighbouring_lines_counts_once(tmp_path: Path) -> None:
    crowd = "\n".join(f"- {who}: the boiler {what}" for who, what in (
        ("Ines", "hums"), ("Tobias", "drips"), ("Ines", "is old"), ("Tobias", "again"), ("Ines", "sighs")))  # fmt: skip
    told = "\n- Ines: Which plumber was it?\n- Tobias: Okafor mended our boiler valve.\n- Ines: Good to know."
    assert first(work(tmp_path, [f"\n{crowd}\n", told]), "Who mended the boiler valve?")[0].startswith("Okafor")


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("Ines: We adopted a parrot called Miro.", "Which pet do they have?"),
        ("Ines: I take an espresso every evening.", "What does she drink?"),
        ("Tobias: The kayak is patched, so surfing can wait.", "What is his hobby?"),
        ("小林：周末又去爬山了，腿酸得很。", "业余爱好是什么？"),
        ("小林：昨晚点了豆浆就睡了。", "哪种饮料？"),
        ("小林：阿姨寄了荔枝来。", "收到过哪些水果？"),
        ("Tobias: They bought them in Porto.", "Where did he purchase tiles?"),
        ("Ines: The wedding was in a barn.", "When did she marry?"),
        ("小林：婚礼定在草坪上。", "哪天结婚？"),
    ],
)
def test_a_word_that_answers_for_a_class_or_another_form_is_found(tmp_path: Path, line: str, question: str) -> None:
    workspace = work(tmp_path, [NOISE, f"\n- {line}\n", PIANO])
    assert [hit.text for hit in workspace.search(question, limit=1)] == [line]


def test_own_rows_of_words_are_applied(tmp_path: Path) -> None:
    talk = PIANO + "- Tobias: The dinghy needs a new mast.\n"
    assert not first(work(tmp_path, [talk]), "Which vessel?")
    (tmp_path / "mdmem.toml").write_text('[recall]\nclasses = ["vessel : kayak canoe dinghy"]\n', "utf-8")
    assert first(Workspace(tmp_path, lang="en"), "Which vessel?") == ["The dinghy needs a new mast."]


@pytest.mark.parametrize("form", ["09:04 {}: ", "[09:04] {}: ", "9:04:31 **{}**: ", "09:04 {}："])
def test_a_speaker_is_known_behind_a_time(tmp_path: Path, form: str) -> None:
    says = {who: form.format(who) for who in ("Ines", "Tobias")}
    talk = f"\n- {says['Ines']}The sea was cold.\n- {says['Tobias']}The sea was cold and wild.\n"
    rows = work(tmp_path, [talk])
    assert "wild" in rows.search("How did Tobias find the cold sea?", limit=1)[0].text
    assert "wild" not in rows.search("How did Ines find the cold sea?", limit=1)[0].text
