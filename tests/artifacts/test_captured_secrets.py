"""What is captured is stored with its secrets masked; what is put with intent keeps its bytes; a setting chooses."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Make, OwnSettings
from harness import hook
from hypothesis import example, given
from hypothesis import strategies as st

from mdmem.artifacts import mask as masking
from mdmem.artifacts.mask import MaskedStream
from mdmem.errors import ConfigError
from mdmem.formats.artifact import read_artifact
from mdmem.workspace import Workspace

TOKEN = "ghp_" + "R7tKx2Vq9LmZb4Wc8Ns1Yd6Hf3Jg5Pa0Ue2T"  # looks like one, opens nothing
STRIPE = "sk_live_" + "51Hq8ZtLr3VxNc7Wd9Bm2Kf"
OPENAI = "sk-proj-" + "t9Wb4Xq7Zn2Lm6Vc8Rk3Jh5Gd1Fs0Pa"
PEM = (
    "-----BEGIN PRIVATE KEY-----\n"
    + "".join(f"Zx{n}QmT7vLk{n}RbYw8Hc{n}JdNf3Gs{n}PaEu6Xi{n}MoKz4VtWq\n" for n in range(9))
    + "-----END PRIVATE KEY-----\n"
)
COLOURED = f"\x1b[36mtoken\x1b[0m: {OPENAI[:15]}\x1b[1m{OPENAI[15:]}\x1b[0m"
# an output, and the words of it that no file may hold
LEAKS = {
    "a dump of the environment": (f"HOME=/root\nGH_TOKEN={TOKEN}\nLANG=C\n", [TOKEN]),
    "a login in an address": ("remote: https://ida:Wm4kRt9xQz@git.example.org/app.git\n", ["Wm4kRt9xQz"]),
    "a private key": (f"cat key.pem\n{PEM}done\n", ["QmT7vLk4RbYw8Hc4JdNf3Gs4Pa"]),
    "a password in a sentence": ("the database password is Heron!47-lake now\n", ["Heron!47-lake"]),
    "a header of a request": (f"> Authorization: Bearer {OPENAI}\n< 401\n", [OPENAI]),
    "a coloured key": (f"{COLOURED}\n", [OPENAI[15:]]),
    "two keys on a line": (f"{TOKEN},{OPENAI}\n", [TOKEN, OPENAI]),
    "a key in full-width letters": (f"key: {''.join(chr(ord(c) + 0xFEE0) for c in TOKEN)}\n", [TOKEN]),
}


def everything(work: Workspace) -> str:
    """Return the text of every file of the folder, as it is and as a terminal shows it."""
    paths = [path for path in Path(work.root).rglob("*") if path.is_file()]
    text = "\n".join(path.read_bytes().decode("utf-8", "replace") for path in paths)
    return text + text.replace("\x1b[1m", "")


def body(work: Workspace, path: str) -> bytes:
    data = Path(work.root, path).read_bytes()
    return data[read_artifact(data, path).body :]


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("en")


@pytest.mark.parametrize("output", LEAKS)
def test_no_secret_of_a_captured_output_reaches_the_folder(work: Workspace, output: str) -> None:
    text, leaks = LEAKS[output]
    hook(work, "UserPromptSubmit", prompt="build it, please")
    hook(work, "PostToolUseFailure", tool_name="Bash", tool_input={"command": "make"}, error=text)
    (run,) = work.artifacts.list()
    assert not [leak for leak in leaks if leak in everything(work)]
    assert run.masked == len(leaks)
    assert run.secrets == 0
    assert f"{len(leaks)} secret" in run.summary[-1], "the summary says how many"
    assert body(work, run.path).count(b"\n") == text.count("\n"), "every line keeps its number"
    assert not [one for one in work.lint().diagnostics if one.code == "MM508"]
    assert f"{len(leaks)} secret" in work.sessions.show(work.sessions.list()[0].id).turns[-1].text


@pytest.mark.parametrize(
    ("agent", "name", "payload"),
    [
        ("claude", "PostToolUse", {"tool_name": "Bash", "tool_response": {"stdout": "x\n" * 2000 + TOKEN}}),
        ("claude", "PostToolUseFailure", {"tool_name": "Bash", "error": TOKEN}),
        ("codex", "PostToolUse", {"tool_name": "shell", "tool_response": {"output": TOKEN, "exit_code": 2}}),
        ("gemini", "AfterTool", {"tool_name": "run_shell_command",
                                 "tool_response": {"llmContent": f"Output: {TOKEN}\nExit Code: 1"}}),
        ("cursor", "afterShellExecution", {"command": "env", "output": "y\n" * 2000 + TOKEN}),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)  # fmt: skip
def test_the_hook_of_every_agent_masks(work: Workspace, agent: str, name: str, payload: dict[str, Any]) -> None:
    hook(work, name, agent, **payload)
    assert [one.masked for one in work.artifacts.list()] == [1]
    assert TOKEN not in everything(work)


@pytest.mark.parametrize("output", LEAKS)
def test_what_is_put_with_intent_keeps_its_bytes(work: Workspace, output: str) -> None:
    data = LEAKS[output][0].encode()
    kept = work.artifacts.put(data, tool="shell", input="env")
    assert body(work, kept.path) == data
    assert (kept.masked, kept.warning) == (0, "")


def test_the_input_of_a_command_is_masked_whoever_stores_it(make: Make) -> None:
    work = make("en", settings='[artifacts]\nsecrets = "captured"\n')
    for captured in (True, False):
        work.artifacts.put(b"ok", tool="Bash", input=f"curl -H 'X: Bearer {OPENAI}' x.example", captured=captured)
    assert OPENAI not in everything(work)


CHOICES = [("mask", True, True), ("captured", True, False), ("keep", False, False)]


@pytest.mark.parametrize(("word", "of_hook", "of_put"), CHOICES)
def test_a_setting_chooses_for_both(make: Make, word: str, of_hook: bool, of_put: bool) -> None:
    work = make("en", settings=f'[artifacts]\nsecrets = "{word}"\n')
    work.trust()
    work = Workspace(work.root)
    data = f"GH_TOKEN={TOKEN}\n".encode()
    captured, put = (work.artifacts.put(data, tool="t", captured=one) for one in (True, False))
    assert (bool(captured.masked), bool(put.masked)) == (of_hook, of_put)
    assert [data == body(work, one.path) for one in (captured, put)] == [not of_hook, not of_put]
    assert ("1 secret was masked" in captured.warning, "1 secret was masked" in put.warning) == (of_hook, of_put)
    reply = work.call("artifact_put", {"tool": "t", "output": data.decode()})
    assert ("1 secret was masked" in reply["hint"]) == of_put
    assert TOKEN not in json.dumps(reply)


@pytest.mark.parametrize(
    ("users", "folders", "held", "waits"),
    [
        ("captured", "mask", "mask", False),
        ("captured", "keep", "captured", True),
        ("keep", "captured", "captured", False),
        ("keep", "mask", "mask", False),
        ("mask", "captured", "mask", True),
        ("mask", "keep", "mask", True),
    ],
)
def test_a_folder_may_be_stricter_than_the_user_and_not_weaker(
    make: Make, own_settings: OwnSettings, users: str, folders: str, held: str, waits: bool
) -> None:  # fmt: skip
    own_settings(f'[artifacts]\nsecrets = "{users}"\n')
    work = make("en", settings=f'[artifacts]\nsecrets = "{folders}"\n')
    assert work.config.settings.artifacts.secrets == held
    assert work.trust_requests().tables == ({"artifacts": {"secrets": folders}} if waits else {})
    kept = work.artifacts.put(f"GH_TOKEN={TOKEN}\n".encode(), tool="t")
    assert kept.masked == (held == "mask")


@pytest.mark.parametrize("word", ["none", "yes", "MASK", "", "masked"])
def test_another_word_is_told_with_the_valid_ones(make: Make, word: str) -> None:
    with pytest.raises(ConfigError, match="one of: mask, captured, keep"):
        make("en", settings=f'[artifacts]\nsecrets = "{word}"\n').config.settings  # noqa: B018 - it is read


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00" + TOKEN.encode(),
        b"\x7fELF\x02\x01\x01\x00" + b"\x00" * 40 + TOKEN.encode(),
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00" + bytes(range(256)),
        b"SQLite format 3\x00" + TOKEN.encode(),
        f"token {TOKEN}".encode("utf-16"),
    ],
)
def test_an_output_that_is_no_text_is_kept(work: Workspace, data: bytes) -> None:
    assert body(work, work.artifacts.put(data, tool="t", captured=True).path) == data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"12 passed in 0.41s\n",
        b"a\r\nb\rc\n\n",
        "Größe: 4 µm, 温度 21 ℃\n".encode(),
        b"latin \xe9t\xe9 \xff\n",
        b"\xef\xbb\xbfx",
    ],
)
def test_a_captured_output_without_secrets_keeps_its_bytes(work: Workspace, data: bytes) -> None:
    kept = work.artifacts.put(data, tool="t", captured=True)
    assert (body(work, kept.path), kept.masked) == (data, 0)


@pytest.mark.parametrize("size", [1, 7, 64, 4096])
@pytest.mark.parametrize("output", LEAKS)
def test_a_secret_between_two_windows_is_masked(monkeypatch: pytest.MonkeyPatch, output: str, size: int) -> None:
    """The windows begin at every distance before the secret, and the caller reads in blocks of any size."""
    monkeypatch.setattr(masking, "_WINDOW", 1500)
    monkeypatch.setattr(masking, "_OVERLAP", 700)
    text, leaks = LEAKS[output]
    for before in range(0, 1600, 97):
        data = (f"step {before} ok. " * 200)[:before].encode() + b"\n" + text.encode() + b"line of the log\n" * 150
        stream, pieces = MaskedStream(io.BytesIO(data)), []
        while piece := stream.read(size):
            pieces.append(piece)
        shown = b"".join(pieces).decode().replace("\x1b[1m", "")
        assert not [leak for leak in leaks if leak in shown], before
        assert stream.masked == len(leaks)
        assert shown.endswith("line of the log\n" * 150)
        assert shown.count("\n") == data.count(b"\n")


class Dribble(io.RawIOBase):
    """A pipe that gives a few bytes at a time."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self._data = io.BytesIO(data)

    def read(self, size: int = -1, /) -> bytes:
        return self._data.read(min(size, 11) if size > 0 else 11)


def test_a_secret_in_pieces_of_a_pipe_is_masked(make: Make) -> None:
    work = make("en", settings='[artifacts]\nsecrets = "mask"\n')
    text = f"GH_TOKEN={TOKEN}\n温度 21 ℃\n"
    kept = work.artifacts.put(Dribble(text.encode()), tool="t")  # type: ignore[arg-type]
    assert body(work, kept.path).decode() == "GH_TOKEN=[GitHub token]\n温度 21 ℃\n"


def test_a_secret_between_two_files_of_a_long_output_is_masked(make: Make) -> None:
    work = make("en", settings="[artifacts]\nmax_bytes = 400\n")
    text = "a" * 380 + f" GH_TOKEN={TOKEN}\n{PEM}" + "b " * 300 + f"\npassword: {STRIPE}\n"
    kept = work.artifacts.put(text.encode(), tool="t", captured=True)
    runs = work.artifacts.list(limit=20)
    found = "".join(body(work, one.path).decode() for one in sorted(runs, key=lambda one: one.id))
    assert kept.masked == 3
    assert not [leak for leak in (TOKEN[8:20], "QmT7vLk4RbYw8Hc4", STRIPE[9:]) if leak in everything(work)]
    assert "[GitHub token]" in found
    assert sum(one.masked for one in runs) == 3


def test_the_standard_error_is_masked_too(work: Workspace) -> None:
    kept = work.artifacts.put(b"ok\n", stderr=f"denied for {TOKEN}\n".encode(), tool="t", captured=True)
    assert kept.masked == 1
    assert TOKEN not in everything(work)


@given(st.binary(max_size=3000), st.integers(1, 500))
@example("é".encode() * 900, 1)
def test_what_holds_no_secret_is_handed_out_unchanged(data: bytes, size: int) -> None:
    stream = MaskedStream(io.BytesIO(data))
    found = b"".join(iter(lambda: stream.read(size), b""))
    assert stream.masked or found == data
