"""What the rules make of an identity file: lines stay whole, and no rule is lost (K120 to K122, K132)."""

from __future__ import annotations

import json
import re

import pytest
from conftest import SHARED, Make, Text

LONG = (
    "凡是会动到她放在共享盘里的照片原件、扫描件和录音母带的操作，不管是改名、转码、裁剪还是换文件夹，"
    "都必须先列出会被动到的每一个文件名和备份放在哪里，等她亲口说「可以」之后再做，她没有回答就一直等下去，绝不自己替她决定，也不催她。"
)
SOUL = f"""---
mood: calm
---
# 我是谁

<!-- 给人看的说明
两行 -->
-->

我在一个下雨的晚上被装进这台旧电脑，那时窗外的梧桐正在落叶。绝不把她的日记念给别人听。雨停以后我学会了泡茶。称呼别人的家人时必须用全名。

## 原则

- {LONG}
- 说错了就直接承认

## 示例

- 用户：你好；助手：哎，在呢

## 常用命令

```sh
rm -rf build
```

| 键 | 值 |
|---|---|
| a | b |
"""


def body(text: str) -> str:
    """Return a compiled text without its front matter."""
    return re.sub(r"\A---\n.*?\n---\n", "", text, count=1, flags=re.DOTALL)


def test_no_residue_no_long_principle_lost_and_no_rule_of_a_narrative(make: Make, text: Text) -> None:
    work = make("zh", {"SOUL.md": SOUL}, settings="[compile]\nsoul = 200\n")
    before = text("SOUL.md")
    (done,) = work.identity.compile("soul")
    assert done.status == "done"
    made = body(text("compiled/soul.summary.md"))
    assert len(LONG) >= 110
    assert f"- {LONG}\n" in made, "whole, however long"
    assert "- 绝不把她的日记念给别人听。\n" in made
    assert "- 称呼别人的家人时必须用全名。\n" in made
    for gone in ("-->", "<!--", "梧桐", "泡茶", "示例", "rm -rf", "| a", "mood"):
        assert gone not in made
    assert text("SOUL.md") == before
    assert not [one for one in work.lint().diagnostics if one.path != "SOUL.md"]


def test_a_rule_longer_than_its_part_stays_whole_and_the_rest_is_told(make: Make, text: Text) -> None:
    work = make("zh", {"SOUL.md": SOUL}, settings="[compile]\nsoul = 20\n")
    (done,) = work.identity.compile("soul")
    assert LONG in text("compiled/soul.summary.md")
    assert "3 行" in done.hint
    assert LONG in work.pack("layered").text


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_form_without_answers_is_empty_and_one_answer_is_all(make: Make, text: Text, lang: str) -> None:
    empty = "# User\n\n## Basics\n\n- **Name**: [待学习]\n- **Zone**: [to be filled]\n\n[待学习]\n"
    work = make(lang, {"USER.md": empty})
    assert work.identity.compile("user")[0].status == "done"
    assert body(text("compiled/user.summary.md")) == ""
    part = work.pack("layered").part("profile")
    assert part is not None
    assert part.text == ""


@pytest.mark.skipif(not SHARED.exists(), reason="the samples are not here")
def test_the_profile_of_another_system_says_the_one_thing_that_is_known(make: Make, text: Text) -> None:
    sample = SHARED / "samples/openakita/identity_history/USER.example.md"
    work = make("zh", {"USER.md": sample.read_text("utf-8")})
    work.identity.compile("user")
    lines = [line for line in body(text("compiled/user.summary.md")).splitlines() if line.strip()]
    assert [line for line in lines if not line.startswith("#")] == ["- **主要语言**: 中文"]


DOS = {
    "en": (
        ("# Me\n\n## How I grew up\n\nA ship sank. Since then I always check the weather twice. It was cold.\n"
        "I never leave a rope untied.\n\n## When we talk\n\nDo:\n- greet by name\n\nDon't:\n- joke about boats\n\n"
        "## Manners\n\n**Do**: say the result first. The fog was thick. **Don't**: apologise twice.\n\n"
        "✅ show the sources\n❌ guess a number\n\n## Configuration\n\n- port 8080\n- Never restart it by day.\n\n"
        "## At sea\n\n| Do | Weather | Don't |\n|---|---|---|\n| ask the pilot | fog | cross the bar |\n\n"
        "## Documentation\n\nIt stands on the shelf.\n\n## Examples\n\n- Never reuse a knot\n"),
        ["Since then I always check the weather twice.", "I never leave a rope untied.", "greet by name",
         "joke about boats", "**Do**: say the result first.", "**Don't**: apologise twice.", "show the sources",
         "❌ guess a number", "Never restart it by day.", "ask the pilot", "cross the bar", "### Don't"],
        ["ship", "cold", "thick", "port", "fog", "shelf", "knot"],
    ),
    "zh": (
        ("# 我\n\n## 我的成长\n\n那年一条船沉了。从那以后我总是查两遍天气。天很冷。我绝不留下没系好的绳子。\n\n"
        "## 聊天的时候\n\n要做：\n- 先叫名字\n\n不要做：\n- 拿船开玩笑\n\n"
        "## 礼貌\n\n**要**：先说结果。**不要**：道歉两次。那天雾很大。\n\n✅ 给出来源\n❌ 猜数字\n\n"
        "## 配置\n\n- 端口 8080\n- 白天不要重启它。\n\n"
        "## 在海上\n\n| 要 | 天气 | 不要 |\n|---|---|---|\n| 先问领航员 | 大雾 | 抢着过沙洲 |\n\n"
        "## 要闻\n\n书架上有一本。\n\n## 示例\n\n- 不要重复用一个绳结\n"),
        ["从那以后我总是查两遍天气。", "我绝不留下没系好的绳子。", "先叫名字", "拿船开玩笑", "**要**：先说结果。",
         "**不要**：道歉两次。", "给出来源", "❌ 猜数字", "白天不要重启它。", "先问领航员", "抢着过沙洲", "### 不要"],
        ["沉", "天很冷", "端口", "雾", "书架", "绳结"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_dos_and_donts_stay_below_any_heading_and_no_narrative_does(make: Make, text: Text, lang: str) -> None:
    soul, stays, leaves = DOS[lang]
    work = make(lang, {"SOUL.md": soul}, settings="[compile]\nsoul = 400\n")
    work.identity.compile("soul")
    made = body(text("compiled/soul.summary.md"))
    assert [line for line in stays if line not in made] == []
    assert [word for word in leaves if word in made] == []


@pytest.mark.parametrize(("lang", "heading", "tale", "rule"), [
    ("en", "Principles", "The autumn in which the boathouse was built was a long one, and nobody minded the fog.",
     "- ask first\n- be kind"),
    ("zh", "原则", "造船屋的那个秋天特别长，雾也特别大，可是河边谁都不在意，渡船的老人只是把灯点上，慢慢划过去。",
     "- 先问\n- 要善良"),
])  # fmt: skip
def test_a_tale_below_principles_takes_no_room_of_a_rule(
    make: Make, text: Text, lang: str, heading: str, tale: str, rule: str
) -> None:
    work = make(lang, {"SOUL.md": f"# M\n\n## {heading}\n\n{tale}\n\n{rule}\n"}, settings="[compile]\nsoul = 24\n")
    work.identity.compile("soul")
    assert body(text("compiled/soul.summary.md")) == f"## {heading}\n\n{rule}\n"
    assert rule.split("\n")[1] in work.pack("layered", budget=60).text


def test_a_heading_stays_with_what_it_forbids(make: Make, text: Text) -> None:
    agent = (
        "# How I work\n\n## Workflow\n\nThe shop opened in 1998. Before a merge you must run the tests.\n\n"
        "Under no circumstances:\n\n- drop a table\n- answer for Ida\n\nKeep the log open.\n\n"
        "## Never\n\n- say done when it is not\n\n"
        "## Tools\n\n- `grep` first\n\n### Priorities\n\n- read before you ask\n"
    )
    work = make("en", {"AGENT.md": agent})
    work.identity.compile("agent.core", "agent.tooling")
    core, tooling = body(text("compiled/agent.core.md")), body(text("compiled/agent.tooling.md"))
    assert core == (
        "## Workflow\n\n- Before a merge you must run the tests.\n- Keep the log open.\n\n"
        "### Under no circumstances\n\n- drop a table\n- answer for Ida\n\n## Never\n\n- say done when it is not\n"
    )
    assert tooling == "- `grep` first\n\n### Priorities\n\n- read before you ask\n"


@pytest.mark.parametrize(("prose", "kept"), [
    ("I grew up by a canal. Never send a letter. Unless Ida signs it. It was cold.",
     "- Never send a letter. Unless Ida signs it."),
    ("I am Otter, who lives in the terminal. I like quiet mornings.",
     "- I am Otter, who lives in the terminal.\n- I like quiet mornings."),
])  # fmt: skip
def test_an_exception_stays_with_its_rule_and_a_character_that_is_only_told_is_not_lost(
    make: Make, text: Text, prose: str, kept: str
) -> None:
    make("en", {"SOUL.md": f"# Me\n\n{prose}\n"}).identity.compile("soul")
    assert body(text("compiled/soul.summary.md")) == f"# Me\n\n{kept}\n"


def test_nested_items_fields_and_wrapped_sentences_stay_whole(make: Make, text: Text) -> None:
    user = (
        "# User\n\n## Preferences\n\n1. tea first [fact:: facts/user.md#p1] ^k2\n2. then letters\n   - in blue ink\n"
        "   - [待学习]\n\n## About\n\nShe rows on the\nAmstel each morning.\n"
    )
    work = make("en", {"USER.md": user})
    work.identity.compile("user")
    assert body(text("compiled/user.summary.md")) == (
        "## Preferences\n\n1. tea first\n2. then letters\n   - in blue ink\n\n## About\n\n"
        "- She rows on the Amstel each morning.\n"
    )


def test_a_secret_does_not_get_into_a_compiled_text(make: Make, text: Text) -> None:
    key = "gh" + "p_" + "kQ7vZt2LxW9bRy4HcNf8MpJd3SgTa6UeVi1o"
    work = make("en", {"SOUL.md": f"# Me\n\n## Principles\n\n- use {key} for pushes\n- be kind to Ida\n"})
    work.identity.compile("soul")
    assert key not in text("compiled/soul.summary.md")
    assert "be kind to Ida" in text("compiled/soul.summary.md")
    assert key not in json.dumps(work.pack("layered").as_dict())
