"""What a question finds, however long, quoted or misspelt it is; the archive behind the live files; and silence."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from conftest import Make
from growth import steps

from mdmem.text.similarity import comparison_key
from mdmem.workspace import Workspace

ENGLISH = """# Memory

## Notes

- 2025-03-04: Dr. Lindqvist prescribed penicillin and Nora broke out in a rash
- 2025-04-11: the ferry to Skagen leaves at 07:40 from pier 3
- 2025-05-19: the sourdough starter lives in the pantry behind the vinegar
- 2025-06-02: Eli said "the roof comes first" and the kitchen has to wait
- 2025-06-30: roof tiles ordered from Halvorsen, the first of three deliveries comes on Monday
"""
CHINESE = """# 记忆

## 笔记

- 2025-03-04：林医生开了青霉素，周岚起了一身疹子
- 2025-04-11：去斯卡恩的渡轮早上七点四十从三号码头开
- 2025-05-19：酵头放在储藏室醋瓶后面
- 2025-06-02：许哲说“先修屋顶”，厨房再等等
- 2025-06-30：屋顶的瓦片订好了，第一批下周先到
"""
LONG_ZH = (
    "今天真是累坏了，从早上一直忙到现在才坐下来喝口水，路上还堵了快一个小时，回来又发现冰箱里什么都没有，"
    "本来打算随便煮点面条凑合一下，后来想起下个月要带孩子出门，坐渡轮的话是几点从哪个码头开来着，我完全记不清了"
)


@pytest.fixture(params=["en", "zh"])
def memory(request: pytest.FixtureRequest, make: Make) -> Workspace:
    lang: str = request.param
    return make(lang, {"MEMORY.md": ENGLISH if lang == "en" else CHINESE})


def test_a_long_chinese_message_finds_and_recalls(make: Make) -> None:
    work = make("zh", {"MEMORY.md": CHINESE})
    assert len(LONG_ZH) > 80
    assert "渡轮" in work.search(LONG_ZH)[0].text
    assert "渡轮" in work.recall(LONG_ZH).text


def test_a_question_of_any_length_takes_linear_time_and_its_cut_is_reported(make: Make) -> None:
    work = make("en", {"MEMORY.md": ENGLISH})
    pages = ["the ferry to Skagen " + "".join(f"w{number}x " for number in range(count)) for count in (400, 200_000)]
    work.search("the ferry")  # builds the index
    short, long = (steps(lambda page=page: work.search(page)) for page in pages)  # type: ignore[misc]
    assert long < 6 * short, "what is beyond the cut is not looked at"
    assert all("ferry" in work.search(page)[0].text for page in pages)
    assert "2000" in work.index.warning(pages[1])
    assert work.index.warning("ferry") == ""
    for hostile in ('"' * 99_999, '"a' * 99_999, "NOT " * 50_000, "-" * 99_999, "a*" * 50_000):
        assert steps(lambda hostile=hostile: work.search(hostile)) < 10 * short  # type: ignore[misc]


@pytest.mark.parametrize(
    ("lang", "question", "first"),
    [
        ("en", 'What did Eli mean by "the roof comes first"?', "Eli said"),
        ("en", 'who ordered the "roof shingles" from Halvorsen', "tiles ordered"),
        ("zh", '许哲说的 "先修屋顶" 是什么意思', "许哲说"),
        ("zh", '屋顶的 "琉璃瓦" 订好了吗', "瓦片订好了"),
    ],
)
def test_quotations_in_a_sentence_are_a_wish(make: Make, lang: str, question: str, first: str) -> None:
    work = make(lang, {"MEMORY.md": ENGLISH if lang == "en" else CHINESE})
    assert first in work.search(question)[0].text
    assert first in work.recall(question).text


def test_quotations_alone_filter_a_search_and_no_recall(make: Make) -> None:
    work = make("en", {"MEMORY.md": ENGLISH})
    assert [hit.line for hit in work.search('"roof comes first"')] == [8]
    assert work.search('"roof first comes"') == ()
    assert "roof" in work.recall('"roof first comes"').text


@pytest.mark.parametrize("word", ["pencillin", "penicilin", "penicillen", "penicillinn", "penciillin", "pencilen"])
def test_a_word_with_one_typo_finds_where_nothing_else_answers(make: Make, word: str) -> None:
    work = make("en", {"MEMORY.md": ENGLISH})
    found = [hit.text for hit in work.search(word)]
    if word == "pencilen":  # two letters are wrong
        assert found == []
    else:
        assert "penicillin" in found[0]
        assert "penicillin" in work.recall(f"{word}?").text


def test_short_words_and_known_ones_are_not_corrected(make: Make) -> None:
    work = make("en", {"MEMORY.md": ENGLISH + "- the ferryman sold his boat\n"})
    assert work.search("pierr") == ()
    assert [hit.text for hit in work.search("ferryman")] == ["the ferryman sold his boat"]


ARCHIVED = (
    "# Archive\n\n- 2024-11-02: the boiler was serviced by Fenwick for 180\n- 2024-12-24: carols at St. Olave's\n"
)


def test_archived_entries_are_found_and_marked_as_archived(make: Make) -> None:
    work = make("en", {"MEMORY.md": ENGLISH, "archive/2024.md": ARCHIVED})
    hit = work.search("who serviced the boiler")[0]
    assert (hit.path, hit.kind) == ("archive/2024.md", "archive")
    assert "Fenwick for 180 (archive)" in work.recall("who serviced the boiler?").text
    assert work.search("boiler", kinds=["memory"]) == ()
    assert "archive)" in work.call("memory_search", {"query": "boiler"})["text"]


def test_the_archive_stays_out_if_a_live_line_matches_as_well(make: Make) -> None:
    old = "# Archive\n\n- 2024-01-05: the ferry to Skagen leaves at 06:15 from pier 9\n"
    work = make("en", {"MEMORY.md": ENGLISH, "archive/2024.md": old})
    found = [hit.path for hit in work.search("when does the ferry to Skagen leave")]
    assert found
    assert not any(path.startswith("archive/") for path in found)
    assert any(hit.path.startswith("archive/") for hit in work.search("ferry to Skagen", archive=True))


FILL = {
    "en": "".join(f"- 2025-01-{1 + n % 28:02}: shelf {n} holds jam from the year {1900 + n}\n" for n in range(90)),
    "zh": "".join(f"- 2025-01-{1 + n % 28:02}：第 {n} 层架子放着 {1900 + n} 年的果酱\n" for n in range(90)),
}


@pytest.mark.parametrize(
    ("lang", "foreign", "known"),
    [
        ("en", "What did Priscilla decide about her scholarship in Toulouse?", "What did Dr. Lindqvist prescribe?"),
        ("en", "Which orchestra auditioned the oboist?", "Where does the sourdough starter live?"),
        ("zh", "陈昊考研报了哪所大学的什么专业？", "林医生开了什么药？"),
        ("zh", "上个季度直播间的退货率是多少？", "酵头放在哪里？"),
    ],
)
def test_a_question_about_which_nothing_is_known_gets_nothing(make: Make, lang: str, foreign: str, known: str) -> None:
    text = (ENGLISH if lang == "en" else CHINESE) + FILL[lang]
    work = make(lang, {"MEMORY.md": text})
    found = work.recall(foreign)
    assert (found.text, found.hits, found.tokens) == ("", (), 0)
    assert found.unknown
    told = work.recall(known)
    assert not told.unknown
    assert told.hits


def test_a_pack_says_that_nothing_is_known(make: Make) -> None:
    recipe = '[recipe.asked]\nparts = ["dynamic"]\nbudget = 500\n'
    work = make("en", {"MEMORY.md": ENGLISH + FILL["en"]}, settings=recipe)
    [part] = work.pack("asked", query="Which orchestra auditioned the oboist who likes jam?").parts
    assert (part.text, part.why) == ("", "unknown")
    [part] = work.pack("asked", query="Where does the sourdough starter live?").parts
    assert "pantry" in part.text


@pytest.mark.thorough
@pytest.mark.slow
def test_every_fact_is_found_by_its_own_words_after_many_condensations(make: Make) -> None:
    text = Path(__file__).parents[1].joinpath("bench", "keeper_facts.md").read_text("utf-8")
    facts = [line[2:].replace("{", "").replace("}", "") for line in text.splitlines() if line.startswith("- ")][:80]
    work = make("zh", {})
    work.init()
    for first in range(0, len(facts), 8):
        for fact in facts[first : first + 8]:
            work.add("FASTMEMO.md", [fact], section="环境感知")
        work.compact("fastmemo", now=True)
    kept = [one for one in facts if any(comparison_key(one) in comparison_key(hit.text) for hit in work.search(one))]
    assert [one for one in facts if one not in kept] == []


OWN = Path(__file__).parent.parent / "bench" / "recall"
KINDS = {"paraphrase", "entity", "date", "multi-hop", "negation", "superseded", "past", "attachment", "nothing"}


def test_every_question_points_at_lines_that_are_there() -> None:
    kinds: Counter[str] = Counter()
    for root in (OWN / "en", OWN / "zh"):
        for line in (root / "queries.jsonl").read_text("utf-8").splitlines():
            query = json.loads(line)
            kinds[query["category"]] += 1
            assert bool(query["gold"]) == (query["category"] != "nothing"), query
            for gold in query["gold"]:
                assert (root / gold["path"]).read_text("utf-8").splitlines()[gold["line"] - 1].strip(), query
    assert set(kinds) == KINDS
    assert kinds.total() >= 300
