"""What one session leaves open is there when the next one begins; what it answered is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make

OPEN = {
    "en": (
        ("Should we move the database to Frankfurt or keep it in Dublin?", "Noted."),
        ("What should we call the new mail service?", "Good question. I've noted that."),
        ("I still don't know whether Marit can join on Thursday.", "Noted."),
        ("Nobody has told me yet if the visa was approved.", "OK."),
        ("I need to think about whether to take the job in Lyon.", "Fine."),
        ("We left open how long the trial phase is.", "Noted."),
        ("Let me sleep on whether we cancel the trip.", "Sure."),
    ),
    "zh": (
        ("数据库到底要不要迁到法兰克福？", "记下了。"),
        ("新的邮件服务叫什么名字好？", "好的，已记下。"),
        ("签证批没批，到现在没人告诉我。", "好的。"),
        ("里昂那份工作接不接，我还要想想。", "嗯。"),
        ("周五谁接孩子，还没说好。", "记下了。"),
        ("试用期多长，我们先放着。", "好的。"),
        ("旅行要不要取消，让我再考虑一晚。", "行。"),
    ),
}
ANSWERED = {
    "en": (
        (
            "Should we move the database to Frankfurt or keep it in Dublin?",
            "Keep it in Dublin, the data must stay there.",
        ),
        ("Can you mend the second test too?", "OK."),
        ("What should we call the new mail service?", "Noted. Heron is a good name for it."),
    ),
    "zh": (
        ("数据库到底要不要迁到法兰克福？", "不用迁，留在都柏林就好。"),
        ("能不能把第二个测试也改一下？", "好的。"),
        ("新的邮件服务叫什么名字好？", "记下了。就叫苍鹭吧。"),
    ),
}


def scratchpad(make: Make, lang: str, said: str, reply: str) -> str:
    work = make(lang)
    session = work.sessions.start("notes", agent="claude")
    session.turn("user", said)
    session.turn("assistant", reply)
    session.end()
    file = Path(work.root) / "SCRATCHPAD.md"
    return file.read_text("utf-8") if file.is_file() else ""


@pytest.mark.slow
@pytest.mark.parametrize(("lang", "said", "reply"), [(lang, *one) for lang, rows in OPEN.items() for one in rows])
def test_what_was_left_open_is_there_the_next_day(make: Make, lang: str, said: str, reply: str) -> None:
    assert said[:20] in scratchpad(make, lang, said, reply)


@pytest.mark.slow
@pytest.mark.parametrize(("lang", "said", "reply"), [(lang, *one) for lang, rows in ANSWERED.items() for one in rows])
def test_what_was_answered_is_not(make: Make, lang: str, said: str, reply: str) -> None:
    text = scratchpad(make, lang, said, reply)
    section = text.partition("## Open questions" if lang == "en" else "## 未解决的问题")[2].partition("\n## ")[0]
    assert said[:20] not in section
