"""Vector search: in step with the files, reported once if unavailable, removed with forgotten texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Make, OwnSettings
from models.server import Server, reply, serving

from mdmem.errors import UsageError
from mdmem.models import embeddings
from mdmem.models.vector import pack
from mdmem.search.vectors.backend import VectorBackend
from mdmem.search.vectors.service import BACKENDS, VectorSearch, create_search_backend
from mdmem.search.vectors.store import VectorStore
from mdmem.workspace import Workspace
from search.vectors.fake import Fake, embed

TEXTS = ["用户偏好简洁直接的回复风格", "周五有重要面试，需要准备作品集", "老张的电话在抽屉里"]
MEMORY = "# 🧠 记忆\n\n## 笔记\n\n" + "".join(f"- 2026-02-13：{text}\n" for text in TEXTS)


@pytest.fixture
def fake() -> Fake:
    return Fake()


@pytest.fixture
def memory(make: Make, fake: Fake, tmp_path: Path) -> Workspace:
    """A workspace whose settings name a backend, which is the fake."""
    workspace = make(files={"MEMORY.md": MEMORY})
    (tmp_path / "workspace" / ".mdmem").mkdir(exist_ok=True)
    store = VectorStore(str(tmp_path / "workspace" / ".mdmem" / "vectors.db"), fake.name, 5)
    backend = VectorBackend("local", fake, store, batch=2, most=5000, rest=60)
    settings = workspace.config.settings
    workspace.config.settings = settings.replace(vectors=settings.vectors._replace(backend="local"))
    workspace.index.meaning = VectorSearch(workspace.config, backend)
    return workspace


def near(memory: Workspace, question: str) -> list[str]:
    memory.index.refresh()
    found = sorted(memory.index.meaning.near(question, memory.index.words), key=lambda one: -one[1])
    return [row.text for row, _ in found]


def test_the_rows_nearest_to_a_question_come_with_shares(memory: Workspace) -> None:
    memory.index.refresh()
    found = memory.index.meaning.near(TEXTS[0], memory.index.words)
    assert max(found, key=lambda one: one[1])[0].text.endswith(TEXTS[0])
    assert {share for _, share in found} >= {0.0, 1.0}


def test_what_no_word_finds_is_found_by_meaning(memory: Workspace, fake: Fake) -> None:
    fake.question = lambda _: embed(f"2026-02-13：{TEXTS[2]}")  # type: ignore[method-assign, assignment]
    hits = memory.search("zzz")
    assert hits[0].text.endswith(TEXTS[2])
    assert hits[0].why[0] == "meaning"


def test_a_question_in_other_words_is_answered_where_one_line_is_nearest_by_far(memory: Workspace, fake: Fake) -> None:
    one, other = (embed(f"2026-02-13：{text}") for text in TEXTS[:2])
    assert memory.recall("zzz?", sparing=True).text == "", "no line is by far the nearest"
    fake.question = lambda _: one  # type: ignore[method-assign, assignment]
    assert TEXTS[0] in memory.recall("qqq?", sparing=True).text
    assert memory.recall("qqq", sparing=True).text == "", "it asks nothing"
    fake.question = lambda _: [a + b for a, b in zip(one, other, strict=True)]  # type: ignore[method-assign, assignment]
    assert memory.recall("vvv?", sparing=True).text == "", "two lines are as near"


def test_vectors_follow_the_files(memory: Workspace, fake: Fake) -> None:
    assert len(near(memory, "风格")) == len(set(fake.asked)) > 0
    before = len(fake.asked)
    memory.add("MEMORY.md", ["2026-02-14：新买的咖啡豆"], section="笔记")
    assert any("咖啡豆" in text for text in near(memory, "咖啡豆"))
    assert len(fake.asked) == before + 1, "only what is new is embedded"
    Path(memory.root, "MEMORY.md").write_text(MEMORY, "utf-8")
    assert not any("咖啡豆" in text for text in near(memory, "咖啡豆"))


def test_a_search_embeds_for_so_long_and_the_next_goes_on(memory: Workspace, fake: Fake) -> None:
    memory.index.refresh()
    assert memory.index.meaning.fill(memory.index.words, 0) == len(memory.index.words.text_numbers())
    assert "3 条" in memory.index.meaning.status().why or memory.index.meaning.status().why
    assert memory.index.meaning.fill(memory.index.words) == 0
    assert memory.index.meaning.status().why == ""
    assert memory.index.meaning.status().vectors == len(memory.index.words.text_numbers())


def test_of_what_is_forgotten_no_vector_stays(memory: Workspace, fake: Fake, tmp_path: Path) -> None:
    near(memory, "风格")
    path = tmp_path / "workspace" / ".mdmem" / "vectors.db"
    gone = [pack(embed(text)) for text in fake.asked if "老张" in text]
    assert gone
    assert all(vector in path.read_bytes() for vector in gone if vector)
    memory.forget("老张的电话")
    data = path.read_bytes()
    assert not any(vector in data for vector in gone if vector)
    kept = pack(embed(next(text for text in fake.asked if "简洁" in text)))
    assert kept
    assert kept in data


def test_where_the_files_cannot_be_asked_all_vectors_go(memory: Workspace, tmp_path: Path) -> None:
    near(memory, "风格")
    memory.index.meaning.backend._store.close()  # type: ignore[union-attr]
    path = tmp_path / "workspace" / ".mdmem" / "vectors.db"
    path.write_bytes(b"hello" * 1000)
    memory.forget("老张的电话")
    assert b"hello" not in (path.read_bytes() if path.exists() else b"")


def test_without_a_backend_nothing_is_loaded_reported_or_written(make: Make, tmp_path: Path) -> None:
    memory = make(files={"MEMORY.md": MEMORY})
    assert memory.search("风格")
    assert memory.index.warning() == ""
    assert not (tmp_path / "workspace" / ".mdmem" / "vectors.db").exists()


def configured(make: Make, own_settings: OwnSettings, table: str, lang: str = "zh") -> Workspace:
    """Open a workspace of a user whose own settings hold a table `[vectors]`."""
    own_settings(f"[vectors]\n{table}\n")
    return make(lang, files={"MEMORY.md": MEMORY})


@pytest.mark.parametrize(("lang", "says"), [("zh", "没有安装本地模型"), ("en", "the local model is not installed")])
def test_a_missing_backend_is_reported_once_and_words_answer(
    make: Make, own_settings: OwnSettings, monkeypatch: pytest.MonkeyPatch, lang: str, says: str
) -> None:
    monkeypatch.setattr(embeddings, "is_installed", lambda: False)
    memory = configured(make, own_settings, 'backend = "local"', lang)
    assert TEXTS[0] in memory.search("风格")[0].text
    assert says in memory.index.warning()
    assert memory.index.warning() == ""
    assert memory.search("风格")
    status = memory.index.meaning.status()
    assert (status.backend, status.available, says in status.why) == ("local", False, True)


def test_a_model_must_be_named(make: Make, own_settings: OwnSettings) -> None:
    memory = configured(make, own_settings, 'backend = "openai"')
    assert memory.search("风格")
    assert "`model`" in memory.index.warning()


def test_an_endpoint_is_called_and_its_failure_is_only_reported(
    make: Make, own_settings: OwnSettings, tmp_path: Path
) -> None:
    def answer(handler: object) -> None:
        texts = json.loads(server.asked[-1].body)["input"]
        data = [{"index": place, "embedding": embed(text)} for place, text in enumerate(texts)]
        reply(json.dumps({"data": data}))(handler)  # type: ignore[arg-type]

    server: Server
    with serving(answer) as server:
        table = f'backend = "openai"\nmodel = "m"\nbase_url = "{server.url}"\nattempts = 1\nseconds = 2'
        memory = configured(make, own_settings, table)
        assert "meaning" in {why for hit in memory.search("zzz") for why in hit.why}
        assert memory.index.warning() == ""
        server.answers[:] = [reply("oops", 500)]
        again = Workspace(str(tmp_path / "workspace"), lang="zh")
        assert TEXTS[0] in again.search("风格")[0].text
        assert "500: oops" in again.index.warning()
        asked = len(server.asked)
        again.search("风格")
        assert len(server.asked) == asked, "it rests"


def test_a_workspace_that_is_not_trusted_sends_nothing_away(make: Make) -> None:
    with serving(reply("oops", 500)) as server:
        settings = f'[vectors]\nbackend = "openai"\nmodel = "m"\nbase_url = "{server.url}"\n'
        memory = make("en", files={"MEMORY.md": MEMORY, "mdmem.toml": settings})
        assert memory.search("风格")
        assert "mdmem trust" in memory.index.warning()
        assert server.asked == []
        memory.trust()
        again = Workspace(memory.root, lang="en")
        again.search("风格")
        assert server.asked
        assert "500: oops" in again.index.warning()


def test_backends_are_made_by_name(make: Make) -> None:
    config = make(files={"MEMORY.md": MEMORY}).config
    for name in BACKENDS:
        assert create_search_backend(config, name).backend_type == name
    with pytest.raises(UsageError, match="no such backend"):
        create_search_backend(config, "chroma")
