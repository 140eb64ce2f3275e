"""An endpoint for vectors, and every way in which it misbehaves: vectors or a ModelError, in bounded time."""

from __future__ import annotations

import json
from threading import Event

import pytest

from mdmem.errors import ConfigError, ModelError
from mdmem.linter.masking import mask
from mdmem.models.embeddings import Endpoint
from mdmem.models.vector import Vector
from mdmem.settings.tables import OpenAISettings, Settings

from .server import Answer, reply, serving

KEY = "sk-proj-Ab3dEf6hIj9kLm2nOp5q"


@pytest.fixture
def openai(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> OpenAISettings:
    monkeypatch.setenv("MY_KEY", KEY)
    return settings.openai._replace(model="m", key_env="MY_KEY", seconds=1, attempts=2, max_bytes=50_000)


def vectors(*rows: object) -> Answer:
    return reply(json.dumps({"data": [{"index": place, "embedding": row} for place, row in enumerate(rows)]}))


def given(openai: OpenAISettings, *answers: Answer, dimensions: int = 0) -> list[Vector]:
    with serving(*answers) as server:
        endpoint = Endpoint(openai._replace(base_url=server.url), dimensions, 50, mask, sleep=lambda _: None)
        return endpoint.texts(["一", "二"])


def test_a_batch_is_one_question_with_the_key_and_without_secrets(openai: OpenAISettings) -> None:
    with serving(vectors([1, 0], [0, 1], [1, 1])) as server:
        endpoint = Endpoint(openai._replace(base_url=server.url), 2, 50, mask)
        assert endpoint.texts(["你好", f"key {KEY}", "长" * 99]) == [[1, 0], [0, 1], [1, 1]]
    (asked,) = server.asked
    assert asked.line == "POST /v1/embeddings HTTP/1.1"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    said = json.loads(asked.body)
    assert (said["model"], said["dimensions"], said["encoding_format"]) == ("m", 2, "float")
    assert said["input"][0] == "你好"
    assert KEY not in said["input"][1]
    assert len(said["input"][2]) == 50


def test_the_order_is_that_of_the_texts(openai: OpenAISettings) -> None:
    rows = [{"index": 1, "embedding": [0.5, 1]}, {"index": 0, "embedding": [1, 0]}]
    assert given(openai, reply(json.dumps({"data": rows}))) == [[1, 0], [0.5, 1]]
    del rows[0]["index"], rows[1]["index"]
    assert given(openai, reply(json.dumps({"data": rows}))) == [[0.5, 1], [1, 0]]


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        pytest.param(reply("oops", 500), "500: oops", id="500"),
        pytest.param(vectors([1, 0]), "1 vectors for 2 texts", id="too few"),
        pytest.param(vectors([1, 0], [1, 0], [1, 0]), "3 vectors for 2 texts", id="too many"),
        pytest.param(vectors([1, float("nan")], [1, 0]), "no vectors", id="NaN"),
        pytest.param(vectors([1, float("inf")], [1, 0]), "no vectors", id="infinite"),
        pytest.param(vectors([1, True], [1, 0]), "no vectors", id="no number"),
        pytest.param(vectors([1, "2"], [1, 0]), "no vectors", id="a text"),
        pytest.param(vectors([], []), "no vectors", id="empty"),
        pytest.param(vectors([1, 10**400], [1, 0]), "no vectors", id="huge number"),
        pytest.param(reply('{"data": [{"index": 5, "embedding": [1]}, {"index": 5, "embedding": [1]}]}'), "no vectors",
                     id="wrong places"),
        pytest.param(reply('{"data": 7}'), "no vectors", id="no list"),
        pytest.param(reply('{"data": [7, 8]}'), "no vectors", id="no rows"),
        pytest.param(reply("<html>"), "no vectors", id="a page"),
        pytest.param(reply("[" * 9000), "no vectors", id="deep"),
        pytest.param(vectors([0.1] * 20_000, [0.1] * 20_000), "more than 50000 bytes", id="huge"),
        pytest.param(vectors([1, 0], [1, 0, 0]), "different sizes: 2, 3", id="two sizes"),
    ],
)  # fmt: skip
def test_an_invalid_answer_is_reported(openai: OpenAISettings, bad: Answer, says: str) -> None:
    with pytest.raises(ModelError) as caught:
        given(openai, bad)
    assert says in str(caught.value)
    if "sizes" not in says and "numbers" not in says:
        assert given(openai, bad, vectors([1, 0], [0, 1])) == [[1, 0], [0, 1]], "it is tried again"


def test_an_unexpected_size_is_reported(openai: OpenAISettings) -> None:
    with pytest.raises(ModelError) as caught:
        given(openai, vectors([1, 0], [0, 1]), dimensions=3)
    assert "dimensions" in caught.value.hint


def test_a_slow_endpoint_costs_no_more_than_it_may(openai: OpenAISettings) -> None:
    given_up, waited_out = Event(), Event()

    def slow(handler: object) -> None:
        if not given_up.wait(60):
            waited_out.set()

    with pytest.raises(ModelError, match="longer than 1 seconds"):
        given(openai._replace(attempts=1), slow)
    assert not waited_out.is_set(), "the endpoint would still be silent"
    given_up.set()


def test_a_key_does_not_travel_in_the_open(openai: OpenAISettings) -> None:
    endpoint = Endpoint(openai._replace(base_url="http://api.example.org/v1"), 0, 50, mask)
    with pytest.raises(ConfigError, match="unencrypted"):
        endpoint.texts(["一"])
