"""The shipped templates, the errors for wrong ones, and the kind of each file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import SHARED, Lint

from mdmem.config.workspace_config import template_files
from mdmem.errors import ConfigError
from mdmem.formats import template_reader
from mdmem.formats.template import Schemas, Template, unpack
from mdmem.formats.template_reader import read_template
from mdmem.messages.catalog import label
from mdmem.messages.folders import templates_folder
from mdmem.messages.translated_errors import in_language
from mdmem.text.document import parse

SHIPPED = [read_template(one.read(), one.path, one.lang) for one in template_files(templates_folder())]
BY_PATH = {template.path: template for template in SHIPPED}
PAIRS = [(BY_PATH[path], BY_PATH[path.replace("/zh/", "/en/")]) for path in BY_PATH if "/zh/" in path]

P011 = """\
# 🧠 记忆

<!-- 重要的事情记在这里。这是你的长期记忆。 -->

## 重要事件

<!-- 值得记住的事情 -->

## 偏好与习惯

<!-- 从对话中观察到的主人的偏好 -->

## 待办与承诺

<!-- 答应过主人的事情、未完成的任务 -->

## 笔记

<!-- 其他值得记住的信息 -->

---

_记住重要的事，忘掉不重要的。定期整理，保持精炼。_
"""


def called(template: Template) -> str:
    return template.path


def a_file_of(template: Template) -> str:
    """Return a path that the template's first pattern fits."""
    return template.files[0].replace("????-??-??", "2026-02-13").replace("*", "20260213_213000_task")


def test_each_language_has_one_template_for_each_kind() -> None:
    zh, en = (sorted(template.kind for template in SHIPPED if template.lang == lang) for lang in ("zh", "en"))
    assert zh == en
    assert len(zh) == len(set(zh)) > 20


@pytest.mark.parametrize(("zh", "en"), PAIRS, ids=lambda template: template.path)
def test_both_languages_ask_for_the_same(zh: Template, en: Template) -> None:
    same = (
        "kind", "files", "create", "confirm", "body", "policy", "ordered", "entries", "front_matter", "file", "view",
        "numbers",
    )  # fmt: skip
    for name in same:
        assert getattr(zh, name) == getattr(en, name), name
    assert [spec._replace(name="", doc="") for spec in zh.sections] == [
        spec._replace(name="", doc="") for spec in en.sections
    ]
    assert zh.parts.keys() == en.parts.keys()
    for name, words in zh.parts.items():
        assert sorted(words) == sorted(en.parts[name]), name


@pytest.mark.parametrize(("zh", "en"), PAIRS, ids=lambda template: template.path)
def test_each_language_knows_the_names_of_the_other(zh: Template, en: Template) -> None:
    for own, other in zip(zh.sections, en.sections, strict=True):
        assert zh.name(own.name) == own.name
        assert zh.name(other.name) == own.name
        assert en.name(own.name) == other.name


@pytest.mark.parametrize("template", SHIPPED, ids=called)
def test_every_heading_is_documented(template: Template) -> None:
    assert [section.level for section in template.document.sections[:1]] == [1]
    assert [spec.name for spec in template.sections if not spec.doc] == []
    assert template.document.comments, "the comment below the title says what the file is for"


@pytest.mark.parametrize("template", SHIPPED, ids=called)
def test_every_number_has_its_unit_and_source(template: Template) -> None:
    source = re.compile(r"#.*\((?:.*\b)?(?:[FGDPKX]\d{1,3}|B\d row \d+|DESIGN \d+)\b.*\)")
    front = template.document.front_matter
    assert front is not None
    numbered = [line for line in front.yaml.of(template.document.text).splitlines() if re.search(r": \d", line)]
    schema = [line for line in numbered if line.startswith("  ")]
    assert [line for line in schema if not source.search(line)] == []


@pytest.mark.parametrize("template", SHIPPED, ids=called)
def test_a_fresh_file_carries_no_schema_and_lints_clean(template: Template, lint: Lint) -> None:
    assert "mdmem:" not in template.text
    assert "files:" not in template.text
    assert template.text.endswith("\n")
    body = parse(template.text.encode())
    assert [section.title for section in body.sections] == [section.title for section in template.document.sections]
    assert lint(template.text, a_file_of(template)) == []


def test_the_chinese_memory_is_p011_to_the_letter() -> None:
    assert BY_PATH["templates/zh/MEMORY.md"].text == P011


def test_a_missing_kind_is_an_error_that_names_it_in_both_languages(schemas: Schemas) -> None:
    with pytest.raises(ConfigError, match="no template of the kind `attic`") as caught:
        schemas.required("attic", "full sections and proposals need one")
    told = in_language(caught.value, "zh")
    assert (told.message, told.hint) == ("没有「attic」这一类的模板", "小节写满和提议都要用到它")


@pytest.mark.parametrize("kind", ["session", "artifact", "attachment"])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_record_keeps_the_front_matter_of_its_own(kind: str, lang: str, schemas: Schemas) -> None:
    template = schemas.get(kind, lang)
    assert template is not None
    front = parse(template.text.encode()).front_matter
    assert front is not None
    assert set(template.front_matter) <= set(front.values)


BODY = "# A\n\n<!-- what for -->\n\n## One\n\n## Two\n"
LEAST = "mdmem:\n  kind: x\n  files: [x.md]\n  create: never\n"
OWN_FRONT_MATTER = [
    ("alone", f"---\n{LEAST}---\n{BODY}", BODY),
    ("last", f"---\nagent: a\n{LEAST}---\n{BODY}", f"---\nagent: a\n---\n{BODY}"),
    ("first", f"---\n{LEAST}\n# of the task\ntask: t\n---\n{BODY}", f"---\n\n# of the task\ntask: t\n---\n{BODY}"),
    ("between", f"---\na: 1\n{LEAST}  # more\nb: 2\n---\n{BODY}", f"---\na: 1\n  # more\nb: 2\n---\n{BODY}"),
    ("in one line", "---\na: 1\nmdmem: {kind: x, files: [x.md], create: never}\n---\n", "---\na: 1\n---\n"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in OWN_FRONT_MATTER], ids=lambda _: "")
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_the_schema_is_cut_out_line_by_line(text: str, expected: str, ending: str) -> None:
    template = read_template(text.replace("\n", ending).encode(), "x.md", "en")
    assert template.text == expected.replace("\n", ending)


SECTIONS = LEAST + "  sections:\n"
WRONG = [
    # what is wrong, the template, the line of the refusal, words that it must hold
    ("no front matter", BODY, 1, ("front matter", "---")),
    ("unclosed front matter", f"---\n{LEAST}", 1, ("front matter",)),
    ("no mdmem key", f"---\nkind: x\n---\n{BODY}", 1, ("`mdmem:`",)),
    ("a list for a mapping", f"---\nmdmem:\n- kind\n---\n{BODY}", 2, ("`mdmem` must be a mapping",)),
    ("broken YAML", f"---\n{LEAST}   body: raw\n---\n{BODY}", 6, ("not valid YAML", "indent")),
    ("an open bracket", f"---\n{LEAST}  numbers: {{a: 1\n  body: raw\n---\n{BODY}", 6, ("not valid YAML", "bracket")),
    ("an open list at the end", f"---\n{LEAST}  parts: [a, b\n---\n{BODY}", 6, ("not valid YAML", "bracket")),
    ("an open quotation", f'---\n{LEAST}  body: "raw\n  cut: 1\n---\n{BODY}', 6, ("not valid YAML", "quot")),
    ("an anchor", f"---\n{LEAST}  numbers: &n {{a: 1}}\n---\n{BODY}", 6, ("anchor", "n", "plain YAML")),
    ("a tag", f"---\n{LEAST}  body: !!python/name:os.system raw\n---\n{BODY}", 6, ("tag",)),
    ("a key twice", f"---\n{LEAST}  kind: y\n---\n{BODY}", 6, ("twice", "kind")),
    ("an unknown key", f"---\n{LEAST}  colour: red\n---\n{BODY}", 6,
     ("`mdmem.colour`", "body", "confirm", "create", "entries", "file", "files", "front_matter", "kind", "numbers",
      "parts", "sections", "view")),
    ("an unknown key further down", f"---\n{LEAST}  view:\n    cut: head\n    width: 3\n---\n{BODY}", 8,
     ("`mdmem.view.width`", "cut", "head", "max_chars", "tail")),
    ("an unknown key of entries", f"---\n{LEAST}  entries: {{limit: 3}}\n---\n{BODY}", 6,
     ("`mdmem.entries.limit`", "compact_at", "form", "max_chars", "unique")),
    ("an unknown key of sections", f"---\n{SECTIONS}    names: [One]\n---\n{BODY}", 7,
     ("`mdmem.sections.names`", "aliases", "entries", "ordered", "policy", "required")),
    ("no kind", f"---\nmdmem:\n  files: [x.md]\n  create: never\n---\n{BODY}", 2, ("`mdmem.kind`", "text")),
    ("no files", f"---\nmdmem:\n  kind: x\n  create: never\n---\n{BODY}", 2, ("`mdmem.files`", "list")),
    ("no create", f"---\nmdmem:\n  kind: x\n  files: [x.md]\n---\n{BODY}", 2,
     ("`mdmem.create`", "never", "on-first-write", "on-init")),
    ("a null kind", f"---\nmdmem:\n  kind:\n  files: [x.md]\n  create: never\n---\n{BODY}", 2, ("`mdmem.kind`",)),
    ("a number for a text", f"---\nmdmem:\n  kind: 7\n  files: [x.md]\n  create: never\n---\n{BODY}", 3, ("text",)),
    ("a text for a list", f"---\nmdmem:\n  kind: x\n  files: x.md\n  create: never\n---\n{BODY}", 4, ("list",)),
    ("a word of its own", f"---\n{LEAST}  confirm: maybe\n---\n{BODY}", 6, ("none", "agent", "user")),
    ("a number below one", f"---\n{LEAST}  file: {{max_chars: 0}}\n---\n{BODY}", 6, ("whole number above 0",)),
    ("true for a number", f"---\n{LEAST}  entries:\n    max: true\n---\n{BODY}", 7, ("whole number above 0",)),
    ("a share above one", f"---\n{LEAST}  view: {{head: 70}}\n---\n{BODY}", 6, ("between 0 and 1",)),
    ("yes for true", f"---\n{LEAST}  entries: {{unique: 'yes'}}\n---\n{BODY}", 6, ("true or false",)),
    ("a text for a number", f"---\n{LEAST}  numbers:\n    days: seven\n---\n{BODY}", 7, ("`mdmem.numbers.days`",)),
    ("a text for words", f"---\n{LEAST}  parts:\n    ttl: 7d\n---\n{BODY}", 7, ("`mdmem.parts.ttl`", "list")),
    ("a type that is none", f"---\n{LEAST}  entries:\n    fields:\n      a: {{type: colour}}\n---\n{BODY}", 8,
     ("date", "source", "choice")),
    ("a choice of nothing", f"---\n{LEAST}  front_matter:\n    a: {{type: choice}}\n---\n{BODY}", 7, ("choices",)),
    ("a number for an alias", f"---\n{SECTIONS}    aliases:\n      One: [1]\n      Three: [drei]\n---\n{BODY}", 8,
     ("list of texts",)),
    ("an alias of an unknown heading",
     f"---\n{SECTIONS}    aliases:\n      One: [eins]\n      Three: [drei]\n---\n{BODY}", 9, ("`Three`", "One, Two")),
    ("a required section without heading", f"---\n{SECTIONS}    required:\n    - One\n    - Three\n---\n{BODY}", 9,
     ("`Three`", "One, Two")),
    ("entries of an unknown heading", f"---\n{SECTIONS}    entries:\n      Three: {{max: 3}}\n---\n{BODY}", 8,
     ("`Three`", "One, Two")),
    ("one alias for two sections", f"---\n{SECTIONS}    aliases:\n      One: [first]\n      Two: [First!]\n---\n{BODY}",
     9, ("`First!`", "`One`")),
    ("a section's name as alias of another", f"---\n{SECTIONS}    aliases:\n      One: [TWO]\n---\n{BODY}", 8,
     ("`TWO`", "`Two`")),
    ("an alias of signs only", f"---\n{SECTIONS}    aliases:\n      One: ['🐾']\n---\n{BODY}", 8, ("🐾",)),
    ("two headings of one name", f"---\n{LEAST}---\n{BODY}\n## one\n", 15, ("`one`",)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "words"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_a_wrong_template_is_refused(text: str, line: int, words: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError) as refusal:
        read_template(text.encode(), "templates/X.md", "en")
    assert (refusal.value.path, refusal.value.line) == ("templates/X.md", line)
    said = f"{refusal.value.message} {refusal.value.hint}"
    assert [word for word in words if word not in said] == []


@pytest.mark.parametrize("text", [case[1] for case in WRONG], ids=[case[0] for case in WRONG])
def test_a_wrong_template_is_explained_in_chinese(text: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        read_template(text.encode(), "templates/X.md", "zh")
    error = in_language(refusal.value, "zh")
    assert all(re.search(r"[\u4e00-\u9fff]", sentence) for sentence in (error.message, error.hint) if sentence)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("MEMORY.md", "memory"),
        ("memory/MEMORY.md", "memory"),
        ("identity/USER.md", "user"),
        ("pets/42/SOUL.md", "soul"),
        ("AGENT.md", "agent"),
        ("FASTMEMO.md", "fastmemo"),
        ("memory/fastmemo.jsonl", "fastmemo"),
        ("memory/fastmemory.jsonl", "fastmemo"),
        ("memory/fastmemo.txt", "fastmemo"),
        ("old/fastmemo_v1.sample.jsonl", "fastmemo"),
        ("prompts/fastmemo_compact.txt", None),
        ("PINS.md", "pins"),
        ("NOTEBOOK.md", "notebook"),
        ("SCRATCHPAD.md", "scratchpad"),
        ("task_process.md", "task_process"),
        ("agents/scout/task_process.md", "task_process"),
        (".notes/main_agent/world_state.md", "world_state"),
        (".notes/environment.md", "world_state"),
        ("my_project/.notes/main_agent/environment.md", "world_state"),
        ("world_overview.md", "world_state"),
        (".notes/main_agent/agent_knowledge.md", "agent_knowledge"),
        ("home/.agent/mia/knowledge.md", "agent_knowledge"),
        (".compact_memory.md", "compact_memory"),
        ("agents/scout/.compact_memory.md", "compact_memory"),
        ("sessions/20250105_103000_task1.md", "session"),
        (".sessions/2025-09-08_calc_simple_math.md", "session"),
        ("sessions/MEMORY.md", "session"),
        ("memory/2026-02-13.md", "daily"),
        ("facts/nian.md", "facts"),
        ("inbox.md", "inbox"),
        ("archive/2026-02.md", "archive"),
        ("artifacts/t0007.md", "artifact"),
        ("artifacts/t0007.txt", "artifact"),
        ("attachments/recipe.md", "attachment"),
        ("README.md", None),
        ("AGENTS.md", None),
        ("CLAUDE.md", None),
        ("docs/environment.md", None),
        ("docs/memory.md", None),
        ("NOT_MEMORY.md", None),
        ("MEMORY.md.bak", None),
        ("sessions/2026/notes.md", None),
        ("2026-02-13.md", None),
        ("memory/notes.md", None),
    ],
)
def test_a_file_is_known_by_its_name(path: str, kind: str | None, schemas: Schemas) -> None:
    found = schemas.match(path)
    assert (found.kind if found else None) == kind


@pytest.mark.parametrize("workspace", ["zh", "en"])
@pytest.mark.parametrize(
    ("path", "text", "lang"),
    [
        ("FASTMEMO.md", "# Surface memory\n\n## Self\n\n## User\n\n## Environment\n", "en"),
        ("FASTMEMO.md", "# 表层记忆\n\n## 自我感知\n\n## 用户感知\n", "zh"),
        ("FASTMEMO.md", "## Me\n\n## Owner\n", "en"),
        ("FASTMEMO.md", "## 我\n\n## 主人\n", "zh"),
        ("fastmemo.jsonl", "fastmemo v2\n\n[自我感知]\n\n[用户感知]\n- 一\n", "zh"),
        ("MEMORY.md", "# Core Memory\n\n## 用户偏好\n\n## 重要规则\n", "zh"),
        ("MEMORY.md", "# Long-term Memory\n\n## User Information\n\n## Preferences\n", "en"),
        ("PINS.md", "# Pins\n\n- a pin\n", "en"),
        ("PINS.md", "# 钉住的事\n", "zh"),
        ("task_process.md", "# Task Process\n\n## 当前状态\n\n## TODO列表\n", "zh"),
        ("sessions/a.md", "# Session: 20250105_103000\n\n## Request\n\n## Response\n\n## Metadata\n", "en"),
        (".sessions/a.md", "# Session: react_agent\n\n## 任务信息\n\n## 任务描述\n\n## 执行结果\n", "zh"),
        ("MEMORY.md", "- no heading at all\n", None),
    ],
)
def test_the_headings_choose_the_language(path: str, text: str, lang: str | None, workspace: str) -> None:
    found = Schemas(SHIPPED, workspace).match(path, parse(text.encode()))
    assert found is not None
    assert found.lang == (lang or workspace)


ALIASES = [
    ("fastmemo", "自我感知", ("自我", "我", "人格", "[动态成长人格]", "Self")),
    ("fastmemo", "用户感知", ("用户感知画像", "主人", "User")),
    ("fastmemo", "历史感知", ("人生旅程", "History")),
    ("fastmemo", "动态context池", ("ctx_pool", "动态池", "动态Context池：", "动态上下文", "事件感知", "Context pool")),
    ("fastmemo", None, ("淡化池", "将被遗忘的信息", "🐾", "")),
    ("session", "请求", ("Request", "任务描述", "问题描述")),
    ("session", "回应", ("Response", "执行结果", "解决方案")),
    ("session", "元数据", ("Metadata", "任务信息")),
    ("task_process", "TODO列表", ("TODO", "TODO列表（事件流体现在列表变化中）")),
    ("scratchpad", "未解决的问题", ("open_questions", "Open questions")),
    ("memory", None, ("重要规则", "关键事实", "我手写的一节", "Project Context")),
]


@pytest.mark.parametrize(("kind", "name", "titles"), ALIASES, ids=[f"{case[0]}-{case[1]}" for case in ALIASES])
def test_older_and_foreign_names_are_understood(
    kind: str, name: str | None, titles: tuple[str, ...], schemas: Schemas
) -> None:
    template = schemas.get(kind, "zh")
    assert template is not None
    assert {title: template.name(title) for title in titles} == dict.fromkeys(titles, name)


def test_a_template_of_no_language_replaces_both() -> None:
    own = read_template(f"---\n{LEAST.replace('x', 'pins')}---\n# Mine\n".encode(), "templates/PINS.md", "")
    schemas = Schemas([*SHIPPED, own], "zh")
    assert schemas.languages("pins") == {"": own}
    assert schemas.get("pins", "en") is own
    assert schemas.match("pins.md", parse("# 钉住的事\n".encode())) is own
    assert schemas.match("PINS.md") is None, "the kind's own files count, not those of the templates it replaces"


def test_a_later_template_replaces_its_own_language_only() -> None:
    own = read_template(f"---\n{LEAST.replace('x', 'pins')}---\n# Mine\n".encode(), "templates/en/PINS.md", "en")
    schemas = Schemas([*SHIPPED, own], "zh")
    assert schemas.get("pins", "en") is own
    assert schemas.get("pins", "zh") is BY_PATH["templates/zh/PINS.md"]


def test_the_older_sessions_lack_no_section(schemas: Schemas) -> None:
    folder = SHARED / "samples" / "react_agent"
    if not folder.is_dir():
        pytest.skip("the samples are not here")
    for path in sorted(folder.rglob(".sessions/*.md")):
        document = parse(path.read_bytes())
        template = schemas.match(path.as_posix(), document)
        assert template is not None
        there = {template.name(section.title) for section in document.sections}
        assert {spec.name for spec in template.sections if spec.required} <= there, path.name


@pytest.mark.slow
@pytest.mark.parametrize("template", SHIPPED, ids=lambda template: template.path)
def test_a_remembered_template_is_the_one_that_was_read(template: Template) -> None:
    packed = json.loads(json.dumps(template.pack()))
    assert unpack(packed, template.source) == template
    assert unpack(packed, template.source).text == template.text


def test_the_template_in_contributing_is_one() -> None:
    document = parse((Path(__file__).resolve().parents[2] / "CONTRIBUTING.md").read_bytes())
    fence = next(fence for fence in document.fences if fence.info == "markdown")
    text = document.text[document.lines.full(fence.line).end : document.lines.span(fence.last_line).start]
    assert read_template(text.encode(), "CONTRIBUTING.md", "zh").kind == "fastmemo"


@pytest.mark.parametrize("wrong", template_reader.PROBLEMS.values())
def test_a_problem_of_the_front_matter_is_told_in_chinese(wrong: str) -> None:
    told = label("zh", f"errors.{wrong}", "")
    assert "front matter" in told
    assert not re.search("[a-z]", told.replace("front matter", "").replace("{detail}", ""))
