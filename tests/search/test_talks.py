"""Search in conversations: the answer next to the question, speakers, related words."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mdmem
from mdmem.search.question import Candidate
from mdmem.search.relevance import asking, spread
from mdmem.search.words.roles import asked_roles
from mdmem.search.words.terms import terms
from mdmem.settings.reader import read_settings
from mdmem.settings.search_tables import RecallSettings
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


WORDS = tomllib.loads((Path(mdmem.__file__).parent.parent / "templates" / "words.toml").read_text("utf-8"))


def answers(question: str, line: str) -> bool:
    roles = asked_roles(question, tuple(WORDS["roles"]), tuple(WORDS["common"]))
    return any(role.is_answered_by(line, frozenset(terms(question))) for role in roles)


@pytest.mark.parametrize(
    ("question", "holds", "holds_not"),
    [
        ("who reads the outline with me?", "Nora goes through it on Monday", "The outline is long, we said on Monday"),
        ("Who did Nora ask about the outline?", "she asked her brother", "Nora asked about it"),
        ("哪個人會一起確認訪談大綱？", "跟佩君約好再對過一遍", "我跟你說，大綱寫到一半了"),
        ("誰負責貓的藥？", "我妹妹每天早上餵", "貓的藥快沒了"),
        ("where do I hand in the grant?", "at the town hall, second desk", "the grant is nearly done"),
        ("補助申請要交到哪裡？", "送到三樓的辦公室", "補助申請寫好了"),
        ("when is the tiler coming?", "he comes next Tuesday", "the tiler is expensive"),
        ("磁磚師傅什麼時候來？", "他說下禮拜二到", "磁磚師傅很貴"),
        ("how much did the vet ask for?", "it came to 85 euros", "the vet was kind"),
        ("獸醫收了多少錢？", "一共三千五", "獸醫很親切"),
        ("why did we choose SQLite?", "because it needs no server", "SQLite is in use"),
        ("為什麼選 SQLite？", "因為不要外部依賴", "SQLite 已經裝好了"),
    ],
)
def test_a_line_answers_by_what_is_asked_for(question: str, holds: str, holds_not: str) -> None:
    assert answers(question, holds)
    assert not answers(question, holds_not)


def test_a_question_for_a_thing_asks_for_no_role() -> None:
    assert not asked_roles("what colour is the roof?", tuple(WORDS["roles"]), tuple(WORDS["common"]))


TALK = {
    "en": ("who will check the outline?", "Marisol", ("The outline is half done.", "The outline is far too long.")),
    "zh": ("哪個人會確認訪談大綱？", "佩君", ("訪談大綱我寫到一半了。", "訪談大綱寫得太長了。")),
}  # fmt: skip


@pytest.mark.parametrize("lang", TALK)
def test_the_turn_with_the_person_comes_before_other_turns_about_the_topic(tmp_path: Path, lang: str) -> None:
    question, name, others = TALK[lang]
    work = Workspace(tmp_path, lang=lang)
    work.init()
    answer = {"en": "I gave the outline to Marisol, she reads it.", "zh": "訪談大綱我請佩君再看一遍。"}[lang]
    with work.sessions.start("talk") as session:
        for text in (others[0], answer, others[1]):
            session.turn("user", text)
            session.turn("assistant", "OK")
    assert name in work.search(question)[0].text


@pytest.mark.parametrize(
    ("lang", "why", "reason", "turns"),
    [
        (
            "en",
            "Why did we choose SQLite?",
            "because",
            ("We took SQLite because it needs no server.", "SQLite is set up."),
        ),
        ("zh", "我们为什么选 SQLite？", "因为", ("我们选了 SQLite，因为不要外部依赖。", "SQLite 装好了。")),
    ],
)
def test_a_question_for_a_reason_gets_the_reason_first(
    tmp_path: Path, lang: str, why: str, reason: str, turns: tuple[str, ...]
) -> None:
    work = Workspace(tmp_path, lang=lang)
    work.init()
    with work.sessions.start("talk") as session:
        for text in reversed(turns):
            session.turn("user", text)
            session.turn("assistant", "OK, SQLite.")
    hits = work.search(why)
    assert reason in hits[0].text


SHIPPED = Path(mdmem.__file__).parent.parent / "templates" / "mdmem.toml"
NUMBERS: RecallSettings = read_settings(SHIPPED.read_bytes()).recall
HELD = st.lists(st.tuples(st.integers(0, 3), st.floats(0, 2)), unique_by=lambda pair: pair[0], max_size=3).map(tuple)
TOLD = st.lists(st.tuples(HELD, st.sampled_from(["", "ana", "bo"]), st.sampled_from(["yes", "no?"])), max_size=12)


def talk(*rows: tuple[tuple[tuple[int, float], ...], str, str]) -> list[Candidate]:
    return [
        Candidate(
            "memory/2026-02-13.md",
            3 + at,
            at,
            text,
            who=who,
            term_scores=held,
            words=sum(s for _, s in held),
            story=True,
        )
        for at, (held, who, text) in enumerate(rows)
    ]


@given(TOLD)
def test_a_term_counts_at_most_with_its_best_share(rows: list[tuple[tuple[tuple[int, float], ...], str, str]]) -> None:
    told = talk(*rows)
    best: dict[int, float] = {}
    for held, _, _ in rows:
        best.update({term: max(score, best.get(term, 0.0)) for term, score in held})
    for row, lent in zip(told, spread(told, NUMBERS), strict=True):
        assert -1e-9 <= lent <= sum(best.values()) - row.words + 1e-9


def test_a_word_fades_with_each_line_and_reaches_further_down_than_up() -> None:
    lent = spread(talk(*[((), "ana", "so")] * 6, (((0, 1.0),), "ana", "x"), *[((), "ana", "so")] * 6), NUMBERS)
    assert lent == pytest.approx([0, 0, 0, 0.1, 0.25, 0.4, 0, 0.6, 0.45, 0.3, 0.15, 0, 0])


def test_a_word_in_two_lines_around_is_not_two_words() -> None:
    word = (((0, 1.0),), "ana", "x")
    assert spread(talk(word, ((), "ana", "so"), word), NUMBERS)[1] == pytest.approx(0.6)


def test_an_answer_gets_more_of_the_question_than_the_asker_who_goes_on() -> None:
    asked = (((0, 1.0),), "ana", "what?")
    assert spread(talk(asked, ((), "bo", "tea")), NUMBERS)[1] == pytest.approx(NUMBERS.answer)
    assert spread(talk(asked, ((), "ana", "tea")), NUMBERS)[1] == pytest.approx(NUMBERS.after)


def test_a_line_without_a_speaker_or_a_long_one_shares_less() -> None:
    rows = talk((((0, 1.0),), "", "x"), ((), "", "so"))
    long = [rows[0]._replace(who="ana", length=NUMBERS.short_terms + 1), rows[1]]
    for some in (rows, long):
        assert spread(some, NUMBERS)[1] == pytest.approx(NUMBERS.after * NUMBERS.without_speaker)


def test_nothing_is_shared_across_files_nor_outside_stories() -> None:
    one, other = talk((((0, 1.0),), "ana", "x"), ((), "ana", "so"))
    assert spread([one, other._replace(path="memory/2026-02-14.md")], NUMBERS) == [0, 0]
    assert spread([one._replace(story=False), other._replace(story=False)], NUMBERS) == [0, 0]


@pytest.mark.parametrize(
    ("text", "share"),
    [("Tea.", 0), ("Tea?", 1), ("喝茶吗？", 1), ("Tea? Yes.", 0.5), ("So. [image: who is it?]", 0), ("", 0), ("?", 0)],
)
def test_the_share_of_a_line_that_asks(text: str, share: float) -> None:
    assert asking(text) == pytest.approx(share, abs=0.06)


def test_a_fade_of_nothing_ends() -> None:
    rows = talk((((0, 1.0),), "ana", "x"), *[((), "ana", "so")] * 50)
    for fade in (0.0, 1e-9, 1.0):
        assert sum(lent > 0 for lent in spread(rows, NUMBERS._replace(fade=fade))) <= 10
