"""What the rules make of an identity file: lines stay whole, and no rule is lost (K120 to K122, K132)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from conftest import SHARED, Make

Text = Callable[[str], str]
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


def test_an_exception_stays_with_its_rule(make: Make, text: Text) -> None:
    prose = "# Me\n\nI grew up by a canal. Never send a letter. Unless Ida signs it. It was cold.\n"
    work = make("en", {"SOUL.md": prose})
    work.identity.compile("soul")
    assert body(text("compiled/soul.summary.md")) == "# Me\n\n- Never send a letter. Unless Ida signs it.\n"


def test_a_character_that_is_only_told_is_not_lost(make: Make, text: Text) -> None:
    prose = "# Me\n\nI am Otter, who lives in the terminal. I like quiet mornings.\n"
    work = make("en", {"SOUL.md": prose})
    work.identity.compile("soul")
    assert (
        body(text("compiled/soul.summary.md"))
        == "# Me\n\n- I am Otter, who lives in the terminal.\n- I like quiet mornings.\n"
    )


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
