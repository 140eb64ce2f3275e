"""A new memory: where it lands, what is said of it, and what happens when there is no room."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from conftest import Make, Text
from forms import many

from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.gate import Gate
from mdmem.errors import RefusedError, TargetError, UsageError
from mdmem.linter.registry import RULES
from mdmem.text import blocks

FULL = "# 表层记忆\n\n## 自我感知\n\n## 用户感知\n\n{}\n\n## 环境感知\n\n## 历史感知\n\n## 动态context池\n"
NUMBERS = "零一二三四五六七八九十"


def fastmemo(count: int) -> str:
    return FULL.format("\n".join(f"- 主人的习惯之{NUMBERS[number]}" for number in range(count)))


def test_the_first_entry_makes_memory_md_and_nothing_else_does(make: Make, text: Text) -> None:
    memory = make()
    memory.init()
    with pytest.raises(TargetError, match=r"文件不存在：MEMORY.md"):
        memory.edit("MEMORY.md", "a", "b")
    done = memory.add("MEMORY.md", ["主人说周五有重要面试"], section="重要事件", actor="nian")
    assert (done.status, done.message, done.path) == ("done", "已记到 MEMORY.md「重要事件」", "MEMORY.md")
    assert done.hint == "没有日期，已补上今天：2026-02-20"
    assert "<!-- 值得记住的事情 -->\n\n- 2026-02-20：主人说周五有重要面试\n\n## 偏好与习惯" in text("MEMORY.md")
    assert done.transaction
    assert [(one.path, one.before) for one in done.transaction.files] == [("MEMORY.md", None)]
    assert (done.transaction.actor, done.transaction.reason) == ("nian", "add")
    assert done.diff.startswith("--- /dev/null\n+++ b/MEMORY.md\n")
    assert "+- 2026-02-20：主人说周五有重要面试\n" in done.diff


def test_the_same_in_english(make: Make, text: Text) -> None:
    done = make("en").add("MEMORY.md", ["has an interview\non Friday", "- likes tea"], section="events")
    assert done.message == '2 entries saved to MEMORY.md, section "Important events"'
    assert done.hint == (
        "several lines were joined into one; the entry had no date; today's was added: 2026-02-20; "
        "a leading list marker was removed"
    )
    assert "- 2026-02-20: has an interview on Friday\n- 2026-02-20: likes tea\n" in text("MEMORY.md")


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("面试", "- 2026-02-20：面试"),
        ("[ ] 交周报", "- [ ] 2026-02-20：交周报"),
        ("2026-02-13：面试", "- 2026-02-13：面试"),
        ("2 月 13 日面试", "- 2 月 13 日面试"),
        ("提到 2026 年要换工作", "- 提到 2026 年要换工作"),
        (
            "全角　空格 🐾 和 `代码` [source:: chat:42] ^k7f3",
            "- 2026-02-20：全角　空格 🐾 和 `代码` [source:: chat:42] ^k7f3",
        ),
    ],
)
def test_a_memory_has_a_date(make: Make, text: Text, given: str, written: str) -> None:
    make(files={"MEMORY.md": "# 记忆\r\n\r\n## 笔记\r\n\r\n- 旧的\r\n"}).add("MEMORY.md", [given], section="备注")
    assert text("MEMORY.md") == f"# 记忆\r\n\r\n## 笔记\r\n\r\n- 旧的\r\n{written}\r\n"


def test_where_the_file_names_the_day_no_entry_does(make: Make, text: Text) -> None:
    make().add("memory/2026-02-20.md", ["天气很好"], section="今天")
    assert "- 天气很好\n" in text("memory/2026-02-20.md")


def test_what_is_known_is_not_written_twice(make: Make, text: Text) -> None:
    memory = make(files={"USER.md": "# 主人\n\n## 偏好\n\n- 喜欢茶。\n"})
    before = text("USER.md")
    done = memory.add("USER.md", ["喜欢茶"], section="偏好", actor="nian")
    assert (done.status, done.message) == ("unchanged", "已经记过了，在 USER.md 第 5 行，没有重复写")
    assert done.transaction is None
    assert text("USER.md") == before
    both = memory.add("USER.md", ["喜欢茶", "不喝咖啡"], section="偏好")
    assert (both.status, both.message) == ("done", "已记到 USER.md「偏好」")
    assert "已经记过了" in both.hint


def test_the_tenth_is_taken_and_said_to_be_pending_the_eleventh_waits(make: Make, text: Text) -> None:
    memory = make(files={"FASTMEMO.md": fastmemo(9)})
    tenth = memory.add("FASTMEMO.md", ["喜欢安静"], section="用户", actor="nian")
    assert (tenth.status, tenth.hint) == ("done", "「用户感知」已有 10 条（上限 10），等压缩")
    full = text("FASTMEMO.md")
    eleventh = memory.add("FASTMEMO.md", ["早睡早起"], section="主人", actor="nian")
    assert eleventh.status == "waiting"
    assert eleventh.message == "「用户感知」满了（最多 10 条），1 条先放进 inbox.md「放不下的」"
    assert eleventh.path == "inbox.md"
    assert text("FASTMEMO.md") == full
    assert "\n- 早睡早起 [to:: FASTMEMO.md#用户感知]\n\n## 等你点头的" in text("inbox.md")
    assert memory.lint().diagnostics[0].code == "MM402"
    again = memory.add("FASTMEMO.md", ["早睡早起"], section="主人", actor="scout")
    assert (again.status, again.transaction) == ("waiting", None)
    assert "同样的内容已在 inbox.md 里等着" in again.hint


def test_what_fits_is_written_and_the_rest_waits_in_one_transaction(make: Make, text: Text) -> None:
    memory = make("en", {"FASTMEMO.md": fastmemo(8)})
    done = memory.add("FASTMEMO.md", ["one", "two", "three", "four"], section="用户感知")
    assert done.status == "waiting"
    assert "2 entries saved to FASTMEMO.md" in done.hint
    assert done.transaction
    assert [one.path for one in done.transaction.files] == ["FASTMEMO.md", "inbox.md"]
    assert "- one\n- two\n" in text("FASTMEMO.md")
    assert "- three [to:: FASTMEMO.md#用户感知]\n- four [to:: FASTMEMO.md#用户感知]\n" in text("inbox.md")


def test_an_entry_as_long_as_allowed_waits_too(make: Make) -> None:
    memory = make(files={"FASTMEMO.md": fastmemo(10)})
    long = "很长的一条记忆" * 85
    done = memory.add("FASTMEMO.md", [long], section="用户感知")
    assert (len(long), done.status, memory.inbox.list()[0].text) == (595, "waiting", long)


def test_pins_wait_when_there_are_twenty(make: Make) -> None:
    pin = "- 第{}条约束 [type:: constraint] [source:: chat:{}]\n"
    memory = make(files={"PINS.md": "# 钉住的事\n\n" + "".join(pin.format(n, n) for n in range(20))})
    done = memory.add("PINS.md", ["新的约束"], fields={"type": "constraint", "source": "chat:42"}, actor="nian")
    assert done.message == "「PINS.md」满了（最多 20 条），1 条先放进 inbox.md「放不下的」"
    assert memory.inbox.list()[0].text == "新的约束 [type:: constraint] [source:: chat:42]"


REFUSED = [
    ({"path": "notes.md", "texts": ["a"]}, TargetError, "文件不存在：notes.md，也不是已知的记忆文件"),
    ({"path": "FASTMEMO.md", "texts": ["a"], "section": "宠物"}, TargetError, "FASTMEMO.md 里没有这个小节"),
    (
        {"path": "inbox.md", "texts": ["a"], "actor": "user"},
        TargetError,
        "inbox.md 里没有这个小节，或没有指明记到哪个小节",
    ),
    ({"path": "FASTMEMO.md", "texts": ["  "], "section": "自我"}, UsageError, "没有给出文本"),
    ({"path": "FASTMEMO.md", "texts": [], "section": "自我"}, UsageError, "没有给出文本"),
    ({"path": "FASTMEMO.md", "texts": "", "section": "自我"}, UsageError, "没有给出文本"),
    ({"path": "FASTMEMO.md", "texts": ["半个\ud83d"], "section": "自我"}, UsageError, "半个字符"),
    ({"path": "FASTMEMO.md", "texts": ["长" * 601], "section": "自我"}, RefusedError, "这条有 601 个字符，上限是 600"),
    ({"path": "PINS.md", "texts": ["没有出处"]}, RefusedError, "MM313"),
    ({"path": "FASTMEMO.md", "texts": ["a"], "section": "自我", "actor": "two words"}, UsageError, "actor 应是一个词"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_what_cannot_be_added_is_said_and_nothing_is_written(
    make: Make, text: Text, call: dict[str, str], error: type[Exception], words: str
) -> None:
    memory = make(files={"FASTMEMO.md": fastmemo(2)})
    with pytest.raises(error, match=words):
        memory.add(**{"actor": "nian", **call})  # type: ignore[arg-type]
    assert text("FASTMEMO.md") == fastmemo(2)
    assert not memory.inbox.list()


def test_the_sections_are_named_to_who_asks_for_another(make: Make) -> None:
    with pytest.raises(TargetError) as caught:
        make(files={"FASTMEMO.md": fastmemo(1)}).add("FASTMEMO.md", ["a"], section="宠物")
    assert caught.value.candidates == ("自我感知", "用户感知", "环境感知", "历史感知", "动态context池")
    assert "用户感知" in caught.value.hint


def test_a_file_of_no_known_kind_takes_entries_once_it_is_there(make: Make, text: Text) -> None:
    make(files={"notes.md": "* eins\n"}).add("notes.md", ["zwei"])
    assert text("notes.md") == "* eins\n* zwei\n"


def test_a_file_near_its_limit_asks_to_be_tidied(make: Make) -> None:
    body = "# 记忆\n\n## 笔记\n\n" + "".join(f"- 2026-02-13：第 {n} 件事，{'字' * 180}\n" for n in range(19))
    done = make(files={"MEMORY.md": body}).add("MEMORY.md", ["又一件事" * 60], section="笔记")
    assert "请在本次对话中整理" in done.hint


CERTIFICATE = "\n".join(
    (
        "-----BEGIN CERTIFICATE-----",
        *(f"MIIB{n:02}kLmQz7Rt2Vw9Xy4Za6Bc8De1Fg3Hi5Jk0Lm2No4Pq6Rs8Tu1Vw3Xy5Za" for n in range(6)),
        "-----END CERTIFICATE-----",
    )
)  # fmt: skip


@pytest.mark.parametrize("text", [CERTIFICATE, f"The certificate of the lab is {CERTIFICATE} since May"])
def test_a_certificate_is_one_memory(make: Make, text: str) -> None:
    """An agent may remember a certificate, which programs write in lines; other text of as many lines it may not."""
    work = make("en")
    work.add("MEMORY.md", [text], section="events", actor="claude")
    (line,) = [one for one in Path(work.root, "MEMORY.md").read_text("utf-8").splitlines() if "CERTIFICATE" in one]
    assert "BEGIN CERTIFICATE" in line
    assert "END CERTIFICATE" in line
    with pytest.raises(RefusedError):
        work.add("MEMORY.md", [text.replace("CERTIFICATE", "SOMETHING")], section="events", actor="claude")


def test_a_marker_that_the_list_gives_back_is_not_told_as_removed(make: Make, text: Text) -> None:
    work = make(
        "en", {"knowledge/tea.md": "---\nname: tea\ndescription: Tea\n---\n# tea\n\n## Steps\n\n1. Boil\n2. Wait\n"}
    )
    done = work.add("knowledge/tea.md", "3. Pour", section="steps")
    assert text("knowledge/tea.md").endswith("2. Wait\n3. Pour\n")
    assert "marker" not in done.hint
    assert "marker" in work.add("knowledge/tea.md", "7. Drink", section="steps").hint
    assert text("knowledge/tea.md").endswith("3. Pour\n4. Drink\n")


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
