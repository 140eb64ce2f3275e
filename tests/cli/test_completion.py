"""What a shell is offered: verbs, options, choices, and the names of this workspace."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import Run, environment


def offered(mdmem: Run, words: str, **more: str) -> list[str]:
    """Return what bash is offered for a line whose last word is not complete."""
    number = str(len(words.split(" ")) - 1)
    done = mdmem(_MDMEM_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=number, **more)
    return done.stdout.split("\n")[:-1] if done.stdout.strip() else []


@pytest.fixture
def full(mdmem: Run, folder: Path) -> Path:
    mdmem("init", "--lang", "en")
    (folder / "mdmem.toml").write_text('lang = "en"\n')
    mdmem("session", "start", "mend the gate")
    mdmem("plan", "add", "saw the boards", "paint them")
    return folder


def test_the_grammar_is_offered(mdmem: Run) -> None:
    assert offered(mdmem, "mdmem li") == ["lint"]
    assert offered(mdmem, "mdmem pin a") == ["add"]
    assert offered(mdmem, "mdmem lint --fail-on ") == ["error", "warning", "note"]
    assert "--section" in offered(mdmem, "mdmem add MEMORY.md --")
    assert {"en", "zh"} <= set(offered(mdmem, "mdmem lint --lang "))


def test_names_of_the_workspace_are_offered(mdmem: Run, full: Path) -> None:
    assert "MEMORY.md" in offered(mdmem, "mdmem show M")
    assert "memory" in offered(mdmem, "mdmem show m")
    assert offered(mdmem, "mdmem add USER.md hello --section ")
    assert "todos" in offered(mdmem, "mdmem add memory hello --section ")
    assert any("mend_the_gate" in one for one in offered(mdmem, "mdmem session show "))
    assert offered(mdmem, "mdmem plan done ") == ["1", "2"]
    assert {"chat", "minimal", "full"} <= set(offered(mdmem, "mdmem context "))
    assert "MM308" in offered(mdmem, "mdmem explain MM3")
    assert {"daily", "memory"} <= set(offered(mdmem, "mdmem search x --kind "))
    assert "lint.max_lines" in offered(mdmem, "mdmem config show lint.max")


def test_nothing_is_offered_where_there_is_no_memory(mdmem: Run, tmp_path: Path) -> None:
    (tmp_path / "nowhere").mkdir()
    done = mdmem(
        cwd=tmp_path / "nowhere", _MDMEM_COMPLETE="complete_bash", COMP_WORDS="mdmem show ", COMP_CWORD="2"
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == ("", "")


def test_nothing_that_a_shell_would_run_is_offered(mdmem: Run, full: Path) -> None:
    (full / "memory").mkdir()
    (full / "facts").mkdir()
    (full / "facts" / "$(touch owned).md").write_text("# Facts\n\n- x\n", "utf-8")
    (full / "facts" / "a;b`c`.md").write_text("# Facts\n\n- x\n", "utf-8")
    mdmem("session", "start", "x'$(touch owned)`touch owned`")
    assert not [one for one in offered(mdmem, "mdmem show facts/") if "owned" in one or ";" in one]
    shown = mdmem(_MDMEM_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS="mdmem session show ").stdout
    assert "mend_the_gate" in shown
    assert not set("$`") & set(shown.replace("_arguments '*: :((", ""))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_each_shell_has_its_script(mdmem: Run, shell: str) -> None:
    script = mdmem("completion", shell).stdout
    assert "_MDMEM_COMPLETE" in script


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_real_shell_takes_the_script(shell: str, mdmem: Run, full: Path, tmp_path: Path) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    script = mdmem("completion", shell).stdout
    check = [shell, "--no-execute"] if shell == "fish" else [shell, "-n"]
    done = subprocess.run(check, input=script, text=True, capture_output=True, check=False, env=environment(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
