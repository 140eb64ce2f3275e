"""What is said in confidence stays in the session: nothing is made of it, and nobody is given it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem.workspace import Workspace

ROWS = [
    line.split("\t")
    for line in Path(__file__).with_name("confidences.tsv").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
QUIET = {  # other voices, with the turns of each; the second half of each list was aside while the words were written
    lang: [
        (said.split(" > "), word)
        for line in Path(__file__).with_name(f"quiet_{lang}.tsv").read_text("utf-8").splitlines()
        if not line.startswith("#")
        for said, word in (line.split("\t"),)
    ]
    for lang in ("en", "zh")
}
NOT_HEARD = ("信达",)  # its clause says itself what is private
PUBLIC = [  # only like it: a rule, or a statement that is kept
    ("My gym is Fitwell. Keep the meeting between 8 and 9.", "Fitwell"),
    ("Don't share the Contoso report with clients without asking me.", "Contoso"),
    ("I live in Tromsø. Don't store tokens in the repository.", "Troms"),
    ("我住在翠湖小区。不用记录日志，直接输出。", "翠湖"),
    ("我妹妹住在无锡。别存临时文件。", "无锡"),
    ("I live in Ghent. Don't forget this!", "Ghent"),
    ("I live in Ghent. I don't know if my brother does, too.", "Ghent"),
    ("I live in Ghent. It is no secret.", "Ghent"),
    ("I live in Ghent. Don't tell me it is small.", "Ghent"),
    ("我住在无锡。这个别忘了。", "无锡"),
    ("我住在无锡。我不知道你住哪儿。", "无锡"),
    ("我住在无锡。别提了，今天堵车。", "无锡"),
]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    root = tmp_path / "memory"
    root.mkdir()
    return Workspace(root)


def told(workspace: Workspace, *said: str) -> str:
    """Record a conversation that is answered in the user's words, end it, and give its path."""
    session = workspace.sessions.start("chat")
    for text in said:
        session.turn("user", text)
        session.turn("assistant", f"I see: {text}")
    return session.end().path


def lines_with(workspace: Workspace, word: str) -> list[str]:
    """Give the lines that hold a word in files, but for the turns of sessions."""
    found = []
    for path in sorted(Path(workspace.root).rglob("*.md")):
        text = path.read_text("utf-8")
        head = text.partition("\n### 1 ")[0] if path.parent.name == "sessions" else text
        found += [f"{path.name}: {line}" for line in head.splitlines() if word in line]
    return found


@pytest.mark.parametrize(("said", "word"), ROWS)
def test_nothing_is_made_of_a_confidence(workspace: Workspace, said: str, word: str) -> None:
    path = told(workspace, said)
    assert word in Path(workspace.root, path).read_text("utf-8")
    assert not lines_with(workspace, word)
    assert word not in workspace.recall(f"{word}?").text
    assert word not in str(workspace.call("memory_search", {"query": word}).get("text", ""))
    assert word not in workspace.pack("default", query=word).text


@pytest.mark.parametrize(("said", "word"), PUBLIC)
def test_what_only_sounds_like_it_is_kept(workspace: Workspace, said: str, word: str) -> None:
    told(workspace, said)
    assert any(line.startswith(("user.md", "用户.md")) for line in lines_with(workspace, word))


def test_a_confidence_may_be_left_out_of_the_session(workspace: Workspace) -> None:
    Path(workspace.root, "mdmem.toml").write_text('[session]\nprivate = "drop"\n')
    workspace = Workspace(workspace.root)
    session = workspace.sessions.start("chat")
    dropped = session.turn("user", "I live in Graz. Between us: Harald drinks.")
    text = Path(workspace.root, dropped.path).read_text("utf-8")
    assert "Graz" in text
    assert "Harald" not in text
    assert "`[session] private`" in dropped.hint


@pytest.mark.thorough
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_nothing_is_made_of_what_other_voices_say_in_confidence(workspace: Workspace, lang: str) -> None:
    words = [word for _, word in QUIET[lang] if word not in NOT_HEARD]
    assert len(words) >= 59
    for said, word in QUIET[lang]:
        if word not in NOT_HEARD:
            told(workspace, *said)
    assert not [word for word in words if lines_with(workspace, word)]
    for word in words[::6]:
        assert word not in workspace.recall(f"{word}?").text
        assert word not in workspace.pack("default", query=word).text


def test_a_search_finds_a_confidence_by_its_words_only(workspace: Workspace) -> None:
    """Also where the lines beside it are found: `mdmem search` shows the user's own words, and no others."""
    told(
        workspace, "The dishwasher is broken.", "My wife is pregnant, please do not tell anyone.", "The plumber comes."
    )
    assert any("pregnant" in hit.text for hit in workspace.search("pregnant"))
    assert not [hit.text for hit in workspace.search("who mends the dishwasher?") if "pregnant" in hit.text]


def test_a_remark_about_all_of_it_is_about_the_whole_turn(workspace: Workspace) -> None:
    told(workspace, "I live in Ghent. My partner is Julian. I have asthma. Please don't record any of it.")
    assert not [word for word in ("Ghent", "Julian", "asthma") if lines_with(workspace, word)]
