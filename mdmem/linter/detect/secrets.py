"""Finds keys, tokens and other secrets of known forms.

A key is a long run of letters and digits, so only long runs are examined: by their own form, or by the word before them
(`api_key = `). The linter, the pen and the session files all use the table below.
"""

from __future__ import annotations

import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, pairwise
from typing import NamedTuple

from mdmem.linter.detect.public_values import in_invitation, is_named_public, is_public
from mdmem.linter.views.decoded_views import runs
from mdmem.text.pattern import Pattern, pattern
from mdmem.text.spans import Span

Secret = tuple[str, int, int]  # name, start, end


class SecretPattern(NamedTuple):
    """A known form of key: its name, the needles that each one contains, its pattern, and a further check."""

    name: str
    needles: tuple[str, ...]
    regex: Pattern
    check: Callable[[str], bool]


def _form(name: str, needles: str, regex: str, check: Callable[[str], bool]) -> SecretPattern:
    return SecretPattern(name, tuple(needles.split()), pattern(f"(?<![A-Za-z0-9])(?:{regex})"), check)


# Stand-ins for a key in documents.
_FILLER = pattern(
    r"x{4}|\*{3}|\.{3}|…|example|placeholder|dummy|redacted|changeme|change[-_]me|your[-_a-z]|[-_]here\b|sample|insert|"
    r"replace|fake|<|>|\$\{|\{\{|\$\(|%\(|(.)\1{5}",
    re.IGNORECASE,
)
_HERE = pattern(r"signature|[-_]here\Z|placeholder|example", re.IGNORECASE)
_NAMED = pattern(r"(?:[A-Z0-9]{1,16}_){0,4}(?:PASSWORD|PASSWD|PASS|PWD|SECRET|TOKEN|KEY)(?:_[A-Z0-9]{1,16}){0,2}")
_NUMBERED_USER = pattern(r"(?:user(?:name)?|usr|account|acct)[-_]?(?:id)?[-_]?\d{1,6}", re.IGNORECASE)
_PLAIN_WORD = pattern(r"[a-z]{2,16}(?:[-_][a-z]{2,16}){0,2}[-_]?\d{0,3}", re.IGNORECASE)
_SEQUENCE = pattern(r"123456789|abcdefgh|0a1b2c|a1b2c3d4|deadbeef|abc123|xyz789", re.IGNORECASE)
_LETTER, _DIGIT = pattern(r"[A-Za-z]"), pattern(r"\d")
_SOLID = pattern(r"[A-Za-z0-9]{12,}")
_URL_SAFE = pattern(r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d)[A-Za-z0-9_-]{20,}")
_SYLLABLE = pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SHORT = 2.4  # most letters and digits of a syllable of random text, on average; of words there are more
# The complete tokens of jwt.io and of RFC 7519's tutorials: they are no secrets, but others with their subject are.
_HS256 = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l"
_SAMPLE_JWTS = frozenset((
    f"{_HS256}IiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    f"{_HS256}IiwiaWF0IjoxNTE2MjM5MDIyfQ.XbPfbIHMI6arZ3Y922BhjWgQzWXcXNrz0ogtVhfEd2o",
    f"{_HS256}IiwiYWRtaW4iOnRydWV9.TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ",
    f"{_HS256}IiwiYWRtaW4iOnRydWUsImlhdCI6MTUxNjIzOTAyMn0.KMUFsIDTnFmyG3nMiGM6H9FNFUROf3wh7SmqJp-QV30",
))  # fmt: skip
# The secrets for one-time codes that every manual shows: «Hello!» and the digits of RFC 6238.
_SAMPLE_SEEDS = frozenset(("JBSWY3DPEHPK3PXP", "GEZDGNBVGY3TQOJQ", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"))


def is_filler(value: str) -> bool:
    """Return whether a value is a stand-in: `<token>`, `${TOKEN}`, `xxxx`, `****`, `your-key-here`."""
    return value in _SAMPLE_JWTS or value in _SAMPLE_SEEDS or _FILLER.search(value) is not None


def counts_up(value: str) -> bool:
    """Return whether a part of a value is the letters or digits in their order, as people type a stand-in."""
    return _SEQUENCE.search(value) is not None


def is_random(value: str) -> bool:
    """Return whether a value looks random: many different characters, letters and digits mixed, no words."""
    return (
        len(set(value)) >= 8
        and (any(_is_mixed(part) for part in _SOLID.findall(value)) or _is_mixed_across(value))
        and not is_filler(value)
        and not counts_up(value)
    )


def _is_mixed(part: str) -> bool:
    """Return True if letters and digits are mixed, or upper and lower case changes as often as in random text."""
    if _DIGIT.search(part):
        return _LETTER.search(part) is not None
    changes = sum(one.isupper() != other.isupper() for one, other in pairwise(part))
    return len(part) >= 20 and 5 * changes >= len(part)


def _is_mixed_across(value: str) -> bool:
    """Return True for base64 of addresses, whose `-` and `_` may divide it into short parts, but not for words."""
    if not _URL_SAFE.fullmatch(value):
        return False
    syllables = _SYLLABLE.findall(value)
    return sum(map(len, syllables)) <= _SHORT * len(syllables)


def _fixed(value: str) -> bool:
    """Return whether a value of a fixed form is not an example."""
    return len(set(value)) >= 8 and not is_filler(value) and not counts_up(value)


def _jwt(value: str) -> bool:
    """Return whether the header of a JWT is JSON that names an algorithm, and its signature no stand-in."""
    head, _, rest = value.partition(".")
    signature = rest.rpartition(".")[2]
    return b'"alg"' in decode(head) and value not in _SAMPLE_JWTS and not _HERE.search(signature)


def decode(letters: str) -> bytes:
    """Decode base64 in either alphabet, without padding; return nothing if it is not base64."""
    try:
        return binascii.a2b_base64(letters.replace("-", "+").replace("_", "/").rstrip("=") + "==")
    except binascii.Error:
        return b""


_PATTERNS = (
    _form("AWS key id", "AKIA ASIA ABIA ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])", _fixed),
    _form("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
           r"gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}", _fixed),
    _form("GitLab token", "glpat- gldt- glrt- glptt- glcbt- glft- glsoat- gloas- glagent-",
           r"gl(?:pat|dt|rt|ptt|cbt|ft|soat|oas|agent)-[A-Za-z0-9_-]{20,200}", _fixed),
    _form("Slack token", "xox xapp-", r"xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Za-z0-9-]{20,250}", _fixed),
    _form("Google API key", "AIza GOCSPX-",
           r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])|GOCSPX-[A-Za-z0-9_-]{28}", _fixed),
    _form("Google OAuth token", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,500}", is_random),
    _form("Anthropic key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,200}", is_random),
    _form("OpenRouter key", "sk-or-", r"sk-or-[A-Za-z0-9_-]{20,200}", is_random),
    _form("OpenAI key", "sk-proj- sk-svcacct- sk-admin-",
           r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,250}", is_random),
    _form("sk- key", "sk-", r"sk-[A-Za-z0-9_-]{20,200}", is_random),  # OpenAI, DeepSeek, DashScope, Moonshot
    _form("sk- key", "sk-", r"sk-[a-z]{48}(?![a-z])", _fixed),  # SiliconFlow
    _form("Atlassian token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{60,250}", is_random),
    _form("Stripe key", "k_live_ whsec_", r"[sr]k_live_[A-Za-z0-9]{16,200}|whsec_[A-Za-z0-9+/]{24,100}", _fixed),
    _form("npm token", "npm_", r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])", _fixed),
    _form("PyPI token", "pypi-AgEI", r"pypi-AgEI[A-Za-z0-9_-]{40,500}", _fixed),
    _form("Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{30,40}(?![A-Za-z0-9])", _fixed),
    _form("Telegram bot token", ":AA", r"(?<=\d{8}:)AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])", _fixed),
    _form("SendGrid key", "SG.", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}", _fixed),
    _form("Discord token", "M N O", r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}", is_random),
    _form("Alibaba key id", "LTAI", r"LTAI(?:[A-Za-z0-9]{20}|[A-Za-z0-9]{16}|[A-Za-z0-9]{12})(?![A-Za-z0-9])", _fixed),
    _form("Tencent key id", "AKID", r"AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])", _fixed),
    _form("Zhipu key", " ".join(f"{digit}." for digit in "0123456789abcdef"),
           r"[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9])", _fixed),
    _form("JWT", ".eyJ", r"eyJ[A-Za-z0-9_-]{10,2000}+\.eyJ[A-Za-z0-9_-]{6,4000}+\.[A-Za-z0-9_-]{10,1000}", _jwt),
    _form("API key", "gsk_ xai- nvapi- tvly- pplx- jina_ dop_v1_ shpat_ shpss_ shpca_ lin_api_ ntn_ glsa_ "
           "dckr_pat_ sbp_ r8_ figd_ AGE-SECRET ",
           r"(?:gsk_|xai-|nvapi-|tvly-|pplx-|jina_|dop_v1_|shp(?:at|ss|ca)_|lin_api_|ntn_|glsa_|dckr_pat_"
           r"|sbp_|r8_|figd_|AGE-SECRET-KEY-1)[A-Za-z0-9_-]{20,250}", is_random),
    _form("webhook address", "hooks.slack",
           r"hooks\.slack\.com/services/T[A-Z0-9]{6,12}/B[A-Z0-9]{6,12}/[A-Za-z0-9]{20,40}", _fixed),
    _form("webhook address", "api/webhooks",
           r"discord(?:app)?\.com/api/webhooks/\d{15,20}/[A-Za-z0-9_-]{50,90}", _fixed),
    _form("webhook address", "bot/v2/hook",
           r"open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/[0-9a-f-]{36}", _fixed),
)  # fmt: skip
_PREFIX = pattern(  # the prefix of a provider, before enough letters for a token
    r"(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|gl[a-z]{2,5}-|xox[a-z]-|xapp-|AIza|GOCSPX-|sk-(?:[a-z]{2,8}\d*-){0,2}"
    r"|[sr]k_live_|whsec_|npm_|pypi-|hf_|gsk_|xai-|nvapi-|tvly-|pplx-|jina_|shp[a-z]{2}_|lin_api_|ntn_|glsa_|dckr_pat_|sbp_|r8_)"
    r"[A-Za-z0-9]{16}"
)
_LEAD = 10  # characters before a run that belong to a pattern: the number of a Telegram bot

# A word before the run that identifies it; searched only if a link or a blank is before the run.
_MARKS = r"[*_]{0,3}\s{0,3}[*_]{0,2}[\"'`“「]?"  # emphasis and an opening quotation mark
_LINK = pattern(rf"(?:[:=：＝>→是为]|\bis){_MARKS}\Z|\b(?:bearer|basic|token|bot|key)\s{{1,3}}\Z", re.IGNORECASE)
# What whose key it is may say between the word and the link: «API key (Brave): …», «token for the gateway is …».
_WHOSE = r"(?:\s?[(（][^()（）\n]{1,20}[)）]|\s(?:for|of|to|do|da|de|del|para|für|pour)\s[\w .'-]{1,24})?"
_FOREIGN = (  # key, in German, Japanese, Korean, Russian, Spanish, French, Portuguese and Italian
    r"(?:api|access|secret)[\s_-]?(?:schlüssel|キー|키|ключ)|(?:clave|clé|chave|chiave|ключ)(?:\s(?:de|del|da|do))?\s"
    r"(?:api|secreta|secrète|segreta|acceso|acesso)"
)
# In the interface of Lark, and in pages of results, a token names a file or a place.
_PLACES = "file doc document node wiki obj folder image media page sync sheet spreadsheet table block upload"
_NO_PLACE = "".join(rf"(?<!{place})(?<!{place}[_ ])" for place in _PLACES.split())
_WORD = pattern(
    r"(?:(?P<basic>\bbasic\s+|\"auth\"\s*:\s*\"|\b_auth\s*=\s*[\"']?)"
    r"|(?P<bearer>\bbearer\s+|\bauthorization[\"']?\s*[:=]\s*[\"']?(?:token|bot)?\s*)"
    r"|(?P<sas>[?&]sig=)|(?P<bare>\bkey\s{1,3})"
    r"|(?<![\w-])--?(?:[a-z]{1,12}-){0,2}(?:auth|pass(?:word|wd)?)=[\"']?"
    rf"|(?:secret|{_NO_PLACE}(?:\b|_)(?:auth|access|refresh|bot|session|api|id)?[\s_-]?token|\b_?authtoken"
    r"|(?:api|access|secret|private|priv|account|shared|sharedaccess|encryption|signing|master|auth|service|subscription"
    r"|license|storage|function|consumer)[\s_-]?key(?:[\s_-]?secret)?|(?P<env>(?<![A-Za-z])[A-Z0-9_]{2,40}_KEY)|(?P<key>\bkey)"
    r"|\b(?:otp|totp|2fa|mfa)\b|twilio[^\n]{0,12}|密[钥鑰]|秘钥|令牌|访问令牌|權杖|私[钥鑰]"
    rf"|{_FOREIGN})"
    rf"{_WHOSE}(?:\s?(?:value|是|为|は|는))?[\"'`*_]{{0,3}}\s{{0,3}}(?:=>|->|→|:=|={{1,2}}|[:：＝]|\bis\b|是|为){_MARKS})\Z",
    re.IGNORECASE,
)
# A name that says enough for a strong value to follow without a link, after a dash or in the next cell of a table.
_NAMED_BESIDE = pattern(
    r"(?:(?:\b|_)(?:api|access|secret|private|priv|app|client|auth|bot|session|refresh|gateway|master|signing|encryption"
    r"|otp|totp|2fa|mfa)[\s_-]?(?:key|token|secret|seed)|(?P<env>(?<![A-Za-z0-9])[A-Z0-9_]{2,40}_(?:KEY|TOKEN|SECRET))"
    r"|(?<![\w-])--?(?:[a-z]{1,12}-){0,2}(?:auth|pass(?:word|wd)?|key|token|secret)(?=\s)"
    r"|\b(?:token|secret)(?=[*_]{0,2}\s[*_]{0,2}[\"'`“「])|密[钥鑰]|秘钥|令牌|權杖|私[钥鑰])"
    rf"[\"'`*_]{{0,3}}(?:\s{{1,3}}|\s{{0,20}}(?:[—–|]|\s-)){_MARKS}\Z",
    re.IGNORECASE,
)
_BASE32 = pattern(r"[A-Z2-7]{16,64}")  # the secret of an app for one-time codes
_STRONG = 20  # letters of the shortest value that counts without a link
_ON_CHAIN = pattern(r"0x[0-9a-f]{40}", re.IGNORECASE)  # the address of a wallet or contract is public
_OTHER_KEYS = pattern(r"PUBLIC|CACHE|PRIMARY|FOREIGN|SORT|PARTITION|IDEMPOTENCY|ROW|OBJECT|INDEX|HOT", re.IGNORECASE)
_MARKED = pattern(r"[a-z]{1,8}_[A-Za-z0-9]{16}")  # the prefix of a provider
# hexadecimal digests and identifiers use one case only
_CASES = pattern(r"[a-z][^-/.]{0,40}[A-Z]|[A-Z][^-/.]{0,40}[a-z]")
_LINKS = frozenset(" \t:=：＝>→|是为\"'`“「*")  # the last character of such a link
_WORDS = (
    "key", "token", "secret", "auth", "-pass", "bearer", "basic", "twilio", "sig=", "密钥", "密鑰", "秘钥", "令牌",
    "權杖", "私钥", "私鑰", "otp", "2fa", "mfa", "schlüssel", "キー", "키", "ключ", "clave", "clé", "chave", "chiave",
)  # fmt: skip
_BEFORE = 64

_PEM = pattern(
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----(?P<head>(?:(?!-----)[\s\S]){0,400}?)"
    r"(?P<body>[A-Za-z0-9+/]{30}[^-.…*]{0,20000}+)(?:-----END [A-Z0-9 ]{0,60}-----)?"
)
# marks of quotations, HTML, JSON and source code
_PEM_MARKS = pattern(r"\\[rn]|<[^<>\n]{0,20}>|&[a-z]{2,6};|[\s>|\"'\\+,;]+")
_PEM_LEAST = 60  # letters of the shortest key: Ed25519 in PKCS#8 takes 64
_PEM_STAND_IN = pattern(r"\.{3}|…|\*{3}|x{8}|example|placeholder|redacted|private|your", re.IGNORECASE)
_LOGIN = pattern(r"://(?P<user>[^\s/:@?#\"'<>`]{0,64}):(?P<secret>[^\s/@\"'<>`]{3,128})@[\w.\[-]")
_WELL_KNOWN = (
    "password passwd pass pwd pw secret token user username admin root test postgres mysql redis guest "
    "guest1 mongo rabbitmq minio minioadmin 密码 foo bar mypassword mypass p4ssw0rd pass123 "
    "password123 user:password"
)
_COMMON = frozenset(_WELL_KNOWN.split())
_SPELLED = str.maketrans("@0$", "aos")  # signs used as letters: `p@ss`
_OF_USER = pattern(r"[-_]?(?:dev|test|local|pass|password|pw)")  # after the name of the user
_WECOM = pattern(r"qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=(?P<secret>[0-9a-f]{8}-[0-9a-f-]{27})")
_NETRC = pattern(r"machine\s{1,4}\S{1,100}\s{1,4}login\s{1,4}\S{1,100}\s{1,4}password\s{1,4}(?P<secret>\S{4,200})")


def find_secrets(text: str, long_runs: tuple[Span, ...] | None = None) -> Iterator[Secret]:
    """Yield every secret as (name, start, end), sorted; `long_runs` are the long runs of the text if known."""
    return without_overlaps(_all_secrets(text, runs(text) if long_runs is None else long_runs))


def without_overlaps(found: Iterable[Secret]) -> Iterator[Secret]:
    """Yield secrets sorted, of those that overlap the first and longest."""
    last_end = 0
    for name, start, end in sorted(found, key=lambda secret: (secret[1], -secret[2])):
        if start >= last_end:
            yield name, start, end
            last_end = end


def _all_secrets(text: str, long_runs: Iterable[Span]) -> Iterator[Secret]:
    # a run without digits is a path or a name, except ids of AWS and runs with the prefix of a provider
    likely = [
        run for run in long_runs if _DIGIT.search(text, *run) or run.of(text).isupper() or _PREFIX.search(text, *run)
    ]
    yield from _find_known_forms(text, likely)
    yield from (secret for run in likely if (secret := _find_by_word(text, run)))
    yield from _find_private_keys(text)
    yield from _find_logins(text)


def _find_known_forms(text: str, likely: list[Span]) -> Iterator[Secret]:
    """Search the joined runs for each pattern whose needle is in them."""
    if not likely:
        return
    begins = [max(0, run.start - _LEAD) for run in likely]
    joined = "\n".join(text[begin : run.end] for begin, run in zip(begins, likely, strict=True))
    starts = list(accumulate((run.end - begin + 1 for begin, run in zip(begins, likely, strict=True)), initial=0))
    for known_form in _PATTERNS:
        if any(needle in joined for needle in known_form.needles):
            for match in known_form.regex.finditer(joined):
                if known_form.check(match.group()):
                    run = bisect_right(starts, match.start()) - 1
                    start = match.start() - starts[run] + begins[run]
                    yield known_form.name, start, start + match.end() - match.start()


def _find_by_word(text: str, run: Span) -> Secret | None:
    """Return a random run as a secret if the word before it names one."""
    if text[run.start - 1 : run.start] not in _LINKS:
        return None
    before = text[max(0, run.start - _BEFORE) : run.start]
    folded = before.lower()
    if not any(word in folded for word in _WORDS):
        return None
    value = run.of(text).rstrip(".")
    if text.startswith(("...", "…", "("), run.start + len(value)):  # cut short by the author, or a function
        return None
    word = _WORD.search(before) if _LINK.search(before[-12:]) else None
    if word is None or (word["bare"] and not _MARKED.match(value)):
        name = "key" if _is_named_beside(before, value) else ""
    else:
        name = _kind_by_word(word, value)
    if not name or is_public(value, decode(value)) or in_invitation(text, run.start):
        return None
    return name, run.start, run.start + len(value)


def _kind_by_word(word: re.Match[str], value: str) -> str:
    """Return the kind of a value behind a word for keys; empty if it is none."""
    if word["basic"]:
        user, colon, password = decode(value).decode("utf-8", "replace").partition(":")
        is_real = (
            bool(colon) and user.isprintable() and password.isprintable() and not _is_known_password(user, password)
        )
        return "Basic credentials" if is_real else ""
    if word["env"] and _OTHER_KEYS.search(word["env"]):
        return ""
    # the key of a cache, a row or an object, or a public one
    if word["key"] and not (
        len(value) >= _STRONG and _CASES.search(value) and not is_named_public(word.string, word.start("key"))
    ):
        return ""
    if not is_random(value) or _is_path(value):
        return ""
    return "Bearer token" if word["bearer"] else "key"


def _is_named_beside(before: str, value: str) -> bool:
    """Return whether the text before a strong value names it, with a blank, a dash or a bar of a table between."""
    named = _NAMED_BESIDE.search(before)
    return named is not None and not (named["env"] and _OTHER_KEYS.search(named["env"])) and _is_strong(value)


def _is_strong(value: str) -> bool:
    """Return whether a value is a key without a link before it: long, and no address of a wallet."""
    if _BASE32.fullmatch(value):
        return is_random(value)
    is_long = len(value) >= _STRONG and is_random(value) and not _is_path(value)
    return is_long and _ON_CHAIN.fullmatch(value) is None


def _is_path(value: str) -> bool:
    """Return whether a value is a path, a host name or a dotted name."""
    return value.startswith(("/", "./", "../")) or (value.count("/") > 2 and value.islower()) or ".com" in value


def _find_private_keys(text: str) -> Iterator[Secret]:
    if "PRIVATE KEY" in text:
        for match in _PEM.finditer(text):
            if _is_key_body(match["head"], match["body"], text[match.end() : match.end() + 3]):
                yield "private key", *match.span()


def _is_key_body(head: str, body: str, after: str) -> bool:
    """Return True if the text between the marks of a PEM block is base64 that looks random.

    A real key may contain long runs of one letter: the header of an OpenSSH key (PROTOCOL.key) is mostly zero bytes.
    """
    letters = _PEM_MARKS.sub("", body)
    is_random_text = len(letters) >= _PEM_LEAST and len(set(letters[20:_PEM_LEAST])) >= 12
    return is_random_text and not _PEM_STAND_IN.search(f"{head} {letters[:200]} {after}")


def _find_logins(text: str) -> Iterator[Secret]:
    if "@" in text and "://" in text:
        for match in _LOGIN.finditer(text):
            if not _is_known_password(match["user"], match["secret"]):
                yield "password in an address", *match.span("secret")
    if "qyapi.weixin" in text:
        yield from (("webhook address", *match.span("secret")) for match in _WECOM.finditer(text))
    if "machine" in text:
        for match in _NETRC.finditer(text):
            if not _is_known_password("", match["secret"]):
                yield ".netrc password", *match.span("secret")


def _is_known_password(user: str, password: str) -> bool:
    """Return whether a password is one that documents show, or the name of the user."""
    folded = password.casefold()
    plain = folded.replace("%40", "@").translate(_SPELLED)
    is_user_name = bool(user) and password.startswith(user) and _OF_USER.fullmatch(password, len(user)) is not None
    return (
        is_user_name
        or folded in _COMMON
        or plain in _COMMON
        or password == user
        or is_filler(password)
        or password.startswith(("$", "%", "{", "["))
        or _NAMED.fullmatch(password) is not None
        or bool(_NUMBERED_USER.fullmatch(user) and _PLAIN_WORD.fullmatch(password))
    )
