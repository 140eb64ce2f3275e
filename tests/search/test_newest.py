"""Of several lines about one thing the newest comes first: also a paraphrase, and no line that only sounds alike."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from forms import many

from mdmem.search.words.terms import terms
from mdmem.workspace import Workspace

ENGLISH = """# Memory

## Notes

- 2025-02-03: we said we would camp at the river mouth in the holidays
- 2025-03-09: the dentist said we would come back after the holidays
- 2025-05-30: instead of a tent it will be a cabin in the hills for the holidays camp
- 2025-01-20: the spare key hangs at the neighbours
- 2025-06-01: the spare tyre hangs in the garage
- 2025-07-14: the key, the spare one, lies in the shed
"""
CHINESE = """# 记忆

## 笔记

- 2025-02-03：本来说好在河口露营
- 2025-03-09：本来说好在月底复查
- 2025-05-30：露营改到山里的小木屋了
- 2025-01-20：备用钥匙挂在邻居林家
- 2025-06-01：备用轮胎挂在车库墙上
- 2025-07-14：林家出门了，备用钥匙放到棚子里
"""


@pytest.mark.parametrize(
    ("text", "question", "newest", "oldest"),
    [
        (ENGLISH, "Where do we camp in the holidays?", "cabin", "river mouth"),
        (ENGLISH, "Where is the spare key?", "shed", "neighbours"),
        (CHINESE, "在哪里露营？", "小木屋", "河口"),
        (CHINESE, "备用钥匙在哪里？", "棚子", "邻居"),
    ],
)
def test_a_paraphrased_update_comes_first(tmp_path: Path, text: str, question: str, newest: str, oldest: str) -> None:
    (tmp_path / "MEMORY.md").write_text(text, "utf-8")
    work = Workspace(tmp_path, cache=False)
    assert newest in work.search(question)[0].text
    past = "以前" if "？" in question else "originally "
    assert oldest in work.search(f"{past}{question}")[0].text


@pytest.mark.parametrize(("text", "words"), [(ENGLISH, "spare tyre"), (CHINESE, "备用轮胎")])
def test_a_newer_line_of_the_same_pattern_is_no_update(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "MEMORY.md").write_text(text, "utf-8")
    assert words in Workspace(tmp_path, cache=False).search(words)[0].text


def test_fields_are_no_words_that_two_lines_share(tmp_path: Path) -> None:
    fields = "[type:: code] [source:: tool:t0012] [artifact:: artifacts/t0012.md] [created:: 2025-08-01]"
    (tmp_path / "MEMORY.md").write_text(
        f"# Memory\n\n- 2025-03-01: the importer reads cp1252 {fields}\n"
        f"- 2025-08-01: Ida drew a logo for the importer {fields}\n", "utf-8",
    )  # fmt: skip
    work = Workspace(tmp_path, cache=False)
    for question in ("the importer reads cp1252", f"the importer reads cp1252 {fields.partition('[created')[0]}"):
        assert "cp1252" in work.search(question)[0].text


@pytest.mark.parametrize(("said", "content"), [("we'd", "wed"), ("she'd", "shed"), ("he'll", "hell")])
def test_a_contraction_is_no_other_word(said: str, content: str) -> None:
    assert content not in terms(f"{said} come")


HARVEST = """- The harvest brought eleven crates.
- 2025-03-01: the harvest gets its supper in the big tent by the pond
- 2025-08-09: rain is forecast, so for the harvest everybody eats in the chapel hall instead
"""
ROUTER = """- 2025-03-01：路由器摆在客厅电视旁边
- 2025-06-02：信号不好，路由器挪到阁楼去了
- 2025-09-09：净水器换了新滤芯
"""


OCTOBER = """- 2025-02-11: we said we would sleep at the old mill in October
- 2025-06-20: the October trip is now the barn above the weir
- 2025-04-03: the roofer comes in autumn
"""
FISHING = """- 2025-02-03：本来说好十月在水库钓鱼
- 2025-05-19：钓鱼改到渔家的池塘了，还是十月
- 水库的坝上有人钓鱼掉下去过
"""
BOTTLES = """- 2025-01-08: bottles get stored on the cellar rack
- 2025-03-02: to the barn with all of the bottles
- 2025-06-15: a store for second-hand clothes has opened by the station
"""
KITE = """- 2025-03-01：风筝的线轴交给老秦缠
- 2025-08-12：风扇擦过了，收进纸箱
"""


def first_hit(root: Path, notes: str, question: str) -> str:
    """Return the first line that a search finds in these notes."""
    (root / "MEMORY.md").write_text(f"# Memory\n\n## Notes\n\n{notes}", "utf-8")
    return Workspace(root, cache=False).search(question)[0].text


@pytest.mark.parametrize(("notes", "question", "first"), [
    (HARVEST, "Where will the harvest supper be?", "chapel"),  # what changed, before a line that shares a word
    (ROUTER, "路由器在哪里？", "阁楼"),
    (OCTOBER, "Where do we sleep in October?", "barn"),  # both lines are about the month, neither is dated in it
    (FISHING, "十月在哪里钓鱼？", "池塘"),
    (BOTTLES, "Where are bottles stored?", "barn"),  # the third line has another word
    (KITE, "风筝的线轴在谁那里？", "老秦"),  # one character in common is no topic
])  # fmt: skip
def test_the_best_line_and_the_one_that_shares_most_with_it_say_what_is_asked(
    tmp_path: Path, notes: str, question: str, first: str
) -> None:
    assert first in first_hit(tmp_path, notes, question)


def test_a_line_of_the_days_asked_about_is_an_event_of_its_own(tmp_path: Path) -> None:
    text = "- 2025-05-04: baked rye bread with Ulla\n- 2025-05-21: baked a plum cake, and bread for the neighbours\n"
    (tmp_path / "MEMORY.md").write_text(f"# Memory\n\n## Notes\n\n{text}", "utf-8")
    hits = Workspace(tmp_path, cache=False).search("What rye bread was baked in May 2025?")
    assert ["rye" in hit.text for hit in hits] == [True, False]


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("my wages go to Clydesdale", "the salary goes to Monzo now", "Which bank did I use before this one?"),
        ("I live in Dundee by the bridge", "Bristol it is, a flat by the docks", "Where did I live before Bristol?"),
        ("薪水都進玉山", "開戶辦好了，薪水改進台新", "我上一家銀行是哪一家？"),
    ],
)
def test_a_question_for_a_former_value_gets_the_older_line_first(
    tmp_path: Path, older: str, newer: str, question: str
) -> None:
    other = "the gutters sing" if older.isascii() else "下雨九天了"
    text = f"- 2026-02-08: {older}\n- 2026-04-26: {newer}\n- 2026-03-01: {other}\n"
    assert older in first_hit(tmp_path, text, question)


EVERY = many(4, 1)
FIRST_DAY = date(2024, 10, 1)


def pairs(lang: str) -> Iterator[tuple[str, str, str]]:
    """Return a memory with an old, an unrelated and a new line, the new line, and the question."""
    rows = (Path(__file__).parent / "updates" / f"{lang}.txt").read_text("utf-8").splitlines()[1:]
    for number, row in enumerate(rows[::EVERY]):
        old, new, question, other = row.split("|")
        days = FIRST_DAY + timedelta(days=number), FIRST_DAY + timedelta(days=200 + number * 7 % 160)
        sign = "：" if lang == "zh" else ": "
        yield f"# Memory\n\n## Notes\n\n- {days[0]}{sign}{old}\n- {other}\n- {days[1]}{sign}{new}\n", new, question


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_update_in_other_words_comes_first(tmp_path: Path, lang: str) -> None:
    found = []
    for number, (memory, new, question) in enumerate(pairs(lang)):
        root = tmp_path / str(number)
        root.mkdir()
        (root / "MEMORY.md").write_text(memory, "utf-8")
        hits = Workspace(root, lang=lang, cache=False).search(question, limit=1)
        found.append(bool(hits) and new in hits[0].text)
    assert sum(found) >= 0.95 * len(found)
