"""Asks an OpenAI-compatible endpoint: one POST to `/chat/completions`, tried again a few times where that may help."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from mdmem.core.settings.models import OpenAISettings
from mdmem.errors import ModelError
from mdmem.models import Mask, excerpt
from mdmem.models.attempt import AgainError, call
from mdmem.models.http import Reply


def ask(prompt: str, settings: OpenAISettings, mask: Mask, *, sleep: Callable[[float], None] = time.sleep) -> str:
    """Give a model's answer to a prompt, at temperature 0.

    Raises:
        ConfigError: the address or the model in the settings cannot be used.
        ModelError: no answer after all attempts, or one that more attempts would not better.
    """
    messages = [{"role": "user", "content": prompt}]
    question = {"model": settings.model, "messages": messages, "temperature": 0, "stream": False}
    return call("chat/completions", question, settings, mask, _content, sleep)


def _content(reply: Reply, hide: Mask) -> str:
    """Take the text out of a completion, whatever content type it claims."""
    try:
        answer = json.loads(reply.body)
        choice = answer["choices"][0]
        text = _text(choice["message"]["content"])
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        said = excerpt(reply.body, hide) or "nothing"
        raise AgainError(ModelError(f"the endpoint answered no completion: {said}")) from error
    if choice.get("finish_reason") == "length":
        raise ModelError("the model's answer was cut off at its limit", hint="use a model with a larger output")
    if not text.strip():
        raise AgainError(ModelError("the model answered nothing"))
    return text


def _text(content: Any) -> str:  # noqa: ANN401 - JSON is what it is
    """Give the text of a message: a string, or parts of which some are text."""
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(part["text"] for part in content if part.get("type") == "text")
