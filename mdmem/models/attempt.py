"""Calls an OpenAI-compatible endpoint: tried again a few times where that may help, the key shown to nobody else."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import TypeVar

from mdmem.core.settings.models import OpenAISettings
from mdmem.errors import ModelError
from mdmem.models import Mask, excerpt
from mdmem.models.http import Address, Reply, address, post

T = TypeVar("T")

_TRY_AGAIN = frozenset((408, 425, 429, 500, 502, 503, 504, 529))


class AgainError(Exception):
    """An attempt failed in a way that the next one may not."""

    def __init__(self, failure: ModelError) -> None:
        super().__init__(str(failure))
        self.failure = failure


def call(
    way: str,
    question: Mapping[str, object],
    settings: OpenAISettings,
    mask: Mask,
    read: Callable[[Reply, Mask], T],
    sleep: Callable[[float], None],
) -> T:
    """Post a question to one of an endpoint's calls and give what `read` makes of the answer.

    The key comes from the environment and goes nowhere but into the request to the address in the settings: no redirect
    is followed, TLS is verified, and no message holds it. `read` raises AgainError for what another attempt may better.

    Raises:
        ConfigError: the address or the model in the settings cannot be used.
        ModelError: no answer after all attempts, or one that more attempts would not better.
    """
    place = address(settings, way)
    key = os.environ.get(settings.key_env, "").strip()
    body = json.dumps(question).encode()

    def hide(text: str) -> str:
        return mask(text.replace(key, "[key]") if key else text)

    wait = float(settings.wait_seconds)
    for attempt in range(1, settings.attempts + 1):
        try:
            return read(_attempt(place, key, body, settings, hide), hide)
        except AgainError as error:
            pause = max(wait, error.failure.retry_after)
            if attempt == settings.attempts or pause > settings.max_wait_seconds:
                raise error.failure from error
        sleep(pause)
        wait *= 2
    raise AssertionError  # a setting is at least 1, so an attempt returned or raised


def _attempt(place: Address, key: str, body: bytes, settings: OpenAISettings, hide: Mask) -> Reply:
    try:
        reply = post(place, key, body, settings.seconds, settings.max_bytes)
    except ConnectionError as error:
        raise AgainError(ModelError(str(error), hint="check `base_url` in the settings, and the network")) from error
    if 200 <= reply.status < 300:
        return reply
    failure = ModelError(
        f"the endpoint answered {reply.status}: {excerpt(reply.body, hide) or 'nothing'}",
        hint=_hint(reply.status, settings),
        retry_after=reply.retry_after,
    )
    raise AgainError(failure) if reply.status in _TRY_AGAIN else failure


def _hint(status: int, settings: OpenAISettings) -> str:
    if status in (401, 403):
        return f"the key is read from the environment variable {settings.key_env}"
    if 300 <= status < 400:
        return "it sends elsewhere, and the key does not follow; put the new address into `base_url`"
    return "check `base_url` and `model` in [openai]" if status in (400, 404, 405, 422) else "try again later"
