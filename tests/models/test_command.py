"""A program as a model: real ones, good and bad; one answer or one ModelError, in bounded time and memory."""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path

import pytest

from mdmem.errors import ConfigError, ModelError
from mdmem.linter.masking import mask
from mdmem.models.command import ask
from mdmem.settings.tables import CommandSettings, Settings

TOKEN = "ghp_Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d"


@pytest.fixture
def command(settings: Settings) -> CommandSettings:
    return settings.command._replace(seconds=5, max_bytes=10_000)


def run(command: CommandSettings, code: str, prompt: str = "压缩", *arguments: str) -> str:
    return ask(prompt, command._replace(run=(sys.executable, "-c", code, *arguments)), mask)


def refused(command: CommandSettings, code: str, prompt: str = "压缩") -> str:
    with pytest.raises(ModelError) as caught:
        run(command, code, prompt)
    return str(caught.value)


def test_the_prompt_goes_in_and_the_answer_comes_out(command: CommandSettings) -> None:
    assert (
        run(command, "import sys; print('got', sys.stdin.buffer.read().decode()[::-1])", "abc 记忆") == "got 忆记 cba\n"
    )


def test_no_shell_reads_the_arguments(command: CommandSettings) -> None:
    assert run(command, "import sys; print(sys.argv[1])", "", "$(id); `id` | * > x") == "$(id); `id` | * > x\n"


def test_a_long_prompt_and_a_program_that_answers_first(command: CommandSettings) -> None:
    long = "记" * 500_000
    assert run(command, "print('[]', flush=True); import sys; sys.stdin.read()", long) == "[]\n"
    assert run(command, "print('[]')", long) == "[]\n"  # it never reads it


def test_it_starts_in_an_empty_folder_that_is_removed(command: CommandSettings) -> None:
    code = "import os; print(os.getcwd(), os.listdir()); open('left', 'w').close()"
    folder, listed = run(command, code).split(" ", 1)
    assert listed == "[]\n"
    assert not os.path.exists(folder)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        pytest.param("raise SystemExit(3)", "exited with 3", id="a code"),
        pytest.param("import os; os.abort()", "signal 6", id="a crash"),
        pytest.param("pass", "printed nothing", id="nothing"),
        pytest.param("print('  ')", "printed nothing", id="blank"),
        pytest.param("while True: print('x' * 1000)", "more than 10000 bytes", id="endless"),
        pytest.param("import sys; sys.exit('no quota left')", "no quota left", id="its own words"),
        pytest.param(
            "import sys; sys.stderr.write('x\\n' * 10**6 + 'the end'); sys.exit(1)", "the end", id="many words"
        ),
    ],
)
def test_a_program_that_fails(command: CommandSettings, code: str, says: str) -> None:
    said = refused(command, code)
    assert says in said
    assert len(said) < 500


def test_garbage_is_an_answer_for_the_keeper_to_refuse(command: CommandSettings) -> None:
    assert run(command, "import sys; sys.stdout.buffer.write(b'\\xff\\xfe{\\0')") == "��{\0"


def test_a_secret_in_its_words_is_not_shown(command: CommandSettings) -> None:
    said = refused(command, f"import sys; sys.exit('bad token {TOKEN} \\x1b[31m')")
    assert TOKEN not in said
    assert "bad token [GitHub token]" in said
    assert "\x1b" not in said


def later(mark: Path, held: Path) -> str:
    """Write a program that takes a lock, does nothing for half a minute, and then leaves a mark."""
    return (
        f"import fcntl, time; lock = open({str(held)!r}, 'w'); fcntl.flock(lock, fcntl.LOCK_EX);"
        f" time.sleep(30); open({str(mark)!r}, 'w')"
    )


@pytest.mark.slow
def test_a_slow_program_ends_with_all_it_started(command: CommandSettings, tmp_path: Path) -> None:
    mark, held = tmp_path / "mark", tmp_path / "held"
    code = (
        f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {later(mark, held)!r}]); time.sleep(60)"
    )
    assert "longer than 1 seconds" in refused(command._replace(seconds=1), code)
    with held.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # whoever holds it, until its end
    assert not mark.exists(), "it came to the end of its work"


def test_children_that_it_leaves_running_block_nothing(command: CommandSettings, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    inner = later(mark, tmp_path / "held")
    code = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {inner!r}]); print('[]')"
    assert run(command, code) == "[]\n"
    assert not mark.exists(), "it was waited for"


@pytest.mark.parametrize("program", ["/nowhere/at/all", "no-such-program-here", "", "a\0b", os.sep])
def test_a_program_that_cannot_be_started(command: CommandSettings, program: str) -> None:
    with pytest.raises(ModelError, match="could not be started"):
        ask("?", command._replace(run=(program,)), mask)


def test_no_program_is_set(command: CommandSettings) -> None:
    with pytest.raises(ConfigError, match="no program"):
        ask("?", command, mask)
