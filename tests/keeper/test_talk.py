"""Laws of a conversation's condensing, on any turns: proved, grounded, small, the same every time, no rule lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import TODAY
from hypothesis import example, given
from hypothesis import strategies as st

from mdmem.formats.joined_line import Originals
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Session, Turn
from mdmem.generation.model import Operation
from mdmem.keeper.conversation.chat_window import window
from mdmem.keeper.conversation.model import ConversationTask, TargetSection, conversation_problems, lines_by_part
from mdmem.keeper.conversation.summary import Numbers, PreviousMemory, summarize_context, summarize_stage
from mdmem.linter.masking import mask
from mdmem.settings.tables import Settings
from mdmem.text.tokens import count_tokens
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.literals import missing
from mdmem.wording.transcript import chunks, sentences, stated_rules

from .conftest import MakeTask

POOL = (TargetSection("动态context池", ("pool",), 1, 380),)
MEMORY = (TargetSection("状态", ("state",), None, 420), TargetSection("关键事件", ("events",), None, 420))
WORDS = (
    "念念", "导入又挂了", "修复了 src/a.py", "12 项测试全绿", "推送之前必须先问", "never push", "以后都叫我念念",
    "为什么？", "Delft", "riverlog", "`data/raw/`", "41 小时", "2026-02-13", "「很像家里」", "https://a.example/b?c=1",
    "决定不插值", "。", "；", "，", ". ", "! ", " ｜ ", "\n", "\n\n", "```\n", "# x\n", "- ", "> ", "| a |\n", "👍",
    "(",     "[source:: chat:1]", "#家", "^k7f3", "I don't know", "a" * 500, "\\", "*", "<!-- x -->", "\u3000",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS), max_size=14).map("".join) | st.text(max_size=60).filter(
    lambda text: not any("\ud800" <= char <= "\udfff" for char in text)
)
TURNS = st.lists(st.tuples(st.sampled_from(("user", "assistant", "tool")), TEXTS), min_size=1, max_size=12).map(
    lambda pairs: [turn(role, text, number) for number, (role, text) in enumerate(pairs, 1)]
)


def turn(role: str, text: str, number: int = 1) -> Turn:
    return Turn(number, role, "", "", text, -1, -1, -1)


def chat(
    settings: Settings, turns: list[Turn], parts: tuple[TargetSection, ...] = POOL, **more: object
) -> ConversationTask:
    scorer = ImportanceScorer(settings.keeper, TODAY)
    return ConversationTask(
        "sessions/x.md",
        tuple(turns),
        parts,
        scorer,
        0.85,
        lambda text: mask(text) != text,
        Splitter(settings.sentences),
        **more,  # type: ignore[arg-type]
    )


def rules(settings: Settings, text: str, role: str = "user") -> tuple[str, ...]:
    return stated_rules(
        sentences([turn(role, text)], Splitter(settings.sentences)),
        ImportanceScorer(settings.keeper, TODAY),
        lambda _: False,
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("好，raw 一直都只读，这条你记牢。那用 pandas？", ("好，raw 一直都只读，这条你记牢。",)),
        ("行。那天别让我看见任何 log，电脑空着。", ("那天别让我看见任何 log，电脑空着。",)),
        ("推送之前必须先问；没问过就不要推", ("推送之前必须先问；没问过就不要推",)),
        ("不是每周，从现在起每天备份一次。", ("不是每周，从现在起每天备份一次。",)),
        ("Never push to main. Fine. You must ask first!", ("Never push to main.", "You must ask first!")),
        ("Could you never push without asking?", ("Could you never push without asking?",)),
        ("- never push\n> always ask\n1. do not guess", ("never push", "always ask", "do not guess")),
        ("I don't know. Why must we wait?", ()),
        ("要不要先看日志？不能用 pandas 吗？", ()),
        ("```\nnever push\n```\n| must | never |", ()),
        (
            "版本 v3.10 必须一致，见 https://a.example/never?x=1。",
            ("版本 v3.10 必须一致，见 https://a.example/never?x=1。",),
        ),
    ],
)
def test_a_rule_is_what_the_user_lays_down_word_for_word(settings: Settings, text: str, found: tuple[str, ...]) -> None:
    assert rules(settings, text) == found
    assert rules(settings, text, "assistant") == ()


def test_a_rule_is_said_once_in_its_last_words(settings: Settings) -> None:
    turns = [turn("user", "Never push!"), turn("user", "never push", 2), turn("user", "Never pull!", 3)]
    found = sentences(turns, Splitter(settings.sentences))
    assert stated_rules(found, ImportanceScorer(settings.keeper, TODAY), lambda _: False) == (
        "never push",
        "Never pull!",
    )


@pytest.mark.slow
@example([turn("user", "@\x0cÀA²")])
@example([turn("user", "多少度？-12 度")])
@example([turn("user", "修复了 src/a.py决定不插值I don't know| a |\n决定不插值")])
@example([turn("user", "推送之前必须先问念念修复了 src/a.py- | a |\n推送之前必须先问念念修复了 src/a.py| a |\n")])
@example([turn("user", "the sign says “caf`e 12” since May")])
@given(TURNS)
def test_a_summary_is_proved_short_grounded_and_the_same_every_time(settings: Settings, turns: list[Turn]) -> None:
    now = chat(settings, turns)
    if not now.sentences:
        return
    made = summarize_stage(now)
    assert list(conversation_problems(now, made)) == []
    assert summarize_stage(now) == made
    lines = lines_by_part(now, made)[POOL[0].name]
    assert len(lines) == now.has_fitting_sentence(POOL[0])
    for line in lines:
        assert len(line) <= POOL[0].max_chars
        units = Originals(one.text for one in now.sentences).units(line)
        assert [fact for unit in units for fact in missing(unit, now.source)] == []


@pytest.mark.slow
@example([turn("user", "@\x1eAa²")], [], 60)
@example([turn("user", "推送之前必须先问", 1), turn("user", "÷", 2), turn("user", "推送之前必须先问", 3)], [], 60)
@example([turn("user", "推送之前必须先问", 1), turn("user", "None", 2), turn("user", "推送之前必须先问", 3)], [], 60)
@given(TURNS, st.lists(TEXTS, max_size=6), st.integers(60, 3000))
def test_a_compact_memory_is_proved_and_small(
    settings: Settings, turns: list[Turn], events: list[str], most: int
) -> None:
    known = PreviousMemory("", tuple(" ".join(text.split()) for text in events if text.split()))
    now = chat(settings, turns, MEMORY, before="\n".join(known.events), max_tokens=max(most, 900))
    if not any(map(now.has_fitting_sentence, MEMORY)):
        return
    made = summarize_context(now, known, Numbers(3, 0.3))
    assert summarize_context(now, known, Numbers(3, 0.3)) == made
    found = [one.kind for one in conversation_problems(now, made)]
    assert set(found) <= {"left-out"}, "only where nothing weighs anything a section may be empty"
    assert sum(now.count(one.content) for one in made) <= max(most, 900) + 20


def test_every_event_that_weighs_enough_is_kept_in_order(settings: Settings) -> None:
    said_ = [f"修复了 src/part{n}.py，{n + 3} 项测试全绿。顺便说一句，天气不错。" for n in range(30)]
    turns = [turn("assistant", text, n) for n, text in enumerate(said_, 1)]
    now = chat(settings, turns, MEMORY, max_tokens=3000)
    lines = lines_by_part(now, summarize_context(now, PreviousMemory(), Numbers(3, 0.3)))["关键事件"]
    assert [line.split("，")[0] for line in lines] == [f"修复了 src/part{n}.py" for n in range(30)]
    assert not any("天气" in line for line in lines[:-3]), "early talk leaves only what weighs something"


def test_what_repeats_is_told_once_in_its_newest_form(settings: Settings) -> None:
    turns = [turn("assistant", f"修复了 src/a.py，{n} 项测试全绿。", n) for n in (1, 2)]
    turns.append(turn("assistant", "修复了 src/a.py，2 项测试全绿!", 3))
    made = summarize_context(
        chat(settings, turns, MEMORY), PreviousMemory("", ("修复了 src/a.py，1 项测试全绿",)), Numbers(1, 0.3)
    )
    events = lines_by_part(chat(settings, turns, MEMORY), made)["关键事件"]
    assert events == ("修复了 src/a.py，1 项测试全绿", "修复了 src/a.py，2 项测试全绿!")


@example(" a", 1)
@given(st.text(alphabet="ab ，。", max_size=300), st.integers(1, 40))
def test_chunks_lose_no_letter(text: str, most: int) -> None:
    made = chunks(text, most)
    assert all(0 < len(piece) <= most for piece in made)
    assert "".join("".join(made).split()) == "".join(text.split())


@given(TURNS, st.integers(0, 14))
def test_the_window_counts_what_was_said_and_keeps_the_last_rounds(
    task: MakeTask, turns: list[Turn], through: int
) -> None:
    template = task("# x\n", "sessions/20260220_080000_x.md").template
    session = Session("x", "x", "", "", "", "", "", 0, through, "", "", tuple(turns))
    seen = window(session, template)
    open_ = [one for one in turns if one.number > through and one.role != "tool" and one.text.strip()]
    assert seen.tokens == sum(count_tokens(one.text) for one in open_)
    rounds = sorted({one.number for one in open_})
    assert {one.number for one in seen.turns} == set(rounds[:-3])
    assert (seen.first, seen.last) == ((rounds[0], rounds[-4]) if len(rounds) > 3 else (0, 0))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Mia's school is St. Brigid's on Harbour Road. We fixed the gate at 23:40.", "St. Brigid's on Harbour Road"),
        ("Our landlord is Mr. Okonjo, he fixed the boiler.", "Mr. Okonjo, he fixed the boiler"),
        ("Papa has been reading J.K. Rowling since 12 May.", "J.K. Rowling since 12 May"),
        ("奶奶对青霉素过敏，3.5毫克也不行。他说：“好。”然后走了。", "青霉素过敏，3.5毫克也不行"),
    ],
)
def test_a_summary_keeps_a_sentence_whole(settings: Settings, text: str, wanted: str) -> None:
    now = chat(settings, [turn("user", text)])
    assert wanted in lines_by_part(now, summarize_stage(now))[POOL[0].name][0]


def test_what_is_too_long_to_be_quoted_is_not_cut(settings: Settings) -> None:
    now = chat(settings, [turn("user", "word and " * 60 + "end")])
    made = summarize_stage(now)
    assert lines_by_part(now, made)[POOL[0].name] == ()
    assert list(conversation_problems(now, made)) == []


def test_an_answer_for_a_conversation_is_held_to_it(settings: Settings) -> None:
    turns = [turn("user", "导入挂了 3 次。"), turn("assistant", "修复了 src/a.py，12 项测试全绿，用了 92 秒。")]
    now = chat(settings, turns)

    def kinds(content: str, section: str = "动态context池", path: str = "") -> list[str]:
        return [one.kind for one in conversation_problems(now, [Operation(path, section, content)])]

    assert kinds("修复了 src/a.py，12 项测试全绿") == []
    assert kinds("修复了 src/a.py，12 项测试全绿", section="pool") == []
    assert kinds("修复了 src/a.py，13 项测试全绿") == ["invented"]
    assert kinds("修复了 src/b.py，12 项测试全绿") == ["invented"]
    assert kinds("大家聊得很开心") == ["meaning-unfounded", "too-little"]
    assert "empty" in kinds("无")
    assert "too-many" in kinds("修复了 src/a.py\n12 项测试全绿")
    assert "entry-too-long" in kinds("修复了 src/a.py，12 项测试全绿" * 30)
    assert "unfit" in kinds("修复了 src/a.py，12 项测试全绿 sk-ant-api03-" + "aB3" * 30)
    assert "no-section" in kinds("修复了 src/a.py", section="用户感知")
    assert "wrong-path" in kinds("修复了 src/a.py", path="FASTMEMO.md")
    assert next(conversation_problems(now, [])).kind == "no-operations"
    twice = [Operation("", "pool", "修复了 src/a.py，12 项测试全绿")] * 2
    assert "twice" in [one.kind for one in conversation_problems(now, twice)]


CASES = (Path(__file__).parent / "cases" / "rules.md").read_text("utf-8")
RULES, STATEMENTS = (
    [line[2:] for line in part.splitlines() if line.startswith("- ")] for part in CASES.split("## ")[1:]
)


@pytest.mark.parametrize("text", RULES)
def test_a_rule(settings: Settings, text: str) -> None:
    scorer = ImportanceScorer(settings.keeper, TODAY)
    assert scorer.is_kept(text)
    assert scorer.is_kept(text)


@pytest.mark.parametrize("text", STATEMENTS)
def test_no_rule(settings: Settings, text: str) -> None:
    assert not ImportanceScorer(settings.keeper, TODAY).is_kept(text)
