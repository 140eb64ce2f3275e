"""The tables of what reads a text besides mdmem: programs, endpoints, vectors, the counter of tokens."""

from __future__ import annotations

from mdmem.core.record import NamedTuple


class CommandSettings(NamedTuple):
    """The table `[command]`."""

    run: tuple[str, ...]
    seconds: int
    max_bytes: int


class OpenAISettings(NamedTuple):
    """The table `[openai]`."""

    base_url: str
    model: str
    key_env: str
    seconds: int
    attempts: int
    wait_seconds: int
    max_wait_seconds: int
    max_bytes: int


class VectorSettings(NamedTuple):
    """The table `[vectors]`."""

    backend: str
    model: str
    base_url: str
    key_env: str
    dimensions: int
    batch: int
    max_chars: int
    nearest: int
    seconds: int
    attempts: int
    fill_seconds: int
    rest_seconds: int
    rows_without_numpy: int


class TokensSettings(NamedTuple):
    """The table `[tokens]`."""

    counter: str
    percent: int
