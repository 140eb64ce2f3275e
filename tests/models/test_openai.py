"""An endpoint that answers, and every way in which it does not: an answer or a ModelError, in bounded time."""

from __future__ import annotations

import json
import socketserver
import time
from email.utils import formatdate
from threading import Event

import pytest

from mdmem.errors import ConfigError, ModelError
from mdmem.models.openai import ask
from mdmem.settings.tables import OpenAISettings, Settings

from .server import Answer, completion, raw, reply, serving

KEY = "sk-proj-Ab3dEf6hIj9kLm2nOp5q"
OPERATIONS = '[{"path": "FASTMEMO.md", "section": "自我感知", "content": "- 冷静"}]'


@pytest.fixture
def openai(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> OpenAISettings:
    """Settings with short times; the key is in the environment."""
    monkeypatch.setenv("MY_KEY", KEY)
    return settings.openai._replace(model="a-model", key_env="MY_KEY", seconds=2, attempts=3, max_bytes=10_000)


@pytest.fixture
def waits() -> list[float]:
    """The pauses between attempts, noted instead of slept."""
    return []


def given(openai: OpenAISettings, waits: list[float], *answers: Answer) -> str:
    with serving(*answers) as server:
        return ask("压缩", openai._replace(base_url=server.url), lambda text: text, sleep=waits.append).text


def refused(openai: OpenAISettings, waits: list[float], *answers: Answer) -> ModelError:
    with pytest.raises(ModelError) as caught:
        given(openai, waits, *answers)
    assert KEY not in f"{caught.value} {caught.value.hint}"
    return caught.value


def test_one_question_at_temperature_0_with_the_key_from_the_environment(openai: OpenAISettings) -> None:
    with serving(reply(completion(OPERATIONS))) as server:
        assert ask("压缩 10 条", openai._replace(base_url=f"{server.url}/"), str).text == OPERATIONS
    (asked,) = server.asked
    assert asked.line == "POST /v1/chat/completions HTTP/1.1"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(asked.body) == {
        "model": "a-model", "messages": [{"role": "user", "content": "压缩 10 条"}], "temperature": 0, "stream": False,
    }  # fmt: skip


def test_no_key_no_header(openai: OpenAISettings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY")
    with serving(reply(completion(OPERATIONS))) as server:
        ask("?", openai._replace(base_url=server.url), str)
    assert "authorization" not in server.asked[0].headers


def chunked(text: str) -> bytes:
    data = text.encode()
    pieces = [data[at : at + 7] for at in range(0, len(data), 7)]
    body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body + b"0\r\n\r\n"


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(reply(completion(OPERATIONS), type_="text/html; charset=gbk"), id="wrong content type"),
        pytest.param(raw(chunked(completion(OPERATIONS))), id="chunked"),
        pytest.param(raw(b"HTTP/1.0 200 OK\r\n\r\n" + completion(OPERATIONS).encode()), id="no length"),
        pytest.param(reply(completion([{"type": "text", "text": OPERATIONS}])), id="parts"),
        pytest.param(reply("\n\n " + completion(OPERATIONS)), id="white space before it"),
    ],
)
def test_an_answer_in_an_odd_envelope_is_an_answer(openai: OpenAISettings, answer: Answer, waits: list[float]) -> None:
    assert given(openai, waits, answer) == OPERATIONS
    assert waits == []


def test_prose_is_the_keepers_to_refuse(openai: OpenAISettings, waits: list[float]) -> None:
    assert given(openai, waits, reply(completion("Sure! Here you are:"))) == "Sure! Here you are:"


LONG = b"HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n" + b" " * 400


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        pytest.param(reply("oops", 500), "500: oops", id="500"),
        pytest.param(reply("", 503), "503: nothing", id="503"),
        pytest.param(reply("{}", 429, "Retry-After: 7"), "429", id="429"),
        pytest.param(raw(b""), "connection closed", id="nothing"),
        pytest.param(raw(b"SSH-2.0-OpenSSH_9.6\r\n"), "not HTTP", id="another protocol"),
        pytest.param(raw(LONG), "before the end", id="truncated"),
        pytest.param(raw(chunked(completion("x"))[:-40]), "connection closed", id="truncated chunks"),
        pytest.param(reply(completion("x" * 20_000)), "more than 10000 bytes", id="huge"),
        pytest.param(reply("<html>Bad gateway</html>", type_="text/html"), "no completion", id="a page"),
        pytest.param(reply('{"choices": []}'), "no completion", id="no choice"),
        pytest.param(reply('{"choices": [{"message": {"content": 7}}]}'), "no completion", id="a number"),
        pytest.param(reply("[" * 9000), "no completion", id="deep"),
        pytest.param(reply("7"), "no completion", id="JSON of another kind"),
        pytest.param(reply(completion(None)), "empty answer", id="empty"),
    ],
)
def test_a_temporary_failure_is_retried_and_then_reported(
    openai: OpenAISettings, waits: list[float], bad: Answer, says: str
) -> None:
    assert given(openai, waits, bad, bad, reply(completion(OPERATIONS))) == OPERATIONS
    assert len(waits) == 2
    assert says in str(refused(openai, waits, bad))
    assert len(waits) == 4


@pytest.mark.parametrize(
    ("bad", "says", "hint"),
    [
        pytest.param(reply('{"error": "no such model"}', 404), "404", "`model`", id="404"),
        pytest.param(reply(f"bad key {KEY}", 401), "bad key [key]", "MY_KEY", id="the key told back"),
        pytest.param(reply(completion("- 冷", "length")), "cut off", "larger", id="cut off"),
    ],
)
def test_a_permanent_failure_is_reported_at_once(
    openai: OpenAISettings, waits: list[float], bad: Answer, says: str, hint: str
) -> None:
    error = refused(openai, waits, bad)
    assert says in str(error)
    assert hint in error.hint
    assert waits == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(openai: OpenAISettings, waits: list[float], status: int) -> None:
    with serving(reply(completion("stolen"))) as other:
        error = refused(openai, waits, reply("", status, f"Location: {other.url}/chat/completions"))
        assert other.asked == []
    assert "base_url" in error.hint


def test_waits_grow_and_retry_after_is_respected(openai: OpenAISettings, waits: list[float]) -> None:
    refused(openai._replace(attempts=4), waits, reply("", 500))
    assert waits == [1, 2, 4]
    waits.clear()
    given(openai, waits, reply("", 429, "Retry-After: 7"), reply(completion("x")))
    assert waits == [7]
    waits.clear()
    date = formatdate(time.time() + 30, usegmt=True)
    given(openai, waits, reply("", 503, f"Retry-After: {date}"), reply(completion("x")))
    assert 25 < waits[0] <= 30


def test_who_asks_for_an_hour_is_left_alone(openai: OpenAISettings, waits: list[float]) -> None:
    assert refused(openai, waits, reply("", 429, "Retry-After: 3600")).retry_after == 3600
    assert waits == []


@pytest.mark.thorough
@pytest.mark.parametrize("part", [b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n", b""])
def test_a_server_that_sends_a_byte_now_and_then_is_given_up(
    openai: OpenAISettings, waits: list[float], part: bytes
) -> None:
    def slow(handler: socketserver.StreamRequestHandler) -> None:
        handler.wfile.write(part)
        for _ in range(600):
            handler.wfile.write(b" ")
            time.sleep(0.1)
        sent_all.set()

    sent_all = Event()
    assert "took longer than 1 seconds" in str(refused(openai._replace(seconds=1, attempts=1), waits, slow))
    assert not sent_all.is_set()


def test_no_server(openai: OpenAISettings, waits: list[float]) -> None:
    with serving(raw(b"")) as server:
        pass
    with pytest.raises(ModelError, match="cannot be reached"):
        ask("?", openai._replace(base_url=server.url), str, sleep=waits.append)
    assert len(waits) == 2


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"model": ""}, "no model"),
        ({"base_url": "api.example.org/v1"}, "not a valid URL"),
        ({"base_url": "file:///etc/passwd"}, "not a valid URL"),
        ({"base_url": "http://[::1"}, "not a valid URL"),
        ({"base_url": "http://a:9999999/"}, "not a valid URL"),
        ({"base_url": f"https://me:{KEY}@example.org/v1"}, "name or password"),
        ({"base_url": "http://example.org/v1"}, "unencrypted"),
        ({"base_url": "http://127.0.0.1.example.org/v1"}, "unencrypted"),
    ],
)
def test_invalid_settings_are_reported_without_a_connection(
    openai: OpenAISettings, change: dict[str, str], says: str
) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        ask("?", openai._replace(**change), str)  # type: ignore[arg-type]
    assert KEY not in f"{caught.value} {caught.value.hint}"


def test_a_key_that_would_break_the_header_is_reported_but_not_shown(
    openai: OpenAISettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", f"{KEY}\r\nX-Injected: 1")
    with serving(reply(completion("x"))) as server, pytest.raises(ConfigError, match="key is invalid") as caught:
        ask("?", openai._replace(base_url=server.url), str)
    assert server.asked == []
    assert KEY not in str(caught.value)


def test_an_unverified_certificate_is_refused(openai: OpenAISettings, waits: list[float]) -> None:
    with serving(raw(b"\x15\x03\x03\x00\x02\x02\x28")) as server, pytest.raises(ModelError, match="cannot be reached"):
        ask("?", openai._replace(base_url=f"https://127.0.0.1:{server.port}/v1"), str, sleep=waits.append)
    assert server.asked == []
