"""Every sentence exists in every language with the same facts and is used; a language is a folder."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from messages_list import DYNAMIC, PACKAGE, callers, tables, undeclared
from verbs import commands

from mdmem.cli.grammar.verbs import CHAPTERS, VERBS
from mdmem.entries.edits import content
from mdmem.linter.registry import RULES
from mdmem.linter.rule import Rule
from mdmem.messages.catalog import facts_of, label, say
from mdmem.messages.counted import counted
from mdmem.messages.folders import languages, templates_folder
from mdmem.remember.classify import KINDS
from mdmem.workspace import Workspace

ENGLISH, CHINESE = tables("en"), tables("zh")
SHARED_HINTS = {"pen.sections", "pen.entries"}  # hints of more than one sentence
OTHERS = [lang for lang in languages() if lang != "en"]


@pytest.mark.parametrize("lang", OTHERS)
def test_every_language_has_the_same_keys_and_facts(lang: str) -> None:
    other = {key: text for key, text in tables(lang).items() if key in ENGLISH or not key.startswith("kind.")}
    assert other.keys() == ENGLISH.keys()
    assert [key for key in ENGLISH if facts_of(other[key]) != facts_of(ENGLISH[key])] == []
    assert [key for key in ENGLISH if not (other[key].strip() and ENGLISH[key].strip())] == []


def test_english_is_english() -> None:
    allowed = ("rules.", "cli.yes-words")  # rules name Chinese words where they are about them
    chinese = re.compile(r"[\u4e00-\u9fff]")
    assert [key for key, text in ENGLISH.items() if chinese.search(text) and not key.startswith(allowed)] == []
    assert [key for key, text in ENGLISH.items() if "«" in text or "»" in text] == []


def test_a_number_is_said_once() -> None:
    """`{count:entry|entries}` writes the number too."""
    twice = re.compile(r"\{(\w+)\}[^{}]*\{\1:[^{}|]*\|")
    assert [key for key, text in ENGLISH.items() if twice.search(text)] == []


@pytest.mark.thorough
@pytest.mark.slow
def test_every_sentence_is_used_and_every_key_exists() -> None:
    said = callers()
    # the tests below look at these
    own = (
        "rules.",
        "help.",
        "trust.",
        "argument.",
        "kind.",
        "memory-kind.",
        "habit.",
        "example.",
        "role.",
        "elsewhere.",
        "log.reason-",
    )
    silent = [key for key in ENGLISH if key.removesuffix(".hint") not in said and key not in said]
    assert [key for key in silent if not key.startswith(own)] == []
    assert [key for key in said if key not in ENGLISH and not key.endswith(".hint")] == []
    assert undeclared() == [], "a key that is put together belongs in DYNAMIC"


def test_every_kind_has_its_name() -> None:
    kinds = {key.partition(".")[2] for key in CHINESE if key.startswith("kind.")}
    assert kinds == set(Workspace(".", lang="en").config.schemas.kinds)
    words = {key.partition(".")[2] for key in ENGLISH if key.startswith("memory-kind.")}
    assert words == set(KINDS)


def test_a_hint_belongs_to_a_sentence() -> None:
    hints = {key.removesuffix(".hint") for key in ENGLISH if key.endswith(".hint") and not key.startswith("rules.")}
    assert hints - ENGLISH.keys() == SHARED_HINTS


def test_every_note_of_an_edit_has_its_sentence() -> None:
    kinds = [line.split()[0] for line in (content.EditNote.__doc__ or "").splitlines()[2:] if line.strip()]
    silent = {"full", "removed", "unchanged"}  # the outcome itself says these
    assert len(kinds) >= 10
    assert [kind for kind in kinds if kind not in silent and kind not in DYNAMIC["pen.{}"]] == []


def variants(code: str) -> set[str]:
    """Return the variants of a rule's message that its module names, in literals and in what it passes on."""
    file = next((PACKAGE / "linter" / "rules").glob(f"{code.lower()}_*.py"))
    source = file.read_text("utf-8") + (PACKAGE / "linter" / "detect" / "hidden_text.py").read_text("utf-8")
    return {
        node.value for node in ast.walk(ast.parse(source.replace("from __future__ import annotations", "")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }  # fmt: skip


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_has_a_title_a_message_and_a_hint(rule: Rule) -> None:
    prefix = f"rules.{rule.code}"
    own = {key.removeprefix(f"{prefix}.") for key in ENGLISH if key.startswith(f"{prefix}.")}
    assert "title" in own
    names = {key.partition(".")[0] for key in own if "." in key}
    for name in names or {""}:
        for part in ("message", "hint"):
            assert part in own or f"{name}.{part}" in own, f"{rule.code} {name} has no {part}"
    lost = {"gone", "empty", "binary", "short", "headless", "foreign"}  # MM122: what `FileFacts.lost` says
    assert names <= variants(rule.code) | (lost if rule.code == "MM122" else set())


def test_no_rule_is_worded_that_is_not_there() -> None:
    codes = {key.split(".")[1] for key in ENGLISH if key.startswith("rules.")}
    assert codes == {rule.code for rule in RULES} | {"kind"}


def test_every_rule_has_a_page_in_chinese() -> None:
    for rule in RULES:
        assert all(label("zh", f"pages.{rule.code}.{part}", "") for part in ("finds", "why", "fix"))


def test_every_verb_and_option_has_help() -> None:
    used = {f"help.chapter.{key}" for key in CHAPTERS} | {f"help.{name}.about" for name in VERBS}
    used |= {f"help.option.{name}" for name in ("help", "version", "install_completion", "show_completion")}
    for path, command in commands():
        about = f"help.{'.'.join(path)}.about"
        assert about in ENGLISH
        used.add(about)
        for one in command.params:
            places = [f"help.{place}.{one.name}" for place in (".".join(path), path[0], "option")]
            key = next((place for place in places if place in ENGLISH), None)
            assert key, f"{path} {one.name} has no help"
            used.add(key)
    assert {key for key in ENGLISH if key.startswith("help.")} - used == set()


def test_a_missing_key_is_an_error_unless_it_is_a_hint() -> None:
    assert say("zh", "pen.outside") == "不允许访问工作区外的文件"
    assert say("en", "pen.renamed.hint") == ""
    with pytest.raises(KeyError):
        say("en", "pen.no such key")


def test_no_code_asks_for_one_language() -> None:
    """Only code that recognizes users' texts may contain other languages; messages come from the catalogue."""
    choosing = re.compile(r"""lang\w*\s*[!=]=\s*["'](?:zh|en)["']|\[["'](?:zh|en)["']\]|["']zh["']\s*:|Literal\["zh""")
    found = [
        f"{file.relative_to(PACKAGE)}: {line.strip()}"
        for file in sorted(PACKAGE.rglob("*.py"))
        for line in file.read_text("utf-8").splitlines()
        if choosing.search(line)
    ]
    assert found == []


# --- a third language -------------------------------------------------------------------------------------------------

FRENCH = {
    "messages.toml": """
[pen]
added = "noté dans {path}{section}"
missing = "{oublié} n'est pas un fait de la phrase anglaise"
[usage]
no-verb = "le verbe `{verb}` n'existe pas"
[cli.lint]
clean = "{files:fichier vérifié|fichiers vérifiés}, rien à signaler"
warning = "avertissement"
[punctuation]
clause = " ; "
""",
    "rules.toml": '[MM308]\nmessage = "cette entrée n\'a pas de date ({count})"\n',
    "help.toml": '[add]\nabout = "Ajoute des entrées."\n[option]\nroot = "Le dossier."\n',
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of mdmem with one more language, made without touching its code."""
    place = tmp_path_factory.mktemp("copy")
    shutil.copytree(PACKAGE, place / "mdmem", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(templates_folder(), place / "templates")
    shutil.copytree(place / "templates" / "en", place / "templates" / "fr")
    for name, text in FRENCH.items():
        (place / "templates" / "fr" / name).write_text(text, "utf-8")
    template = place / "templates" / "fr" / "MEMORY.md"
    template.write_text(template.read_text("utf-8").replace(" Memory\n", " Mémoire\n", 1), "utf-8")
    return place


def run(copy: Path, folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = os.environ | {
        "PYTHONPATH": str(copy), "XDG_CACHE_HOME": str(copy / "cache"), "XDG_CONFIG_HOME": str(copy / "config"),
        "LANG": "fr_FR.UTF-8", "LC_ALL": "", "LC_MESSAGES": "", "PYTHONUTF8": "1",
    }  # fmt: skip
    return subprocess.run(
        [sys.executable, "-m", "mdmem", *words],
        cwd=folder, env=variables | environment, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "MEMORY.md").write_text("# Memory\n\n## Notes\n\n- 2026-02-13: interview\n", "utf-8")
    return tmp_path


@pytest.mark.thorough
@pytest.mark.slow
def test_a_folder_is_a_language(copy: Path, folder: Path) -> None:
    assert "1 fichier vérifié, rien à signaler" in run(copy, folder, "lint").stdout
    assert "noté dans MEMORY.md" in run(copy, folder, "add", "MEMORY.md", "an interview is due").stdout
    assert "le verbe `frob` n'existe pas" in run(copy, folder, "frob").stderr
    told = run(copy, folder, "add", "--help").stdout
    assert "Ajoute des entrées." in told
    assert "Le dossier." in told
    assert "en|fr|zh" in told
    assert "--lang" in told


@pytest.mark.thorough
def test_a_finding_speaks_it(copy: Path, folder: Path) -> None:
    (folder / "MEMORY.md").write_text("# Memory\n\n## Notes\n\n- interview\n", "utf-8")
    found = run(copy, folder, "lint").stdout
    assert "cette entrée n'a pas de date (1)" in found
    assert found == run(copy, folder, "lint").stdout, "the same from the cache"


@pytest.mark.thorough
def test_a_missing_translation_falls_back_to_english(copy: Path, folder: Path) -> None:
    told = run(copy, folder, "edit", "NOTES.md", "--old", "a", "--new", "b").stderr
    assert "no such file: NOTES.md" in told, "nor does a translation count that asks for unknown facts"


@pytest.mark.thorough
@pytest.mark.slow
def test_its_templates_are_written_and_its_files_linted(copy: Path, tmp_path: Path) -> None:
    assert run(copy, tmp_path, "init", ".").returncode == 0
    assert run(copy, tmp_path, "add", "memory", "2026-02-13: vu le médecin").returncode == 0
    assert (tmp_path / "MEMORY.md").read_text("utf-8").partition("\n")[0].lstrip("# 🧠") == "Mémoire"
    assert run(copy, tmp_path, "context").returncode == 0
    assert run(copy, tmp_path, "tool", "list").returncode == 0
    assert run(copy, tmp_path, "explain", "MM308").returncode == 0


@pytest.mark.thorough
def test_the_settings_name_it(copy: Path, folder: Path) -> None:
    (folder / "mdmem.toml").write_text('lang = "fr"\n', "utf-8")
    assert "rien à signaler" in run(copy, folder, "lint", LANG="C").stdout
    (folder / "mdmem.toml").write_text('lang = "xx"\n', "utf-8")
    assert run(copy, folder, "lint", LANG="C").returncode == 4


# --- the kept copy ----------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.slow
def test_a_damaged_or_old_copy_is_parsed_again(copy: Path, folder: Path) -> None:
    clean = run(copy, folder, "add", "--help").stdout
    kept = copy / "cache" / "mdmem" / "help-fr"
    assert kept.is_file()
    for damage in (b"", b"nonsense", kept.read_bytes()[:-40], kept.read_bytes().replace(b"Ajoute", b"Enleve")):
        kept.write_bytes(damage)
        assert run(copy, folder, "add", "--help").stdout == clean
    assert run(copy, folder, "explain", "MM102").stdout == run(copy, folder, "explain", "MM102").stdout != ""
    source = copy / "templates" / "fr" / "help.toml"
    source.write_text(source.read_text("utf-8").replace("Ajoute", "Note"), "utf-8")
    assert "Note des entrées." in run(copy, folder, "add", "--help").stdout


def test_a_broken_file_is_reported_by_its_name(copy: Path, folder: Path) -> None:
    source = copy / "templates" / "fr" / "messages.toml"
    text = source.read_text("utf-8")
    source.write_text("[pen\n", "utf-8")
    done = run(copy, folder, "status")
    source.write_text(text, "utf-8")
    assert "templates/fr/messages.toml" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_files_are_valid_and_hold_texts_only() -> None:
    for lang in languages():
        for file in Path(templates_folder(), lang).glob("*.toml"):
            assert tomllib.loads(file.read_text("utf-8")), file


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 entries"), (1, "1 entry"), (2, "2 entries"), ("1", "1 entry"), (1234, "1234 entries")]
)
def test_one_and_many(count: object, said: str) -> None:
    assert "{count:entry|entries}".format_map(counted({"count": count})) == said


def test_other_facts_stay_as_they_are() -> None:
    facts = counted({"number": 7, "yes": True, "name": "entry|entries", "share": 0.5})
    assert "{number} {number:03} {yes} {name} {share}".format_map(facts) == "7 007 True entry|entries 0.5"
