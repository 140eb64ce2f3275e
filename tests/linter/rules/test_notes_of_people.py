"""What people's own notes hold: tables of accounts, codes of shared files, commands with a password, web clippings."""

from __future__ import annotations

import pytest
from conftest import Lint

from mdmem.linter.detect.spoken.table_cells import cells_below
from mdmem.text.pattern import pattern

ZW = "\u200b"


def told(lint: Lint, text: str, path: str = "docs/notes.md") -> list[tuple[str, str]]:
    found = lint(f"# Notes\n\n{text}\n", path)
    return [(one.code, one.severity) for one in found if one.code in ("MM105", "MM501", "MM502", "MM507")]


def table(head: str, *rows: str) -> str:
    rule = "|".join("---" for _ in head.strip("|").split("|"))
    return "\n".join((head, f"|{rule}|", *rows))


SECRETS = (
    table("| 账号 | 密码 | 备注 |", "| 老周 | Regen-4471x | 家里的 NAS |"),
    table("| site | user | password |", "| mail | olga | `tulpe9Garten` |"),
    table("| Host | **Password** |", "| nas.lan | Herbst#61 |"),
    table("| 网站 | 用户名 | 登录密码 |", "| 书店 | olga | 83047 |"),
    "user | password\n--- | ---\nolga | Marktplatz-88",
    "NAS 账号/密码：olga / Regen-4471x",
    "账号/密码：olga/Regen-4471x",
    "username / password: olga / Regen-4471x",
    "用户名/密码：`olga` / `Regen-4471x`",
    "门禁的账号和密码都是 830475",
    "```\nmysql -u olga -pRegen4471x notes\n```",
    "```\nmysqldump --single-transaction -uolga -p'Regen4471x' notes > notes.sql\n```",
    "mariadb -pRegen4471x",
)
HARMLESS = (
    table("| 账号 | 密码 |", "| 老周 | 见密码本 |", "| 小李 | 已修改 |", "| 阿芳 | ****** |", "| 阿明 | - |"),
    table("| Month | Password | Passkey |", "| March | 4120 | 903 |", "| April | 3987 | 1544 |"),
    table("| Field | Password |", "| length | 12-64 |", "| hash | argon2id |", "| kept in | $VAULT_PATH |"),
    table("| 账号 | 密码 |", "| olga | olga123 |", "| boss | Boss@12345 |", "| kim | 888888 |"),
    table("| Name | Type | Note |", "| password | string | 密码 |", "| pin2 | int8x | 口令 |"),
    "password | policy\nis a talk we heard, and nothing below is a table | at all7",
    "- 用户名：olga\n- 密码：olga123",
    "登录名 admin，密码：123456",
    "默认账号/密码：nexus",
    "登录页的用户名和密码都是nexus\n\n#### 下一节",
    "- user: `Kim`\n- password: `Kim123!@#`",
    "- user: `greenhouse`\n- password: `greenhouse`",
    "connect(user='tulip-7', passwd='tulip-7')",
    "- Password: Argon2id-SHA256, then compared",
    "password: `MyTestLogin123!`",
    "默认账号/密码：nexus/nexus",
    "- 用户名/密码错误时返回 401",
    "账号/密码：`guest` / `guest`",
    "```\nmysql -u olga -p notes\nmysql -P 13306 -u olga\nmysql -uroot -p123456\n```",
    "```\nmysql -uolga -p$DB_PASS notes\nmysql -uolga -p%DB_PASS% notes\nmysql -p${DB_PASS} notes\n```",
    "```\nsshpass -p `lookup nas hall` ssh olga@nas.lan\n```",
    '"password": "P@ssword99"',
    f"评论\n转发{ZW}收藏{ZW}分享{ZW}举报",
    f"{ZW}\n- 一行{ZW}，下一行",
)  # fmt: skip
CODES = (
    "相册：https://pan.example.cn/s/1aQx 提取码: wq7e",
    "相册的提取码是 kfzw",
    "https://pan.example.cn/s/1aQx?pwd=wq7e",
    "访问码：`4Kt9`",
    "压缩包（解压码 tulpe9）",
    "旅行照片的解压密码：Regen-4471x",
)
NO_CODES = ("提取码: xxxx", "提取码见群公告", "提取码是 4 位", "提取码：none", "提取码：（私信获取）")


@pytest.mark.parametrize("path", ["docs/notes.md", "MEMORY.md"])
@pytest.mark.parametrize("text", SECRETS)
def test_a_password_in_a_table_a_pair_or_a_command_is_found(text: str, path: str, lint: Lint) -> None:
    assert told(lint, text, path) == [("MM502", "error")]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_notes_say_of_accounts_is_no_alarm(text: str, lint: Lint) -> None:
    assert not [one for one in told(lint, text) if one[1] != "note"]


@pytest.mark.parametrize("text", ["账号/密码：olga/olga123", table("| user | password |", "| olga | 12345678 |")])
def test_a_weak_password_in_a_memory_is_still_told(text: str, lint: Lint) -> None:
    """In a memory even a poor password may be the real one."""
    assert ("MM502", "error") in told(lint, text, "MEMORY.md")


@pytest.mark.parametrize("text", CODES)
def test_a_code_of_a_shared_file_is_an_error_in_memory_and_a_note_elsewhere(text: str, lint: Lint) -> None:
    assert told(lint, text, "MEMORY.md") == [("MM502", "error")]
    assert told(lint, text) == [("MM502", "note")]


@pytest.mark.parametrize("text", NO_CODES)
@pytest.mark.parametrize("path", ["docs/notes.md", "MEMORY.md"])
def test_what_is_said_of_codes_is_no_code(text: str, path: str, lint: Lint) -> None:
    assert not told(lint, text, path)


@pytest.mark.parametrize("said", [f"密{ZW}码在抽屉里", f"转发{ZW}收藏"])
def test_a_zero_width_space_in_chinese_memory_stays_an_error(said: str, lint: Lint) -> None:
    assert told(lint, said, "MEMORY.md") == [("MM105", "error")]


def test_a_zero_width_space_in_a_path_of_a_document_stays_an_error(lint: Lint) -> None:
    assert told(lint, f"文件在 /srv/{ZW}data") == [("MM105", "error")]


@pytest.mark.parametrize("name", [
    "MEMORY (冲突的副本 2026-01-05).md",
    "MEMORY(冲突的副本).md",
    "MEMORY（周芳的冲突副本）.md",
    "MEMORY (衝突的副本 2026-01-05).md",
])  # fmt: skip
def test_a_conflicted_copy_is_known_by_its_chinese_name(name: str, lint: Lint) -> None:
    found = [one for one in lint("", name) if one.code == "MM114"]
    assert ["MEMORY.md" in one.message for one in found] == [True]
    assert not [one for one in lint("", "笔记 (关于冲突的想法).md") if one.code == "MM114"]


def test_a_column_is_read_with_bars_inside_cells_and_windows_line_ends() -> None:
    text = "> | a | **密码** |\r\n> |:--|--:|\r\n> | x \\| y | `one` |\r\n> | z |\r\n\r\n| 密码 |\r\nno rule | here\r\n"
    assert [cell.span.of(text) for cell in cells_below(text, pattern("密码"))] == ["one"]


FORMS = ("title: {{title}}", "week: {{date:YYYY-ww}}", "tags: [{{VALUE:tags}}]", "made: <% tp.file.creation_date() %>",
         "kind:{{kind}}", "<% tp.user.keys() %>\nkind: note")  # fmt: skip


@pytest.mark.parametrize("line", FORMS)
def test_the_form_of_notes_to_come_has_no_broken_front_matter(line: str, lint: Lint) -> None:
    text = f"---\nkind: day\n{line}\n---\n\n# Day\n"
    assert not [one for one in lint(text, "templates/day.md") if one.code == "MM109"]


@pytest.mark.parametrize("line", ["title: day: first", "title: [copied] a day", "title: {day}}"])
def test_front_matter_that_no_program_reads_is_told(line: str, lint: Lint) -> None:
    assert [one.severity for one in lint(f"---\nkind: day\n{line}\n---\n\n# Day\n", "notes/day.md")] == ["error"]
