"""One request over HTTP: TLS verified, limited in time and size, no redirects."""

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

MODEL_LIST = "models"  # the call that lists the models of an endpoint
_PIECE = 1 << 16


class Address(NamedTuple):
    """The address of an endpoint."""

    secure: bool
    host: str
    port: int | None
    path: str


class HttpReply(NamedTuple):
    """A reply; `retry_after` in seconds, 0 if the server did not set it."""

    status: int
    body: bytes
    retry_after: float


def address(settings: OpenAISettings, call: str = "chat/completions") -> Address:
    """Parse the address in the settings, for one call of an endpoint.

    Raises:
        ConfigError: it is invalid, contains a password, or would send a key unencrypted; or no model is set.
    """
    if not settings.model and call != MODEL_LIST:
        raise ConfigError("no model is set", hint="set `model` in [openai] of ~/.config/mdmem/mdmem.toml")
    try:
        parts = urlsplit(settings.base_url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not host or parts.scheme not in ("http", "https") or parts.query or parts.fragment:
        raise ConfigError("`openai.base_url` is not a valid URL", hint="write it as https://api.example.org/v1")
    if parts.username is not None or parts.password is not None:
        raise ConfigError("`openai.base_url` contains a name or password", hint="keep it in the environment: `key_env`")
    return Address(parts.scheme == "https", host, port, f"{parts.path.rstrip('/')}/{call}")


def request(endpoint: Address, key: str, body: bytes | None, seconds: float, max_bytes: int) -> HttpReply:
    """Send JSON, or only ask where there is none to send, and return the complete reply.

    Raises:
        ConfigError: the key would be sent unencrypted, or is invalid.
        ConnectionError: not reached, interrupted, too slow or too long; its text may be shown.
    """
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "mdmem"}
    if key:
        if not endpoint.secure and not _is_local(endpoint.host):
            raise ConfigError("the key would be sent unencrypted", hint="use https in `openai.base_url`")
        if not (key.isascii() and key.isprintable()):
            raise ConfigError(
                "the key is invalid: it contains white space or control characters", hint="check `openai.key_env`"
            )
        headers["Authorization"] = f"Bearer {key}"
    connection = _connection(endpoint, seconds)
    late = threading.Event()

    def end() -> None:  # a server that sends single bytes never reaches a socket's time-out
        late.set()
        with suppress(OSError):
            if connection.sock:
                connection.sock.shutdown(2)

    clock = threading.Timer(seconds, end)
    clock.daemon = True
    clock.start()
    try:
        connection.connect()
        if late.is_set():  # the timer found no socket to close
            raise TimeoutError
        connection.request("GET" if body is None else "POST", endpoint.path, body, headers)
        answer = connection.getresponse()
        data = _read(answer, max_bytes)
        if late.is_set():  # a body without a length ends where the connection ends
            raise TimeoutError
        return HttpReply(answer.status, data, _seconds(answer.getheader("Retry-After")))
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise ConnectionError(_failure(error, seconds, late=late.is_set())) from error
    finally:
        clock.cancel()
        connection.close()


def _connection(endpoint: Address, seconds: float) -> http.client.HTTPConnection:
    if not endpoint.secure:
        return http.client.HTTPConnection(endpoint.host, endpoint.port, timeout=seconds)
    import ssl

    context = ssl.create_default_context()
    return http.client.HTTPSConnection(endpoint.host, endpoint.port, timeout=seconds, context=context)


def _read(answer: http.client.HTTPResponse, most: int) -> bytes:
    pieces, size = [], 0
    while piece := answer.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise ConnectionError(f"the endpoint sent more than {most} bytes")
    if answer.length:  # announced and not sent; an incomplete chunked body raises an error
        raise ConnectionError("the connection closed before the end of the answer")
    return b"".join(pieces)


def _failure(error: Exception, seconds: float, *, late: bool) -> str:
    """Return a message about a failed connection; a library's message may contain what was sent, so few are used."""
    if late or isinstance(error, TimeoutError):
        return f"the endpoint took longer than {seconds:g} seconds"
    if type(error) is ConnectionError:
        return str(error)
    if isinstance(error, OSError) and not isinstance(error, http.client.HTTPException):
        return f"the endpoint cannot be reached: {error.strerror or type(error).__name__}"
    return f"the connection closed, or the answer is not HTTP: {type(error).__name__}"


def _seconds(header: str | None) -> float:
    """Parse Retry-After: seconds, or a date."""
    from email.utils import parsedate_to_datetime

    header = (header or "").strip()
    if header.isdecimal() and header.isascii():
        return float(header[:9])
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0


def _is_local(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
