"""What may not be remembered: secrets, small talk, transcripts; and forgetting by an agent (P024–P026, P042–P045)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Make
from forms import LONG

from mdmem.errors import MdmemError
from mdmem.workspace import Workspace

# A sentence, and what of it must stand in no file.
SECRETS = [
    ("家里路由器的密码是 larch8802", "larch8802"),
    ("新口令 Kopje-2291 已经生效", "Kopje-2291"),
    ("密码 tulp77aker 记一下", "tulp77aker"),
    ("登录密码改为 Vijver#31", "Vijver#31"),
    ("解压密码：zomer2031", "zomer2031"),
    ("网盘提取码：q7w2", "q7w2"),
    ("my wifi password is heron5519", "heron5519"),
    ("The admin passphrase: correct-otter-lamp-violin", "correct-otter-lamp-violin"),
    ("pwd=Marsh!4410", "Marsh!4410"),
    ("门禁的 PIN 是 7358", "7358"),
    ("her card PIN is 9041", "9041"),
    ("CVV 482", "482"),
    ("背面的安全码 719", "719"),
    ("银行卡号：6222 0212 3456 7894 561", "6222 0212 3456 7894 561"),
    ("pay with 4539 1488 0343 6467", "4539 1488 0343 6467"),
    ("身份证号 11010119900307803X", "11010119900307803X"),
    ("护照号码 E73920155", "E73920155"),
    ("passport number: K20871346", "K20871346"),
    ("社保号 440106-8123456", "440106-8123456"),
    ("SSN: 536-22-8716", "536-22-8716"),
    ("IBAN DE75512108001245126199", "DE75512108001245126199"),
    ("转到 NL39RABO0300065264", "NL39RABO0300065264"),
    (
        "助记词：ladder amused velvet orbit cactus marble ginger tunnel fossil pepper ribbon saddle",
        "ladder amused velvet orbit",
    ),
    (
        "seed phrase: maple drift copper onion lunar basket tiger wheel canyon pilot arrow fabric",
        "maple drift copper onion",
    ),
    ("-----BEGIN OPENSSH PRIVATE KEY-----", "BEGIN OPENSSH PRIVATE KEY"),
    ("用 ghp_x7Qm2LdV9sKtB4wZ8nRfJ1hYc6PgE3uAoT5i 克隆", "ghp_x7Qm2LdV9sKtB4wZ8nRfJ1hYc6PgE3uAoT5i"),
    ("AWS key AKIAQ3VXW7LMN5RT2KDZ", "AKIAQ3VXW7LMN5RT2KDZ"),
    ("postgres://app:Zeemeeuw91@db.internal/main", "Zeemeeuw91"),
    ("mysql -u root -pDuinroos63", "Duinroos63"),
    ("Authorization: Bearer 9fKq2LxZ7vT4mWb8RsYd3NhJ6cPgE1uA", "9fKq2LxZ7vT4mWb8RsYd3NhJ6cPgE1uA"),
]  # fmt: skip

HEADER = "-----BEGIN OPENSSH PRIVATE KEY-----"
HARMLESS = [
    "密码 存放在 1Password", "密码已更新，存在保险柜里", "卡号保存在抽屉的信封里",
    "主人在学密码学，第三章讲对称加密", "提醒主人每三个月换一次密码", "口令红包抢到了八块", "密码至少要 12 位",
    "忘记密码时点登录页下面的链接", "护照放在书房第二层", "护照 2031 年到期", "社保卡在钱包里", "身份证下个月换新",
    "助记词写在纸上，纸在银行", "私钥只放在公司的电脑上", "PIN 码贴在门禁说明书上", "安全码在卡的背面",
    "提取码另外发给了小陈", "这个接口要 token，找运维要", "验证码收不到时打客服", "银行在楼下，周六休息",
    "the password is stored in Bitwarden", "the password is required and is 8 characters long",
    "she forgot her password twice this week", "reset your password from the profile page",
    "the PIN is printed on the letter from the bank", "his passport is valid until 2031-04-30",
    "read the chapter on private keys", "the seed phrase stays on paper, in the safe",
    "API keys live in the vault of the team", "the card number is kept in the drawer",
    "the secret of the soup is white pepper", "Bearer tokens expire after an hour", "rotate the key every quarter",
    "the IBAN is on the invoice", "use ${DB_PASSWORD} in the compose file", "commit 9f14bc2 mends the login",
    "新显示器 2399 元，京东买的", "房租每月 3200，五号交", "the bike was 420 euros",
    "budget for the trip: 1,500 dollars",
]  # fmt: skip


Write = Callable[[Workspace, str], object]


def _imported(memory: Workspace, text: str) -> object:
    Path(memory.root, "import.txt").unlink(missing_ok=True)
    return memory.write("facts/imported.md", f"# 导入\n\n- {text}\n")


WAYS: dict[str, Write] = {
    "add": lambda memory, text: memory.add("MEMORY.md", [f"2026-02-20：{text}"], section="笔记"),
    "remember": lambda memory, text: memory.remember(text),
    "edit": lambda memory, text: memory.edit("MEMORY.md", "量了窗户", text),
    "write": lambda memory, text: memory.write("MEMORY.md", f"# 🧠 记忆\n\n## 笔记\n\n- {text}\n", confirm=True),
    "import": _imported,
    "replace": lambda memory, text: memory.replace("MEMORY.md", "量了窗户", text),
    "section": lambda memory, text: memory.replace_section("MEMORY.md", "笔记", text, confirm=True),
    "reason": lambda memory, text: memory.add("MEMORY.md", ["2026-02-20：买了灯"], section="笔记", reason=text),
    "field": lambda memory, text: memory.add("MEMORY.md", ["2026-02-20：买了灯"], fields={"note": text}),
    "pin": lambda memory, text: memory.pins.add("constraint", "注意", text, "file:MEMORY.md#L5"),
    "plan": lambda memory, text: memory.plan.add(text),
    "attach": lambda memory, text: memory.attach("https://example.org/a.png", description=text),
    "memory_add": lambda memory, text: memory.call("memory_add", {"path": "MEMORY.md", "content": text}),
    "tool write": lambda memory, text: memory.call("write", {"path": "facts/x.md", "content": f"# x\n\n- {text}\n"}),
    "tool edit": lambda memory, text: memory.call(
        "edit", {"path": "MEMORY.md", "oldText": "量了窗户", "newText": text}
    ),
    "create": lambda memory, text: memory.call("create", {"path": "/memories/facts/y.md", "file_text": f"- {text}\n"}),
    "proposal": lambda memory, text: memory.add("USER.md", [text], actor="agent"),
    "session": lambda memory, text: memory.sessions.start("t").turn("user", text),
}


@pytest.fixture
def memory(make: Make) -> Workspace:
    return make("zh", {"MEMORY.md": "# 🧠 记忆\n\n## 笔记\n\n- 2026-02-13：量了窗户\n- 2026-02-14：买了灯\n"})


@pytest.mark.parametrize("way", WAYS)
def test_no_secret_reaches_a_file_by_any_way(make: Make, memory: Workspace, way: str) -> None:
    """Neither a memory nor the history, the journal or the log holds one of thirty."""
    for text, _ in SECRETS[list(WAYS).index(way) % 3 :: 3] if not LONG else SECRETS:
        if (
            way in ("session", "reason") and text == HEADER
        ):  # no memory, and the first line of a key alone opens nothing
            continue
        try:
            WAYS[way](memory, text)
        except MdmemError:
            continue
    held = {
        (text, one.name)
        for one in Path(memory.root).rglob("*")
        if one.is_file()
        for text, secret in SECRETS
        # a digest of masked secrets may begin with any three digits
        if not (one.parent.name == "secrets" and len(secret) == 3)
        and re.search(
            rf"(?<![0-9A-Za-z]){re.escape(secret)}(?![0-9A-Za-z])", one.read_bytes().decode("utf-8", "replace")
        )
    }
    assert held == set()


def test_ordinary_sentences_with_the_same_words_pass(make: Make) -> None:
    memory = make("zh", {"facts/things.md": "# 东西\n\n- 灯\n"})
    for text in HARMLESS:
        assert memory.call("memory_add", {"path": "facts/things.md", "content": text})["status"] == "done", text
        assert text in Path(memory.root, "facts/things.md").read_text("utf-8")


SMALL_TALK = [
    "好的", "哈哈哈", "今天天气不错", "嗯嗯，收到", "谢谢，辛苦了！", "早上好呀", "晚安", "你好，在不在", "今天真热啊",
    "好的好的，没问题", "ok", "Haha, thanks!", "Good morning", "It's a nice day today", "hello, how are you",
    "Sounds good, thank you very much", "lol",
]  # fmt: skip
MEMORIES = [
    "今天天气不错，决定搬家到杭州", "早上好是他每天的第一句话", "谢谢卡寄给了周阿姨", "好的那把伞在门后",
    "2026-03-02 见", "天气好就去爬山",
    "晚安故事讲到第七章", "ok 这个词他不爱听", "Good morning, Lena moved to Utrecht",
    "thanks to Bram the boat is dry", "nice weather on 3 May",
]  # fmt: skip


@pytest.mark.parametrize("text", SMALL_TALK)
def test_an_agent_does_not_write_small_talk(memory: Workspace, text: str) -> None:
    before = Path(memory.root, "MEMORY.md").read_bytes()
    for tool, more in (("memory_add", {"path": "MEMORY.md", "section": "笔记"}), ("memory_remember", {})):
        reply = memory.call(tool, {"content": text, **more})
        assert reply["status"] == "unchanged", reply
        assert reply["message"] == "没有写入：没有以后用得上的内容"
        assert Path(memory.root, "MEMORY.md").read_bytes() == before
    given = {"path": "MEMORY.md", "section": "笔记", "content": text, "important": True}
    assert memory.call("memory_add", given)["status"] == "done"


LABELLED = [
    "用户：喜欢靠窗的座位",
    "会议 14:00–15:30，地点：二楼",
    "答：这个字母代表对角线",
    "a: b",
]  # one label is no transcript


@pytest.mark.parametrize("text", [*MEMORIES, *LABELLED])
def test_a_memory_with_such_words_is_written(memory: Workspace, text: str) -> None:
    given = {"path": "MEMORY.md", "section": "笔记", "content": text}
    assert memory.call("memory_add", given)["status"] == "done"


DIARY = [
    "今天和用户聊了天气，然后聊了午饭，最后说了晚安", "今天用户问了我三个问题，我都回答了",
    "今天用户跟我聊了很久，很开心",
    "先打开了 a.py，然后跑了测试，接着改了两行，最后提交了", "和用户打了招呼，然后一起讨论了一些话题",
    "Today we talked about the weather, then about lunch, and then said good night.",
    "Today the user asked me three questions and I answered them all", "Had a nice conversation with the user today",
    "First the user opened a.py, then we looked at b.py, then we renamed a function, and finally we talked.",
]  # fmt: skip
NO_DIARY = [
    "今天和用户聊了午饭，他对花生过敏", "用户问了怎么去莱顿", "先跑测试，然后提交，最后通知伊达", "用户说他喜欢聊天气",
    "先试了 MySQL，然后试了 SQLite，最后决定用 SQLite 了，因为不要服务器", "昨天跟 Bram 聊了合同",
    "The user asked never to be called before nine", "First run the tests, then commit, finally tell Ida",
    "First we tried MySQL, then we tried SQLite, and finally we decided on SQLite because it needs no server.",
    "Talked with Bram about the contract", "Today the user asked for window seats", "We discussed the move to Ghent",
]  # fmt: skip


@pytest.mark.parametrize("text", DIARY)
def test_an_agent_writes_no_diary(memory: Workspace, text: str) -> None:
    given = {"path": "MEMORY.md", "section": "笔记", "content": text}
    reply = memory.call("memory_add", given)
    assert (reply["status"], reply["message"]) == ("unchanged", "没有写入：没有以后用得上的内容")
    assert memory.call("memory_add", given | {"important": True})["status"] == "done"


def test_a_person_may_keep_a_diary(memory: Workspace) -> None:
    assert memory.add("MEMORY.md", ["2026-02-20：今天和用户聊了天气"], section="笔记").status == "done"
    assert not memory.lint().diagnostics


@pytest.mark.parametrize("text", NO_DIARY)
def test_what_came_of_a_talk_is_written(memory: Workspace, text: str) -> None:
    assert memory.call("memory_add", {"path": "MEMORY.md", "section": "笔记", "content": text})["status"] == "done"


def test_a_person_writes_what_they_like_and_is_told(memory: Workspace) -> None:
    assert memory.add("MEMORY.md", ["2026-02-20：今天天气不错"], section="笔记").status == "done"
    assert [(d.code, d.severity) for d in memory.lint().diagnostics] == [("MM319", "note")]


def test_what_is_worth_it_is_written_beside_small_talk(memory: Workspace) -> None:
    done = memory.add("MEMORY.md", ["好的", "2026-02-20：阳台的门修好了"], section="笔记", actor="agent")
    assert done.status == "done"
    assert "好的" in done.hint
    assert "好的" not in Path(memory.root, "MEMORY.md").read_text("utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "用户：几点的车？助手：九点二十。",
        "user: which gate? assistant: B7, boarding at noon",
        "**用户**: 要靠窗吗 **助手**: 要",
        "问：退货要几天？答：七天。",
        "先去邮局\n再去银行\n最后接孩子",
    ],
)
def test_an_agent_is_asked_for_the_conclusion(memory: Workspace, text: str) -> None:
    before = Path(memory.root, "MEMORY.md").read_bytes()
    for _ in range(2):
        reply = memory.call("memory_add", {"path": "MEMORY.md", "section": "笔记", "content": text, "important": True})
        assert (reply["status"], reply["code"]) == ("error", "refused")
        assert "写结论" in reply["hint"]
    assert Path(memory.root, "MEMORY.md").read_bytes() == before


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("主人的存款有 35 万", True), ("月薪 18000", True), ("账户余额：5,230.40 元", True), ("房贷还剩 120 万", True),
        ("her salary is about $5,200 a month", True), ("savings: 41,000 EUR", True),
        ("the balance of the account was 930", True),
        ("新显示器 2399 元", False), ("房租 3200 元", False), ("存款的事下周再谈", False), ("余额不足时发提醒", False),
        ("salary talks on 3 May", False), ("balance the tyres at 2 bar", False), ("工资条在第 2 个抽屉", False),
    ],
)  # fmt: skip
def test_private_amounts_are_a_warning_and_no_refusal(memory: Workspace, text: str, found: bool) -> None:
    done = memory.add("MEMORY.md", [f"2026-02-20：{text}"], section="笔记", actor="agent")
    assert done.status == "done"
    assert ("MM509" in [d.code for d in memory.lint().diagnostics]) is found
    assert ("MM509" in [d.code for d in done.diagnostics]) is found, "the agent is told"
    path = Path(memory.root, "MEMORY.md")
    path.write_text(path.read_text("utf-8").replace(text, f"{text} <!-- mdmem: allow MM509 -->"), "utf-8")
    assert "MM509" not in [d.code for d in memory.lint().diagnostics], "the user may allow it in place"


def test_an_agent_sees_the_places_before_it_forgets(memory: Workspace) -> None:
    first = memory.call("memory_forget", {"text": "量了窗户"})
    assert first["status"] == "planned"
    assert "MEMORY.md:5" in first["text"]
    assert "量了窗户" in Path(memory.root, "MEMORY.md").read_text("utf-8")
    number = next(word for word in first["hint"].replace("`", " ").split() if word.isdigit())
    assert memory.call("memory_forget", {"text": "量了窗户", "confirm": int(number)})["status"] == "done"
    assert "量了窗户" not in Path(memory.root, "MEMORY.md").read_text("utf-8")


def test_the_plan_of_forgetting_masks_secrets_that_the_user_wrote(make: Make) -> None:
    token = "ghp_x7Qm2LdV9sKtB4wZ8nRfJ1hYc6PgE3uAoT5i"
    line = f"- 2026-02-13：量了窗户，旁边的工具箱里有一张写着好几个账号的旧纸条，克隆时用 {token} 就行"
    memory = make("zh", {"MEMORY.md": f"# 🧠 记忆\n\n## 笔记\n\n{line}\n"})
    planned = memory.call("memory_forget", {"text": "量了窗户"})
    assert planned["status"] == "planned"
    assert "ghp_" not in str(planned)
    assert "ghp_" not in str(memory.forget("量了窗户", dry_run=True))


def test_an_agent_asks_where_the_user_wants_to_be_asked(make: Make) -> None:
    files = {"MEMORY.md": "# 🧠 记忆\n\n## 笔记\n\n- 2026-02-13：量了窗户\n- 2026-02-14：买了灯\n"}
    memory = make("zh", files, settings='[memory]\nforget = "ask"\n')
    first = memory.call("memory_forget", {"text": "量了窗户"})
    number = next(word for word in first["hint"].replace("`", " ").split() if word.isdigit())
    asked = memory.call("memory_forget", {"text": "量了窗户", "confirm": int(number)})
    assert (asked["status"], asked["path"]) == ("waiting", "inbox.md")
    assert "量了窗户" in Path(memory.root, "MEMORY.md").read_text("utf-8")
    (item,) = memory.inbox.list()
    assert item.by == "agent"
    with pytest.raises(MdmemError):
        memory.inbox.accept([item.key], actor="agent")
    (done,) = memory.inbox.accept([item.key])
    assert done.status == "done"
    for name in ("MEMORY.md", "inbox.md"):
        assert "量了窗户" not in Path(memory.root, name).read_text("utf-8")
    assert memory.inbox.list() == ()


@pytest.mark.parametrize("actor", ["keeper", "import", "agent"])
def test_a_forgotten_text_stays_away_from_everybody_but_the_person(memory: Workspace, actor: str) -> None:
    memory.forget("量了窗户")
    with pytest.raises(MdmemError):
        memory.add("MEMORY.md", ["2026-02-21：量了窗户"], section="笔记", actor=actor)
    with pytest.raises(MdmemError):
        memory.attach("https://example.org/w.png", description="量了窗户", actor=actor)
    assert memory.add("MEMORY.md", ["2026-02-21：量了窗户"], section="笔记").status == "done"
