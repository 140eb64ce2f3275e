"""One POST over HTTP: verified, bounded in time and size, never sent on to another address."""

from __future__ import annotations

import http.client
import threading
import time
from contextlib import suppress
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from mdmem.errors import ConfigError
from mdmem.settings.tables import OpenAISettings

_PIECE = 1 << 16


class Address(NamedTuple):
    """Where an endpoint is."""

    secure: bool
    host: str
    port: int | None
    path: str


class HttpReply(NamedTuple):
    """What came back; `retry_after` in seconds, 0 where the server did not say."""

    status: int
    body: bytes
    retry_after: float


def address(settings: OpenAISettings, call: str = "chat/completions") -> Address:
    """Read the address in the settings, for one of an endpoint's calls.

    Raises:
        ConfigError: it is none, holds a password, or would send a key unencrypted over a network; or no model is named.
    """
    if not settings.model:
        raise ConfigError("no model is set", hint="set `model` in [openai] of ~/.config/mdmem/mdmem.toml")
    try:
        parts = urlsplit(settings.base_url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not host or parts.scheme not in ("http", "https") or parts.query or parts.fragment:
        raise ConfigError("`openai.base_url` is no address", hint="write it as https://api.example.org/v1")
    if parts.username is not None or parts.password is not None:
        raise ConfigError("`openai.base_url` holds a name or password", hint="keep it in the environment: `key_env`")
    return Address(parts.scheme == "https", host, port, f"{parts.path.rstrip('/')}/{call}")


def post(place: Address, key: str, body: bytes, seconds: float, max_bytes: int) -> HttpReply:
    """Send JSON and give what came back, whole.

    Raises:
        ConfigError: the key would travel unencrypted, or is none.
        ConnectionError: not reached, broken off, too slow or too long; its text may be shown.
    """
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "mdmem"}
    if key:
        if not place.secure and not _is_here(place.host):
            raise ConfigError("the key would travel unencrypted", hint="use https in `openai.base_url`")
        if not (key.isascii() and key.isprintable()):
            raise ConfigError("the key is none: it holds white space or signs", hint="look at `openai.key_env`")
        headers["Authorization"] = f"Bearer {key}"
    connection = _connection(place, seconds)
    late = threading.Event()

    def end() -> None:  # a server that sends a byte now and then passes every time-out of a socket
        late.set()
        with suppress(OSError):
            if connection.sock:
                connection.sock.shutdown(2)

    clock = threading.Timer(seconds, end)
    clock.daemon = True
    clock.start()
    try:
        connection.connect()
        if late.is_set():  # the clock found no socket to end
            raise TimeoutError
        connection.request("POST", place.path, body, headers)
        answer = connection.getresponse()
        data = _read(answer, max_bytes)
        if late.is_set():  # a body of no stated length ends wherever it is broken off
            raise TimeoutError
        return HttpReply(answer.status, data, _seconds(answer.getheader("Retry-After")))
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise ConnectionError(_told(error, seconds, late=late.is_set())) from error
    finally:
        clock.cancel()
        connection.close()


def _connection(place: Address, seconds: float) -> http.client.HTTPConnection:
    if not place.secure:
        return http.client.HTTPConnection(place.host, place.port, timeout=seconds)
    import ssl

    context = ssl.create_default_context()
    return http.client.HTTPSConnection(place.host, place.port, timeout=seconds, context=context)


def _read(answer: http.client.HTTPResponse, most: int) -> bytes:
    pieces, size = [], 0
    while piece := answer.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise ConnectionError(f"the endpoint sent more than {most} bytes")
    if answer.length:  # what it announced and did not send; a chunked body tells by itself
        raise ConnectionError("the endpoint broke off in the middle")
    return b"".join(pieces)


def _told(error: Exception, seconds: float, *, late: bool) -> str:
    """Say what went wrong in a connection; the words of a library may hold what was sent, so few are passed on."""
    if late or isinstance(error, TimeoutError):
        return f"the endpoint took longer than {seconds:g} seconds"
    if type(error) is ConnectionError:
        return str(error)
    if isinstance(error, OSError) and not isinstance(error, http.client.HTTPException):
        return f"the endpoint cannot be reached: {error.strerror or type(error).__name__}"
    return f"the endpoint broke off, or speaks no HTTP: {type(error).__name__}"


def _seconds(header: str | None) -> float:
    """Read Retry-After: seconds, or a date."""
    from email.utils import parsedate_to_datetime

    header = (header or "").strip()
    if header.isdecimal() and header.isascii():
        return float(header[:9])
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0


def _is_here(host: str) -> bool:
    """Return whether a host is this machine, so that nothing leaves it."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
