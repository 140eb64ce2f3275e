"""Calls an OpenAI-compatible endpoint, with retries; the key appears in no message."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from mdmem.errors import FailureKind, ModelError
from mdmem.models import Mask, ModelReply, TimeLimit, excerpt
from mdmem.models.http import MODEL_LIST, Address, HttpReply, address, request
from mdmem.settings.tables import OpenAISettings

T = TypeVar("T")

_TRY_AGAIN = frozenset((408, 425, 429, 500, 502, 503, 504, 529))
_KINDS: Mapping[int, FailureKind] = {401: "sign-in", 402: "quota", 403: "sign-in", 429: "quota"}  # of a status


class AgainError(Exception):
    """A failed attempt that may be retried."""

    def __init__(self, failure: ModelError) -> None:
        super().__init__(str(failure))
        self.failure = failure


def call(
    path: str,
    question: Mapping[str, object] | None,
    settings: OpenAISettings,
    mask: Mask,
    read: Callable[[HttpReply, Mask], T],
    sleep: Callable[[float], None],
    limit: TimeLimit | None = None,
) -> T:
    """Send a question to one call of an endpoint, or none, and return the result of `read`.

    The key comes from the environment and is only sent to the address in the settings: no redirect is followed, TLS is
    verified, and no message contains it. `read` raises AgainError for an answer that may be retried.

    Raises:
        ConfigError: the address or the model in the settings cannot be used.
        ModelError: no answer after all attempts, or an error that a retry would not change.
        OutOfTimeError: the time of several questions is over.
    """
    endpoint = address(settings, path)
    key = os.environ.get(settings.key_env, "").strip()
    body = None if question is None else json.dumps(question).encode()

    def hide(text: str) -> str:
        return mask(text.replace(key, "[key]") if key else text)

    wait = float(settings.wait_seconds)
    for attempt in range(1, settings.attempts + 1):
        seconds = limit.most(settings.seconds) if limit else settings.seconds
        try:
            return read(_attempt(endpoint, key, body, settings, seconds, hide), hide)
        except AgainError as error:
            pause = max(wait, error.failure.retry_after)
            if limit and limit.most(pause) < pause:
                raise limit.over() from error
            if attempt == settings.attempts or pause > settings.max_wait_seconds:
                raise error.failure from error
        sleep(pause)
        wait *= 2
    raise AssertionError  # there is at least one attempt, which returned or raised


def _attempt(
    endpoint: Address, key: str, body: bytes | None, settings: OpenAISettings, seconds: float, hide: Mask
) -> HttpReply:  # fmt: skip
    try:
        reply = request(endpoint, key, body, seconds, settings.max_bytes)
    except ConnectionError as error:
        hint = "check `base_url` in the settings, and the network"
        raise AgainError(ModelError(str(error), hint=hint, why="network")) from error
    if 200 <= reply.status < 300:
        return reply
    failure = ModelError(
        "the endpoint returned {status}: {answer}",
        hint=_hint(reply.status, settings),
        retry_after=reply.retry_after,
        facts={"status": reply.status, "answer": excerpt(reply.body, hide) or "nothing"},
        why=_KINDS.get(reply.status, "other"),
    )
    raise AgainError(failure) if reply.status in _TRY_AGAIN else failure


def _hint(status: int, settings: OpenAISettings) -> str:
    if status in (401, 403):
        return f"the key is read from the environment variable {settings.key_env}"
    if 300 <= status < 400:
        return "it sends elsewhere, and the key does not follow; put the new address into `base_url`"
    return "check `base_url` and `model` in [openai]" if status in (400, 404, 405, 422) else "try again later"


def ask(
    prompt: str,
    settings: OpenAISettings,
    mask: Mask,
    limit: TimeLimit | None = None,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> ModelReply:
    """Return a model's answer to a prompt, with temperature 0.

    Raises:
        ConfigError: the address or the model in the settings cannot be used.
        ModelError: no answer after all attempts, or an error that a retry would not change.
        OutOfTimeError: the time of several questions is over.
    """
    messages = [{"role": "user", "content": prompt}]
    question = {"model": settings.model, "messages": messages, "temperature": 0, "stream": False}
    return call("chat/completions", question, settings, mask, _content, sleep, limit)


def list_models(settings: OpenAISettings, mask: Mask) -> tuple[str, ...]:
    """Return the names of the models that an endpoint has; errors as for `ask`."""
    return call(MODEL_LIST, None, settings, mask, _names, time.sleep)


def _names(reply: HttpReply, hide: Mask) -> tuple[str, ...]:
    try:
        rows = json.loads(reply.body)["data"]
        return tuple(str(row["id"]) for row in rows)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        answer = excerpt(reply.body, hide) or "nothing"
        raise ModelError("the endpoint lists no models: {answer}", facts={"answer": answer}, why="junk") from error


def _content(reply: HttpReply, hide: Mask) -> ModelReply:
    """Return the text of a completion, whatever its content type."""
    try:
        answer = json.loads(reply.body)
        choice = answer["choices"][0]
        text = _text(choice["message"]["content"])
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        answer = excerpt(reply.body, hide) or "nothing"
        raise AgainError(
            ModelError("the endpoint returned no completion: {answer}", facts={"answer": answer}, why="junk")
        ) from error
    if choice.get("finish_reason") == "length":
        raise ModelError("the model's answer was cut off at its limit", hint="use a model with a larger output")
    if not text.strip():
        raise AgainError(ModelError("the model returned an empty answer", why="junk"))
    used = answer.get("usage")
    tokens = used.get("total_tokens") if isinstance(used, dict) else 0
    return ModelReply(text, tokens if type(tokens) is int and tokens > 0 else 0)


def _text(content: Any) -> str:  # noqa: ANN401 - JSON is what it is
    """Return the text of a message: a string, or the text parts of a list."""
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(part["text"] for part in content if part.get("type") == "text")
