"""What waits, and the word that it waits for."""

from __future__ import annotations

from contextlib import suppress

import pytest
from conftest import Make, Text
from hypothesis import given
from hypothesis import strategies as st

from mdmem.entries.inbox.items import read_hunk
from mdmem.entries.inbox.proposals import apply, fenced, hunks
from mdmem.errors import RefusedError, TargetError, UsageError
from mdmem.text.document import parse
from mdmem.text.edit import apply_edits
from mdmem.workspace import Workspace

SOUL = """# 我是谁

## 性格

- 温和
- 慢热

## 边界

- 不替主人发邮件

---

_我们两个的_
""".replace("\n", "\r\n")
WORDS = {
    "zh": ("收件箱", "放不下的", "等你点头的", "SOUL.md 要用户同意才能改，提议已放进 inbox.md「等你点头的」"),
    "en": (
        "Inbox",
        "No room yet",
        "Waiting for your word",
        'SOUL.md changes only if the user agrees; the proposal waits in inbox.md, section "Waiting for your word"',
    ),
}


@pytest.mark.parametrize("lang", WORDS)
def test_an_agents_change_of_soul_waits_for_the_user(make: Make, text: Text, lang: str) -> None:
    memory = make(lang, {"SOUL.md": SOUL})
    done = memory.edit("SOUL.md", "- 温和\n", "- 直率\n- 爱笑 🐾\n", actor="nian", reason="主人说的")
    assert (done.status, done.message, done.path) == ("waiting", WORDS[lang][3], "inbox.md")
    assert text("SOUL.md") == SOUL
    assert text("inbox.md").startswith(f"# {WORDS[lang][0]}\n")
    assert "\n  ```diff\n   \n  -- 温和\n  +- 直率\n  +- 爱笑 🐾\n   - 慢热\n  ```\n" in text("inbox.md")
    (item,) = memory.inbox.list()
    assert (item.to, item.by, item.ticked) == ("SOUL.md", "nian", False)
    assert item.change == " \n-- 温和\n+- 直率\n+- 爱笑 🐾\n - 慢热"
    assert not memory.lint(["inbox.md"]).diagnostics
    again = memory.edit("SOUL.md", "- 温和\n", "- 直率\n- 爱笑 🐾\n", actor="nian")
    assert (again.status, again.transaction, len(memory.inbox.list())) == ("waiting", None, 1)
    (accepted,) = memory.inbox.accept([item.key])
    assert (accepted.status, accepted.path) == ("done", "SOUL.md")
    assert accepted.transaction
    assert [one.path for one in accepted.transaction.files] == ["SOUL.md", "inbox.md"]
    assert text("SOUL.md") == SOUL.replace("- 温和\r\n", "- 直率\r\n- 爱笑 🐾\r\n")
    assert not memory.inbox.list()


CHANGES = {
    "add": lambda memory: memory.add("SOUL.md", ["爱笑"], section="性格", actor="nian"),
    "replace": lambda memory: memory.replace("SOUL.md", "温和", "直率", actor="nian"),
    "remove": lambda memory: memory.remove("SOUL.md", ["慢热"], actor="nian"),
    "tick": lambda memory: memory.tick("SOUL.md", "温和", actor="nian"),
    "section": lambda memory: memory.replace_section("SOUL.md", "性格", "- 直率", actor="nian"),
    "edit": lambda memory: memory.edit("SOUL.md", "_我们两个的_", "_我们的_", actor="nian"),
    "write": lambda memory: memory.write("SOUL.md", SOUL.replace("温和", "热情").replace("我们", "咱们"), actor="nian"),
}


@pytest.fixture
def memory(make: Make) -> Workspace:
    return make(files={"SOUL.md": SOUL})


@pytest.mark.parametrize("verb", CHANGES)
def test_every_change_waits_and_what_is_accepted_is_what_the_user_would_have_done(
    memory: Workspace, make: Make, text: Text, verb: str
) -> None:
    done = CHANGES[verb](memory)
    assert done.status == "waiting"
    assert text("SOUL.md") == SOUL
    assert all(one.status == "done" for one in memory.inbox.accept([item.key for item in memory.inbox.list()]))
    accepted = text("SOUL.md")
    direct = make(files={"SOUL.md": SOUL})
    {
        "add": lambda: direct.add("SOUL.md", ["爱笑"], section="性格"),
        "replace": lambda: direct.replace("SOUL.md", "温和", "直率"),
        "remove": lambda: direct.remove("SOUL.md", ["慢热"]),
        "tick": lambda: direct.tick("SOUL.md", "温和"),
        "section": lambda: direct.replace_section("SOUL.md", "性格", "- 直率", confirm=True),
        "edit": lambda: direct.edit("SOUL.md", "_我们两个的_", "_我们的_"),
        "write": lambda: direct.write("SOUL.md", SOUL.replace("温和", "热情").replace("我们", "咱们")),
    }[verb]()
    assert accepted == text("SOUL.md") != SOUL


def test_the_user_writes_soul_at_once(memory: Workspace, text: Text) -> None:
    assert memory.edit("SOUL.md", "温和", "直率", actor="user").status == "done"
    assert "直率" in text("SOUL.md")
    assert not memory.inbox.list()


@pytest.mark.parametrize("bad", ["密码是 Tr0ub4dor-7x", "看不见\u200b的"])
def test_what_may_not_stand_is_not_even_proposed(memory: Workspace, bad: str) -> None:
    with pytest.raises(RefusedError):
        memory.add("SOUL.md", [bad], section="性格", actor="nian")
    with pytest.raises(RefusedError):
        memory.edit("SOUL.md", "温和", bad, actor="nian")
    assert not memory.inbox.list()


def test_a_proposal_is_short_enough_to_be_read(memory: Workspace) -> None:
    with pytest.raises(RefusedError, match=r"这个提议有 \d+ 行，最多 12 行"):
        memory.edit("SOUL.md", "- 温和\n", "".join(f"- 性格{number}\n" for number in range(15)), actor="nian")


def test_what_moved_on_goes_on_waiting(memory: Workspace, text: Text) -> None:
    memory.edit("SOUL.md", "温和", "直率", actor="nian")
    memory.edit("SOUL.md", "温和", "热情")
    (item,) = memory.inbox.list()
    (outcome,) = memory.inbox.accept([item.key])
    assert (outcome.status, outcome.message) == ("waiting", "SOUL.md 已经变了，这条对不上，继续等着")
    assert len(memory.inbox.list()) == 1
    assert "热情" in text("SOUL.md")


def test_no_is_no_and_only_the_history_keeps_it(memory: Workspace, text: Text) -> None:
    memory.edit("SOUL.md", "温和", "直率", actor="nian")
    memory.add("SOUL.md", ["爱笑"], section="性格", actor="nian")
    first, second = memory.inbox.list()
    assert memory.inbox.reject([first.key]).message == "用户拒绝了此次修改。"
    assert [item.text for item in memory.inbox.list()] == ["爱笑"]
    memory.inbox.reject([second.key])
    assert "diff" not in text("inbox.md")
    assert text("SOUL.md") == SOUL
    with pytest.raises(TargetError, match=f"收件箱里没有 {first.key}"):
        memory.inbox.reject([first.key])
    assert memory.inbox.accept() == ()


def test_a_tick_in_the_editor_is_a_yes(memory: Workspace, text: Text) -> None:
    memory.add("SOUL.md", ["爱笑", "爱猫"], section="性格", actor="nian")
    assert memory.inbox.accept() == ()
    memory.tick("inbox.md", "爱猫", actor="user")
    assert [one.status for one in memory.inbox.accept()] == ["done"]
    assert "- 爱猫\r\n" in text("SOUL.md")
    assert "爱笑" not in text("SOUL.md")


@pytest.mark.parametrize("text_", ["[x] 爱笑", "爱笑 [by:: user]", "爱笑 [to:: USER.md]", "[x] [x] 爱笑"])
def test_no_text_ticks_or_addresses_itself(memory: Workspace, text: Text, text_: str) -> None:
    with suppress(UsageError):
        memory.add("SOUL.md", [text_], section="性格", actor="nian")
    assert not any(item.ticked or (item.by, item.path) != ("nian", "SOUL.md") for item in memory.inbox.list())
    assert memory.inbox.accept() == ()
    assert text("SOUL.md") == SOUL


def test_the_keeper_brings_home_what_found_no_room(make: Make, text: Text) -> None:
    rows = "".join(f"- [ ] 第{chr(0x4E00 + number)}条\n" for number in range(10))
    memory = make(files={"FASTMEMO.md": f"# 表层记忆\n\n## 自我感知\n\n{rows}\n## 用户感知\n"})
    memory.add("FASTMEMO.md", ["[ ] 第十一条 ^k7f3"], section="自我感知", actor="nian")
    (item,) = memory.inbox.list()
    assert (item.key, item.text, item.to) == ("k7f3", "[ ] 第十一条 ^k7f3", "FASTMEMO.md#自我感知")
    (still,) = memory.inbox.accept(["k7f3"], actor="keeper")
    assert (still.status, still.message) == ("waiting", "FASTMEMO.md 还是满的，这条继续等着")
    memory.replace_section("FASTMEMO.md", "自我感知", "- 一句话", confirm=True, actor="keeper")
    (home,) = memory.inbox.accept(["k7f3"], actor="keeper")
    assert home.status == "done"
    assert "- 一句话\n- [ ] 第十一条 ^k7f3\n" in text("FASTMEMO.md")
    assert not memory.inbox.list()


FORGED = ["../x.md", "/etc/passwd", ".git/config", "mdmem.toml", "x.txt", "soul.md"]


@pytest.mark.parametrize("path", FORGED)
def test_a_forged_address_leads_nowhere(make: Make, text: Text, path: str) -> None:
    inbox = f"# 收件箱\n\n## 等你点头的\n\n- [ ] 一条 [to:: {path}] [by:: nian]\n"
    memory = make(files={"inbox.md": inbox, "SOUL.md": SOUL})
    (outcome,) = memory.inbox.accept([memory.inbox.list()[0].key])
    assert outcome.status == "waiting"
    assert text("inbox.md") == inbox


def test_the_diary_waits_for_the_main_agent(make: Make, text: Text) -> None:
    memory = make()
    done = memory.add("memory/2026-02-20.md", ["今天很安静"], section="今天", actor="keeper")
    assert (done.status, done.message) == (
        "waiting",
        "memory/2026-02-20.md 要主智能体确认才能改，提议已放进 inbox.md「等你点头的」",
    )
    (accepted,) = memory.inbox.accept([memory.inbox.list()[0].key], actor="nian")
    assert accepted.status == "done"
    assert "- 今天很安静\n" in text("memory/2026-02-20.md")


LINES = st.lists(
    st.sampled_from(["- a", "- b", "", "  c", "```", "~~~", "# x", " ", "-", "+", "---", "\u3000d", "<!--"])
)


@given(LINES, LINES, st.sampled_from(["\n", "\r\n"]))
def test_a_change_in_pieces_is_the_change(old: list[str], new: list[str], ending: str) -> None:
    before, after = ("".join(f"{line}{ending}" for line in lines) for lines in (old, new))
    text = before
    for hunk in hunks(before, after):
        try:
            text = apply_edits(text, [apply(parse(text.encode()), hunk)])
        except TargetError:  # an earlier piece has made a twin of a later one's place: that one goes on waiting
            return
    assert text == after or not before


@given(LINES, LINES)
def test_what_stands_in_the_inbox_is_read_back(old: list[str], new: list[str]) -> None:
    before, after = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    for hunk in hunks(before, after):
        document = parse(f"- x [to:: SOUL.md]{fenced(hunk, 2)}\n- y\n".encode())
        assert [entry.depth for entry in document.entries] == [0, 0]
        assert read_hunk(document, document.entries[0]) == hunk
