"""Judges what follows a word such as `password`: a password, a PIN or a number of an identity, or ordinary text.

A value is ordinary if it is a word, a date, a count, code or a stand-in: `required`, `12 characters`, `${TOKEN}`.
"""

from __future__ import annotations

import re

from mdmem.linter.detect.secrets import is_filler
from mdmem.text.pattern import pattern

# numbers of China, the United States, Korea and Japan, and of passports
_IDENTITY = pattern(
    r"\d{17}[\dXx]|\d{3}-?\d{2}-?\d{4}|\d{6}-\d{7}|\d{12}|[A-Z]{1,2}\d{6,8}|(?=(?:[A-Z]*\d){2})[A-Z0-9]{9}"
)
# social security numbers that are given to nobody, and those of an advertisement and of every manual
_NEVER_ISSUED = pattern(r"(?:000|666)-\d\d-\d{4}|\d{3}-00-\d{4}|\d{3}-\d\d-0000|123-45-6789|078-05-1120|987-65-43\d\d")
_ACCESS_CODE = pattern(r"[A-Za-z0-9]{4,8}")
TRAIL = ".,;:!?)]}>*_\"'`"
# words about passwords, stand-ins for one, and the names of tools and algorithms
_WORDS_ABOUT = (
    "required optional missing incorrect wrong invalid valid correct strong weak empty blank null none nil "
    "undefined true false yes no not set unset unknown unclear known same different needed mandatory secure "
    "insecure safe unsafe visible public private plain plaintext text string str int bool bytes char varchar "
    "secret secrets password passwords passwd user username admin root test guest default example changeme todo "
    "tbd n/a redacted masked hidden here there below above elsewhere first next last too also only always never "
    "ok okay fine ready done gone lost stale old new long short simple complex unique easy hard everything "
    "something nothing what where when why how who which mine yours theirs his hers ours it this that these those "
    "wifi wi-fi email phone bitwarden keepass keychain vault lastpass dashlane hash hashes salt bcrypt scrypt "
    "argon2 argon2id pbkdf2 sha1 sha-1 sha256 sha-256 sha512 sha-512 md5 aes aes128 aes256 aes-128 aes-256 base64 "
    "utf8 utf-8 oauth oauth2 oauth2.0 totp 2fa mfa 1password 1passwd x509 rsa rsa2048 ed25519 hs256 rs256 json "
    "yaml self env getpass prompt stdin important sensitive confidential personal tricky critical key keys token "
    "tokens auth login case-sensitive write-only read-only back fake dummy falsch richtig obligatoire requis "
    "reset found shown split built bought caught sold told thrown drawn "
    "anders gleich geändert incorrecta correcta obligatoria abgelaufen sicher one-time "
)
# stand-ins in manuals and compose files
_SAMPLE = pattern(
    r"(?:password|passphrase|passcode|passwd|pass|passw0rd|p4ssw0rd|test|testing|secret|example|demo|sample|postgres|mysql|root|admin|guest|user"
    r"|foo|bar|dummy|changeme|mypassword|mypass)[-_]?\d{0,4}!?"
)
_STOP = frozenset(_WORDS_ABOUT.split())
_ADJECTIVE = pattern(r"(?:ed|en|ing|able|ible|al|ive|ory|ic|ful|less|ly|ary|ous|ent|ant|word|ated|'s)\Z")
COUNT = pattern(  # «8 characters», «6位», «3 times»: a number that counts
    r"[ \t]?(?:[+~-]|characters?|chars?|digits?|letters?|words?|bits?|bytes?|times?|days?|attempts?|minutes?|zeichen|"
    r"caract|chiffres|dígitos|位|个|個|字符|字|次|天|分钟|文字|桁|자|회|글자|[年月日号])",
    re.IGNORECASE,
)
_DATE = pattern(r"\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?(?:T.*)?\Z|v?\d+(?:\.\d+)+\Z|\d{1,2}-\d{1,2}\Z|\d{1,2}:\d\d")
# signs of code anywhere in what is assigned with `=`: an expression may be joined of several parts
_CODE = pattern(
    r"%\w{1,40}%|[(){}<>]|\[|\]|\\|\$[A-Za-z{(]|%[sd({]|\|\||&&|://|\A[/~]|\A\.{1,2}/|::|=>|\A--?\w|\A[|>]\Z|\A&(?:mut\b|str\b|self\b|\'\w)"
)
# After «is» or a colon a password may hold the same signs, and only a whole value is code: `$VAR`, `f(…)`, `List<…>`,
# `<…>`, an option, a path, a link. What closes a bracket and goes on with letters, as `Blue(Moon)12`, is no code.
_WHOLE_CODE = pattern(
    r"[(){}<>\[\]\\|]|%\w{0,40}%?\Z|\$[A-Za-z_]\w*+(?![!@#%^*~+=?])|\$.*\$\Z"
    r"|[/~][\w./@+-]*+\Z|\.{1,2}/|--?[A-Za-z][A-Za-z-]*+(?:=|\Z)|&(?:mut\b|str\b|self\b|'\w)|[A-Za-z]:\\"
    r"|[\w@./-]*[\w-]\.[a-z]{1,5}(?::\d{1,6}){1,2}\Z|(?:I[A-Z]|[A-Z][a-z])[A-Za-z]*(?:Type|String|Str|Bytes|Buffer|Input|Field|Value|Data|Props)\Z"
    r"|(?:[Bb]ig)?[UuIiFf](?:nt|int|loat)?(?:8|16|32|64|128|256)(?:Clamped)?(?:_t|Array)?\Z|bytes(?:8|16|32|64)\Z"
    r"|\w*+::\w|[A-Za-z_]++(?:\.[A-Za-z_]++)*+(?:\|\||&&)"
    r"|[A-Za-z_][\w.:!-]*+[(\[{<](?![^)\]}>]*+[)\]}>][\w!@#%^*])"
    r"|.*(?:[)\]}][.({\[;]|[(\[{]\Z|://|=>|</|/>|%[sd](?!\w)|%[({]|\$[{(]|\{\{)"
)
_WITHOUT_ANGLES = str.maketrans("", "", "<>")  # `is_filler` takes either for a stand-in, as `<token>` is one
_NAMES = pattern(
    r"[A-Za-z_][A-Za-z_]*(?:[._/-][A-Za-z_]+)*\Z|[A-Za-z_]+\.[A-Za-z_]\w*\Z"
)  # words, dotted names, paths, snake_case
_ENV = pattern(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")
SIGN = pattern(r"[@#$%^&*+=~!?]")
_PARTS = pattern(r"[-_/+]")
PHRASE = pattern(r"[a-z]+(?:-[a-z]+){3,}\Z")  # correct-horse-battery-staple
FINAL = pattern(r"[\"'`”’」』》»*_]{0,3}(?:\s*(?:です|だ|입니다|이다))?\s*(?:[.!;,)。！；，、）]|\n|\r|\Z)")
_QUESTION = pattern(r"\s?(?:吗|嗎|么|呢|？|ですか|か？|입니까|인가요|\?)")


def has_digit(value: str) -> bool:
    """Return whether a value holds a digit."""
    return any(map(str.isdigit, value))


def has_letter(value: str) -> bool:
    """Return whether a value holds a letter."""
    return any(map(str.isalpha, value))


def is_ordinary(word: str) -> bool:
    """Return whether a lower-case word is one of a sentence about passwords: `required`, `stored`, `long`."""
    return word in _STOP or word.endswith(("ed", "ing", "ly", "able"))


def is_year(value: str) -> bool:
    """Return whether four digits may be a year of this or the last century."""
    return len(value) == 4 and value.startswith(("19", "20"))


def is_number(kind: str, value: str, tail: str) -> bool:
    """Return whether a value is a number of this kind; `tail` is the text after it."""
    digits = re.sub(r"[ -]", "", value + tail if kind == "card number" else value)
    if COUNT.match(tail):
        return False
    if kind == "access code":
        return _ACCESS_CODE.fullmatch(value) is not None and not is_filler(value) and value.casefold() not in _STOP
    if kind == "PIN":
        return value.isdigit() and 4 <= len(value) <= 8 and not is_year(value)
    if kind == "CVV":
        return value.isdigit() and 3 <= len(value) <= 4
    if kind == "card number":
        return re.match(r"\d{12,19}(?!\d)", digits) is not None and len(set(digits[:16])) > 2
    if kind == "bank account":
        return re.match(r"\d(?:[ -]?\d){5,18}(?!\d)", value + tail) is not None and len(set(digits)) > 1
    return _IDENTITY.fullmatch(value) is not None and _NEVER_ISSUED.fullmatch(value) is None


def is_password(value: str, tail: str, *, quoted: bool, assigned: bool = False) -> bool:
    """Return whether a value is a password, and not a word, a date, a count, code or a stand-in.

    Args:
        value: the value.
        tail: the text after it.
        quoted: it is in quotation marks.
        assigned: it follows `=`, as an expression in source code does.
    """
    folded = value.casefold()
    if (
        len(value) < 4
        or folded in _STOP
        or _STOP.issuperset(_PARTS.split(folded))
        or is_filler(value if assigned else value.translate(_WITHOUT_ANGLES))
        or _SAMPLE.fullmatch(folded)
        or set(value) <= set("*.-_•#")
    ):
        return False
    if (
        (_CODE.search(value) if assigned else _WHOLE_CODE.match(value))
        or _DATE.match(value)
        or _ENV.match(value)
        or re.match(r"\w+@\w+\.\w+", value)
    ):
        return False
    if value.isdigit():
        return not COUNT.match(tail) and not _QUESTION.match(tail)
    if not _NAMES.match(value):  # it contains a digit or a sign
        return (has_digit(value) or SIGN.search(value) is not None) and not (COUNT.match(tail) and len(value) < 6)
    if PHRASE.match(value) and "pass" not in value:
        return True
    if not value.isalpha() or _QUESTION.match(tail):
        return False
    plain = len(value) >= 5 and (quoted or not _ADJECTIVE.search(folded))
    return plain and (quoted or value.islower() or not value[1:].islower()) and FINAL.match(tail) is not None
