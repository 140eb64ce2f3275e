"""What keys, tokens and other secrets look like, and where they stand in a text.

A key is a long run of letters and digits, so only long runs are looked at: by their own shape, or by the word that
stands before them (`api_key = `). The linter, the pen and the session files use the one table below.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from mdmem.core.text import Span
from mdmem.lint.views import runs

Secret = tuple[str, int, int]  # what it is, start, end


class Shape(NamedTuple):
    """A known form of key: its name, its regex over one long run, and what else must hold."""

    name: str
    regex: str
    check: Callable[[str], bool]


# What stands in documents where a key would be.
_FILLER = re.compile(
    r"x{4}|\*{3}|\.{3}|…|example|placeholder|dummy|redacted|changeme|change[-_]me|your[-_a-z]|[-_]here\b|sample|insert|"
    r"replace|fake|<|>|\$\{|\{\{|\$\(|%\(|(.)\1{5}",
    re.IGNORECASE,
)
_SEQUENCE = re.compile(r"123456789|abcdefgh|0a1b2c|a1b2c3d4|deadbeef", re.IGNORECASE)
_LETTER, _DIGIT = re.compile(r"[A-Za-z]"), re.compile(r"\d")
_SOLID = re.compile(r"[A-Za-z0-9]{12,}")
_PUBLIC_JWT = "eyJzdWIiOiIxMjM0NTY3ODkwIi"  # subject 1234567890: the example of jwt.io, in every tutorial


def is_filler(value: str) -> bool:
    """Tell whether a value only stands for one: `<token>`, `${TOKEN}`, `xxxx`, `****`, `your-key-here`."""
    return _FILLER.search(value) is not None


def is_random(value: str) -> bool:
    """Tell whether a value looks drawn by chance: letters and digits mixed, many of them, nothing to read."""
    return (
        len(set(value)) >= 8
        and any(_LETTER.search(part) and _DIGIT.search(part) for part in _SOLID.findall(value))
        and not is_filler(value)
        and not _SEQUENCE.search(value)
    )


def _fixed(value: str) -> bool:
    """Accept what has the exact length and alphabet of its kind, unless it is an example."""
    return len(set(value)) >= 8 and not is_filler(value) and not _SEQUENCE.search(value)


def _jwt(value: str) -> bool:
    """Accept a JWT whose header is JSON that names an algorithm."""
    head = value.split(".", 1)[0]
    return b'"alg"' in decode(head) and _PUBLIC_JWT not in value


def decode(letters: str) -> bytes:
    """Decode base64 in either alphabet, without padding; nothing where it is none."""
    try:
        return base64.b64decode(letters.replace("-", "+").replace("_", "/").rstrip("=") + "==")
    except binascii.Error:
        return b""


_SHAPES = (
    Shape("AWS key id", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])", _fixed),
    Shape("GitHub token", r"gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}", _fixed),
    Shape("GitLab token", r"gl(?:pat|dt|rt|ptt|cbt|ft|soat|oas|agent)-[A-Za-z0-9_-]{20,200}", _fixed),
    Shape("Slack token", r"xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Za-z0-9-]{20,250}", _fixed),
    Shape("Google API key", r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])|GOCSPX-[A-Za-z0-9_-]{28}", _fixed),
    Shape("Google OAuth token", r"ya29\.[A-Za-z0-9_-]{20,500}", is_random),
    Shape("Anthropic key", r"sk-ant-[A-Za-z0-9_-]{20,200}", is_random),
    Shape("OpenRouter key", r"sk-or-[A-Za-z0-9_-]{20,200}", is_random),
    Shape("OpenAI key", r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,250}", is_random),
    Shape("sk- key", r"sk-[A-Za-z0-9_-]{20,200}", is_random),  # OpenAI, DeepSeek, DashScope, Moonshot
    Shape("Stripe key", r"[sr]k_live_[A-Za-z0-9]{16,200}|whsec_[A-Za-z0-9+/]{24,100}", _fixed),
    Shape("npm token", r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])", _fixed),
    Shape("PyPI token", r"pypi-AgEI[A-Za-z0-9_-]{40,500}", _fixed),
    Shape("Hugging Face token", r"hf_[A-Za-z0-9]{30,40}(?![A-Za-z0-9])", _fixed),
    Shape("Telegram bot token", r"(?<=\d{8}:)AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])", _fixed),
    Shape("SendGrid key", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}", _fixed),
    Shape("Discord token", r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}", is_random),
    Shape("Alibaba key id", r"LTAI(?:[A-Za-z0-9]{20}|[A-Za-z0-9]{16}|[A-Za-z0-9]{12})(?![A-Za-z0-9])", _fixed),
    Shape("Tencent key id", r"AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])", _fixed),
    Shape("JWT", r"eyJ[A-Za-z0-9_-]{10,2000}+\.eyJ[A-Za-z0-9_-]{6,4000}+\.[A-Za-z0-9_-]{10,1000}", _jwt),
    Shape("API key", r"(?:gsk_|xai-|nvapi-|tvly-|pplx-|jina_|dop_v1_|shp(?:at|ss|ca)_|lin_api_|ntn_|glsa_|dckr_pat_|"
                     r"sbp_|r8_|AGE-SECRET-KEY-1)[A-Za-z0-9_-]{20,250}", is_random),
    Shape("webhook address", r"hooks\.slack\.com/services/T[A-Z0-9]{6,12}/B[A-Z0-9]{6,12}/[A-Za-z0-9]{20,40}", _fixed),
    Shape("webhook address", r"discord(?:app)?\.com/api/webhooks/\d{15,20}/[A-Za-z0-9_-]{50,90}", _fixed),
    Shape("webhook address", r"open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/[0-9a-f-]{36}", _fixed),
)  # fmt: skip
_ANY = re.compile("(?<![A-Za-z0-9])(?:" + "|".join(f"(?P<s{n}>{s.regex})" for n, s in enumerate(_SHAPES)) + ")")

# A word before the run that says what it is; looked for only where `:`, `=` or `Bearer ` stands before the run.
_LINK = re.compile(r"[:=：＝>]\s{0,3}[\"'`“「]?\Z|\b(?:bearer|basic|token|bot)\s{1,3}\Z", re.IGNORECASE)
_WORD = re.compile(
    r"(?:(?P<basic>\bbasic\s+|\"auth\"\s*:\s*\"|\b_auth\s*=\s*[\"']?)"
    r"|(?P<bearer>\bbearer\s+|\bauthorization[\"']?\s*[:=]\s*[\"']?(?:token|bot)?\s*)"
    r"|(?P<sas>[?&]sig=)"
    r"|(?:secret|(?:\b|_)(?:auth|access|refresh|bot|session|api|id)?[\s_-]?token|\b_?authtoken"
    r"|(?:api|access|secret|private|account|shared|sharedaccess|encryption|signing|master|auth|service|subscription"
    r"|license|storage|function)[\s_-]?key(?:[\s_-]?secret)?|twilio[^\n]{0,12}|密钥|秘钥|令牌|访问令牌|私钥)"
    r"(?:\s?(?:id|value|是|为|は|는))?[\"'`]?\s{0,3}(?:=>|:=|={1,2}|[:：＝]|\bis\b|是|为)\s{0,3}[\"'`“「]?)\Z",
    re.IGNORECASE,
)
_LINKS = frozenset(" \t:=：＝>\"'`“「")  # the last character of such a link
_BEFORE = 64
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z", re.IGNORECASE)

_PEM = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----(?P<body>[\s\S]{0,200}?[A-Za-z0-9+/]{40}"
    r"[A-Za-z0-9+/=\s\\>|]*+)(?:-----END [A-Z0-9 ]{0,60}-----)?"
)
_LOGIN = re.compile(r"://(?P<user>[^\s/:@?#\"'<>`]{0,64}):(?P<secret>[^\s/@\"'<>`]{3,128})@[\w.\[-]")
_COMMON = frozenset("password passwd pass pwd pw secret token user username admin root test postgres mysql redis guest "
                    "guest1 mongo rabbitmq minio minioadmin 密码 foo bar mypassword mypass p4ssw0rd pass123 "
                    "password123 user:password".split())  # fmt: skip
_NETRC = re.compile(r"machine\s{1,4}\S{1,100}\s{1,4}login\s{1,4}\S{1,100}\s{1,4}password\s{1,4}(?P<secret>\S{4,200})")


def find_secrets(text: str, places: tuple[Span, ...] | None = None) -> Iterator[Secret]:
    """Give every secret's name and place, in the order of the text; `places` are its long runs where known."""
    done = 0
    for name, start, end in sorted(_all(text, runs(text) if places is None else places), key=lambda s: (s[1], -s[2])):
        if start >= done:
            yield name, start, end
            done = end


def mask(text: str) -> str:
    """Put `[name]` in the place of every secret."""
    out, done = [], 0
    for name, start, end in find_secrets(text):
        out += (text[done:start], f"[{name}]")
        done = end
    return "".join((*out, text[done:]))


def _all(text: str, places: Iterator[Span] | tuple[Span, ...]) -> Iterator[Secret]:
    for run in places:
        if not _DIGIT.search(text, *run) and not run.of(text).isupper():
            continue  # a path or a name; only AWS ids may have no digit
        shaped = False
        for match in _ANY.finditer(text, *run):
            shape = _SHAPES[int((match.lastgroup or "s0")[1:])]
            if shape.check(match.group()):
                yield shape.name, *match.span()
                shaped = True
        if not shaped and (secret := _named(text, run)):
            yield secret
    yield from _keys(text)
    yield from _logins(text)


def _named(text: str, run: Span) -> Secret | None:
    """Judge a run by the word before it."""
    if text[run.start - 1 : run.start] not in _LINKS:
        return None
    before = text[max(0, run.start - _BEFORE) : run.start]
    if not _LINK.search(before[-12:]) or not (word := _WORD.search(before)):
        return None
    value = run.of(text).rstrip(".")
    if word["basic"]:
        user, colon, password = decode(value).decode("utf-8", "replace").partition(":")
        real = bool(colon) and user.isprintable() and password.isprintable() and not _known(user, password)
        return ("Basic credentials", run.start, run.start + len(value)) if real else None
    if is_random(value) and not _is_path(value):
        name = "Bearer token" if word["bearer"] else "key"
        return name, run.start, run.start + len(value)
    return None


def _is_path(value: str) -> bool:
    """Tell a path, a host name or a dotted name from a key."""
    return value.startswith(("/", "./", "../")) or value.count("/") > 2 and value.islower() or ".com" in value


def _keys(text: str) -> Iterator[Secret]:
    if "PRIVATE KEY" in text:
        for match in _PEM.finditer(text):
            if len(set(match["body"])) >= 16 and not is_filler(match["body"]):
                yield "private key", *match.span()


def _logins(text: str) -> Iterator[Secret]:
    if "@" in text and "://" in text:
        for match in _LOGIN.finditer(text):
            if not _known(match["user"], match["secret"]):
                yield "password in an address", *match.span("secret")
    if "machine" in text:
        for match in _NETRC.finditer(text):
            if not _known("", match["secret"]):
                yield ".netrc password", *match.span("secret")


def _known(user: str, password: str) -> bool:
    """Tell whether a password is one that documents show, or the same as the user's name."""
    folded = password.casefold()
    return folded in _COMMON or password == user or is_filler(password) or password.startswith(("$", "%", "{", "["))
